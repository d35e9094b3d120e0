#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The guest's half of run.

cd /payload || exit 1

# Milliseconds that the CPU was busy since the start: each a million instructions.
busy() {
	awk '{ print ($1 - $2) * 1000 }' /proc/uptime
}

# figure ROUNDS WHAT COMMAND...: millions of instructions of a round
figure() {
	rounds=$1 what=$2
	shift 2
	before=$(busy)
	"$@" >/dev/null || exit 1
	awk -v before="$before" -v after="$(busy)" -v rounds="$rounds" -v what="$what" \
		'BEGIN { printf "%-44s %8.1f million\n", what, (after - before) / rounds }' >&3
}

rounds_of() {
	rounds=$1
	shift
	for _ in $(seq "$rounds"); do
		"$@" || return 1
	done
}

insmod scounter.ko || exit 1
echo '# instructions, kernel and program' >&3
figure 50 'a program that does nothing' rounds_of 50 ./scounter --version
insmod scounter_many.ko n=1000 || exit 1
figure 50 'cat /dev/scounter, 1000 counters' rounds_of 50 cat /dev/scounter
figure 50 'scounter list, 1000 counters' rounds_of 50 ./scounter list
figure 60 'a second of scounter watch, 1000 counters' \
	env TERM=linux ./scounter watch --interval 1 --count 60
rmmod scounter_many
insmod scounter_many.ko n=10000 || exit 1
figure 20 'cat /dev/scounter, 10000 counters' rounds_of 20 cat /dev/scounter
figure 20 'scounter list, 10000 counters' rounds_of 20 ./scounter list
