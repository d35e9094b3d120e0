# SPDX-License-Identifier: GPL-2.0
# A key that is late: of 10,000 system calls that do not exist, the 5000th becomes the most
# frequent of all, when the others have come once each.  To source, with `hits` in the path.
# shellcheck shell=sh

LATE_KEYS=10000 LATE_HOT=5000 LATE_HITS=20000
# The number of the call, and how often it is made.
LATE_KEY=$((1000 + LATE_HOT)) LATE_TRUE=$((LATE_HITS + 1))
LATE_TRIGGER=/sys/kernel/tracing/events/raw_syscalls/sys_enter

late_hits() {
	hits late $LATE_KEYS $LATE_HOT $LATE_HITS
}

# Its row, if there is one, and the last lines: hits, entries, and what was dropped.
late_hist() {
	echo hist:keys=id >$LATE_TRIGGER/trigger
	late_hits
	awk -v key=$LATE_KEY '$3 == key || /^ *(Hits|Entries|Dropped):/' $LATE_TRIGGER/hist
	echo '!hist:keys=id' >$LATE_TRIGGER/trigger
}

# The table's line of totals, and its first row.
late_top() {
	echo 'raw_syscalls:sys_enter top=id k=1000' >/sys/kernel/debug/scounter_events/attach
	late_hits
	awk '/^# .*total / || !/^#/ { print } !/^#/ { exit }' \
		/sys/kernel/debug/scounter/topk/events/raw_syscalls:sys_enter:id
	echo raw_syscalls:sys_enter >/sys/kernel/debug/scounter_events/detach
}
