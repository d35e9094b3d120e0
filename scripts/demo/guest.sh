#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The part of the demonstration that runs in the guest; what it says goes to
# the verdict channel, which the host shows as it comes.

exec >&3 2>&3
cd /payload || exit 1
D=/sys/kernel/debug/scounter
S=/sys/kernel/scounter
SECONDS_OF_LOAD=8

title() {
	echo
	echo "== $*"
}

# Show a command, and run it.
show() {
	echo "# $*"
	"$@" || exit 1
}

# One process reads everything, so that the reading makes few switches itself.
snapshot() {
	awk -v directory=$D/scounter_switches 'BEGIN {
		while ((getline line <"/proc/stat") > 0)
			if (split(line, field) && field[1] == "ctxt")
				printf "kernel=%s ", field[2]
		split("atomic multiline bfp_csup", kinds)
		for (i = 1; i <= 3; i++) {
			getline value <(directory "/" kinds[i])
			printf "%s=%s ", kinds[i], value
		}
	}'
}

# Pairs of processes that send a line to and fro: two switches each time.
ping_pong() {
	mkfifo "/tmp/to$1" "/tmp/fro$1"
	timeout $SECONDS_OF_LOAD sh -c "while read -r line; do echo; done </tmp/to$1 >/tmp/fro$1" &
	timeout $SECONDS_OF_LOAD sh -c "(echo; while read -r line; do echo; done) >/tmp/to$1 </tmp/fro$1" &
}

load() {
	for i in $(seq $((2 * CPUS))); do
		ping_pong "$i"
	done
	for second in $(seq $SECONDS_OF_LOAD); do
		sleep 1
		echo "   $second of $SECONDS_OF_LOAD s: $(cat $D/scounter_switches/multiline) switches"
	done
	wait
}

compare() {
	awk -v before="$1" -v after="$2" -v table=$D/counters '
	function parse(text, into,   fields, pair, n) {
		n = split(text, fields)
		while (n) {
			split(fields[n--], pair, "=")
			into[pair[1]] = pair[2]
		}
	}
	function row(name, value, error, promised, bytes) {
		printf "%-28s %10s %12s %12s %7s\n", name, value, error, promised, bytes
	}
	BEGIN {
		parse(before, b)
		parse(after, a)
		truth = a["kernel"] - b["kernel"]
		while ((getline line <table) > 0) {
			split(line, field)
			if (sub("scounter_switches/", "", field[1])) {
				promised[field[1]] = field[4]
				bytes[field[1]] = field[7]
			}
		}
		row("", "switches", "true error", "promised", "bytes")
		row("kernel (ctxt of /proc/stat)", truth, "", "", "")
		n = split("atomic multiline bfp_csup", kinds)
		for (i = 1; i <= n; i++) {
			value = a[kinds[i]] - b[kinds[i]]
			row(kinds[i], value,
			    sprintf("%+.4f%%", 100 * (value - truth) / truth),
			    promised[kinds[i]], bytes[kinds[i]])
		}
		if (truth < 1000)
			exit 1
	}'
}

flows() {
	awk -v directory=$D 'BEGIN {
		file = "/sys/kernel/debug/scounter_flows"
		getline line <file
		while ((getline line <file) > 0) {
			split(line, field)
			sum += field[2]
			flows++
		}
		getline exact <(directory "/scounter_flows/packets")
		printf "%d flows of 4 bytes: %d packets; the exact counter, read a little later: %d\n",
			flows, sum, exact
	}'
}

title "Linux $(uname -r), $CPUS CPUs on $NODES NUMA nodes: load scounter and a client"
show insmod scounter.ko
show insmod scounter_switches.ko
before=$(snapshot)
title "A load on all CPUs"
load
after=$(snapshot)
title "What anybody can read"
show cat $D/counters
show cat $D/scounter_switches/bfp_csup
for file in value kind error; do
	show cat $S/scounter_switches/bfp_csup/$file
done
title "A thousand counters of four bytes, embedded in objects"
show insmod scounter_flows.ko
sleep 2
flows
title "Context switches during the load, by the kernel and by scounter"
compare "$before" "$after"
echo "(read one after the other: a few switches lie between the figures)"
