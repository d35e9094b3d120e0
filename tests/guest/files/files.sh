#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Junk on all files of scounter, in the guest; see files.c.  Writes TAP to file
# descriptor 3.
# Usage: files.sh SEED OPERATIONS

cd /payload || exit 1
S=/sys/kernel/scounter/scounter_kept

# shellcheck source=tests/guest/tap.sh
. ./tap.sh
echo 1..5 >&3
# The suites are not what is tested here.
echo nothing >/sys/module/kunit/parameters/filter_glob 2>/dev/null
# So that nobody gets to the files, as where an operator has opened them to all.
chmod 755 /sys/kernel/debug
insmod scounter.ko seed=1 && insmod scounter_kept.ko || exit 1

./files "$1" "$2" >/tmp/said 2>&1
judge "$2 operations by root and by nobody find nothing, seed $1"

grep -q 'times came and went' /tmp/said
judge 'counters, arrays and tables came and went meanwhile'

(
	echo 1 >$S/atomic/reset
	[ "$(cat $S/atomic/value)" = 0 ]
) >/tmp/said 2>&1
judge 'a reset is still possible'

rmmod scounter_kept && insmod scounter_kept.ko busted=1 || exit 1
! ./files "$1" 20000 >/tmp/said 2>&1 && grep -q 'the value has changed\|/value says' /tmp/said
judge 'a counter that is counted in is noticed'

(
	rmmod scounter_kept && rmmod scounter && [ ! -e /sys/kernel/scounter ] &&
		[ ! -e /dev/scounter ]
) >/tmp/said 2>&1
judge 'all of it can be unloaded'
exit $result
