#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest whose kernel has scounter built in, with its suites: what was named before
# there was a place for files has them now.  Writes TAP to file descriptor 3.
# shellcheck source-path=SCRIPTDIR/..

cd /payload || exit 1
S=/sys/kernel/scounter
D=/sys/kernel/debug/scounter
E=/sys/kernel/debug/scounter_events
TESTS="
early_counters_have_files
what_was_destroyed_early_has_none
the_device_is_there
events_are_counted
"

. ./tap.sh

early_counters_have_files() {
	for name in exact rbo_numa approx scalable morris; do
		[ -e $S/kunit_early/$name/value ] && [ -e $D/kunit_early/$name ] ||
			fail "$name has no files" || return 1
	done
	[ "$(cat $S/kunit_early/exact/value)" = 100000 ] || fail "exact is not"
}

what_was_destroyed_early_has_none() {
	[ ! -e $S/kunit_early/forgotten ] && [ ! -e $D/kunit_early/forgotten ]
}

the_device_is_there() {
	[ "$(head -c 80 /dev/scounter | wc -c)" = 80 ]
}

events_are_counted() {
	echo 'sched:sched_switch' >$E/attach || return 1
	sleep 1
	[ "$(awk '$1 == "sched:sched_switch" { print $3 }' $E/attached)" -gt 0 ] || return 1
	echo 'sched:sched_switch' >$E/detach
}

# shellcheck disable=SC2086 # words
run_tests "" $TESTS
