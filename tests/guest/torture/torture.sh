#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tortures scounter in the guest, while CPUs, and now and then all CPUs of a node,
# go and come, memory is reclaimed, readers have too little of it, and modules with
# counters and without come and go; then shows each fault that the torture can make,
# which it must notice.  Writes TAP to file descriptor 3.
# Usage: torture.sh SECONDS [FLAVOUR]...

seconds=$1
shift
cd /payload || exit 1
T=/sys/kernel/debug/scounter_torture
E=/tmp/end
CPUS=/sys/devices/system/cpu

cpu_online() {
	# CPU 0 stays, and so does the last one.
	echo "$2" >$CPUS/cpu"$1"/online 2>/dev/null
}

node_online() {
	for cpu in "/sys/devices/system/node/node$1"/cpu[0-9]*; do
		[ -e "$cpu" ] || continue	# a machine of one node
		cpu_online "${cpu##*cpu}" "$2"
	done
}

all_online() {
	for cpu in "$CPUS"/cpu[0-9]*; do
		cpu_online "${cpu##*cpu}" 1
	done
}

# beside COMMAND...: does it until $E is there; says how often in /tmp/COMMAND
beside() {
	rounds=0
	while [ ! -e $E ]; do
		"$@" || break
		rounds=$((rounds + 1))
		echo $rounds >"/tmp/$1"
	done
}

read_all() {
	cat /dev/scounter /sys/kernel/debug/scounter/counters >/dev/null
}

# Of the snapshot and its reader no more than 512 KiB may be there: the kernel throttles
# him, in the midst of a read as well.
limit_memory() {
	mkdir -p /tmp/cgroup && mount -t cgroup2 cgroup /tmp/cgroup 2>/dev/null &&
		echo +memory >/tmp/cgroup/cgroup.subtree_control &&
		mkdir /tmp/cgroup/readers && echo 512K >/tmp/cgroup/readers/memory.high
}

# A new shell, which no other than itself moves.
read_limited() {
	sh -c 'echo $$ >/tmp/cgroup/readers/cgroup.procs
		exec cat /dev/scounter' >/dev/null
}

# Each hides what another did not.
load_others() {
	insmod scounter_many.ko n=2000 hide=$((rounds % 8)) && insmod scounter_idle.ko &&
		rmmod scounter_idle && rmmod scounter_many
}

# plug SECONDS: CPUs come and go for so long
plug() {
	end=$(($(date +%s) + $1))
	turn=0
	while [ "$(date +%s)" -lt $end ]; do
		turn=$((turn + 1))
		echo 2 >/proc/sys/vm/drop_caches
		if [ $((turn % 4)) = 0 ]; then
			node_online 1 0
			sleep 1
			node_online 1 1
		else
			cpu=$((1 + turn % (CPUS_PRESENT - 1)))
			cpu_online $cpu 0
			sleep 1
			cpu_online $cpu 1
		fi
		sleep 1
	done
	all_online
}
CPUS_PRESENT=$(grep -c '^processor' /proc/cpuinfo)

# Inflate, grow and deflate as soon as can be.
start() {
	insmod scounter.ko adapt_tries=1 grow_rate=1000 deflate_after=0 &&
		insmod scounter_torture.ko "$@"
}

stop() {
	echo 0 >/sys/module/scounter_torture/parameters/run
	cat $T >/tmp/verdict
	rmmod scounter_torture && rmmod scounter
}

# The number of violations, among them those of the end.
violations() {
	awk '$1 == "violations" { print $2 }' /tmp/verdict
}

judge() {
	status=$?
	number=$((number + 1))
	[ $status = 0 ] || printf 'not ' >&3
	echo "ok $number - $*" >&3
}

nothing_is_violated() {
	start || return 1
	beside read_all &
	beside load_others &
	! limit_memory || beside read_limited &
	plug "$seconds"
	touch $E
	wait
	stop || return 1
	sed 's/^/# throttled: /' /tmp/cgroup/readers/memory.events 2>/dev/null |
		grep high >&3
	sed 's/^/# /' /tmp/verdict >&3
	[ "$(violations)" = 0 ] && ! dmesg | grep -q 'left the .* behind'
}

# Is something looked at in each subject, and does every context count?
everything_was_there() {
	! grep -E ' 0 (events|looks|resets)' /tmp/verdict || return 1
	awk '/^calls/ && !($3 && $5 && $7 && ($9 || !x86)) { exit 1 }
		/^churned/ && !($2 && $4) { exit 1 }' \
		x86="$(grep -c 'GenuineIntel\|AuthenticAMD' /proc/cpuinfo)" /tmp/verdict || return 1
	[ -s /tmp/read_all ] && [ -s /tmp/load_others ] || return 1
	[ ! -e /tmp/cgroup/readers ] || [ -s /tmp/read_limited ]
}

# How many counters, arrays and tables the log says were forgotten: the first ten by
# name, the others by number.
left_behind() {
	dmesg | awk '/ left the .* behind/ { n++ }
		match($0, / left [0-9]+ more behind/) { split(substr($0, RSTART + 1), word); n += word[2] }
		END { print n + 0 }'
}

# Within a minute.
is_noticed() {
	dmesg -c >/dev/null
	start "busted=$1" || return 1
	for _ in $(seq 12); do
		sleep 5
		[ "$1" = leak ] && break
		grep -q '^violations [1-9]' $T && break
	done
	stop || return 1
	if [ "$1" = leak ]; then
		[ "$(left_behind)" = "$(grep ' events, ' /tmp/verdict | grep -vc '^word-')" ]
		return
	fi
	[ "$(violations)" != 0 ]
}

number=0
echo "1..$((2 + $#))" >&3
nothing_is_violated
judge "nothing is violated in $seconds s"
everything_was_there
judge "all contexts counted in all subjects, which were looked at and reset; reclaim destroyed; others read and came and went"
for flavour; do
	is_noticed "$flavour"
	judge "the fault '$flavour' is noticed"
done
