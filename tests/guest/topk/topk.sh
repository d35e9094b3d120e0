#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154,SC2015
# Runs in the guest: tables of frequent items through their public interface.
# Reports TAP on file descriptor 3.
# Usage: topk.sh [TEST]...		default all of them

TESTS='
the_directory_is_there
call_sites_of_kmalloc_are_found
the_binary_form_has_the_same
a_bad_table_is_refused
a_name_is_given_once_a_group
epsilon_gives_the_capacity
counts_stay_at_their_greatest
nothing_is_added_by_0
a_reader_survives_its_table
a_forgotten_table_is_removed
a_hidden_table_has_no_file
lockfree_keeps_its_bounds_in_all_contexts
lockfree_keeps_them_in_one_entry
resets_beside_lose_nothing
cooperative_loses_nothing
shared_loses_nothing_but_what_it_drops
independent_keeps_its_bounds
a_lost_hit_is_noticed
the_module_leaves_nothing
'

cd /payload || exit 1
D=/sys/kernel/debug/scounter/topk
H=/sys/kernel/debug/scounter_topk_hammer

# shellcheck source=tests/guest/tap.sh
. ./tap.sh

the_directory_is_there() {
	load scounter seed=1 && [ -d $D ]
}

# Every line has count, error and a symbol; the first is the greatest; the sum of
# the counts is the total.
call_sites_of_kmalloc_are_found() {
	load scounter_kmalloc_top capacity=200 || return 1
	for _ in 1 2 3 4 5 6 7 8; do
		find /sys/kernel >/dev/null
	done
	cat $D/scounter_kmalloc_top/calls >/tmp/calls || return 1
	head -n 8 /tmp/calls
	awk '
		/^# total/ { total = $3; next }
		/^#/ { next }
		{ sum += $1; lines++; if ($3 ~ /\+0x/) symbols++ }
		lines > 1 && $1 > last { print "not in order: " $0; failed = 1 }
		$2 > $1 { print "error: " $0; failed = 1 }
		{ last = $1 }
		END {
			if (sum != total || lines < 5 || symbols != lines) {
				print sum " of " total ", " lines " lines, " symbols " symbols"
				failed = 1
			}
			exit failed
		}' /tmp/calls
}

# u64_at OFFSET FILE, u32_at OFFSET FILE: decimal
u64_at() {
	hexdump -s "$1" -n 8 -e '1/8 "%u\n"' "$2"
}

u32_at() {
	hexdump -s "$1" -n 4 -e '1/4 "%u\n"' "$2"
}

the_binary_form_has_the_same() {
	load scounter_topk_try capacity=7 key_size=12 add=5 || return 1
	cat $D/scounter_topk_try/try.bin >/tmp/bin || return 1
	line=$(grep -v '^#' $D/scounter_topk_try/try)
	# shellcheck disable=SC2086 # the columns
	set -- $line
	[ "$1" = 10 ] && [ "$2" = 0 ] && [ "$3" = 000000000000000000000000 ] ||
		fail "$line" || return 1
	[ "$(wc -c </tmp/bin)" = $((72 + 32)) ] || fail "$(wc -c </tmp/bin) bytes" || return 1
	[ "$(dd if=/tmp/bin bs=4 count=1 2>/dev/null)" = topk ] &&
		[ "$(u32_at 8 /tmp/bin)" = 32 ] && [ "$(u32_at 12 /tmp/bin)" = 12 ] &&
		[ "$(u32_at 16 /tmp/bin)" = 7 ] && [ "$(u32_at 20 /tmp/bin)" = 1 ] &&
		[ "$(u32_at 32 /tmp/bin)" = 10 ] && [ "$(u32_at 64 /tmp/bin)" = 0 ] &&
		[ "$(u32_at 72 /tmp/bin)" = 10 ] ||
		fail "$(hexdump -C /tmp/bin)" || return 1
	[ "$(stat -c %a $D/scounter_topk_try/try)" = 444 ] &&
		[ "$(stat -c %a $D/scounter_topk_try/try.bin)" = 444 ] || return 1
	rmmod scounter_topk_try
}

# refuse REASON PARAMETER...: scounter_topk_try must fail for this reason
refuse() {
	reason=$1
	shift
	if load scounter_topk_try "$@"; then
		rmmod scounter_topk_try
		fail "accepted: $*"
	else
		grep -q "$reason" /tmp/insmod || fail "$* $(cat /tmp/insmod)"
	fi
}

a_bad_table_is_refused() {
	long=0123456789012345678901234567890123456789012345678901234567890123
	range='out of range\|not representable'
	refuse "$range" capacity=0 &&
		refuse "$range" capacity=1048577 &&
		refuse "$range" epsilon=900 &&
		refuse "$range" capacity=10 key_size=3 &&
		refuse "$range" capacity=10 key_size=65 &&
		refuse 'Invalid argument' capacity=10 epsilon=1000000 &&
		refuse 'Invalid argument' capacity=10 design=nonsense &&
		refuse 'Invalid argument' capacity=10 name= &&
		refuse 'Invalid argument' capacity=10 name=a/b &&
		refuse 'Invalid argument' capacity=10 name=a.bin &&
		refuse 'Invalid argument' capacity=10 group=.. &&
		refuse 'too long' capacity=10 name=$long || return 1
	[ "$(ls $D)" = scounter_kmalloc_top ] || fail "$(ls $D)"
}

a_name_is_given_once_a_group() {
	refuse 'File exists\|resource busy' capacity=1 group=scounter_kmalloc_top name=calls &&
		load scounter_topk_try capacity=1 name=calls &&
		[ -f $D/scounter_topk_try/calls ] && rmmod scounter_topk_try &&
		[ ! -e $D/scounter_topk_try ]
}

epsilon_gives_the_capacity() {
	# 10^9 / 300000 is 3333.3.
	load scounter_topk_try epsilon=300000 || return 1
	grep -q '^# design lockfree capacity 3334 key_size 8$' $D/scounter_topk_try/try ||
		fail "$(cat $D/scounter_topk_try/try)" || return 1
	rmmod scounter_topk_try
}

counts_stay_at_their_greatest() {
	for design in lockfree cooperative shared independent; do
		load scounter_topk_try capacity=4 design=$design add=9223372036854775807 ||
			return 1
		grep -q '^18446744073709551614 ' $D/scounter_topk_try/try &&
			grep -q 'state complete' $D/scounter_topk_try/try ||
			fail "$(cat $D/scounter_topk_try/try)" || return 1
		rmmod scounter_topk_try
		load scounter_topk_try capacity=4 design=$design add=9223372036854775807 \
			times=3 || return 1
		grep -q '^18446744073709551615 ' $D/scounter_topk_try/try &&
			grep -q 'state saturated' $D/scounter_topk_try/try ||
			fail "$(cat $D/scounter_topk_try/try)" || return 1
		rmmod scounter_topk_try
	done
}

nothing_is_added_by_0() {
	load scounter_topk_try capacity=4 add=0 || return 1
	! grep -v '^#' $D/scounter_topk_try/try || return 1
	grep -q '^# total 0 evictions 0 dropped 0 floor 0 pending 0 state complete$' \
		$D/scounter_topk_try/try || return 1
	rmmod scounter_topk_try
}

a_reader_survives_its_table() {
	exec 5<$D/scounter_kmalloc_top/calls 6<$D/scounter_kmalloc_top/calls.bin
	head -n 1 <&5 >/dev/null
	rmmod scounter_kmalloc_top || return 1
	! cat <&5 2>/dev/null && ! cat <&6 2>/dev/null || return 1
	[ ! -e $D/scounter_kmalloc_top ] || return 1
	exec 5<&- 6<&-
}

a_forgotten_table_is_removed() {
	load scounter_topk_try capacity=4 forget=1 && rmmod scounter_topk_try || return 1
	[ ! -e $D/scounter_topk_try ] &&
		dmesg | grep -q 'scounter_topk_try left the table topk/scounter_topk_try/try behind'
}

# Its name is given, and its module has it.
a_hidden_table_has_no_file() {
	load scounter_topk_try capacity=4 hidden=1 forget=1 || return 1
	[ ! -e $D/scounter_topk_try ] || fail 'it has files' || return 1
	rmmod scounter_topk_try
	dmesg | tail -n 5 |
		grep -q 'scounter_topk_try left the table topk/scounter_topk_try/try behind'
}

# hammer SECONDS [PARAMETER]...: leaves what was seen in variables
hammer() {
	seconds=$1
	shift
	load scounter_topk_hammer "$@" || return 1
	sleep "$seconds"
	cat $D/scounter_topk_hammer/hammer >/dev/null
	echo 0 >/sys/module/scounter_topk_hammer/parameters/run
	cat $H >/tmp/hammer
	cat /tmp/hammer
	rmmod scounter_topk_hammer
	while read -r name value; do
		eval "$name=$value"
	done </tmp/hammer
	[ "$task" -gt 0 ] && [ "$softirq" -gt 0 ] && [ "$hardirq" -gt 0 ] &&
		{ [ "$nmi" -gt 0 ] || ! grep -q 'GenuineIntel\|AuthenticAMD' /proc/cpuinfo; } ||
		fail 'no hits in a context'
}

# What the hammer saw: nothing wrong, and no hit lost.
judge_hits() {
	[ "$failures" = 0 ] || fail 'failures' || return 1
	[ "$snapshots" -gt 0 ] || fail 'no snapshots' || return 1
	[ $((counted + dropped)) = "$hits" ] || fail 'lost or invented'
}

lockfree_keeps_its_bounds_in_all_contexts() {
	hammer 5 && judge_hits || return 1
	[ "$dropped" = 0 ] && [ "$evictions" -gt 0 ] && [ "$sum" = "$hits" ] &&
		[ "$floor" -le $((hits / 100)) ]
}

lockfree_keeps_them_in_one_entry() {
	hammer 3 capacity=1 && judge_hits && [ "$dropped" = 0 ]
}

resets_beside_lose_nothing() {
	hammer 4 reset=1 && judge_hits && [ "$dropped" = 0 ]
}

cooperative_loses_nothing() {
	hammer 4 design=cooperative && judge_hits
}

# It drops what comes from NMI context, and only that.
shared_loses_nothing_but_what_it_drops() {
	hammer 4 design=shared && judge_hits && [ "$dropped" = "$nmi" ]
}

independent_keeps_its_bounds() {
	hammer 4 design=independent && judge_hits && [ "$dropped" = 0 ]
}

# The judge of the tests before: of some thousand hits one is missing.
a_lost_hit_is_noticed() {
	hammer 2 busted=1 || return 1
	! judge_hits || fail 'not noticed'
}

the_module_leaves_nothing() {
	rmmod scounter && [ ! -e $D ]
}

# shellcheck disable=SC2086 # a name a word
[ $# != 0 ] || set -- $TESTS
run_tests 'topk_try topk_hammer' "$@"
