#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# What the model and the native benchmark say to what is wrong with their input
# or their machine.

setup() {
	cd "$BATS_TEST_DIRNAME/../../.."
	MACHINE=$BATS_TEST_TMPDIR/machine
	cp bench/model/machines/x86-12.machine "$MACHINE"
}

model() {
	run build/sim/sim run -m "$MACHINE" -k atomic -t "${1:-1}" -n 10
}

@test "a machine file that is right is taken" {
	model
	((status == 0))
}

@test "a machine file with an unknown key is refused, by name and line" {
	echo 'speed = 1' >>"$MACHINE"
	model
	((status == 2))
	[[ $output == *":$(wc -l <"$MACHINE"): unknown key 'speed'"* ]]
}

@test "a machine of no CPUs or no nodes is refused" {
	for key in cpus_per_node nodes; do
		sed "s/^$key = .*/$key = 0/" bench/model/machines/x86-12.machine >"$MACHINE"
		model
		((status == 2))
		[[ $output == *"$key is '0'"* ]]
	done
}

@test "a machine file without one of its keys is refused, and says which" {
	for key in hit_ns rmw_ns cas_ns retry_ns node_ns remote_ns memory_ns hold_ns store_buffer; do
		sed "/^$key /d" bench/model/machines/x86-12.machine >"$MACHINE"
		model
		((status == 2))
		[[ $output == *"'$key' is missing"* ]]
	done
}

@test "more threads than the machine has CPUs are refused" {
	model 13
	((status == 2))
	[[ $output == *'13 threads, but'*'12 CPUs'* ]]
}

@test "counters without words cannot be packed" {
	run build/sim/sim run -m "$MACHINE" -k approx,percpu --packed -n 10
	((status == 2))
	[[ $output == *'--packed: percpu has no words'* ]]
	run build/sim/sim run -m "$MACHINE" -k approx --packed -c 100 -n 10
	((status == 0))
}

@test "on one CPU the benchmark says that nothing can be said of contention" {
	run taskset -c 0 build/bench/bench quick
	((status == 0))
	[[ $output == *'one CPU only'* ]]
	[[ $output == *'"threads":1'* ]]
	[[ $output != *'"threads":2'* ]]
}

@test "what needs two CPUs is refused on one" {
	for verb in contended calibrate; do
		run taskset -c 0 build/bench/bench $verb
		((status == 1))
		[[ $output == *'needs two CPUs'* ]]
	done
}

# load FILE STATEMENT...: a program of the tools as a module, its output elsewhere
# and no gnuplot to be found
load() {
	OUT_DIR=$BATS_TEST_TMPDIR run python3 -B -c "
import importlib.machinery, importlib.util, os
loader = importlib.machinery.SourceFileLoader('tool', '$1')
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader('tool', loader))
loader.exec_module(tool)
tool.OUT = os.environ['OUT_DIR']
os.environ['PATH'] = '/nonexistent'
$2"
}

@test "without gnuplot a figure's data are written, and a note says so" {
	load bench/model/figures "
tool.save('f', [{'kind': 'rbo'}])
tool.draw('f', 'title', 'x', 'y', [1, 2], ['rbo'], lambda title, x: x)"
	((status == 0))
	[[ $output == *'no gnuplot: '*'/f is not drawn, its data are there'* ]]
	[[ -s $BATS_TEST_TMPDIR/f.dat && -s $BATS_TEST_TMPDIR/f.json ]]
	[[ ! -e $BATS_TEST_TMPDIR/f.png ]]
}

@test "each kind has a mark of its own in its family's colour" {
	load bench/model/figures "
kinds = [tool.plot.style(kind) for kind in tool.PAPER]
assert len(set(kinds)) == len(kinds), kinds
assert tool.plot.style('approx at 10^11')[:2] == tool.plot.style('approx')[:2]"
	echo "$output"
	((status == 0))
}

@test "an estimate is halved and doubled; one that is not there is left alone" {
	load bench/model/figures "
changed = tool.runs.changed
machine = {'hold_ns': 'no', 'node_ns': '19', 'issue': '60', 'migratory': 'yes'}
assert changed(machine, 'node_ns', 2)['node_ns'] == '38'
assert changed(machine, 'issue', 2)['issue'] == '100'
assert changed(machine, 'migratory', .5)['migratory'] == '50'
assert changed(machine, 'migratory', 2) is None and changed(machine, 'hold_ns', 2) is None"
	echo "$output"
	((status == 0))
}

@test "the tables of results.rst are those of the data, and what disagrees has its cause" {
	run bench/model/facts --check
	echo "$output"
	((status == 0))
	sed 's/"per_ms": *\([0-9]\)/"per_ms": 9\1/' Documentation/figures/dice-4-high.json \
		>"$BATS_TEST_TMPDIR/dice-4-high.json"
	cp Documentation/figures/{dice-4-low,dice-5,dice-6-low,dice-6-high,dice-ranges}.json "$BATS_TEST_TMPDIR"
	load bench/model/facts "
tool.OUT = os.environ['OUT_DIR']
import sys
sys.argv = ['facts', '--check', 'dice']
sys.exit(tool.main())"
	((status == 1))
	[[ $output == *'results.rst has other figures'* ]]
}

@test "a statement that is exceeded disagrees, unless its range has it" {
	load bench/model/facts "
def judge(form, wanted, value, least, most):
    return tool.Statement('', '', form, wanted, None).judge(value, least, most)
assert judge('more', 33, 488, 400, 500) == 'too high'
assert judge('more', 33, 488, 60, 500) == 'agrees in its range'
assert judge('more', 2, 1.77, 1.7, 2.18) == 'agrees in its range'
assert judge('more', 2, 1.77, 1.7, 1.9) == 'too low'
assert judge('more', 2, 3.9, 3, 5) == 'agrees'
assert judge('about', 20, 41, 41, 60) == 'too high'
assert judge('most', .2, .3, .3, .3) == 'too high'
assert judge('least', .9, 5, 5, 5) == 'agrees'"
	echo "$output"
	((status == 0))
}

@test "without gnuplot the benchmark's data are written, and a note says so" {
	load bench/native/run "
rows = [{'kind': 'a', 'threads': 2, 'ns': 1, 'counters': 1, 'work': 0}]
tool.save('native.json', rows)
tool.draw(rows)"
	((status == 0))
	[[ $output == *'no gnuplot: the data are written, the figure is not'* ]]
	[[ -s $BATS_TEST_TMPDIR/native.json && ! -e $BATS_TEST_TMPDIR/native.png ]]
}

@test "a prediction for all attempts is made of their medians" {
	load bench/native/run "
tool.model = lambda machine: {'modelled': machine}
attempts = [{'turn_ns': ns, 'atomic_measured': 2 * ns, 'cas_measured': 3 * ns,
             'machine': {'fetch_op': 'yes', 'hold_ns': str(ns)}} for ns in (1, 2, 9)]
together = tool.together(attempts)
assert together['modelled'] == {'fetch_op': 'yes', 'hold_ns': '2'}, together
assert (together['attempts'], together['turn_ns'], together['cas_measured']) == (3, 2, 6), together
assert tool.mean(('1', '4')) == '2.5' and tool.mean(('no', 'no')) == 'no'"
	echo "$output"
	((status == 0))
}

@test "the benchmark of many CPUs runs as a program, and its report reads it" {
	run build/scale/scale figures=1 threads=1 windows=5 window_ms=1 warmup_ms=1 spread_ms=1 \
		cold_ms=1 kinds=cas,racing,rbo,multiline,multiline_adapt
	((status == 0))
	[[ $(grep -c ' 4-low$' <<<"$output") == 5 && $(grep -c ' 5$' <<<"$output") == 5 ]]
	awk '/^(cas|rbo|multiline)/ && $7 != 0 { exit 1 }' <<<"$output"
	printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/scale"
	run bench/scale/report --no-model "$BATS_TEST_TMPDIR/scale"
	((status == 0))
	[[ $output == *'7500, 1: multiline against multiline_adapt'* ]]
}

@test "the benchmark of many CPUs refuses what it does not know" {
	for bad in threads=0 nonsense=1 windows=4 'windows=5x' kinds=nonsense; do
		run build/scale/scale "$bad"
		((status == 2))
	done
}

@test "a report wants a file that is complete and has the figures" {
	printf '# scale\n# running\n' >"$BATS_TEST_TMPDIR/scale"
	run bench/scale/report "$BATS_TEST_TMPDIR/scale"
	((status == 1))
	[[ $output == *'not complete'* ]]
	printf '# scale\n# done\n' >"$BATS_TEST_TMPDIR/scale"
	run bench/scale/report "$BATS_TEST_TMPDIR/scale"
	((status == 1))
	[[ $output == *'figures=1'* ]]
	run bench/scale/report
	((status == 2))
}

@test "a profile of basic blocks: atomic breaks no law of conservation" {
	run build/scale/blocks rounds=20000
	((status == 0))
	awk '
		/laws of conservation/ { laws = $2 >= 15 && $4 >= 3 }
		$1 == "atomic" { atomic = $2 > 0 && $3 == 0 && $4 == 0 }
		$1 == "scalable32" { scalable = $2 > 0 && $3 < 7 }
		END { exit !(laws && atomic && scalable) }' <<<"$output"
	run build/scale/blocks rounds=0
	((status == 2))
}
