# SPDX-License-Identifier: GPL-2.0
# The samples that count sizes and basic blocks, and the benchmark scounter_scale.
# shellcheck shell=sh

TESTS="$TESTS
sizes_are_counted_by_the_second
a_client_that_was_generated_counts
a_benchmark_measures_every_kind
a_benchmark_measures_the_figures
blocks_are_counted_as_they_flow
a_benchmark_refuses_bad_parameters
a_benchmark_can_be_unloaded_while_it_runs
"

# Wait for the benchmark, and keep what it says in /tmp/scale.
end_of_scale() {
	tries=0
	until grep -q '^# \(done\|failed\)' /sys/kernel/debug/scounter_scale; do
		tries=$((tries + 1))
		[ $tries -lt 120 ] || fail 'not done' || return 1
		sleep 1
	done
	tee /tmp/scale </sys/kernel/debug/scounter_scale
	rmmod scounter_scale
}

# A line for each kind and three that they are compared with, on one CPU and on
# all.  How fast they are says nothing here, but what they count does.
a_benchmark_measures_every_kind() {
	cpus=$(grep -c '^processor' /proc/cpuinfo)
	load scounter_scale windows=5 window_ms=4 warmup_ms=8 spread_ms=20 "threads=1,$cpus" ||
		fail "$(cat /tmp/insmod)" || return 1
	end_of_scale || return 1
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

# Two kinds on one CPU: in figures 4, top and bottom, and 5; and of figure 6 what is no
# exact kind.
a_benchmark_measures_the_figures() {
	load scounter_scale figures=1 kinds=cas,approx threads=1 windows=5 window_ms=2 \
		warmup_ms=2 spread_ms=2 cold_ms=4 || fail "$(cat /tmp/insmod)" || return 1
	end_of_scale || return 1
	[ "$(awk '!/^#/ { printf "%s:%s ", $1, $12 }' /tmp/scale)" = \
		"approx:4-low cas:4-low approx:4-high cas:4-high approx:5 cas:5 approx:6-low approx:6-high " ] ||
		fail 'other lines' || return 1
	awk '/^#/ { next }
		!($4 > 0) || $1 == "cas" && $7 != 0 || ($12 ~ /low/) != ($10 > 0) ||
			($12 == 5) != ($11 == 7500) { print; wrong = 1 }
		END { exit wrong }' /tmp/scale
}

# The sample: atomic breaks no law of conservation, and the blocks of loops are on top.
blocks_are_counted_as_they_flow() {
	load scounter_blocks rounds=20000 || fail "$(cat /tmp/insmod)" || return 1
	tee /tmp/blocks </sys/kernel/debug/scounter_blocks
	rmmod scounter_blocks
	awk '
		/^# .* laws of conservation/ { laws = $2 >= 15 && $4 >= 3 }
		$1 == "atomic" { atomic = $2 > 0 && $3 == 0 && $4 == 0 }
		$1 == "racing" { racing = $2 > 0 }
		$1 == "scalable32" { scalable = $2 > 0 && $3 < 7 }
		/blocks_[a-z]*\+0x/ { hot++ }
		END { exit !(laws && atomic && racing && scalable && hot > 5) }' /tmp/blocks
}

a_benchmark_refuses_bad_parameters() {
	for bad in threads=0 threads=1000000 windows=4 windows=101 window_ms=0 \
		warmup_ms=-1 spread_ms=-1 work_ns=10001 counters=0 counters=16001 cold_ms=0 kinds=nonsense 'kinds=exact,' kinds=; do
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
		./scounter topk tryout/keys | grep -q ' key 0$' &&
			./scounter array show --top 10 tryout/sizes | grep -q '^ *[0-9]' || return 1
	fi
	# All of it at once, and again.
	rmmod tryout && [ ! -e $D/tryout ] && [ ! -e $D/arrays/tryout ] &&
		insmod tryout.ko && rmmod tryout
}
