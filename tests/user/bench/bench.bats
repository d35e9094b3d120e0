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
tool.write('f', [{'kind': 'a'}], [1, 2], ['a'], lambda title, x: x)
tool.draw('f', 'title', 'x', 'y', ['a'])"
	((status == 0))
	[[ $output == *'no gnuplot: f.png is not drawn, its data are there'* ]]
	[[ -s $BATS_TEST_TMPDIR/f.dat && -s $BATS_TEST_TMPDIR/f.json ]]
	[[ ! -e $BATS_TEST_TMPDIR/f.png ]]
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
