#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The guest's half of record: counts all tracepoints exactly while a load runs.
# Usage: record.sh SNAPSHOTS INTERVAL LOAD

cd /payload || exit 1
PATH=/payload:$PATH

# foreign PROGRAM ARGUMENT...: of the host, with its libraries
foreign() {
	program=$1
	shift
	lib/ld-linux-x86-64.so.2 --library-path lib "./$program" "$@"
}

files() {
	find /bin /payload /sys/kernel /proc/sys -type f 2>/dev/null | sort >/tmp/files
	tar c -f - /bin/busybox /payload/scounter 2>/dev/null | gzip -1 >/tmp/archive
	while read -r file; do
		head -c 4096 "$file" 2>/dev/null | md5sum
	done </tmp/files >/tmp/sums
}

messages() {
	foreign perf bench sched messaging -g 2 -l 100000
}

insmod scounter.ko && insmod scounter_events.ko || exit 1
scounter attach --kind exact '*' || exit 1
# Before the load, however busy it is.
foreign chrt -f 50 ./scounter record --output /tmp/load --interval "$2" --count "$1" 'events/*' &
recorder=$!
"$3" >/dev/null &
wait $recorder || exit 1
# All others: the load has no end of its own in time.
kill -KILL -1
# Most events are never hit: they go before anything is done with them.
scounter report --csv /tmp/load | grep -vF ',0,0,0,0,' | awk -F, '
	NR > 1 && $1 != time {
		time = $1
		slice++
	}
	# What was counted before the first slice is not in it.
	NR > 1 && !($2 in last) {
		order[++events] = $2
		last[$2] = slice == 1 ? $4 : 0
		written[$2] = 1
	}
	NR > 1 && $4 != last[$2] {
		hits[$2] = hits[$2] zeros(slice - 1 - written[$2]) " " ($4 - last[$2])
		last[$2] = $4
		written[$2] = slice
	}
	function zeros(n) {
		return n > 0 ? " -" n : ""
	}
	END {
		for (i = 1; i <= events; i++) {
			name = short = order[i]
			gsub(/"/, "", short)
			sub(/^events\//, "", short)
			sub(/:exact\//, ":", short)
			if (hits[name])
				print short hits[name] zeros(slice - written[name])
		}
	}' >&3
