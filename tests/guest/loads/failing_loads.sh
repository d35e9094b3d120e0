#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Loads scounter.ko again and again in the guest, while the first allocation of the
# loading fails, then the second, until it makes fewer.  What was not loaded must
# leave nothing behind, and the kernel must have nothing to say about it.

# Of pages only those that may not wait: the loader warns when it gets none.
echo N >/sys/kernel/debug/failslab/ignore-gfp-wait
# The suites are not what is tested here.
echo nothing >/sys/module/kunit/parameters/filter_glob

left_behind() {
	grep -s '^scounter ' /proc/modules
	ls -d /sys/kernel/scounter /sys/kernel/debug/scounter /dev/scounter 2>/dev/null
}

nth=0 refused=0 said=
while [ $nth -lt 5000 ]; do
	nth=$((nth + 1))
	said=$(/payload/failing_load /payload/scounter.ko $nth) || break
	case $said in
	loaded*)
		[ -e /dev/scounter ] || echo "# $nth: loaded without /dev/scounter" >&3
		rmmod scounter
		;;
	*)
		refused=$((refused + 1))
		;;
	esac
	left=$(left_behind)
	[ -z "$left" ] || echo "# $nth: $said; left behind: $left" >&3
	[ -z "$left" ] || break
	[ "$said" != 'loaded, not reached' ] || break
done

echo 1..2 >&3
[ -z "$left" ] || printf 'not ' >&3
echo "ok 1 - a load that fails leaves nothing" >&3
[ "$said" = 'loaded, not reached' ] && [ $refused -gt 20 ] || printf 'not ' >&3
echo "ok 2 - every allocation of a load failed once ($nth: $said; $refused loads failed)" >&3
