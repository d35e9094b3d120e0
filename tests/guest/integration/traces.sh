# SPDX-License-Identifier: GPL-2.0
# What the kernel's tracing shows of counters, beside inflations: contexts.sh.
# shellcheck shell=sh

TESTS="$TESTS
the_end_of_a_range_and_a_refusal_are_traced
a_probe_may_count
"

# The word's address is hashed, as all that %p shows.
the_end_of_a_range_and_a_refusal_are_traced() {
	trace_on || skip 'no tracepoints' || return
	load scounter_try kind=cas add=9223372036854775807 more=5 || return 1
	echo 0xfffffffffffffff9 >/sys/module/scounter_try/parameters/count
	trace_off >/tmp/trace
	rmmod scounter_try
	cat /tmp/trace
	[ "$(grep -c scounter_ /tmp/trace)" = 2 ] &&
		grep -q 'scounter_saturate: name=try word=[0-9a-f]* kind=cas value=9223372036854775807$' /tmp/trace &&
		grep -q 'scounter_refused: name=try amount=-7 caller=count+0x.*scounter_try' /tmp/trace
}

# A probe is called once for each cause of others, and not for those of its own.
a_probe_may_count() {
	trace_on || skip 'no tracepoints' || return
	load scounter_probe || fail "$(cat /tmp/insmod)" || return 1
	load scounter_try kind=cas add=9223372036854775807 more=5 || return 1
	echo 0xffffffffffffffff >/sys/module/scounter_try/parameters/count
	echo 0xffffffffffffffff >/sys/module/scounter_try/parameters/count
	count=$(cat /sys/module/scounter_probe/parameters/count)
	rmmod scounter_try
	rmmod scounter_probe
	trace_off
	[ "$count" = 3 ] || fail "$count times"
}
