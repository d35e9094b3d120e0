# SPDX-License-Identifier: GPL-2.0
# The module itself: loads and unloads, and a kernel that is locked down.
# shellcheck shell=sh

TESTS="$TESTS
hidden_counters_have_no_files
modules_load_and_unload_many_times
the_module_leaves_nothing
lockdown_leaves_reading_alone
"

hidden_counters_have_no_files() {
	load scounter_many n=3 hide=1 || return 1
	[ ! -e $S/scounter_many ] && [ -f $D/scounter_many/many2 ] &&
		grep -q '^scounter_many/many2 ' $D/counters || fail 'hidden in sysfs' || return 1
	rmmod scounter_many
	[ ! -e $D/scounter_many ] || fail 'the files of a module that has gone' || return 1
	load scounter_many n=3 hide=6 || return 1
	[ "$(cat $S/scounter_many/many2/value)" = 0 ] && [ ! -e $D/scounter_many ] &&
		! grep -q '^scounter_many/' $D/counters || fail 'hidden but in sysfs' || return 1
	rmmod scounter_many
	[ ! -e $S/scounter_many ]
}

# Not scounter_switches, whose tracepoint is patched into the scheduler each time:
# emulated CPUs that run what another patches end in an int3 or never, now and then.
modules_load_and_unload_many_times() {
	rmmod scounter || return 1
	for _ in $(seq 30); do
		load scounter && load scounter_flows && load scounter_try || return 1
		cat $D/counters >/dev/null
		rmmod scounter_try && rmmod scounter_flows && rmmod scounter || return 1
	done
}

the_module_leaves_nothing() {
	[ ! -e $D ] && [ ! -e $S ] && ! grep -q scounter /proc/modules
}

# The last test, as lockdown cannot be lifted and refuses unsigned modules.
lockdown_leaves_reading_alone() {
	need scounter || return
	lockdown=/sys/kernel/security/lockdown
	mount -t securityfs security /sys/kernel/security 2>/dev/null
	# Debian's kernels have it.
	[ -e $lockdown ] || [ "$LANE" = stock ] || skip 'this kernel has no lockdown' || return
	load scounter && load scounter_try add=5 || return 1
	echo confidentiality >$lockdown || fail 'the kernel has no lockdown' || return 1
	grep -qF '[confidentiality]' $lockdown || return 1
	[ "$(./scounter read --value scounter_try/try)" = 5 ] &&
		[ "$(cat $S/scounter_try/try/value)" = 5 ] || return 1
	./scounter reset scounter_try/try || return 1
	[ "$(./scounter read --value scounter_try/try)" = 0 ] || return 1
	# No file there can be written, so that it is not closed either.
	grep -q '^scounter_try/try' $D/counters || return 1
	rmmod scounter_try && rmmod scounter
}
