#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Loads and unloads every module again and again in the guest, and looks whether the
# kernel's memory in use grows meanwhile.  Writes TAP to file descriptor 3.  A round
# loads scounter.ko, then loads and unloads each of the others, then unloads it.
# Usage: rounds.sh ROUNDS [MODULE.ko]...		default all that fit the machine

cd /payload || exit 1
# What more may be in use, in all and a round, in KiB: caches fill, slabs never quite.
SOME=512
ROUNDS_A_KIB=4
# Of the module that loses a page: enough to see it.
LOST=100

# The suites are not what is tested here.
echo nothing >/sys/module/kunit/parameters/filter_glob 2>/dev/null
# Grace periods are waited for, and nobody else has work to do.
echo 1 >/sys/kernel/rcu_expedited

# KiB of all that a module may allocate
in_use() {
	sync
	awk '/^(Slab|VmallocUsed|Percpu|PageTables|KernelStack):/ { sum += $2 }
		END { print sum }' /proc/meminfo
}

left_behind() {
	grep -s '^scounter' /proc/modules
	ls -d /sys/kernel/scounter /sys/kernel/debug/scounter* /dev/scounter 2>/dev/null
}

# What a module wants before it loads, and not to take long.
parameters_of() {
	case $1 in
	scounter_topk_try.ko) echo capacity=64 ;;
	scounter_many.ko) echo n=20 ;;
	esac
}

# once MODULE...: one round
once() {
	insmod scounter.ko || return 1
	for module; do
		# shellcheck disable=SC2046 # a parameter a word
		insmod "$module" $(parameters_of "$module") && rmmod "$module" || return 1
	done
	rmmod scounter
}

# again ROUNDS MODULE...
again() {
	left_to_do=$1
	shift
	while [ "$left_to_do" -gt 0 ]; do
		once "$@" || return 1
		left_to_do=$((left_to_do - 1))
		done_rounds=$((done_rounds + 1))
	done
}

# many ROUNDS MODULE...: the first rounds fill caches
many() {
	wanted=$1 done_rounds=0
	shift
	again 5 "$@" || return 1
	before=$(in_use)
	again "$wanted" "$@" || return 1
	after=$(in_use)
	left=$(left_behind)
	echo "$before KiB in use after 5 rounds, $after after $done_rounds; left: $left"
	[ -z "$left" ] && [ $((after - before)) -le $((SOME + wanted / ROUNDS_A_KIB)) ]
}

# A module may be for another machine.
fits() {
	# shellcheck disable=SC2046 # a parameter a word
	insmod scounter.ko && ! insmod "$1" $(parameters_of "$1") 2>/tmp/why && grep -q 'No such device' /tmp/why
	unfit=$?
	rmmod "${1%.ko}" 2>/dev/null
	rmmod scounter
	[ $unfit != 0 ]
}

# Modules of the payload, without the ones that are for other machines.
all_that_fit() {
	for module in *.ko; do
		case $module in
		scounter.ko | scounter_lost.ko) ;;
		*) ! fits "$module" || echo "$module" ;;
		esac
	done
}

# shellcheck source=tests/guest/tap.sh
. ./tap.sh
rounds=$1
shift
# shellcheck disable=SC2046 # a name a word
[ $# != 0 ] || set -- $(all_that_fit)
echo '1..2' >&3
many "$rounds" "$@" >/tmp/said 2>&1
judge "$rounds rounds of $# modules leave nothing: $*"
! many $LOST scounter_lost.ko >/tmp/said 2>&1 && grep -q 'in use after 5' /tmp/said
judge 'a module that loses a page each time is noticed'
exit $result
