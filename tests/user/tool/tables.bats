#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scounter topk and array: tables of frequent items and arrays, of debugfs, files and
# recordings.  SCOUNTER is the program.
bats_require_minimum_version 1.5.0

load screen

setup() {
	SNAPSHOT=$BATS_TEST_DIRNAME/snapshot.py
	FLEET=$BATS_TEST_DIRNAME/fleet.py
	cd "$BATS_TEST_TMPDIR"
	mkdir -p d/topk/mm d/arrays/mm
	: >d/kinds
	export SCOUNTER_DEBUGFS=$PWD/d SCOUNTER_SYSFS=$PWD/d
}

teardown() {
	screen_end
}

says() {
	[[ $output == *"$1"* ]] || { echo "no '$1' in: $output"; false; }
}

# calls TOTAL COUNT ERROR KEY...: a table, which appears complete
calls() {
	{
		echo '# design lockfree capacity 100 key_size 8'
		echo "# total $1 evictions 7 dropped 0 floor 50 pending 5 state ${state:-complete} later 9"
		shift
		printf '%-20s %20s key\n' '# count' error
		while (($#)); do
			printf '%-20s %20s %s\n' "$1" "$2" "$3"
			shift 3
		done
	} >new
	mv new d/topk/mm/calls
}

three() {
	calls 1000 600 0 'vm_area_alloc+0x1f/0x90 [mm]' 300 20 two 50 50 $'\x1bthree'
}

@test "topk: count, share, sum, the least, and what is not listed" {
	three
	run -0 "$SCOUNTER" topk --top 2 --tsv mm/calls
	[ "${lines[0]}" = '# 0.000 s total 1000 floor 50 pending 5 dropped 0 state complete' ]
	[ "${lines[1]}" = $'# count\trate\tshare\tsum\tat_least\tkey' ]
	[ "${lines[2]}" = $'600\t-\t0.600000\t0.600000\t600\tvm_area_alloc+0x1f/0x90 [mm]' ]
	[ "${lines[3]}" = $'300\t-\t0.300000\t0.900000\t280\ttwo' ]
	[ "${lines[4]}" = $'100\t-\t0.100000\t1.000000\t100\t(all others)' ]
	[ "${#lines[@]}" = 5 ]
	screen_begin 80 24 "$SCOUNTER" topk mm/calls
	screen_sees 'status 0'
	says '# mm/calls  1.00k hits  3 keys  others at most 55'
	says ' COUNT  HITS/s   SHARE      SUM  AT LEAST  KEY'
	says '   300       -  30.00%   90.00%       280  two'
	# No key speaks to the terminal.
	says '    50       -   5.00%   95.00%         0  \x1bthree'
	says '    50       -   5.00%  100.00%        50  (all others)'
}

@test "topk --watch: hits a second, of new keys too" {
	calls 1000 600 0 one 300 20 two
	"$SCOUNTER" topk --watch --batch --count 1 --interval 2 mm/calls >watched &
	sleep 1
	# 200, 100 and, of one that had no entry, 80.
	calls 1400 800 0 one 400 20 two 130 50 four
	wait $!
	run -0 cat watched
	[[ ${lines[0]} =~ ^'# '([0-9.]+)' s total 1400 ' ]]
	awk -v seconds="${BASH_REMATCH[1]}" -F '\t' '
		!/^#/ && NF {
			n++
			want["one"] = 200; want["two"] = 100; want["four"] = 80; want["(all others)"] = 20
			off = $2 * seconds - want[$6]
			if (off > 0.5 || off < -0.5)
				exit bad = 1
		}
		END { exit bad || n != 4 }' watched
}

@test "topk --watch on a screen: orders, filter, more rows than lines" {
	calls 9000 $(for i in $(seq 40); do echo $((200 - i)) 0 "key$i"; done)
	screen_begin 80 24 "$SCOUNTER" topk --watch --interval 0.1 mm/calls
	screen_sees '^mm/calls  9.00k hits \(0/s\)  40 keys  others at most 55  [?] keys'
	screen_sees '^ COUNT HITS/s  SHARE    SUM AT LEAST KEY' '^   199 +0  2.21%  2.21%      199 key1$' key22
	[[ $output != *key23* ]]
	screen_keys End
	screen_sees key40 'all others'
	screen_keys R
	screen_sees '^ .* key1$'
	screen_keys / 3 9 Enter
	screen_sees '^   161 .* key39'
	[[ $output != *'key1'* ]]
	says '(all others)'
	screen_keys '?'
	screen_sees 'R C   by hits'
	screen_keys x q
	screen_sees '^status 0'
}

@test "topk: what is wrong" {
	three
	run -2 "$SCOUNTER" topk --top 0 mm/calls
	says "--top wants a number above 0, not '0'"
	run -2 "$SCOUNTER" topk --watch
	says 'topk wants a GROUP/NAME for that; scounter topk lists all'
	run -2 "$SCOUNTER" topk --interval 2 mm/calls
	says '--interval, --count and --batch are of topk --watch'
	echo 'no table' >d/topk/mm/junk
	run -1 "$SCOUNTER" topk --tsv mm/junk
	[ "$output" = 'scounter: mm/junk: not a table of frequent items' ]
	# More error than count.
	calls 10 5 6 x
	run -1 "$SCOUNTER" topk --tsv mm/calls
	state=saturated calls 10 5 1 x
	run -0 "$SCOUNTER" topk --tsv mm/calls
	says 'state saturated'
	run -1 "$SCOUNTER" topk --watch --batch mm/none
	says 'no table mm/none; scounter topk lists all'
}

@test "array list, show and sum: of the module" {
	"$FLEET" array 5 0 255 7 7 >d/arrays/mm/sizes
	"$FLEET" array --bits 16 1 2 >d/arrays/mm/other
	run -0 "$SCOUNTER" array list
	[ "${lines[0]}" = $'ARRAY\tCOUNTERS\tCELLS\tCOPIES\tBYTES\tSUM\tERROR\tSTATE' ]
	[[ ${lines[1]} == mm/other$'\t'2$'\t16 bits '* ]]
	[[ ${lines[2]} == mm/sizes$'\t'5$'\t8 bits '*complete ]]
	run -0 "$SCOUNTER" array show mm/sizes
	[ "${lines[0]}" = $'COUNTER\tVALUE\tERROR\tLOWER\tUPPER\tSTATE' ]
	[ "${#lines[@]}" = 5 ]
	[[ ${lines[1]} == 2$'\t'* && ${lines[2]} == 3$'\t'* && ${lines[3]} == 4$'\t'* && ${lines[4]} == 0$'\t'* ]]
	run -0 "$SCOUNTER" array show --top 2 mm/sizes
	[ "${#lines[@]}" = 3 ]
	sum=$("$SCOUNTER" array show mm/sizes | awk 'NR > 1 { sum += $2 } END { print sum }')
	run -0 "$SCOUNTER" array sum mm/sizes
	# Each value is rounded to a whole number.
	awk -v sum="$sum" 'NR == 2 { off = $2 - sum; exit !($1 == 5 && off <= 3 && off >= -3) }' <<<"$output"
	run -0 "$SCOUNTER" array show --histogram mm/sizes
	[ "${lines[0]}" = $'FROM\tTO\tCOUNTERS\tSHARE\t' ]
	[ "${lines[1]}" = $'0\t0\t1\t20.00%\t##############' ]
	[ "$(awk 'NR > 1 { n += $3 } END { print n }' <<<"$output")" = 5 ]
	screen_begin 80 24 "$SCOUNTER" array show --top 3 mm/sizes
	screen_sees 'status 0' '^COUNTER +VALUE +ERROR +LOWER +UPPER  STATE$'
}

@test "array: a file of one, and what is wrong" {
	"$FLEET" array 5 0 255 >one
	run -0 "$SCOUNTER" --from one array show --top 1
	[[ ${lines[1]} == 2$'\t'* ]]
	run -0 "$SCOUNTER" --from one array sum
	[[ ${lines[1]} == 3$'\t'* ]]
	"$FLEET" array --flags 65536 255 2 3 >full
	run -0 "$SCOUNTER" --from full array sum
	[[ ${lines[1]} == *$'\t-\t'*saturated ]]
	run -0 "$SCOUNTER" --from full array show --top 1
	[[ ${lines[1]} == *saturated ]]
	head -c 75 one >cut
	run -1 "$SCOUNTER" --from cut array sum
	says 'cut: the snapshot is truncated'
	run -1 "$SCOUNTER" array sum mm/none
	says 'no array mm/none; scounter array list has all'
	run -2 "$SCOUNTER" array show
	says 'array show takes a GROUP/NAME, or --from FILE'
	run -2 "$SCOUNTER" array sum ../kinds
	says "'../kinds' is no GROUP/NAME"
	run -2 "$SCOUNTER" array show --top 3 --histogram mm/sizes
	says '--top N or --histogram, not both'
	run -2 "$SCOUNTER" array
	says 'array takes list, show, sum, choose or range'
	SCOUNTER_SYSFS=none SCOUNTER_DEBUGFS=none run -3 "$SCOUNTER" array list
	says 'modprobe scounter'
}

# other WHAT GROUP/NAME FILE: as a recording has it
other() {
	python3 - "$@" <<-'END'
		import struct, sys
		data = open(sys.argv[3], "rb").read()
		group, name = sys.argv[2].encode().split(b"/")
		sys.stdout.buffer.write(struct.pack(
		    "=8s6I3Q16s2I2I64s64s", b"SCOUNTER", 0x01020304, 0x80000001, 0x80000001, 80 + 136, 1, 4,
		    len(data), 10**12, 17 * 10**17, bytes([1] * 16), 0, 0, int(sys.argv[1]), 0, group, name) + data)
	END
}

@test "a recording has tables and arrays; counters are read without them" {
	three
	"$FLEET" array 5 0 255 >first
	"$FLEET" array 5 9 255 >array
	"$SNAPSHOT" "{'value':1}" >s1
	"$SNAPSHOT" --time 1010 "{'value':4}" >s2
	{
		cat s1
		other 1 mm/sizes first
		cat s2
		other 2 mm/calls d/topk/mm/calls
		other 1 mm/sizes array
	} >recording
	export SCOUNTER_SYSFS=none SCOUNTER_DEBUGFS=none
	run -0 "$SCOUNTER" report recording
	says '# 2 snapshots'
	says $'g/n\t1\t4\t3'
	run -0 "$SCOUNTER" --from recording topk
	[ "$output" = mm/calls ]
	run -0 "$SCOUNTER" --from recording topk --top 1 --tsv mm/calls
	says $'600\t-\t0.600000'
	run -0 "$SCOUNTER" --from recording topk mm/calls
	[ "$output" = "$(cat d/topk/mm/calls)" ]
	# The last one.
	run -0 "$SCOUNTER" --from recording array show mm/sizes
	[ "$output" = "$("$SCOUNTER" --from array array show)" ]
	run -0 "$SCOUNTER" --from recording array list
	[ "${#lines[@]}" = 2 ]
	says $'mm/sizes\t3'
	run -1 "$SCOUNTER" --from recording array show mm/none
	says 'recording: no array mm/none; record --tables puts them there'
	run -2 "$SCOUNTER" --from recording array show
	says 'a recording may have many: which GROUP/NAME?'
	run -2 "$SCOUNTER" --from recording topk --watch mm/calls
	says 'not of --from'
	for size in $(($(stat -c %s recording) - 3)) $(($(stat -c %s s1) + 30)) $(($(stat -c %s s1) + 217)); do
		head -c "$size" recording >cut
		run -1 "$SCOUNTER" report cut
		says truncated
		run -1 "$SCOUNTER" --from cut array show mm/sizes
		says truncated
	done
	run -1 "$SCOUNTER" --from array topk
	says 'array: not a recording'
	run -2 "$SCOUNTER" --from s1 record --tables --output r
	says 'not of --from'
}
