# SPDX-License-Identifier: GPL-2.0
# Who holds all that he can, who stalls, and who has no memory, stops nobody else.
# shellcheck shell=sh

TESTS="$TESTS
a_user_who_holds_all_stops_nobody
a_stalled_reader_stops_nobody
a_reader_without_memory_stops_nobody
"

# Root, another user, a module, and a counter with all files: each comes to its end.
others_go_on() {
	timeout 60 cat /dev/scounter >/dev/null || fail 'root reads no snapshot' || return 1
	timeout 60 insmod scounter_idle.ko && timeout 60 rmmod scounter_idle ||
		fail 'no module comes and goes' || return 1
	timeout 60 insmod scounter_try.ko add=5 || fail 'no counter comes' || return 1
	timeout 60 su somebody -s /bin/sh -c "cat /dev/scounter $S/scounter_try/try/value" \
		>/dev/null || fail 'another user reads nothing' || return 1
	timeout 60 rmmod scounter_try && [ ! -e $S/scounter_try ] || fail 'no counter goes'
}

# holders N COMMAND: so many at once, until all have said a line in /tmp/holders; their
# numbers are in $holders
holders() {
	holders=
	: >/tmp/holders
	for _ in $(seq "$1"); do
		sh -c "exec $2" >>/tmp/holders 2>&1 &
		holders="$holders $!"
	done
	for _ in $(seq 120); do
		[ "$(wc -l </tmp/holders)" -lt "$1" ] || return 0
		sleep 1
	done
	fail "$(cat /tmp/holders)"
}

# all_go_on: the others while there are holders, and as they found it afterwards
all_go_on() {
	cat /tmp/holders
	others_go_on
	status=$?
	# shellcheck disable=SC2086 # a number a word
	kill -9 $holders
	# shellcheck disable=SC2086
	wait $holders
	return $status
}

# 4096 files a process.  Of snapshots a user has 64 MiB, then EAGAIN.
a_user_who_holds_all_stops_nobody() {
	need hold || return
	make_users
	load scounter_kept && load scounter_many hide=3 || return 1
	holders 8 "su nobody -s /bin/sh -c 'exec ./hold $S/scounter_kept/*/*e'" || return 1
	files=$holders
	# Debugfs is root's: what root holds there stops nobody either.
	holders 1 "./hold $D/counters $D/scounter_kept/atomic" || return 1
	files="$files $holders"
	others_go_on || return 1
	holders 8 "su nobody -s /bin/sh -c 'exec ./hold /dev/scounter'" || return 1
	[ "$(grep -c 'then: Resource temporarily unavailable' /tmp/holders)" = 8 ] ||
		fail "$(cat /tmp/holders)" || return 1
	holders="$files $holders"
	all_go_on || return 1
	as_nobody 'cat /dev/scounter' >/dev/null || return 1
	rmmod scounter_many && rmmod scounter_kept
}

skip_stalled() {
	rmmod scounter_kept
	skip 'this kernel has no userfaultfd'
}

a_stalled_reader_stops_nobody() {
	need hold || return
	load scounter_kept || return 1
	for file in /dev/scounter $S/scounter_kept/atomic/value; do
		holders 1 "./hold --stalled $file" || return 1
		! grep -q 'not implemented' /tmp/holders || skip_stalled || return
		grep -q '^stalled' /tmp/holders || fail "$(cat /tmp/holders)" || return 1
		all_go_on || return 1
	done
	# Even the counter that it reads goes.
	holders 1 "./hold --stalled $file" && timeout 60 rmmod scounter_kept && all_go_on
}

# A snapshot of 10,000 counters is more than it may have: it is throttled all the while.
a_reader_without_memory_stops_nobody() {
	mkdir -p /tmp/cgroup && mount -t cgroup2 cgroup /tmp/cgroup 2>/dev/null &&
		echo +memory >/tmp/cgroup/cgroup.subtree_control ||
		skip 'no control groups for memory' || return
	load scounter_kept && load scounter_many hide=3 || return 1
	mkdir /tmp/cgroup/reader
	echo 1M >/tmp/cgroup/reader/memory.high
	# Its cat is alone when the shell has been killed, and ends.
	holders 4 'sh -c "echo \$\$ >/tmp/cgroup/reader/cgroup.procs; echo begun
		while :; do cat /dev/scounter >/dev/null; done"' || return 1
	for _ in $(seq 60); do
		! grep -q '^high 0$' /tmp/cgroup/reader/memory.events || sleep 1
	done
	grep -q '^high [1-9]' /tmp/cgroup/reader/memory.events || fail 'not throttled' || return 1
	all_go_on || return 1
	while grep -q . /tmp/cgroup/reader/cgroup.procs; do
		sleep 1
	done
	rmdir /tmp/cgroup/reader && umount /tmp/cgroup && rmmod scounter_many &&
		rmmod scounter_kept
}
