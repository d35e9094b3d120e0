#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The public interface on a real kernel: runs in the guest, writes TAP to file
# descriptor 3.
# Usage: integration.sh [TEST]...		default all of them
# The tests are in the folder integration, a file for each subject.  Their names say
# what holds.
# shellcheck source-path=SCRIPTDIR

cd /payload || exit 1
D=/sys/kernel/debug/scounter
S=/sys/kernel/scounter
TESTS=

. ./tap.sh

# need PROGRAM: for a machine that the programs were not compiled for
need() {
	[ -x "./$1" ] || skip "no $1 for this machine"
}

make_users() {
	mkdir -p /etc
	echo 'nobody:x:65534:65534:nobody:/:/bin/sh' >/etc/passwd
	echo 'somebody:x:65533:65533:somebody:/:/bin/sh' >>/etc/passwd
}

x86=$(grep -c 'GenuineIntel\|AuthenticAMD' /proc/cpuinfo)

# refuse REASON PARAMETER...: scounter_try must fail for this reason
refuse() {
	reason=$1
	shift
	if load scounter_try "$@"; then
		rmmod scounter_try
		fail "accepted: $*"
	else
		grep -q "$reason" /tmp/insmod || fail "$* $(cat /tmp/insmod)"
	fi
}

T=/sys/kernel/tracing

# Kernels without tracepoints have no such folder.  Others have one of the module.
trace_on() {
	[ -d "$T/events" ] || return 1
	echo >"$T/trace"
	echo 1 >"$T/events/scounter/enable"
}

trace_off() {
	echo 0 >"$T/events/scounter/enable"
	cat "$T/trace"
}

# In this order, as a test finds what those before have left.
. ./integration/files.sh
. ./integration/names.sh
. ./integration/kinds.sh
. ./integration/lives.sh
. ./integration/contexts.sh
. ./integration/traces.sh
. ./integration/clients.sh
. ./integration/sets.sh
. ./integration/devices.sh
. ./integration/arrays.sh
. ./integration/snapshots.sh
. ./integration/attacks.sh
. ./integration/module.sh

# shellcheck disable=SC2086 # a name a word
[ $# != 0 ] || set -- $TESTS
run_tests 'device try probe array_try leaky hammer stall flows sizes links many kept' "$@"
