#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The part of the demonstration that runs in the guest; what it says goes to
# the verdict channel, which the host shows as it comes.

exec >&3 2>&3
cd /payload || exit 1
export PATH="/payload:$PATH" LC_ALL=C.UTF-8
D=/sys/kernel/debug/scounter
E=/sys/kernel/debug/scounter_events
FLOWS_RUN=/sys/module/scounter_flows/parameters/run

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
	[ -e "/tmp/to$1" ] || mkfifo "/tmp/to$1" "/tmp/fro$1"
	sh -c "while read -r line; do echo; done </tmp/to$1 >/tmp/fro$1" &
	pairs="$pairs $!"
	sh -c "(echo; while read -r line; do echo; done) >/tmp/to$1 </tmp/fro$1" &
	pairs="$pairs $!"
}

begin_load() {
	pairs=
	for i in $(seq $((2 * CPUS))); do
		ping_pong "$i"
	done
}

end_load() {
	# shellcheck disable=SC2086 # words of their own
	kill $pairs
	wait
}

# An exact counter has no error: the kernel's figure is read at another moment.
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
		row("", "switches", "off by", "promised", "bytes")
		row("kernel (ctxt of /proc/stat)", truth, "", "", "")
		n = split("atomic multiline bfp_csup", kinds)
		for (i = 1; i <= n; i++) {
			value = a[kinds[i]] - b[kinds[i]]
			exact = promised[kinds[i]] + 0 == 0
			row(kinds[i], value, exact ? "" : sprintf("%+.2f%%", 100 * (value - truth) / truth),
			    exact ? "exact" : promised[kinds[i]], bytes[kinds[i]])
		}
		if (truth < 1000)
			exit 1
	}'
}

# The packets were counted twice, and no more come.
flows() {
	awk -v directory=$D -v cpus="$CPUS" 'BEGIN {
		file = "/sys/kernel/debug/scounter_flows"
		getline line <file
		while ((getline line <file) > 0) {
			split(line, field)
			sum += field[2]
			flows++
		}
		getline exact <(directory "/scounter_flows/packets")
		printf "%d flows: %d bytes, %d packets, off by %.3f%% of %d.\n",
			flows, 4 * flows, sum, 100 * (sum > exact ? sum - exact : exact - sum) / exact, exact
		printf "A per-CPU counter in each would take %d bytes on these %d CPUs.\n",
			8 * flows * cpus, cpus
	}'
}

# Without the progress that a terminal sees.
quietly() {
	echo "# $*"
	"$@" 2>/tmp/said || {
		cat /tmp/said
		exit 1
	}
}

context_switches() {
	awk '$1 == "ctxt" { print $2 }' /proc/stat
}

# Of all that is attached, one that the kernel counts itself: within 7 times the error.
compare_switches() {
	awk -v low="$1" -v high="$2" '
		$1 == "sched:sched_switch" { counted = $3 }
		END {
			printf "context switches meanwhile: kernel %d to %d, sched:sched_switch %d\n",
				low, high, counted
			exit !(low > 100 && counted >= 0.93 * low && counted <= 1.07 * high)
		}' $E/attached || exit 1
}

# The first look at an unknown kernel.
everything() {
	show insmod scounter_events.ko
	before=$(context_switches)
	quietly scounter attach '*'
	attached=$(context_switches)
	quietly scounter attach 'function:*'
	begin_load
	sleep 4
	end_load
	low=$(($(context_switches) - attached - CPUS))
	show scounter events --attached --top 10
	show scounter functions --top 10
	compare_switches $low $(($(context_switches) - before + CPUS))
	quietly scounter detach '*'
	[ "$(grep -vc '^#' $E/attached)" = 0 ] || exit 1
}

title "Linux $(uname -r), $CPUS CPUs on $NODES NUMA nodes: load scounter and two clients"
show insmod scounter.ko
show insmod scounter_switches.ko
show insmod scounter_kmalloc_top.ko
title "A load on all CPUs, and what an operator sees of it"
before=$(snapshot)
begin_load
show scounter watch --plain --interval 2 --count 3
title "Who calls kmalloc"
show scounter topk --top 10 scounter_kmalloc_top/calls
end_load
after=$(snapshot)
title "Context switches during the load, by the kernel and by scounter"
compare "$before" "$after" || exit 1
echo "(read one after the other: a few switches lie between the figures)"
title "What anybody may read"
mkdir -p /etc
echo 'nobody:x:65534:65534:nobody:/:/bin/sh' >/etc/passwd
show su nobody -s /bin/sh -c 'scounter list'
show su nobody -s /bin/sh -c 'cat /sys/kernel/scounter/scounter_switches/bfp_csup/value'
title "A thousand counters of four bytes, embedded in objects"
show insmod scounter_flows.ko
sleep 3
echo 0 >$FLOWS_RUN
sleep 1
flows
title "What does this kernel do? All tracepoints and all functions at once"
everything
