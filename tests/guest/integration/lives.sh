# SPDX-License-Identifier: GPL-2.0
# How counters come and go, and who may still hold one.
# shellcheck shell=sh

TESTS="$TESTS
scounter_stays_while_it_is_used
a_reader_survives_its_counter
a_counter_is_created_in_an_interrupt_or_refused
a_forgotten_counter_is_removed
"

scounter_stays_while_it_is_used() {
	! rmmod scounter 2>/tmp/rmmod && [ -d $D/scounter_switches ]
}

a_reader_survives_its_counter() {
	exec 5<$D/scounter_switches/atomic 6<$S/scounter_switches/atomic/value
	cat <&5 >/dev/null
	rmmod scounter_switches || return 1
	! cat <&5 2>/dev/null && ! cat <&6 2>/dev/null || return 1
	[ ! -e $D/scounter_switches ] && [ ! -e $S/scounter_switches ] || return 1
	exec 5<&- 6<&-
}

# With lockdep, kernels complain there of kmalloc() itself; PREEMPT_RT cannot have it.
a_counter_is_created_in_an_interrupt_or_refused() {
	[ "$LANE" = stock ] || skip 'only kernels without lockdep do that' || return
	if uname -v | grep -q PREEMPT_RT; then
		refuse 'temporarily unavailable' hardirq=1 || return 1
		dmesg | grep -q 'scounter_try/try: no counter can be created in this context'
		return
	fi
	load scounter_try hardirq=1 add=5 || fail "$(cat /tmp/insmod)" || return 1
	for _ in 1 2 3 4 5; do
		[ -e $S/scounter_try/try/value ] || sleep 1
	done
	[ "$(cat $S/scounter_try/try/value)" = 5 ] || return 1
	rmmod scounter_try
}

a_forgotten_counter_is_removed() {
	load scounter_leaky || return 1
	[ -f $D/scounter_leaky/forgotten ] && [ -f $D/scounter_leaky/forgotten_static ] ||
		return 1
	rmmod scounter_leaky
	[ ! -e $D/scounter_leaky ] && [ ! -e $S/scounter_leaky ] &&
		dmesg | grep -q 'scounter_leaky left the counter scounter_leaky/forgotten_static behind'
}
