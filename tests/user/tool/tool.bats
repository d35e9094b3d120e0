#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scounter(8) on snapshot files.  SCOUNTER is the program.
bats_require_minimum_version 1.5.0

setup() {
	SNAPSHOT=$BATS_TEST_DIRNAME/snapshot.py
	cd "$BATS_TEST_TMPDIR"
	"$SNAPSHOT" "{'group':'net','name':'rx','value':1000}" \
		"{'group':'net','name':'two words','value':5}" \
		"{'group':'fs','name':'ü','value':8000000,'kind':'bfp_csup','error_ppm':10000,'flags':4,'raw':0x6001e848}" >a
	"$SNAPSHOT" --time 1010 "{'group':'net','name':'rx','value':3000}" \
		"{'group':'net','name':'two words','value':2,'resets':1,'reset':1005}" \
		"{'group':'fs','name':'ü','value':8064000,'kind':'bfp_csup','error_ppm':10000,'flags':4,'raw':0x6001ec30}" >b
}

says() {
	[[ $output == *"$1"* ]] || { echo "no '$1' in: $output"; false; }
}

@test "list shows every counter, sorted" {
	run -0 "$SCOUNTER" --from a list --tsv
	[ "${#lines[@]}" = 4 ]
	[[ ${lines[1]} == $'fs/ü\tbfp_csup\t8000000\t10000\t7760000\t8240000\t64\tsampling' ]]
	[[ ${lines[3]} == $'net/two words\tatomic\t5\t0\t5\t5\t64\texact' ]]
}

# Eight bytes of a name at once are compared and shown.
@test "list shows and sorts names of any bytes, wherever these are" {
	python3 - "$SNAPSHOT" >s 3>names <<-'END'
		import os, subprocess, sys
		names = [(group, of, b"a" * n + byte + b"b" * m)
		         for n in range(18) for m in (0, 1, 9) for group in (b"g", b"group")
		         for of in (b"", b"eth0", b"longer object", b"longer object 2")
		         for byte in (b"\\", b"\x01", b"\x1f", b" ", b"~", b"\x7f", b"\xff", "\u00fc".encode())]
		subprocess.run([sys.argv[1]] + [repr(dict(group=g, object=o, name=n))
		                                for g, o, n in reversed(names)], check=True)
		def shown(name):
		    return "".join(c if " " <= c <= "~" and c != "\\" or c == "\u00fc" else
		                   "".join("\\x%02x" % b for b in c.encode(errors="surrogateescape"))
		                   for c in name.decode(errors="surrogateescape"))
		for name in sorted(names):
		    os.write(3, ("/".join(shown(n) for n in name if n) + "\n").encode())
	END
	"$SCOUNTER" --from s list --tsv | tail -n +2 | cut -f 1 >listed
	diff names listed
	LC_ALL=C.UTF-8 "$SCOUNTER" --from s list | tail -n +2 |
		PYTHONUTF8=1 python3 -c 'import sys; assert len(set(map(len, sys.stdin))) == 1'
}

@test "read takes globs and names with spaces" {
	run -0 "$SCOUNTER" --from a read 'net/*'
	[ "$output" = $'net/rx\t1000\nnet/two words\t5' ]
	run -0 "$SCOUNTER" --from a read --value 'net/two words'
	[ "$output" = 5 ]
}

@test "sum: variances add, exact ones are exact, states are kept" {
	"$SNAPSHOT" "{'group':'q','name':'0','value':1000000,'error_ppm':10000,'flags':4}" \
		"{'group':'q','name':'1','value':1000000,'error_ppm':10000,'flags':4}" \
		"{'group':'q','name':'2','value':1000000,'error_ppm':10000,'flags':4}" \
		"{'group':'q','name':'3','value':1000000,'error_ppm':10000,'flags':4}" \
		"{'group':'x','name':'0','value':7}" "{'group':'x','name':'1','value':8}" \
		"{'group':'y','name':'full','value':9,'flags':1}" >many
	run -0 "$SCOUNTER" --from many sum --tsv 'q/*'
	[ "${lines[1]}" = $'4\t4000000\t5000\t3940000\t4060001\tsampling' ]
	run -0 "$SCOUNTER" --from many sum --tsv 'x/*' 'x/0'
	[ "${lines[1]}" = $'2\t15\t0\t15\t15\texact' ]
	run -0 "$SCOUNTER" --from many sum 'q/0' 'x/*' 'y/*'
	[[ ${lines[1]} =~ ^' '+4' '+1000024' '+-' '+970024' '+-' '+saturated$ ]]
	run -1 "$SCOUNTER" --from many sum --tsv x/0 x/none
	says $'1\t7\t0\t7\t7\texact'
	run -2 "$SCOUNTER" --from many sum
	"$SNAPSHOT" "{'group':'z','name':'0','value':7}" \
		"{'group':'z','name':'1','value':9,'kind':'racing','flags':8}" >lossy
	run -0 "$SCOUNTER" --from lossy sum 'z/*'
	[[ ${lines[1]} =~ ^' '+2' '+16' '+-' '+7' '+-' '+LOSES-COUNTS$ ]]
}

@test "an unknown counter is named, status 1, the others are read" {
	run -1 "$SCOUNTER" --from a read net/rx net/none
	says $'net/rx\t1000'
	says 'no counter net/none'
}

@test "no module: status 3 and how to load it" {
	SCOUNTER_SYSFS=/nonexistent run -3 "$SCOUNTER" list
	says 'modprobe scounter'
}

@test "wrong usage: status 2" {
	run -2 "$SCOUNTER"
	run -2 "$SCOUNTER" nonsense
	run -2 "$SCOUNTER" --from a list --nonsense
	run -2 "$SCOUNTER" --from a read
	run -2 "$SCOUNTER" --from a export
	run -2 "$SCOUNTER" --from a watch --interval nan
	run -2 "$SCOUNTER" --from a watch --count 0
	run -2 "$SCOUNTER" --color sometimes list
	says "not 'sometimes'; see scounter --help"
	run -2 "$SCOUNTER" --from a sum
	says "; see scounter sum --help"
}

@test "wrong usage is said by name, with where to look" {
	said() {
		run -2 "$SCOUNTER" "${@:2}"
		[ "$output" = "$1" ] || { echo "$output"; false; }
	}
	said 'scounter: record wants --output FILE; see scounter record --help' --from a record
	said "scounter: no command 'lst'; did you mean list? See scounter --help" lst
	said "scounter: no command 'nonsense'; see scounter --help" nonsense
	said $'scounter list: unrecognized option \'--tvs\'\nscounter: see scounter list --help' list --tvs
	said $'scounter export: option \'--state\' requires an argument\nscounter: see scounter export --help' export --state
	said $'scounter array: unrecognized option \'--x\'\nscounter: see scounter array --help' array choose --x
	said $'scounter: unrecognized option \'--nonsense\'\nscounter: see scounter --help' --nonsense list
	said 'scounter: report wants one of --csv, --tsv, --html and --gnuplot; see scounter report --help' report --csv --gnuplot x.png a
	run -2 "$SCOUNTER"
	says 'Usage: scounter'
}

@test "a file of another kind is no snapshot, however short" {
	for text in x 'some text' SCOUNTEX; do
		printf '%s' "$text" >text
		run -1 "$SCOUNTER" --from text list
		[[ $output == 'scounter: text: not a snapshot of scounter'* ]] || { echo "$output"; false; }
	done
	printf SCOU >text
	run -1 "$SCOUNTER" --from text list
	says 'text: truncated'
	run -1 "$SCOUNTER" --from . list
	[ "$output" = 'scounter: .: Is a directory' ]
}

@test "report, record and watch: status 1 if a counter is not found" {
	run -1 "$SCOUNTER" report a net/rx net/none
	says 'no counter net/none'
	says $'net/rx\t'
	run -1 "$SCOUNTER" report --csv a net/none
	run -1 "$SCOUNTER" --from a record --output r net/rx net/none
	run -0 "$SCOUNTER" --from r read net/rx
	run -1 "$SCOUNTER" --from a watch --batch net/rx net/none
	says $'net/rx\t1000'
}

@test "debugfs: not mounted, not for all, and not there without the module" {
	mkdir sys
	export SCOUNTER_SYSFS=$PWD/sys SCOUNTER_DEBUGFS=$PWD/none
	for command in kinds topk 'topk net/ports'; do
		# shellcheck disable=SC2086 # two words or one
		run -1 "$SCOUNTER" $command
		says 'debugfs is not mounted'
		says 'mount -t debugfs none /sys/kernel/debug'
		# shellcheck disable=SC2086
		SCOUNTER_SYSFS=none run -3 "$SCOUNTER" $command
		says 'modprobe scounter'
	done
	mkdir none
	run -1 "$SCOUNTER" topk net/ports
	says 'no table net/ports; scounter topk lists all'
}

@test "every command has --help" {
	for command in list read sum merge watch record report diff export reset kinds events attach detach functions top topk array; do
		run -0 "$SCOUNTER" $command --help
		says "Usage: scounter $command"
	done
	run -0 "$SCOUNTER" --help
	says 'Exit status'
}

@test "truncated anywhere: refused, and no crash" {
	size=$(stat -c %s a)
	for n in 1 7 8 20 79 80 81 200 463 464 500 $((size - 1)); do
		head -c "$n" a >cut
		run -1 "$SCOUNTER" --from cut list
		says truncated
	done
	: >empty
	run -1 "$SCOUNTER" --from empty list
	says empty
}

@test "foreign, damaged and too new files are refused" {
	run -1 "$SCOUNTER" --from "$SCOUNTER" list
	says 'not a snapshot'
	"$SNAPSHOT" --swap >swapped
	run -1 "$SCOUNTER" --from swapped list
	says 'byte order'
	"$SNAPSHOT" --oldest-reader 3 >new
	run -1 "$SCOUNTER" --from new list
	says 'too old'
	"$SNAPSHOT" "{'name':'..'}" >path
	SCOUNTER_SYSFS=sys run -1 "$SCOUNTER" --from path reset '*/*'
	says damaged
	cp a huge
	printf '\377\377\377\377\377\377\377' | dd of=huge bs=1 seek=32 conv=notrunc status=none
	run -1 "$SCOUNTER" --from huge list
	says damaged
	run -1 "$SCOUNTER" --from /nonexistent list
	run -1 "$SCOUNTER" --from . list
	says '.: Is a directory'
	: >nothing
	run -1 "$SCOUNTER" --from nothing list
	says 'nothing: empty'
}

@test "a newer and an older version are read" {
	"$SNAPSHOT" --header-extra 24 --record-extra 40 "{'value':77}" "{'name':'m','value':78}" >newer
	run -0 "$SCOUNTER" --from newer read '*/*'
	[ "$output" = $'g/m\t78\ng/n\t77' ]
	# Without objects and texts, and without the times before them.
	for cut in 64 80 128 152; do
		"$SNAPSHOT" --header-cut 8 --record-cut $cut "{'value':77}" \
			"{'name':'m','value':78}" >older
		run -0 "$SCOUNTER" --from older read '*/*'
		[ "$output" = $'g/m\t78\ng/n\t77' ]
		rm -f again
		"$SCOUNTER" --from older record --output again
		run -0 "$SCOUNTER" --from again read '*/*'
		[ "$output" = $'g/m\t78\ng/n\t77' ]
	done
	"$SNAPSHOT" "{'kind':'future','value':9}" >kind
	run -0 "$SCOUNTER" --from kind list
	says future
}

# described [OPTION]...: two objects of one set and a counter, with texts
described() {
	"$SNAPSHOT" "$@" \
		"{'group':'net','object':'eth0','name':'rx','value':7,'unit':'bytes','help':'Received.','label':'device'}" \
		"{'group':'net','object':'eth1','name':'rx','value':8,'unit':'bytes','help':'Received.','label':'device'}" \
		"{'group':'net','name':'rx','value':9,'unit':'packets'}"
}

@test "a quantile of many words is an estimate" {
	"$SNAPSHOT" "{'name':'p50','kind':'bfp_csup','value':42,'error_ppm':23810,'flags':256}" \
		"{'name':'words','kind':'bfp_csup','value':100,'flags':256}" >family
	run -0 "$SCOUNTER" --from family list
	[[ ${lines[1]} == *' estimate' && ${lines[2]} == *' exact' ]]
}

@test "list says which counters of a set are not of one moment" {
	"$SNAPSHOT" "{'group':'net','object':'eth0','name':'rx'}" \
		"{'group':'net','object':'eth1','name':'rx','flags':64}" \
		"{'group':'net','object':'eth1','name':'tx','flags':64}" >apart
	run -0 --separate-stderr "$SCOUNTER" --from apart list
	[[ $stderr == *'2 counters of sets, net/eth1/rx first, were not read at one moment'* ]]
	[ "${#lines[@]}" = 4 ]
	run -0 --separate-stderr "$SCOUNTER" --from apart list net/eth0/rx
	[ -z "$stderr" ]
}

@test "objects are a part of names, and of patterns" {
	described >s
	run -0 "$SCOUNTER" --from s read '*/*'
	[ "$output" = $'net/rx\t9\nnet/eth0/rx\t7\nnet/eth1/rx\t8' ]
	run -0 "$SCOUNTER" --from s read --value net/eth1/rx
	[ "$output" = 8 ]
	run -0 "$SCOUNTER" --from s read --value 'net/*/rx'
	[ "$output" = $'7\n8' ]
	# All counters of an object, but no group by its bare name.
	run -0 "$SCOUNTER" --from s read --value net/eth0
	[ "$output" = 7 ]
	run -1 "$SCOUNTER" --from s read net
	says 'no counter net'
	run -1 "$SCOUNTER" --from s read net/eth
	says 'no counter net/eth'
	"$SNAPSHOT" --time 1010 "{'group':'net','object':'eth1','name':'rx','value':18}" >later
	run -0 "$SCOUNTER" diff s later
	says $'net/eth1/rx\t8\t18\t10\t0\t1.0'
}

@test "what * crosses: no '/', but it may end before one; alone it is all" {
	described >s
	matches() {
		run -0 "$SCOUNTER" --from s read --value "$1"
		[ "$output" = "$2" ] || { echo "$1: $output"; false; }
	}
	matches '*' $'9\n7\n8'
	matches '*/*' $'9\n7\n8'
	matches 'net/*' $'9\n7\n8'
	matches '*/rx' 9
	matches '*/*/rx' $'7\n8'
	matches 'net/*/*' $'7\n8'
	matches '*/eth?' $'7\n8'
	run -1 "$SCOUNTER" --from s read 'net*rx'
	run -1 "$SCOUNTER" --from s read '*rx'
	run -0 "$SCOUNTER" --from s sum --tsv '*'
	says $'3\t24\t'
}

@test "what was meant: a group, objects, another name" {
	described >s
	"$SNAPSHOT" "{'group':'pktstat','name':'ipv4'}" "{'group':'pktstat','name':'two words'}" >p
	meant() {
		run -1 "$SCOUNTER" --from "$1" read "$2"
		[ "$output" = "scounter: no counter $2; did you mean $3?" ] || { echo "$output"; false; }
	}
	meant p pktstat "'pktstat/*'"
	meant p 'pkt*' "'pktstat/*'"
	meant p pkstat "'pktstat/*'"
	meant p pktstat/ "'pktstat/*'"
	meant p ipv4 "'*/ipv4'"
	meant p pktstat/ipv6 "'pktstat/ipv4'"
	meant p pktstats/ipv4 "'pktstat/ipv4'"
	meant p 'pktstat/two word' "'pktstat/two words'"
	meant p pktstat/nothing/like "'pktstat/*'"
	meant s net "'net/*'"
	meant s net/tx "'net/rx'"
	meant s '*eth0' "'*/eth0'"
	"$SNAPSHOT" "{'group':'net','object':'eth0','name':'rx'}" >o
	meant o net/rx "'net/*/rx'"
	meant o '*/rx' "'*/*/rx'"
	meant o eth0 "'*/eth0'"
	# Nothing is near.
	run -1 "$SCOUNTER" --from s read nothing/alike
	[ "$output" = 'scounter: no counter nothing/alike; scounter list shows all' ]
	"$SNAPSHOT" >none
	run -1 "$SCOUNTER" --from none read net/rx
	[ "$output" = 'scounter: no counter net/rx; there is no counter at all' ]
}

@test "a description is in tables, reports and JSON" {
	described >s
	run -0 "$SCOUNTER" --from s list
	[[ $output != *bytes* ]]
	run -0 "$SCOUNTER" --from s list -v
	[[ ${lines[0]} == *'STATE         UNIT        HELP' ]]
	[[ ${lines[1]} == 'net/rx '*' exact         packets     ' ]]
	[[ ${lines[2]} == 'net/eth0/rx '*' exact         bytes       Received.' ]]
	run -0 "$SCOUNTER" --from s list --tsv --verbose
	[ "${lines[0]}" = $'name\tkind\tvalue\terror_ppm\tlower\tupper\tbytes\tstate\tunit\thelp' ]
	[ "${lines[2]}" = $'net/eth0/rx\tatomic\t7\t0\t7\t7\t64\texact\tbytes\tReceived.' ]
	[ "${lines[1]}" = $'net/rx\tatomic\t9\t0\t9\t9\t64\texact\tpackets\t' ]
	run -0 "$SCOUNTER" report --csv s net/eth0
	[ "${lines[1]}" = '1700001000.000,"net/eth0/rx",atomic,7,0,7,7,exact,bytes' ]
	run -0 "$SCOUNTER" --from s watch --batch
	says $'net/eth0/rx\t7\t-\t-\texact\tbytes'
	"$SNAPSHOT" --time 1010 >none
	run -0 "$SCOUNTER" diff s s
	says $'net/eth1/rx\t8\t8\t0\t0\t-\t\tbytes'
	run -0 "$SCOUNTER" diff s none
	says $'net/eth1/rx\t8\t\t\t\t\tgone\tbytes'
	"$SCOUNTER" report --gnuplot picture.png s
	[ "$(head -c 4 picture.png | tail -c 3)" = PNG ]
	"$SCOUNTER" --from s export --json | jq -e '[.counters[] | [.group, .object, .label, .name,
		.unit, .help]] == [["net", null, null, "rx", "packets", null],
		["net", "eth0", "device", "rx", "bytes", "Received."],
		["net", "eth1", "device", "rx", "bytes", "Received."]]'
}

@test "help texts are escaped" {
	"$SNAPSHOT" "{'help':b'a \"b\" \\\\ \\n\\xff\\x1b \\xc3\\xbc'}" >s
	run -0 "$SCOUNTER" --from s list -v
	[[ ${lines[1]} == *'  a "b" \x5c \x0a\xff\x1b ü' ]] || { echo "$output"; false; }
	run -0 "$SCOUNTER" --from s export --openmetrics
	says '# HELP scounter_g_n a \"b\" \\x5c \\x0a\\xff\\x1b ü'
	run -0 "$SCOUNTER" --from s export --prometheus
	says '# HELP scounter_g_n_total a "b" \\x5c \\x0a\\xff\\x1b ü'
	"$SCOUNTER" --from s export --json | jq -e '.counters[0].help == "a \"b\" \\x5c \\x0a\\xff\\x1b ü"'
}

@test "a described counter has a family of its name in OpenMetrics" {
	described >s
	run -0 "$SCOUNTER" --from s export --openmetrics
	[ "$(grep -v 'scounter_[loruvsw]' <<<"$output" | sed 's/000000//')" = '# HELP scounter_net_rx_bytes Received.
# TYPE scounter_net_rx_bytes counter
# UNIT scounter_net_rx_bytes bytes
scounter_net_rx_bytes_total{group="net",device="eth0",name="rx",kind="atomic"} 7
scounter_net_rx_bytes_created{group="net",device="eth0",name="rx",kind="atomic"} 1700000100.000
scounter_net_rx_bytes_total{group="net",device="eth1",name="rx",kind="atomic"} 8
scounter_net_rx_bytes_created{group="net",device="eth1",name="rx",kind="atomic"} 1700000100.000
# HELP scounter_net_rx_packets Events that a scounter has counted.
# TYPE scounter_net_rx_packets counter
# UNIT scounter_net_rx_packets packets
scounter_net_rx_packets_total{group="net",name="rx",kind="atomic"} 9
scounter_net_rx_packets_created{group="net",name="rx",kind="atomic"} 1700000100.000
# EOF' ]
	says 'scounter_upper_bound{group="net",device="eth0",name="rx",kind="atomic"} 7'
	family() {
		"$SNAPSHOT" "$1" >one
		run -0 "$SCOUNTER" --from one export --openmetrics
		says "
$2{"
	}
	family "{'name':'rx_bytes','unit':'bytes'}" scounter_g_rx_bytes_total
	family "{'name':'a-b.c ü','help':'h'}" scounter_g_a_b_c____total
	family "{'name':'rx_total','help':'h'}" scounter_g_rx_total
	family "{'name':'a_created_total','unit':'s'}" scounter_g_a_s_total
	family "{'unit':'a:b'}" scounter_g_n_a_b_total
	# What another family has, or its end, is none for a counter.
	family "{'group':'upper','name':'bound','help':'h'}" scounter_events_total
	family "{'group':'relative','name':'error','help':'h'}" scounter_events_total
	family "{'name':'n','unit':'total'}" scounter_events_total
	family "{'name':'n','unit':'per_created'}" scounter_events_total
	# Nor has an object the label of another thing.
	family "{'object':'o','label':'kind'}" 'scounter_events_total{group="g",object="o",name="n",kind="atomic"} 0
scounter_events_created'
}

@test "texts are kept with what is recorded, and no others" {
	described --header-extra 8 >s
	"$SCOUNTER" --from s record --output all
	"$SCOUNTER" --from s record --output one 'net/rx'
	[ "$(strings -n 5 all | grep -cxE 'bytes|Received.|device|packets')" = 4 ]
	[ "$(strings -n 5 one | grep -xE 'bytes|Received.|device|packets')" = packets ]
	# The same again.
	"$SCOUNTER" --from all record --output again
	cmp all again
}

@test "forged and damaged texts are refused" {
	refused() {
		"$SNAPSHOT" "${@:2}" >forged
		run -1 "$SCOUNTER" --from forged list
		says "damaged: $1"
	}
	# Four bytes of texts behind a header of 80, and four of padding.
	texts=(--texts "b'\\0ab\\0'")
	"$SNAPSHOT" "${texts[@]}" "{'unit':1,'help':3,'label':2}" >good
	run -0 "$SCOUNTER" --from good list
	refused 'a text that is not there' "${texts[@]}" "{'unit':4}"
	refused 'a text that is not there' "${texts[@]}" "{'help':4294967295}"
	refused 'a text that is not there' "${texts[@]}" "{'label':5}"
	refused 'a text that is not there' "{'unit':1}"
	refused 'a text that is not there' --header-cut 8 "{'unit':1}"
	refused 'texts that cannot be' "${texts[@]}" --texts-offset 79
	refused 'texts that cannot be' "${texts[@]}" --texts-offset 0
	refused 'texts that cannot be' "${texts[@]}" --texts-offset 85
	refused 'texts that cannot be' "${texts[@]}" --texts-offset 4294967295
	refused 'texts that cannot be' "${texts[@]}" --texts-size 9
	refused 'texts that cannot be' "${texts[@]}" --texts-size 4294967295
	# No NUL at their end, or at their beginning.
	refused 'texts that cannot be' "${texts[@]}" --texts-size 3
	refused 'texts that cannot be' --texts "b'xab\\0'"
	refused 'a unit or a label that cannot be' "{'unit':'a b'}"
	refused 'a unit or a label that cannot be' "{'label':b'\\xff'}"
	refused 'a unit or a label that cannot be' "{'label':'__name__'}"
	refused 'a name that cannot be' "{'object':'..'}"
	refused 'a name that cannot be' "{'object':'a/b'}"
	refused 'a name that cannot be' "{'object':'$(printf '%064d' 0)'}"
	described >s
	for n in $(seq 80 112) $(($(stat -c %s s) - 1)); do
		head -c "$n" s >cut
		run -1 "$SCOUNTER" --from cut list
		says truncated
	done
}

@test "names cannot speak to the terminal" {
	"$SNAPSHOT" "{'name':b'\\xc2\\x9b31m'}" "{'name':b'\\xff\\xe2\\x80\\xae'}" >evil
	run -0 "$SCOUNTER" --from evil read '*/*'
	says '\xc2\x9b31m'
	says '\xff\xe2\x80\xae'
}

@test "diff: events, deviations, restarts, the gone and the new" {
	run -0 "$SCOUNTER" diff a b
	says $'net/rx\t1000\t3000\t2000\t0\t200.0'
	# Reset at 1005 s.
	says $'net/two words\t5\t2\t2\t0\t0.4\trestarted'
	# sqrt(64000 * 63): exponent 6 before and after
	says $'fs/ü\t8000000\t8064000\t64000\t2008\t6400.0'
	"$SNAPSHOT" "{'name':'other','value':9,'created':997}" >c
	run -0 "$SCOUNTER" diff a c
	says $'g/other\t0\t9\t9\t0\t3.0\tnew'
	says $'net/rx\t1000\t\t\t\t\tgone'
}

# one 'COUNTER BEFORE' 'COUNTER AFTER' [OPTION]...: what diff says of it, but for units
one() {
	"$SNAPSHOT" "$1" >before
	"$SNAPSHOT" --time 1010 "${@:3}" "$2" >after
	"$SCOUNTER" diff before after | tail -n 1 | cut -f 1-7
}

@test "diff: a counter that wrapped, was made anew or comes from another boot" {
	# It has passed its value of before again.
	[ "$(one "{'value':100}" "{'value':300,'flags':32,'wraps':1,'wrapped':1008}")" = \
		$'g/n\t100\t300\t300\t0\t150.0\trestarted' ]
	[ "$(one "{'value':90,'flags':32,'wraps':1}" "{'value':100,'flags':32,'wraps':1}")" = \
		$'g/n\t90\t100\t10\t0\t1.0\t' ]
	[ "$(one "{'value':100}" "{'value':300,'created':1004}")" = \
		$'g/n\t100\t300\t300\t0\t50.0\trestarted' ]
	[ "$(one "{'value':100}" "{'value':300,'created':100}" --boot 2)" = \
		$'g/n\t100\t300\t300\t0\t0.3\trestarted' ]
	# A version without the number of wraps.
	"$SNAPSHOT" --header-cut 8 --record-cut 104 "{'value':100}" >before
	"$SNAPSHOT" --header-cut 8 --record-cut 104 "{'value':3,'flags':32}" >after
	run -0 "$SCOUNTER" diff before after
	says $'g/n\t100\t3\t3\t0\t0.0\trestarted'
}

@test "diff: what is not known is not said" {
	[ "$(one "{'value':9,'flags':1}" "{'value':9,'flags':1}")" = \
		$'g/n\t9\t9\t0\tinf\t0.0\tsaturated' ]
	[ "$(one "{'value':4}" "{'value':9,'flags':1,'resets':1,'reset':1005}")" = \
		$'g/n\t4\t9\t9\tinf\t1.8\trestarted, saturated' ]
	[ "$(one "{'kind':'racing','value':9,'flags':8}" "{'kind':'racing','value':7,'flags':8}")" = \
		$'g/n\t9\t7\t0\tinf\t0.0\tLOSES-COUNTS' ]
	[ "$(one "{'value':18446744073709551611,'flags':2}" "{'value':5,'flags':2}")" = \
		$'g/n\t18446744073709551611\t5\t10\tinf\t1.0\toverflow' ]
	# Beyond what a double has bits for.
	[ "$(one "{'value':0}" "{'value':9223372036854775807}" | cut -f 4)" = 9223372036854775807 ]
	# When it was made is not known.
	[ "$(one "{'value':0,'created':0}" "{'value':5,'created':0,'resets':1}")" = \
		$'g/n\t0\t5\t5\t0\t-\trestarted' ]
	"$SNAPSHOT" "{'flags':1}" "{'name':'r','flags':8}" >unsure
	run -0 "$SCOUNTER" --from unsure list
	[[ ${lines[1]} == *' -  saturated' && ${lines[2]} == *' -  LOSES-COUNTS' ]]
	run -0 "$SCOUNTER" --from unsure export --openmetrics
	says 'scounter_relative_error{group="g",name="n",kind="atomic"} +Inf'
	says 'scounter_variance{group="g",name="r",kind="atomic"} +Inf'
	says 'scounter_upper_bound{group="g",name="r",kind="atomic"} +Inf'
	"$SCOUNTER" --from unsure export --json | jq -e '[.counters[] |
		.error_ppm, .variance, .upper] | unique == [null]'
}

@test "diff: an approx word beyond its bound at the last exponent" {
	# Mantissas of 24576 and 28672, two bits beyond 2^13: sqrt(2^27 * (2^17 - 1)).
	for m in 24576 28672; do
		"$SNAPSHOT" "{'kind':'bfp_csup','value':$((m << 15)),'error_ppm':10001,
			'raw':$((15 << 28 | m)),'bound':13}" >"approx-$m"
		# bfp_csup itself has no bound: sqrt(2^27 * (2^15 - 1)).  A bound that no word
		# has is none.
		"$SNAPSHOT" "{'kind':'bfp_csup','value':$((m << 15)),'error_ppm':10001,
			'raw':$((15 << 28 | m)),'bound':99}" >"csup-$m"
	done
	run -0 "$SCOUNTER" diff approx-24576 approx-28672
	says $'134217728\t4194288\t'
	run -0 "$SCOUNTER" diff csup-24576 csup-28672
	says $'134217728\t2097120\t'
}

@test "watch: a sample that shows no event does not show that there was none" {
	word="'kind':'bfp_csup','value':8000000,'error_ppm':10000,'flags':4,'raw':0x6001e848"
	{
		"$SNAPSHOT" --time 1000 "{$word}" "{'name':'exact'}"
		"$SNAPSHOT" --time 1001 "{$word}" "{'name':'exact'}"
	} >still
	run -0 "$SCOUNTER" --from still watch --batch
	says $'g/exact\t0\t0.0\t0.0'
	# One in 64: after 420 events without a success 0.135 % are left.
	bar=$(sed -n 's/^g.n\t8000000\t0\.0\t\([0-9]*\)\..*/\1/p' <<<"$output" | tail -n 1)
	[ "$bar" -ge 420 ]
	[ "$bar" -lt 630 ]
}

@test "record appends, report reads it back" {
	"$SCOUNTER" --from a record --output r
	"$SCOUNTER" --from b record --output r
	run -0 "$SCOUNTER" report r
	says '# 2 snapshots'
	says $'net/rx\t1000\t3000\t2000'
	run -0 "$SCOUNTER" report --csv r 'net/two words'
	[ "${lines[2]}" = '1700001010.000,"net/two words",atomic,2,0,2,2,exact,' ]
	run -0 "$SCOUNTER" --from r watch --batch
	# The first snapshot has no rates.
	[[ $output != *$'net/rx\t1000'* ]]
	says $'net/rx\t3000\t200.0\t0.0'
	# 64064 (1 - 7 s^2 / 128 + 3 s / 8)^8 + 1 - 64000 with s^2 = 63 / 64064, in 10 s
	says $'fs/ü\t8064000\t6400.0\t631.6'
	"$SCOUNTER" report --gnuplot picture.png r
	[ "$(head -c 4 picture.png | tail -c 3)" = PNG ]
	head -c 500 b >>r
	run -1 "$SCOUNTER" report r
	says truncated
}

@test "JSON is JSON" {
	"$SCOUNTER" --from a export --json | jq -e '.counters | length == 3 and
		(.[0] | .name == "ü" and .value == 8000000 and .variance == 6400000000)'
}

awkward() {
	"$SNAPSHOT" "{'name':'quote\"'}" "{'name':'back\\\\\\\\slash'}" "{'name':'{}=,#'}" \
		"{'name':b'\\xff'}" "{'name':'\\\\\\\\xff'}" "{'name':'ü 日本'}" "{'name':'a_total'}" \
		"{'name':'full','flags':1,'value':8796092989440}" "{'name':'racing','kind':'racing','flags':8}" \
		"{'name':'a_total','help':'\\\\\"','unit':'a_total','object':'o'}" \
		"{'group':'grp','name':'one-two','help':'first'}" \
		"{'group':'grp','name':'one_two','help':'second'}" \
		"{'group':'grp','name':'x','unit':'y:z','object':'ü','label':'class'}" \
		"{'group':'grp','name':'x_y','unit':'z'}" \
		"{'group':'1','name':'2','unit':'bytes'}" "{'group':'scounter','name':'n','help':b'\\xff'}" \
		"{'name':'x','object':'h','label':'le'}" "{'name':'x','object':'s','label':'quantile'}"
}

@test "promtool has no finding in the text format" {
	awkward >s
	"$SCOUNTER" --from s export --prometheus >m
	run -0 promtool check metrics <m
	[ -z "$output" ]
	# The check can fail.
	cat m m >twice
	run ! promtool check metrics <twice
}

@test "a real Prometheus scrapes the OpenMetrics format" {
	awkward >s
	mkdir www
	"$SCOUNTER" --from s export --openmetrics --output www/metrics
	run -0 python3 "$BATS_TEST_DIRNAME/scrape.py" www
	[ "$output" = 'up 1, 18 counters' ]
	# Prometheus refuses what is not OpenMetrics.
	sed -i '$d' www/metrics
	run -0 python3 "$BATS_TEST_DIRNAME/scrape.py" www
	[ "$output" = 'up 0, 0 counters' ]
}

@test "the rules for Prometheus are right by promtool and its tests" {
	monitoring=$BATS_TEST_DIRNAME/../../../tools/scounter/monitoring
	run -0 promtool check rules "$monitoring/scounter-rules.yml"
	says '10 rules found'
	run -0 promtool test rules "$monitoring/scounter-rules-test.yml"
	# The tests can fail.
	cp "$monitoring"/scounter-rules*.yml .
	sed -i 's/3 \* sqrt/2 * sqrt/' scounter-rules.yml
	run ! promtool test rules scounter-rules-test.yml
}

@test "a real Prometheus evaluates the rules, and answers each panel of the dashboard" {
	monitoring=$BATS_TEST_DIRNAME/../../../tools/scounter/monitoring
	mkdir -p www d/topk/events
	printf '# design lockfree capacity 5 key_size 8\n# total 1000 evictions 3 dropped 0 floor 20 pending 1 state complete\n700 0 a\n' >d/topk/events/calls
	: >d/topk/events/calls.bin
	"$SNAPSHOT" "{'value':1000000,'kind':'bfp_csup','error_ppm':10000,'flags':4}" "{'name':'full','flags':1}" \
		"{'group':'net','object':'eth0','name':'rx','value':7,'unit':'bytes','help':'Received.','label':'device'}" \
		"{'name':'r','kind':'racing','flags':8}" "{'name':'o','flags':2}" "{'name':'w','flags':32}" >s
	SCOUNTER_DEBUGFS=d SCOUNTER_SYSFS=. "$SCOUNTER" --from s export --openmetrics --tables 5 --output www/metrics
	run -0 python3 "$BATS_TEST_DIRNAME/scrape.py" www "$monitoring/scounter-rules.yml" "$monitoring/scounter-dashboard.json"
	[ "$output" = 'up 1, 7 counters
11 panels asked 16 times
ScounterLosesCounts r
ScounterOverflowed o
ScounterSaturated full
ScounterWrapped w' ] || { echo "$output"; false; }
	jq -e '.panels | length == 11 and ([.[].id] | unique | length) == 11' "$monitoring/scounter-dashboard.json"
}

@test "a total that dips is held, one that was reset is not" {
	total() { "$SCOUNTER" --from "$1" export --openmetrics --state state | grep '^scounter_events'; }
	"$SNAPSHOT" "{'value':100,'kind':'racing','flags':8}" >one
	"$SNAPSHOT" "{'value':90,'kind':'racing','flags':8}" >dip
	"$SNAPSHOT" "{'value':90,'kind':'racing','flags':8,'resets':1,'reset':500}" >reset
	total one >o; total dip >d; total one >o2; total reset >r
	cmp o d
	cmp o o2
	grep -q '_total{.* 90$' r
	grep -q '_created{.* 1700000500.0' r
}

@test "a state that is empty or damaged: said, kept, and begun anew" {
	"$SNAPSHOT" "{'value':100,'kind':'racing','flags':8}" >one
	"$SNAPSHOT" "{'value':90,'kind':'racing','flags':8}" >dip
	anew() {
		run -0 --separate-stderr "$SCOUNTER" --from one export --openmetrics --state state
		[[ $stderr == "scounter: state: $1"* ]] || { echo "$stderr"; false; }
		[[ $stderr == *'what was exported is not known, and exported anew'* ]]
		[[ $output == *'_total{'*'} 100'*'# EOF' ]]
		# It is of use again.
		run -0 "$SCOUNTER" --from dip export --openmetrics --state state
		[[ $output == *'_total{'*'} 100'* && $output != *scounter:* ]]
	}
	: >state
	anew empty
	[ ! -e state.damaged ]
	head -c 1000 /dev/zero >state
	anew 'not a snapshot'
	echo 'this is junk' >state
	anew 'not a snapshot'
	[ "$(cat state.damaged)" = 'this is junk' ]
	for n in 20 80 200 463; do
		head -c "$n" one >state
		anew truncated
	done
	"$SNAPSHOT" "{'name':'..'}" >state
	anew damaged
	"$SNAPSHOT" "{'unit':4}" >state
	anew damaged
	# A state of another program or machine, which may still be of use there.
	"$SNAPSHOT" --oldest-reader 3 >state
	cp state newer
	anew 'version'
	cmp state.damaged newer
	# What cannot be read at all stays an error.
	mkdir folder
	run -1 "$SCOUNTER" --from one export --openmetrics --state folder
	says folder
	run -1 "$SCOUNTER" --from state.damaged export --openmetrics
	# A device is no damaged file, and stays what it is.
	mkfifo pipe
	ln -s /dev/zero zero
	for it in pipe zero; do
		run -1 timeout 20 "$SCOUNTER" --from one export --openmetrics --state "$it"
		[ "$output" = "scounter: $it: not a regular file" ]
	done
	[ -p pipe ]
	[ -c zero ]
	[ "$(ls -d pipe* zero*)" = $'pipe\nzero' ]
}

@test "a total is held after an export without its counter" {
	total() { "$SCOUNTER" --from "$1" export --openmetrics --state state | grep '^scounter_events_total'; }
	"$SNAPSHOT" "{'value':100,'kind':'racing','flags':8,'help':'h'}" "{'name':'m'}" >one
	"$SNAPSHOT" "{'name':'m'}" >without
	"$SNAPSHOT" "{'value':90,'kind':'racing','flags':8}" "{'name':'m'}" >again
	"$SNAPSHOT" "{'value':80,'kind':'racing','flags':8,'created':101}" >another
	total one >/dev/null
	[ "$(total without)" = 'scounter_events_total{group="g",name="m",kind="atomic"} 0' ]
	total without >/dev/null
	[[ $(total again) == *'name="n",kind="racing"} 100' ]]
	[[ $(total another) == *'name="n",kind="racing"} 80' ]]
	# That which other boots have left is not kept.
	"$SNAPSHOT" --boot 2 "{'name':'m'}" >boot
	total boot >/dev/null
	run -0 "$SCOUNTER" --from state read '*/*'
	[ "$output" = $'g/m\t0' ]
}

@test "a wrap is never held, of a version without their number too" {
	total() { "$SCOUNTER" --from "$1" export --openmetrics --state state | grep '^scounter_events_total'; }
	"$SNAPSHOT" --header-cut 8 --record-cut 104 "{'value':100,'kind':'racing','flags':8}" >full
	"$SNAPSHOT" --header-cut 8 --record-cut 104 "{'value':3,'kind':'racing','flags':40}" >wrapped
	total full >/dev/null
	[[ $(total wrapped) == *'} 3' ]]
	"$SNAPSHOT" "{'value':100,'kind':'racing','flags':8}" >full
	"$SNAPSHOT" "{'value':3,'kind':'racing','flags':40,'wraps':1,'wrapped':500}" >wrapped
	total full >/dev/null
	[[ $(total wrapped) == *'} 3' ]]
}

@test "state and output are on the disk before they have their names" {
	# A leak checker cannot work beside strace.
	ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=write,fsync,rename,openat -y -o calls \
		"$SCOUNTER" --from a export --json --state state --output out
	for file in out state; do
		run -0 awk -v file="$PWD/$file" -v folder="<$PWD>" '
			$2 ~ /^write/ && index($0, "<" file ".") { step = 1 }
			$2 ~ /^fsync/ && index($0, "<" file ".") && step == 1 { step = 2 }
			$2 ~ /^rename/ && index($0, "\"'"$file"'\")") && step == 2 { step = 3 }
			$2 ~ /^fsync/ && index($0, folder) && step == 3 { step = 4 }
			END { print step + 0 }' calls
		[ "$output" = 4 ]
	done
}

@test "overflowed and wrapped are series of their own" {
	"$SNAPSHOT" "{'name':'o','flags':2}" "{'name':'s','flags':1}" "{'name':'w','flags':32,'wraps':1}" >states
	run -0 "$SCOUNTER" --from states export --prometheus
	for state in overflowed saturated wrapped; do
		for name in o s w; do
			[[ $state == $name* ]] && value=1 || value=0
			says "
scounter_$state{group=\"g\",name=\"$name\",kind=\"atomic\"} $value"
		done
	done
	"$SNAPSHOT" "{'group':'wrapped','unit':'s'}" "{'group':'scounter','name':'wrapped','help':'h'}" >names
	run -0 "$SCOUNTER" --from names export --openmetrics
	says 'scounter_scounter_wrapped_total'
}

@test "record on a full disk leaves no empty file and no half snapshot" {
	run -1 "$SCOUNTER" --from a record --output /dev/full
	says '/dev/full: No space left on device'
	# A limit ends a write in its middle, as a full disk does.
	limited() { bash -c 'ulimit -f '"$1"'; "$SCOUNTER" --from a record --output r'; }
	run -1 limited 0
	says 'r: File too large'
	[ ! -e r ]
	run -1 limited 1
	[ ! -e r ]
	"$SCOUNTER" --from a record --output r
	cp r before
	[ "$(stat -c %s r)" -lt 2048 ]
	run -1 limited 2
	says 'r: File too large'
	says 'it has the snapshots of before'
	cmp r before
	: >r
	run -1 limited 1
	[ -e r ]
	[ ! -s r ]
}

@test "record appends to a whole recording only, and never to itself" {
	"$SCOUNTER" --from a record --output r
	"$SCOUNTER" --from b record --output r
	cp r before
	run -1 timeout 20 bash -c 'ulimit -f 1000; "$SCOUNTER" --from r record --output r'
	[ "$output" = 'scounter: r: a recording is not appended to itself' ]
	run -1 timeout 20 bash -c 'ulimit -f 1000; "$SCOUNTER" --from - record --output ./r <r'
	says 'not appended to itself'
	cmp r before
	for n in 1 20 80 500; do
		cp before r
		head -c $n b >>r
		cp r half
		run -1 "$SCOUNTER" --from b record --output r
		((n < 8)) || says 'r: truncated, and nothing could be read behind that'
		cmp r half
		# As it says.
		rm -f other
		run -1 "$SCOUNTER" --from r record --output other
		cmp other before
	done
	for other in text 'two words of another program'; do
		echo "$other" >r
		cp r half
		run -1 "$SCOUNTER" --from b record --output r
		[ "$output" = 'scounter: r: not a recording of scounter; nothing is appended' ]
		cmp r half
	done
	mkfifo pipe
	timeout 20 cat pipe >through &
	run -0 timeout 20 "$SCOUNTER" --from a record --output pipe
	wait $!
	"$SCOUNTER" --from a record --output apart
	cmp through apart
	# An older or a newer program's is one.
	"$SNAPSHOT" --header-extra 24 --record-extra 16 "{'unit':'bytes'}" >r
	"$SCOUNTER" --from a record --output r
	run -0 "$SCOUNTER" report r
	says '# 2 snapshots'
}

@test "a total that wrapped begins anew, and goes on" {
	total() { "$SCOUNTER" --from "$1" export --openmetrics "${@:2}" | grep '^scounter_events'; }
	"$SNAPSHOT" "{'value':100}" >full
	"$SNAPSHOT" "{'value':7,'flags':32,'wraps':1,'wrapped':500}" >wrapped
	"$SNAPSHOT" "{'value':9,'flags':32,'wraps':1,'wrapped':500}" >on
	"$SNAPSHOT" "{'value':2,'flags':32,'wraps':1,'wrapped':500,'resets':1,'reset':600}" >reset
	for state in '' '--state state'; do
		for snapshot in full wrapped on reset; do
			# shellcheck disable=SC2086 # two words or none
			total $snapshot $state
		done >said
		run -0 awk '/_total/ { total = total " " $NF } /_created/ { created = created " " $NF }
			END { print total created }' said
		[ "$output" = ' 100 7 9 2 1700000100.000000000 1700000500.000000000 1700000500.000000000 1700000600.000000000' ]
	done
}

@test "an output that cannot be written leaves nothing" {
	run -1 "$SCOUNTER" --from a export --json --output /nonexistent/file
	run -1 bash -c '"$SCOUNTER" --from a list >/dev/full'
}

@test "a closed pipe is no error" {
	"$SNAPSHOT" --many 10000 >many
	run -0 bash -c '"$SCOUNTER" --from many list 2>&1 | head -n 1; exit ${PIPESTATUS[0]}'
	[ "${#lines[@]}" = 1 ]
}

@test "colour on a terminal only, and where asked for" {
	"$SNAPSHOT" "{'flags':1}" >red
	run -0 "$SCOUNTER" --from red list
	[[ $output != *$'\033'* ]]
	run -0 "$SCOUNTER" --color always --from red list
	says $'\033[31msaturated'
}

@test "reset is of this machine, and of no file" {
	run -2 env -u SCOUNTER_SYSFS "$SCOUNTER" --from a reset '*/*'
	says 'reset acts on the counters of this machine, and takes no --from'
}

@test "reset writes 1; the vanished and the forbidden are named" {
	mkdir -p sys/net/rx 'sys/net/two words'
	: >sys/net/rx/reset
	: >'sys/net/two words/reset'
	SCOUNTER_SYSFS=sys run -1 "$SCOUNTER" --from a reset '*/*'
	says 'fs/ü: the counter is gone, or hidden from sysfs'
	"$SNAPSHOT" "{'object':'o'}" >object
	SCOUNTER_SYSFS=sys run -1 "$SCOUNTER" --from object reset g/o/n
	says 'g/o/n: a counter of an object is not reset'
	[ "$(cat sys/net/rx/reset)" = 1 ] && [ "$(cat 'sys/net/two words/reset')" = 1 ]
}

@test "watch on terminals of 10, 40 and 200 columns leaves on q" {
	"$SCOUNTER" --from a record --output r
	"$SCOUNTER" --from b record --output r
	for columns in 10 40 200; do
		run -0 timeout 20 python3 "$BATS_TEST_DIRNAME/terminal.py" "$columns" \
			"$SCOUNTER" --from r watch --interval 30
		says 'net/rx'
	done
}

# on_terminal COLUMNS ARGUMENT...: what it shows there
on_terminal() {
	LC_ALL=C.UTF-8 run "${status_wanted:--0}" timeout 20 python3 "$BATS_TEST_DIRNAME/terminal.py" \
		"$1" "$SCOUNTER" --color never "${@:2}"
	output=${output//$'\r'/}
}

@test "list on a terminal: names that do not fit are cut in their middle" {
	"$SNAPSHOT" "{'group':'network_of_a_long_name','object':'interface_with_a_name_of_its_own','name':'received'}" \
		"{'value':12345,'kind':'bfp_csup','flags':4,'error_ppm':10000}" \
		"{'name':'$(printf 'ü%.0s' {1..30})','value':7}" "{'name':'日本語日本語日本語日本語','flags':8}" >long
	on_terminal 60 --from long list
	[ "$output" = 'NAME                 KIND     VALUE      ERROR  STATE
g/n                  bfp_csup 12345         1%  sampling
g/üüüüüüü…üüüüüüüüü  atomic       7         0%  exact
g/日本語日…語日本語  atomic       0          -  LOSES-COUNTS
network_o…/received  atomic       0         0%  exact' ] || { echo "$output"; false; }
	# No more than what is there takes.
	on_terminal 80 --from long list '*/*/received'
	says 'network_of_a_long_name/…name_of_its_own/received  atomic     0         0%  exact'
	on_terminal 30 --from long list
	says 'netwo…ceived'
	for wide in --wide --verbose; do
		on_terminal 60 --from long list $wide
		says network_of_a_long_name/interface_with_a_name_of_its_own/received
		says "$(printf 'ü%.0s' {1..30})"
	done
	on_terminal 200 --from long list
	says network_of_a_long_name/interface_with_a_name_of_its_own/received
	# What is no terminal gets all.
	COLUMNS=20 run -0 "$SCOUNTER" --from long list
	says network_of_a_long_name/interface_with_a_name_of_its_own/received
	run -0 "$SCOUNTER" --from long list --wide
}

@test "list on a terminal: a name that is one column too long ends where it is cut" {
	"$SNAPSHOT" "{'name':'$(printf 'a%.0s' {1..60})'}" "{'name':'$(printf 'b%.0s' {1..23})'}" >long
	on_terminal 56 --from long list
	[ "${output##*$'\n'}" = 'g/bbbbbbbbb…bbbbbbbbbbbb  atomic     0         0%  exact' ] ||
		{ echo "$output"; false; }
}

@test "list: an error has no zeros at its end" {
	"$SNAPSHOT" "{'name':'a','error_ppm':10000,'flags':4}" "{'name':'b','error_ppm':9900,'flags':4}" \
		"{'name':'c','error_ppm':4297,'flags':4}" "{'name':'d','error_ppm':1000010,'flags':4}" \
		"{'name':'e','error_ppm':100,'flags':4}" "{'name':'f'}" >errors
	run -0 "$SCOUNTER" --from errors list
	[ "$(awk 'NR > 1 { printf "%s ", $4 }' <<<"$output")" = '1% 0.99% 0.4297% 100.001% 0.01% 0% ' ]
	# One below the other.
	[ "$(awk 'NR > 1 { print index($0, "%") }' <<<"$output" | sort -u | wc -l)" = 1 ]
}

@test "list: what was chosen is named; on a narrow terminal without what it stands for" {
	"$SNAPSHOT" "{'name':'$(printf 'a%.0s' {1..60})','kind':'exact:multiline_adapt'}" \
		"{'name':'b','kind':'approx:bfp_csup'}" >chosen
	run -0 "$SCOUNTER" --from chosen list
	says 'exact:multiline_adapt '
	says 'approx:bfp_csup '
	run -0 "$SCOUNTER" --from chosen export --openmetrics
	says 'kind="approx:bfp_csup"'
	on_terminal 50 --from chosen list
	says 'g/b                 approx     0         0%  exact'
}

# Of a family, with the flag for what is of now and may go down.
family() {
	"$SNAPSHOT" --time "$1" "{'name':'sum','value':$2,'error_ppm':100,'flags':260,'object':'flows','label':'family','unit':'packets','help':'Packets.','kind':'approx:bfp_csup'}" \
		"{'name':'words','value':$3,'flags':256,'object':'flows','label':'family','unit':'words','help':'Words.','kind':'approx:bfp_csup'}" \
		"{'group':'family','name':'sum','value':7,'help':'A counter.'}"
}

@test "a family of words is listed, and exported as gauges; its rates are not known" {
	family 1000 5000 10 >a
	family 1010 4000 9 >b
	run -0 "$SCOUNTER" --from a list
	[[ $output =~ g/flows/sum\ +approx:bfp_csup\ +5000 ]]
	for format in openmetrics prometheus; do
		run -0 "$SCOUNTER" --from a export --$format
		says '# TYPE scounter_family_sum gauge'
		says 'scounter_family_sum{group="g",family="flows",name="sum",kind="approx:bfp_csup"} 5000'
		says 'scounter_family_words{group="g",family="flows",name="words",kind="approx:bfp_csup"} 10'
		[[ $output != *scounter_family_sum_total* ]]
		# A counter has no metric of such a name.
		says 'scounter_events_total{group="family",name="sum",kind="atomic"} 7'
	done
	run -0 "$SCOUNTER" diff a b
	[[ $output != *18446744073709550616* ]]
}

@test "kinds on a terminal: lines that do not fit are cut" {
	mkdir d
	printf '# kind  range\natomic  %s\n' "$(printf 'long %.0s' {1..20})end" >d/kinds
	export SCOUNTER_DEBUGFS=$PWD/d SCOUNTER_SYSFS=$PWD/d
	on_terminal 20 kinds
	[ "$output" = $'# kind  range\natomic  long long l…' ] || { echo "$output"; false; }
	on_terminal 20 kinds --wide
	says 'long end'
	run -0 "$SCOUNTER" kinds
	says 'long end'
}

@test "watch without a counter says so" {
	"$SNAPSHOT" --time 1010 >none
	cat a none >r
	run -0 "$SCOUNTER" --from r watch --batch
	[[ $output == *$'# name\tvalue\trate\terror_bar\tstate\tunit\tseconds\tkind\n# no counter now' ]] || { echo "$output"; false; }
	on_terminal 80 --from r watch --interval 30
	[[ $output != *'No counter now'* ]]
	on_terminal 80 --from r watch --interval 0.1
	says 'No counter now'
	# A screen would hide what is wrong.
	status_wanted=-1
	on_terminal 80 --from a watch --interval 30 net/tx
	[ "$output" = "scounter: no counter net/tx; did you mean 'net/rx'?" ]
}

@test "report --gnuplot: a bad path is an error, and the picture is never on stdout" {
	mkdir bin
	printf '#!/bin/sh\necho ran >ran\nexec %s "$@"\n' "$(command -v gnuplot)" >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH
	run -1 "$SCOUNTER" report --gnuplot /nonexistent/picture.png a
	[ "$output" = 'scounter: /nonexistent/picture.png: No such file or directory' ]
	[ ! -e ran ]
	# gnuplot warns of axes on stderr.
	run -0 --separate-stderr "$SCOUNTER" report --gnuplot "it's.png" a
	[ -z "$output" ]
	[ -e ran ]
	[ "$(head -c 4 "it's.png" | tail -c 3)" = PNG ]
	# A gnuplot that fails leaves nothing.
	printf '#!/bin/sh\necho picture; cat >/dev/null; exit 1\n' >bin/gnuplot
	run -1 --separate-stderr "$SCOUNTER" report --gnuplot failed.png a
	[ -z "$output" ]
	# shellcheck disable=SC2154 # bats sets it
	[ "$stderr" = 'scounter: failed.png: gnuplot failed, or is not installed' ]
	[ -z "$(ls failed* 2>/dev/null)" ]
}

@test "an output is a file, and stays the link that it is" {
	mkdir other
	ln -s other/file link
	"$SCOUNTER" --from a export --json --output other/file
	: >other/file
	"$SCOUNTER" --from a export --json --output link
	[ -L link ]
	[ -s other/file ]
	mkfifo pipe
	run -1 "$SCOUNTER" --from a export --json --output pipe
	[ "$output" = 'scounter: pipe: not a regular file' ]
	[ -p pipe ]
	[ "$(ls -d pipe* other/*)" = $'other/file\npipe' ]
}

# A table as the module writes it: 1000 hits, of which 940 are of three keys that are listed.
table() {
	cat <<-'TABLE'
		# design lockfree capacity 5 key_size 8
		# total 1000 evictions 7 dropped 0 floor 20 pending 1 state complete
		# count                            error key
		700                                    0 kfree+0x10/0x20 [mod] "x"\y
		200                                   12 vfs_read+0x1/0x2
		40                                    20 7
	TABLE
}

@test "top: counts, what is certain of them, their share, and all others" {
	mkdir -p d/topk/events d/topk/mine
	table >d/topk/events/kmem:kmalloc:call_site
	: >d/topk/events/kmem:kmalloc:call_site.bin
	export SCOUNTER_DEBUGFS=d SCOUNTER_SYSFS=.
	run -0 "$SCOUNTER" top --batch --count 1 kmem:kmalloc
	[ "${lines[0]}" = '# events/kmem:kmalloc:call_site: 1000 hits; any other key 21 at most' ]
	[ "${lines[2]}" = '         700           700  70.0000%  kfree+0x10/0x20 [mod] "x"\y' ]
	[ "${lines[3]}" = '         200           188  20.0000%  vfs_read+0x1/0x2' ]
	[ "${lines[5]}" = '          60                 6.0000%  (all others)' ]
	run -0 "$SCOUNTER" top --entries 1 --count 2 --interval 0.01 events/kmem:kmalloc:call_site
	[ "${lines[3]}" = '         300                30.0000%  (all others)' ]
	[ "${#lines[@]}" = 8 ]
	# The table of another field, and one that only begins so.
	table >d/topk/events/kmem:kmalloc_node:ptr
	run -0 "$SCOUNTER" top --count 1 kmem:kmalloc
	table >d/topk/mine/kmem:kmalloc:ptr
	run -1 "$SCOUNTER" top --count 1 kmem:kmalloc
	says 'has several tables'
	says 'mine/kmem:kmalloc:ptr'
	run -1 "$SCOUNTER" top kmem:kfree
	says 'scounter attach kmem:kfree --top FIELD'
	run -1 "$SCOUNTER" top events/none
	says 'no table events/none'
	run -2 "$SCOUNTER" top
	run -2 "$SCOUNTER" top a b
	run -2 "$SCOUNTER" top --entries 0 kmem:kmalloc
	run -2 "$SCOUNTER" top --interval 0 kmem:kmalloc
	echo 'what is this' >d/topk/mine/t
	run -1 "$SCOUNTER" top mine/t
	says 'mine/t: not a table of frequent items'
}

@test "top on a terminal leaves on q, and says when its table has gone" {
	mkdir -p d/topk/events
	table >d/topk/events/a:b:c
	export SCOUNTER_DEBUGFS=d SCOUNTER_SYSFS=.
	for columns in 10 80 200; do
		run -0 timeout 20 python3 "$BATS_TEST_DIRNAME/terminal.py" "$columns" \
			"$SCOUNTER" top --interval 30 a:b
		says 'events/a:'
	done
	says '20.0000%  vfs_read'
	says '(all others)'
	(
		sleep 0.5
		rm d/topk/events/a:b:c
	) &
	run -1 timeout 20 "$SCOUNTER" top --batch --interval 0.1 a:b
	says 'events/a:b:c has gone, and its counts with it'
}

@test "export --tables: the first keys, and one series of all others" {
	mkdir -p d/topk/events
	table >d/topk/events/a:b:c
	export SCOUNTER_DEBUGFS=d SCOUNTER_SYSFS=.
	"$SNAPSHOT" "{'value':7}" "{'group':'top','name':'error','help':'Not of a table.'}" >snap
	export SCOUNTER_FROM=snap
	run -0 "$SCOUNTER" export --openmetrics --tables 2
	says 'scounter_top{group="events",table="a:b:c",key="kfree+0x10/0x20 [mod] \"x\"\\y"} 700'
	says 'scounter_top{group="events",table="a:b:c",otel_metric_overflow="true"} 100'
	says 'scounter_top_error{group="events",table="a:b:c",key="vfs_read+0x1/0x2"} 12'
	says 'scounter_events_total{group="top",name="error",'
	says 'scounter_top_unlisted_max{group="events",table="a:b:c"} 21'
	says 'scounter_top_hits_total{group="events",table="a:b:c"} 1000'
	[ "${lines[-1]}" = '# EOF' ]
	run -0 "$SCOUNTER" export --prometheus --tables 9
	says 'otel_metric_overflow="true"} 60'
	printf '%s\n' "$output" >page
	run -0 promtool check metrics <page
	run -0 bash -c '"$SCOUNTER" export --json --tables 1 | jq -c .tables'
	[ "$output" = '[{"group":"events","table":"a:b:c","state":"complete","capacity":5,"total":1000,"dropped":0,"floor":20,"pending":1,"keys":[{"key":"kfree+0x10/0x20 [mod] \"x\"\\y","count":700,"error":0}],"overflow":300}]' ]
	run -2 "$SCOUNTER" export --json --tables 0
}

@test "topk lists the tables of debugfs, and shows one" {
	mkdir -p d/topk/net d/topk/mm
	echo '# text' >d/topk/net/ports
	: >d/topk/net/ports.bin
	export SCOUNTER_DEBUGFS=$PWD/d SCOUNTER_SYSFS=$PWD/d
	run -0 "$SCOUNTER" topk
	[ "$output" = net/ports ]
	run -0 "$SCOUNTER" topk net/ports
	[ "$output" = '# text' ]
	run -1 "$SCOUNTER" topk net/none
	says 'no table net/none; scounter topk lists all'
	for name in net ../kinds net/../kinds /net net/ a/b/c; do
		run -2 "$SCOUNTER" topk "$name"
	done
}

@test "the manual page is in order" {
	man --warnings -l -E UTF-8 -Tutf8 "$BATS_TEST_DIRNAME/../../../tools/scounter/scounter.8" 2>found >/dev/null
	run -0 cat found
	[ -z "$output" ]
	for command in list read sum merge watch record report diff export reset kinds events attach detach functions top topk array; do
		grep -qE "^\.BR? $command\b" "$BATS_TEST_DIRNAME/../../../tools/scounter/scounter.8"
	done
}

@test "array choose: the paper's q, and what the kernel would choose" {
	run -0 "$SCOUNTER" array choose --bits 8 --max 13348.02
	says '# a Morris counter of 8 bits ends at 13348.02 with q = 1.022667'
	says 'scounter_array_type_for(&type, 8, 13349)'
	[[ ${lines[1]} =~ ^morris\ +8\ +1.02266[78]\ +1\ +133(49|5[0-9])\.[0-9]+\ +10.65% ]]
	[[ ${lines[2]} =~ ^csuros2\ +8\ +2.000000\ +16\  ]]
	run -0 "$SCOUNTER" array choose --max 200 --bits 8
	[[ ${lines[1]} =~ ^csuros2\ +8\ +2.000000\ +256\ +255.00\ +0.00%\ +256\  ]]
	run -0 "$SCOUNTER" array choose --max 1e9 --error 6
	[[ ${lines[1]} =~ ^csuros\ +12\  ]]
	run -0 "$SCOUNTER" array choose --max 1e9
	[ "${#lines[@]}" = 15 ]
}

@test "array range: the counts of section 10, and back" {
	run -0 "$SCOUNTER" array range --kind csuros --bits 8 --q 1.2 --m 8
	[[ ${lines[1]} =~ \ 13348.02\ +11.18%\ +8\  ]]
	run -0 "$SCOUNTER" array range --kind morris --bits 8 --q 1.022667
	[[ ${lines[1]} =~ \ 1334[0-9]\.[0-9]+\ +10.65%\  ]]
}

@test "array: what cannot be is refused" {
	run -2 "$SCOUNTER" array
	run -2 "$SCOUNTER" array nonsense
	run -2 "$SCOUNTER" array choose
	run -2 "$SCOUNTER" array choose --max 0
	run -2 "$SCOUNTER" array choose --max nan
	run -2 "$SCOUNTER" array choose --max 1e30
	run -2 "$SCOUNTER" array choose --max 100 --bits 9
	says '--bits is 4 to 8, 10, 12 or 16'
	run -2 "$SCOUNTER" array choose --max 100 --bits 8 --error 1
	run -1 "$SCOUNTER" array choose --max 40000 --bits 4
	says 'no counter of 4 bits counts to 40000'
	run -1 "$SCOUNTER" array choose --max 1e9 --error 0
	run -2 "$SCOUNTER" array range --kind none --bits 8
	run -2 "$SCOUNTER" array range --kind morris --bits 8 --q 3
	run -2 "$SCOUNTER" array range --kind csuros2 --bits 8 --m 3
	says 'power of 2'
}
