#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scounter merge, on the files of machines.  SCOUNTER is the program.
bats_require_minimum_version 1.5.0

setup() {
	SNAPSHOT=$BATS_TEST_DIRNAME/snapshot.py
	FLEET=$BATS_TEST_DIRNAME/fleet.py
	cd "$BATS_TEST_TMPDIR"
}

says() {
	[[ $output == *"$1"* ]] || { echo "no '$1' in: $output"; false; }
}

# machine N COUNTER...: a snapshot of a machine, in file N
machine() {
	"$SNAPSHOT" --boot $((1 << $1)) "${@:2}" >"$1"
}

three() {
	local i

	for i in 1 2 3; do
		machine $i "{'group':'net','name':'rx','value':1000000,'kind':'bfp_csup','error_ppm':10000,'flags':4,'raw':5}" \
			"{'group':'net','object':'eth$i','name':'rx','value':$i,'unit':'bytes','help':'Received.','label':'device'}" \
			"{'group':'net','name':'exact','value':$((10 * i))}"
	done
}

# merged [FILE]...: name, machines, value, error, bounds and state of all
merged() {
	"$SCOUNTER" merge --tsv "$@" | tail -n +2 | cut -f 1,3-8
}

@test "counters by name and object: variances add, bounds are those of a sum" {
	three
	[ "$(merged 1 2 3)" = $'net/exact\t3\t60\t0\t60\t60\texact
net/rx\t3\t3000000\t5774\t2948038\t3051963\tsampling
net/eth1/rx\t1\t1\t0\t1\t1\texact
net/eth2/rx\t1\t2\t0\t2\t2\texact
net/eth3/rx\t1\t3\t0\t3\t3\texact' ]
	# In any order, and by parts, but for what is rounded.
	[ "$(merged 3 1 2)" = "$(merged 1 2 3)" ]
	"$SCOUNTER" merge --output 12 1 2
	[ "$(merged 12 3 2>/dev/null | cut -f 1-3)" = "$(merged 1 2 3 | cut -f 1-3)" ]
	# All commands take the sum; its texts are there, and it has no word.
	run -0 "$SCOUNTER" --from 12 list --tsv --verbose
	says $'net/eth2/rx\tatomic\t2\t0\t2\t2\t64\texact\tbytes\tReceived.'
	"$SCOUNTER" --from 12 export --json | jq -e '[.counters[] | .variance > 0] == [false, true, false, false]'
	run -0 "$SCOUNTER" merge 1 2
	says '# 2 snapshots from 2023-11-14 22:30:00 to 2023-11-14 22:30:00 UTC'
}

@test "a sum of approximate counters is not taken for a word: a difference has its error" {
	local i

	for i in 1 2; do
		"$SNAPSHOT" --boot $i "{'value':8000000,'kind':'bfp_csup','error_ppm':10000,'flags':4,'raw':0x6001e848}" >$i
		"$SNAPSHOT" --boot $i --time 1010 "{'value':8064000,'kind':'bfp_csup','error_ppm':10000,'flags':4,'raw':0x6001ec30}" >later-$i
	done
	"$SCOUNTER" merge --output before 1 2
	"$SCOUNTER" merge --output after later-1 later-2
	run -0 "$SCOUNTER" diff before after
	# 1 % / sqrt(2), as 7072 ppm, of 16128000
	says $'g/n\t16000000\t16128000\t128000\t114057\t12800.0'
	# Of other machines nothing is subtracted.
	"$SNAPSHOT" --boot 7 "{'value':8064000}" >7
	"$SCOUNTER" merge --output other later-1 7
	run -0 "$SCOUNTER" diff before other
	says restarted
}

@test "a sum begins anew when one of its machines does" {
	"$SNAPSHOT" --boot 1 "{'value':100,'created':100}" >1
	"$SNAPSHOT" --boot 2 "{'value':5,'created':50,'reset':900,'resets':1}" >2
	"$SCOUNTER" merge --output both 1 2
	run -0 "$SCOUNTER" --from both export --openmetrics
	says '_total{group="g",name="n",kind="atomic"} 105'
	says '_created{group="g",name="n",kind="atomic"} 1700000900.'
}

@test "a broken file is left out, and all sums say that they are partial" {
	three
	left_out() {
		run -1 --separate-stderr "$SCOUNTER" merge --tsv 1 "$1" 2
		# shellcheck disable=SC2154 # bats sets it
		[[ $stderr == *"scounter: $1: $2"*'; it is left out'* ]] || { echo "$stderr"; false; }
		[[ $stderr == *'1 of 3 files are missing in the sums, which are partial'* ]]
		[[ $output == *$'net/exact\tatomic\t2\t30\t0\t30\t18446744073709551615\tpartial'* ]] || { echo "$output"; false; }
	}
	head -c 200 3 >cut
	left_out cut truncated
	: >nothing
	left_out nothing empty
	head -c 1000 /dev/urandom | tr -d S >junk
	left_out junk 'not a snapshot of scounter'
	left_out /nonexistent 'No such file'
	left_out . 'Is a directory'
	"$SNAPSHOT" --boot 3 --swap "{'value':1}" >swapped
	left_out swapped 'from a machine of the other byte order'
	"$SNAPSHOT" --boot 3 --oldest-reader 3 >new
	left_out new 'version 2; this program is too old'
	cp 3 huge
	printf '\377\377\377\377\377\377\377' | dd of=huge bs=1 seek=32 conv=notrunc status=none
	left_out huge damaged
	"$SNAPSHOT" --boot 3 "{'value':1}" "{'value':2}" >twice
	left_out twice 'damaged: g/n is there twice'
	python3 - 3 <<-'END' >bounds
		import struct, sys
		data = bytearray(open(sys.argv[1], "rb").read())
		at = data.index(struct.pack("<QQ", 30, 30))
		data[at:at + 16] = struct.pack("<QQ", 30, 31)
		sys.stdout.buffer.write(data)
	END
	left_out bounds 'damaged: bounds that cannot be, of net/exact'
	"$FLEET" array 1 2 >array
	left_out array 'an array, where 1 is a snapshot of counters'
	# The sum says so wherever it goes, and so do sums of it.
	"$SCOUNTER" merge --output sum 1 cut 2 || true
	run -0 "$SCOUNTER" --from sum list
	[ "$(grep -c partial <<<"$output")" = 4 ]
	"$SCOUNTER" --from sum export --json | jq -e '[.counters[] | .upper] | unique == [null]'
	run -0 "$SCOUNTER" sum --help
	run -1 "$SCOUNTER" merge sum 3
	says "net/exact: partial on 1 machine (the first is sum), and so is the sum"
	# Without any there is no sum.
	run -1 "$SCOUNTER" merge cut nothing
	says 'no file could be read; nothing is merged'
	run -2 "$SCOUNTER" merge
	says 'merge wants files'
}

@test "a machine is not added twice, unless it is a clone" {
	three
	ln 1 link
	cp 1 copy
	run -1 --separate-stderr "$SCOUNTER" merge --tsv 1 2 link copy ./1
	says $'net/exact\tatomic\t2\t30\t0\t30\t30\texact'
	[[ $stderr == *'link: given twice'*'copy: of a boot of a machine that is in the sum already'*'./1: given twice'* ]]
	[[ $stderr != *partial* ]]
	run -0 "$SCOUNTER" merge --tsv --clones 1 2 copy
	says $'net/exact\tatomic\t3\t40\t'
	# Nor is the sum of last time, where a pattern of files has it.
	"$SCOUNTER" merge --output sum 1 2 3
	for files in '1 2 3 sum' 'sum 3 1 2' '1 sum 2 3'; do
		# shellcheck disable=SC2086 # words
		run -1 --separate-stderr "$SCOUNTER" merge $files
		[ -z "$output" ]
		[ "$stderr" = 'scounter: sum: the sum of the same machines as the other files; they would be added twice, and nothing is merged' ]
	done
	machine 5 "{'group':'net','name':'exact','value':50}"
	run -0 --separate-stderr "$SCOUNTER" merge --tsv sum 5
	says $'net/exact\tatomic\t4\t110\t'
	[ "$stderr" = 'scounter: sum: a sum already; no other file is to have a machine that is in it' ]
	# Those that do not know their boot are different.
	"$SNAPSHOT" --boot 0 "{'value':1}" >a
	"$SNAPSHOT" --boot 0 "{'value':2}" >b
	run -0 "$SCOUNTER" merge --tsv a b
	says $'\t2\t3\t'
}

@test "what is saturated, wrapped or loses counts is said, and its sum alone is so" {
	machine 1 "{'name':'a','value':10}" "{'name':'b','value':10}"
	machine 2 "{'name':'a','value':9,'flags':1}" "{'name':'b','value':10}"
	machine 3 "{'name':'a','value':9,'flags':1}" "{'name':'b','value':10}"
	run -1 --separate-stderr "$SCOUNTER" merge --tsv 1 2 3
	[ "$stderr" = 'scounter: g/a: saturated on 2 machines (the first is 2), and so is the sum' ]
	says $'g/a\tatomic\t3\t28\t0\t28\t18446744073709551615\tsaturated'
	says $'g/b\tatomic\t3\t30\t0\t30\t30\texact'
	machine 4 "{'name':'a','value':9,'flags':8,'kind':'racing'}"
	run -1 "$SCOUNTER" merge 1 4
	says 'g/a: LOSES-COUNTS on 1 machine'
	says 'mixed'
}

@test "kinds that differ are said; units and labels that differ are not added" {
	machine 1 "{'name':'a','value':10,'unit':'bytes'}" "{'name':'b','object':'o','value':1,'label':'device'}"
	machine 2 "{'name':'a','value':10,'unit':'packets'}" "{'name':'b','object':'o','value':1,'label':'disk'}"
	machine 3 "{'name':'a','value':10,'kind':'bfp_csup'}" "{'name':'b','object':'o','value':1}"
	run -1 --separate-stderr "$SCOUNTER" merge --tsv 1 2 3
	says $'g/a\tmixed\t2\t20\t0\t20\t18446744073709551615\tpartial\tbytes'
	says $'g/o/b\tatomic\t2\t2\t0\t2\t18446744073709551615\tpartial\t'
	[[ $stderr == *'g/a: of another unit or label on 1 machine (the first is 2); not added there'* ]]
	[[ $stderr == *'g/a: of another kind in 3 than before; added'* ]]
	run -0 "$SCOUNTER" merge 1 3
	says 'of the kind mixed'
}

@test "another version that can be read is converted, with a word" {
	three
	"$SNAPSHOT" --boot 64 --header-extra 24 --record-extra 40 "{'group':'net','name':'exact','value':7}" >newer
	run -0 --separate-stderr "$SCOUNTER" merge --tsv 1 newer
	says $'net/exact\tatomic\t2\t17\t0\t17\t17\texact'
	[ "$stderr" = 'scounter: newer: version 3, converted to version 2, that of this program' ]
}

@test "of a family of words, what can be added up is, and quantiles are left out" {
	machine 1 "{'name':'words','value':10,'flags':256,'object':'o','addable':1}" \
		"{'name':'median','value':3,'flags':256,'object':'o'}"
	machine 2 "{'name':'words','value':20,'flags':256,'object':'o','addable':1}" \
		"{'name':'median','value':4,'flags':256,'object':'o'}"
	run -0 --separate-stderr "$SCOUNTER" merge --tsv 1 2
	[ "${#lines[@]}" = 2 ]
	says $'g/o/words\tatomic\t2\t30\t'
	[ "$stderr" = 'scounter: 2 values cannot be added up, and are left out (the first is g/o/median)' ]
}

@test "of a recording the last whole snapshot counts" {
	three
	"$SNAPSHOT" --boot 1 --time 1010 "{'group':'net','name':'exact','value':500}" >later
	cat 1 later >recording
	run -0 "$SCOUNTER" merge --tsv recording 2
	says $'net/exact\tatomic\t2\t520\t'
	head -c 200 3 >>recording
	run -1 --separate-stderr "$SCOUNTER" merge --tsv recording 2
	says $'net/exact\tatomic\t2\t520\t0\t520\t520\texact'
	[[ $stderr == *'recording: truncated'*'the whole snapshot before that is taken' ]]
}

@test "arrays cell by cell; other types are converted, other lengths left out" {
	"$FLEET" array 1 2 3 >a
	"$FLEET" array 10 20 30 >b
	"$SCOUNTER" merge --output ab a b
	"$FLEET" array 11 22 33 >sum
	cmp <(tail -c +73 sum) <(tail -c 8 ab)
	run -0 "$SCOUNTER" merge --tsv a b
	[ "${lines[1]}" = $'3\t2\t66\t0\tcomplete' ]
	"$FLEET" array --bits 16 100 200 300 >wide
	run -0 --separate-stderr "$SCOUNTER" merge --tsv wide a
	[ "${lines[1]}" = $'3\t2\t606\t0\tcomplete' ]
	[[ $stderr == *'a: cells of another type than in wide, to which they are converted' ]]
	left_out() {
		run -1 --separate-stderr "$SCOUNTER" merge --tsv a "$1" b
		[[ $stderr == *"$1: $2"*'; it is left out'* ]] || { echo "$stderr"; false; }
		[ "${lines[1]}" = $'3\t2\t66\t0\tpartial' ]
	}
	"$FLEET" array 1 2 3 4 >long
	left_out long 'the arrays have 3 and 4 counters'
	"$FLEET" array --group 2 1 2 3 >group
	left_out group 'the counters have groups of 1 and 2 cells'
	"$FLEET" array --swap 1 2 3 >swapped
	left_out swapped 'the snapshot is from a machine of the other byte order'
	"$FLEET" array --version 2 1 2 3 >new
	left_out new 'the snapshot is of version 2, not of 1'
	head -c 75 b >cut
	left_out cut 'the snapshot is truncated'
	{ cat b; echo; } >more
	left_out more 'the snapshot goes on after its last word'
	# The mark stays.
	"$SCOUNTER" merge --output partial a cut || true
	run -0 --separate-stderr "$SCOUNTER" merge --tsv partial b
	[ "${lines[1]}" = $'3\t2\t66\t0\tpartial' ]
	# What lost counts says so.
	"$FLEET" array --flags 65536 255 2 3 >full
	run -1 --separate-stderr "$SCOUNTER" merge --tsv a full
	[ "${lines[1]}" = $'3\t2\t265\t0\tsaturated' ]
	[[ $stderr == *'full: counts were lost, and so they are in the sum' ]]
}

@test "tables of frequent items keep what they promise, with the sum of all N / m" {
	mkdir f
	"$FLEET" fleet 40 60 f
	"$SCOUNTER" merge --output all f/*.bin
	"$FLEET" check all f
	# By parts, too.
	"$SCOUNTER" merge --output part1 f/[0-4]*.bin
	"$SCOUNTER" merge --output part2 f/[5-9]*.bin
	"$SCOUNTER" merge --output all part1 part2
	"$FLEET" check all f
	# The check notices what is wrong.
	"$SCOUNTER" merge --output less f/[0-8]*.bin
	run -1 "$FLEET" check less f
	says 'the total is'
}

@test "tables: what is not listed has the floor; other keys and damage are left out" {
	"$FLEET" table --capacity 2 --floor 4 --total 14 one=9-2 two=5-4 >a
	"$FLEET" table --capacity 3 --floor 0 one=3 three=1 >b
	run -0 "$SCOUNTER" merge --tsv a b
	[ "$output" = $'# 2 tables, total 18 floor 4 pending 0 dropped 0 state complete
count\terror\tkey
12\t2\tone
5\t4\tthree
5\t4\ttwo' ] || { echo "$output"; false; }
	run -0 "$SCOUNTER" merge --top 1 a b
	[ "${#lines[@]}" = 3 ]
	left_out() {
		run -1 --separate-stderr "$SCOUNTER" merge --tsv a "$1" b
		[[ $stderr == *"$1: $2"*'; it is left out'* ]] || { echo "$stderr"; false; }
		[[ ${lines[0]} == *'total 18 floor 4 '*'state partial' ]] || { echo "$output"; false; }
	}
	"$FLEET" table --key-size 4 one=9 >keys
	left_out keys 'the tables have keys of 8 and 4 bytes'
	"$FLEET" table --swap one=9 >swapped
	left_out swapped 'from a machine of the other byte order'
	"$FLEET" table --version 2 one=9 >new
	left_out new 'version 2; this program knows version 1'
	"$FLEET" table --capacity 4 --floor 5 --total 19 one=9 >floor
	left_out floor 'damaged: a floor that cannot be'
	"$FLEET" table one=9-10 >error
	left_out error 'damaged: counts that cannot be'
	"$FLEET" table one=9 two=10 >order
	left_out order 'damaged: counts that cannot be'
	"$FLEET" table one=9 one=8 >twice
	left_out twice 'damaged: a key that comes twice'
	"$FLEET" table --capacity 0 one=9 >none
	left_out none 'damaged: sizes that cannot be'
	head -c 80 a >cut
	left_out cut truncated
	head -c 30 a >cut
	left_out cut truncated
	{ cat a; echo; } >more
	left_out more 'damaged: the table goes on'
	cp a huge
	printf '\377\377\377\007' | dd of=huge bs=1 seek=20 conv=notrunc status=none
	left_out huge truncated
	echo '# design lockfree capacity 4 key_size 8' >text
	left_out text 'a table as text, and not the file beside it that ends in .bin'
	# Longer headers and records are those of a later version.
	"$FLEET" table --record-extra 8 --header-extra 16 one=1 >later
	run -0 "$SCOUNTER" merge --tsv b later
	says $'4\t0\tone'
	"$FLEET" table --flags 1 --total 18446744073709551615 one=18446744073709551615 >full
	run -1 "$SCOUNTER" merge a full
	says 'full: hits were lost, and so they are in the sum'
	says 'state saturated'
}

@test "a sum that cannot be written leaves nothing" {
	three
	run -1 "$SCOUNTER" merge --output /dev/full 1 2
	says '/dev/full: not a regular file'
	run -1 "$SCOUNTER" merge --output /nonexistent/sum 1 2
	run -1 bash -c '"$SCOUNTER" merge 1 2 >/dev/full'
	says 'No space left on device'
	"$FLEET" table one=9 >t
	"$FLEET" array 1 2 >a
	for file in 1 t a; do
		# shellcheck disable=SC2016 # the inner shell expands it
		run -1 bash -c 'ulimit -f 0; "$SCOUNTER" merge --output sum '$file
		says 'File too large'
		[ ! -e sum ]
	done
	[ -z "$(ls sum* 2>/dev/null)" ]
}

@test "a pipe is read, and memory that is not there is an error" {
	three
	run -0 bash -c 'cat 1 | "$SCOUNTER" merge --tsv - 2'
	says $'net/exact\tatomic\t2\t30\t'
	run -0 "$SCOUNTER" merge --tsv <(cat 1) <(cat 2)
	says $'net/exact\tatomic\t2\t30\t'
	# Sanitizers want more than any limit.
	! nm -D "$SCOUNTER" 2>/dev/null | grep -q __asan || skip 'built with sanitizers'
	"$SNAPSHOT" --many 20000 >many
	# shellcheck disable=SC2016 # the inner shell expands it
	run -1 bash -c 'ulimit -v 12000; "$SCOUNTER" merge many 1'
	says 'out of memory'
}
