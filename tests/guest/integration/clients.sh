# SPDX-License-Identifier: GPL-2.0
# The sample that counts sizes, and the benchmark scounter_scale.
# shellcheck shell=sh

TESTS="$TESTS
sizes_are_counted_by_the_second
a_client_that_was_generated_counts
a_benchmark_measures_every_kind
a_benchmark_refuses_bad_parameters
a_benchmark_can_be_unloaded_while_it_runs
"

# A line for each kind and three that they are compared with, on one CPU and on
# all.  How fast they are says nothing here, but what they count does.
a_benchmark_measures_every_kind() {
	cpus=$(grep -c '^processor' /proc/cpuinfo)
	load scounter_scale windows=5 window_ms=4 warmup_ms=8 spread_ms=20 "threads=1,$cpus" ||
		fail "$(cat /tmp/insmod)" || return 1
	tries=0
	until grep -q '^# \(done\|failed\)' /sys/kernel/debug/scounter_scale; do
		tries=$((tries + 1))
		[ $tries -lt 120 ] || fail 'not done' || return 1
		sleep 1
	done
	tee /tmp/scale </sys/kernel/debug/scounter_scale
	rmmod scounter_scale
	awk -v cpus="$cpus" '
		function fail(why) { print why ": " $0; failed = 1 }
		/^#/ { next }
		{ lines++ }
		!($4 > 0 && $6 > 0) { fail("no throughput") }
		$1 == "racing" {
			if ($2 == cpus && $7 >= 0 && $8 >= 0)
				fail("nothing was lost by what loses counts")
			next
		}
		$1 ~ /^(approx|bfp|morris|scalable)/ {
			if ($7 > 7 || $7 < -7)
				fail("far off")
			next
		}
		$7 != 0 || $8 != 0 { fail("not exact") }
		END { exit failed || lines != 42 }
	' /tmp/scale
}

a_benchmark_refuses_bad_parameters() {
	for bad in threads=0 threads=1000000 windows=4 windows=101 window_ms=0 \
		warmup_ms=-1 spread_ms=-1 work_ns=10001 kinds=nonsense 'kinds=exact,' kinds=; do
		! load scounter_scale "$bad" || fail "accepted: $bad" || return 1
		grep -q 'Invalid argument' /tmp/insmod || fail "$(cat /tmp/insmod)" || return 1
	done
	[ ! -e /sys/kernel/debug/scounter_scale ]
}

a_benchmark_can_be_unloaded_while_it_runs() {
	load scounter_scale kinds=rbo,approx work_ns=1000 || return 1
	sleep 1
	grep -q '^# running' /sys/kernel/debug/scounter_scale || return 1
	rmmod scounter_scale
}

# The sample: sizes in all are those of the seconds that are over.
sizes_are_counted_by_the_second() {
	load scounter_sizes || return 1
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		# A small kernel with nothing to do allocates nothing.
		cat /proc/*/stat /proc/*/maps >/dev/null 2>&1
		sleep 1
		awk 'NR > 1 { second += $2; all += $3; sizes++ }
			END { exit !(sizes > 3 && second && all > second) }' \
			/sys/kernel/debug/scounter_sizes && break
	done
	awk '
		NR == 1 { exact = $0 == "size last_second all error_ppm" }
		NR > 1 { second += $2; all += $3; sizes++ }
		NR > 2 && $1 <= last || NR > 1 && ($1 > 65536 || $4 > 89000) { wrong = $0 }
		{ last = $1 }
		END {
			print sizes " sizes, " second " of " all " in the last second; " wrong
			exit !exact || wrong || sizes <= 3 || !second || all <= second
		}' /sys/kernel/debug/scounter_sizes || return 1
	if [ -x ./arrays ]; then
		./arrays show $D/arrays/scounter_sizes/all 0 65537 | awk '$2 > 0 { found = 1 }
			END { exit !found }' || return 1
	fi
	rmmod scounter_sizes
	[ ! -e $D/arrays/scounter_sizes ]
}

# By scripts/client/new, under the name tryout.
a_client_that_was_generated_counts() {
	[ -e tryout.ko ] || skip 'none was generated' || return
	insmod tryout.ko || return 1
	until [ "$(cat $S/tryout/service0/requests)" -gt 1000 ]; do
		sleep 1
	done
	grep -q '^requests [0-9]* requests$' $D/tryout/service0 &&
		[ "$(awk '$1 == "words" || $1 == "bytes" { print $2 }' $D/tryout/accounts)" = "\
100
400" ] && awk '!/^#/ && $3 " " $4 == "key 0" && $1 > 100 { found = 1 }
			END { exit !found }' $D/topk/tryout/keys &&
		[ -e $D/arrays/tryout/sizes ] ||
		fail "$(cat $D/tryout/* $D/topk/tryout/keys)" || return 1
	if [ -x ./scounter ]; then
		./scounter topk tryout/keys | grep -q ' key 0$' || return 1
	fi
	# All of it at once, and again.
	rmmod tryout && [ ! -e $D/tryout ] && [ ! -e $D/arrays/tryout ] &&
		insmod tryout.ko && rmmod tryout
}
