# SPDX-License-Identifier: GPL-2.0
# The module itself: loads and unloads, and a kernel that is locked down.
# shellcheck shell=sh

TESTS="$TESTS
hidden_counters_have_no_files
modules_load_and_unload_many_times
who_may_read_is_a_parameter
a_mode_or_group_that_is_none_is_refused
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

# owned FILE OCTAL GROUP
owned() {
	[ "$(stat -c '%a %g' "$1")" = "$2 $3" ] || fail "$1: $(stat -c '%a %g' "$1")"
}

# read_by USER FILE...: that user reads them, or the message says what is wrong
read_by() {
	user=$1
	shift
	su "$user" -s /bin/sh -c "cat $* >/dev/null" 2>/tmp/su || fail "$user: $(cat /tmp/su)"
}

# Somebody is of the group 65533, and nobody is not.
who_may_read_is_a_parameter() {
	make_users
	load scounter device_mode=0440 file_mode=0400 gid=65533 && load scounter_try add=5 || return 1
	[ "$(cat /sys/module/scounter/parameters/device_mode)" = 0440 ] || return 1
	owned /dev/scounter 440 65533 && owned $S/scounter_try/try/value 400 65533 &&
		owned $S/scounter_try/try/reset 200 65533 && owned $D/counters 400 0 &&
		owned $D/scounter_try/try 400 0 || return 1
	read_by somebody /dev/scounter || return 1
	! read_by nobody /dev/scounter || fail 'nobody reads the device' || return 1
	! read_by somebody $S/scounter_try/try/value || fail 'somebody reads a value' || return 1
	[ "$(cat $S/scounter_try/try/value)" = 5 ] || return 1
	rmmod scounter_try && rmmod scounter || return 1
	load scounter file_mode=440 gid=65533 && load scounter_try add=5 || return 1
	owned /dev/scounter 444 65533 && owned $S/scounter_try/try/upper 440 65533 || return 1
	read_by nobody /dev/scounter && read_by somebody $S/scounter_try/try/value || return 1
	! read_by nobody $S/scounter_try/try/value || fail 'nobody reads a value' || return 1
	rmmod scounter_try && rmmod scounter
}

a_mode_or_group_that_is_none_is_refused() {
	for bad in device_mode=0644 device_mode=0004 device_mode=0 device_mode=0x124 file_mode=777 \
		file_mode=read file_mode= file_mode=0444444444444444 gid=-1 gid=4294967295 gid=root gid=; do
		! load scounter "$bad" || fail "$bad is accepted" || return 1
		grep -q 'Invalid\|nvalid' /tmp/insmod || fail "$bad: $(cat /tmp/insmod)" || return 1
		dmesg | tail -n 5 | grep -q "scounter: $bad: such a mode is 0400\|scounter: $bad: a group is" ||
			fail "$bad: $(dmesg | tail -n 5)" || return 1
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
