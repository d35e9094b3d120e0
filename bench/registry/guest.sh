#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The guest's half of run.

cd /payload || exit 1

# Microseconds since the start: each a thousand instructions.
now() {
	awk '{ printf "%d\n", $1 * 1000000 }' /proc/uptime
}

slab() {
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^Slab:/ { print $2 * 1024 }' /proc/meminfo
}

# figures N WHAT PARAMETER...
figures() {
	n=$1 what=$2
	shift 2
	# What was freed a grace period after the last round.
	sleep 20
	slab=$(slab) begin=$(now)
	insmod scounter_many.ko n="$n" "$@" || exit 1
	made=$(now)
	# The client's own pointers are not counted.
	bytes=$((($(slab) - slab) / n - 8))
	beside=$(now)
	for _ in $(seq 20); do
		insmod scounter_idle.ko && rmmod scounter_idle || exit 1
	done
	beside=$((($(now) - beside) / 20))
	end=$(now)
	rmmod scounter_many || exit 1
	end=$(($(now) - end))
	printf '%8d %-16s %7d %9d %9d %11d\n' "$n" "$what" "$bytes" \
		$(((made - begin) * 1000 / n)) $((end * 1000 / n)) $((beside * 1000)) >&3
}

# Objects of each cache; and their bytes, with the share of what their slabs waste.
caches() {
	echo 3 >/proc/sys/vm/drop_caches
	sleep 3
	awk 'NR > 2 { print $1, $3, 4096 * $6 / $5 }' /proc/slabinfo
}

# objects WHAT PARAMETER...: what of the kernel's memory a counter takes
objects() {
	what=$1 n=10000
	shift
	sleep 20
	caches >/tmp/before
	insmod scounter_many.ko n=$n "$@" || exit 1
	caches >/tmp/after
	rmmod scounter_many || exit 1
	awk -v n="$n" -v what="$what" '
		NR == FNR { was[$1] = $2; next }
		($2 - was[$1]) / n >= 0.05 {
			each = ($2 - was[$1]) / n
			printf "%-16s %-24s %7.2f x %4d = %5d\n", what, $1, each, $3, each * $3
		}' /tmp/before /tmp/after >&3
}

insmod scounter.ko || exit 1
printf '%8s %-16s %7s %9s %9s %11s\n' '# n' files bytes creation end 'other module' >&3
figures 10000 all
figures 100000 all
if grep -aq parmtype=hide: scounter_many.ko; then
	figures 100000 sysfs hide=2
	figures 100000 debugfs hide=1
	figures 10000 'snapshot only' hide=3
	figures 100000 'snapshot only' hide=3
	figures 100000 none hide=7
fi
if grep -aq parmtype=rows: scounter_many.ko; then
	figures 10000 'set of 10, all' rows=10
	figures 10000 'set of 10' rows=10 hide=3
	figures 100000 'set of 10' rows=10 hide=3
fi
printf '\n%-16s %-24s %s\n' '# files' cache 'objects x bytes, for each counter' >&3
objects sysfs hide=2
objects debugfs hide=1
objects none hide=7
