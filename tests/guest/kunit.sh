#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Loads scounter.ko with its KUnit suites in the guest, unless the kernel has them built
# in, and turns what they report into flat TAP on file descriptor 3.
# Usage: kunit.sh NUMBER_OF_CASES [SUITE]

# Let fail_nth reach allocations that may sleep too.
echo N >/sys/kernel/debug/failslab/ignore-gfp-wait

[ $# = 1 ] || printf %s "$2" >/sys/module/kunit/parameters/filter_glob
echo "1..$1" >&3
[ ! -e /payload/scounter.ko ] || insmod /payload/scounter.ko seed=1 || exit 1

# A case is a line indented once: "    ok 3 name # comment".
cat /sys/kernel/debug/kunit/scounter_*/results | awk '
	/# Subtest:/ { suite = $NF }
	/^    (not )?ok / {
		failed = $1 == "not"
		name = failed ? $4 : $3
		skip = match($0, /# SKIP.*/) ? " " substr($0, RSTART) : ""
		printf "%sok %d - %s: %s%s\n", failed ? "not " : "", ++n, suite, name, skip
	}
	/^    # / { print "#" $0 }
' >&3
[ ! -e /payload/scounter.ko ] || rmmod scounter
