# SPDX-License-Identifier: GPL-2.0
# Counters in the directory of a device, and what goes with the device.
# shellcheck shell=sh

TESTS="$TESTS
a_counter_is_in_the_directory_of_its_device
a_driver_that_leaves_takes_its_counters
a_device_may_go_before_its_counter
what_a_device_has_already_is_no_counter
"

B=/sys/devices/platform/scounter_device

a_counter_is_in_the_directory_of_its_device() {
	load scounter_device || fail "$(cat /tmp/insmod)" || return 1
	[ "$(cat $B/events/value)" = 5 ] && [ "$(cat $S/scounter_device/events/value)" = 5 ] ||
		return 1
	[ "$(readlink -f $S/scounter_device/events)" = $B/events ] || return 1
	[ "$(cat $D/scounter_device/events)" = 5 ] && [ -f $D/scounter_device/set ] &&
		[ -f $D/arrays/scounter_device/array ] && [ -f $D/topk/scounter_device/table ] ||
		fail 'not in debugfs' || return 1
	# Through the link.
	[ ! -x ./scounter ] || ./scounter reset scounter_device/events || return 1
	echo 1 >$B/events/reset && [ "$(cat $B/events/value)" = 0 ]
}

a_driver_that_leaves_takes_its_counters() {
	for _ in $(seq 20); do
		echo scounter_device >/sys/bus/platform/drivers/scounter_device/unbind &&
			echo scounter_device >/sys/bus/platform/drivers/scounter_device/bind || return 1
	done
	[ "$(cat $B/events/value)" = 5 ] || return 1
	echo scounter_device >/sys/bus/platform/drivers/scounter_device/unbind
	gone $B/events && gone $S/scounter_device && gone $D/scounter_device &&
		gone $D/arrays/scounter_device && gone $D/topk/scounter_device || return 1
	rmmod scounter_device && [ ! -e $B ]
}

a_device_may_go_before_its_counter() {
	for _ in $(seq 20); do
		load scounter_device early=1 || return 1
		exec 5<$B/late/value
		cat <&5 >/dev/null
		rmmod scounter_device || return 1
		! cat <&5 2>/dev/null || return 1
		[ ! -e $B ] && [ ! -e $S/scounter_device ] || fail 'something is left' || return 1
		exec 5<&-
	done
}

what_a_device_has_already_is_no_counter() {
	load scounter_device name=power || return 1
	[ ! -e $D/scounter_device ] && [ -d $B/power ] || return 1
	dmesg | grep -q 'scounter_device/power: sysfs has something of this name' || return 1
	rmmod scounter_device
}
