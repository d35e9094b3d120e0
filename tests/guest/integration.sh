#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The public interface on a real kernel: runs in the guest, writes TAP to file
# descriptor 3.
# Usage: integration.sh [TEST]...		default all of them
# A test is a function: it passes when it returns 0, and what it prints is shown when
# it does not.

# The test's name is also what is reported, so that names say what holds.
TESTS='
the_table_is_empty_at_first
the_seed_is_fixed_and_not_public
switches_are_counted_as_the_kernel_counts_them
embedded_counters_count
files_have_their_permissions
a_value_can_be_read_by_everybody
the_table_agrees_with_the_files
the_commands_of_the_documentation_work
a_reset_starts_again
a_reset_takes_nothing_else
a_bad_name_is_refused
no_group_takes_the_name_of_a_file
a_bad_kind_or_error_is_refused
a_name_is_given_once_a_group
names_with_spaces_stay_in_their_column
an_add_of_2_to_the_63_is_seen
a_saturated_counter_says_so
a_wrapped_counter_says_so
every_kind_is_listed_and_can_be_made
an_unknown_kind_names_the_known_ones_once
options_are_taken_and_checked
scounter_stays_while_it_is_used
a_reader_survives_its_counter
a_counter_is_created_in_an_interrupt_or_refused
a_forgotten_counter_is_removed
all_contexts_lose_nothing
the_nmi_context_was_one_of_them
resets_beside_lose_nothing
unplugged_cpus_lose_nothing
a_lost_count_is_noticed
no_stalled_cpu_stops_another
a_lock_would_be_noticed
contended_counters_inflate_and_lose_nothing
sizes_are_counted_by_the_second
a_benchmark_measures_every_kind
a_benchmark_refuses_bad_parameters
a_benchmark_can_be_unloaded_while_it_runs
an_array_counts_in_all_contexts
a_lost_count_in_an_array_is_noticed
a_snapshot_means_the_same_in_user_space
ten_million_cells_are_created
a_bad_array_is_refused
a_merge_with_itself_is_refused
a_forgotten_array_is_removed
a_snapshot_agrees_with_the_files
nobody_reads_a_snapshot_and_cannot_reset
a_snapshot_shows_no_address
a_snapshot_is_one_picture
the_command_resets_as_root
a_total_that_wrapped_is_exported_anew
ten_thousand_counters_are_listed
modules_load_and_unload_many_times
the_module_leaves_nothing
lockdown_leaves_reading_alone
'

cd /payload || exit 1
D=/sys/kernel/debug/scounter
S=/sys/kernel/scounter

fail() {
	echo "$*"
	return 1
}

# Nothing to test here: why
skip() {
	echo "$*"
	return 77
}

# need PROGRAM: for a machine that the programs were not compiled for
need() {
	[ -x "./$1" ] || skip "no $1 for this machine"
}

x86=$(grep -c 'GenuineIntel\|AuthenticAMD' /proc/cpuinfo)

# load MODULE [PARAMETER]...: quietly, as a test may expect that it fails
load() {
	module=$1
	shift
	insmod "$module.ko" "$@" 2>/tmp/insmod
}

kernel_switches() {
	awk '/^ctxt/ { print $2 }' /proc/stat
}

the_table_is_empty_at_first() {
	load scounter seed=1 || return 1
	[ "$(wc -l <$D/counters)" = 1 ] || fail "$(cat $D/counters)"
}

the_seed_is_fixed_and_not_public() {
	[ "$(cat /sys/module/scounter/parameters/seed)" = 1 ] &&
		[ "$(stat -c %a /sys/module/scounter/parameters/seed)" = 400 ]
}

# Every switch between the two readings of the kernel's count, on all CPUs, and
# those during the readings: what the counters saw lies between.
switches_are_counted_as_the_kernel_counts_them() {
	before=$(kernel_switches)
	load scounter_switches || return 1
	start=$(kernel_switches)
	for _ in 1 2 3 4; do
		(for j in 1 2 3 4 5 6 7 8 9 10; do
			echo "$j" | cat >/dev/null
		done) &
	done
	wait
	end=$(kernel_switches)
	for kind in atomic multiline bfp_csup; do
		value=$(cat $D/scounter_switches/$kind)
		[ "$value" -ge $((end - start)) ] ||
			fail "$kind: $value < $end - $start" || return 1
	done
	after=$(kernel_switches)
	for kind in atomic multiline; do
		[ "$value" -le $((after - before)) ] ||
			fail "$kind: $value > $after - $before" || return 1
	done
}

embedded_counters_count() {
	load scounter_flows || return 1
	sleep 1
	packets=$(cat $D/scounter_flows/packets)
	awk -v packets="$packets" '
		NR > 1 { sum += $2; flows++ }
		END {
			if (flows != 1000 || sum < packets * 0.9) {
				print flows " flows, " sum " of " packets
				exit 1
			}
		}' /sys/kernel/debug/scounter_flows || return 1
	rmmod scounter_flows
}

files_have_their_permissions() {
	for file in value kind error lower upper state; do
		mode=$(stat -c %a $S/scounter_switches/atomic/$file)
		[ "$mode" = 444 ] || fail "$file: $mode" || return 1
	done
	mode=$(stat -c %a $S/scounter_switches/atomic/reset)
	[ "$mode" = 200 ] || fail "reset: $mode" || return 1
	writable=$(find $D -type f -perm /222)
	[ -z "$writable" ] || fail "$writable"
}

a_value_can_be_read_by_everybody() {
	mkdir -p /etc
	echo 'nobody:x:65534:65534:nobody:/:/bin/sh' >/etc/passwd
	su nobody -s /bin/sh -c "cat $S/scounter_switches/atomic/value" >/tmp/value ||
		return 1
	[ "$(cat /tmp/value)" -gt 0 ] || return 1
	! su nobody -s /bin/sh -c "echo 1 >$S/scounter_switches/atomic/reset" 2>/dev/null
}

the_table_agrees_with_the_files() {
	load scounter_try name=steady kind=bfp_dup error=50000 add=123456 || return 1
	# The mantissa is below Theta = 300: 123456 becomes 241 or 242 times 2^9,
	# known to sqrt(3 / (8 * 150 - 3)) = 5.0063 %.
	line=$(grep '^scounter_try/steady ' $D/counters)
	# shellcheck disable=SC2086 # the columns
	set -- $line
	directory=$S/scounter_try/steady
	[ "$2" = bfp_dup ] && [ "$2" = "$(cat $directory/kind)" ] &&
		[ "$3" = "$(cat $D/scounter_try/steady)" ] &&
		[ "$3" = "$(cat $directory/value)" ] &&
		[ "$5" = "$(cat $directory/lower)" ] &&
		[ "$6" = "$(cat $directory/upper)" ] &&
		[ "$8" = "$(cat $directory/state)" ] && [ "$8" = sampling ] &&
		[ "$4" = 5.0063% ] && [ "$(cat $directory/error)" = 50063 ] &&
		[ $(($3 % 512)) = 0 ] && [ "$5" -lt "$3" ] && [ "$6" -gt "$3" ] ||
		fail "$line" || return 1
	rmmod scounter_try
}

# Each in a shell of its own, in a folder that all of them share.
the_commands_of_the_documentation_work() {
	need scounter || return
	load scounter_try group=net name=rx add=5 || return 1
	mkdir -p /tmp/documented
	while read -r command; do
		(cd /tmp/documented && PATH=/payload:$PATH timeout 60 sh -ec "$command") \
			</dev/null >/tmp/said 2>&1 ||
			fail "$command: $(tail -n 5 /tmp/said)" || return 1
	done <documented
	rmmod scounter_try
}

a_reset_starts_again() {
	load scounter_try add=77 || return 1
	[ "$(cat $D/scounter_try/try)" = 77 ] || return 1
	echo 1 >$S/scounter_try/try/reset || return 1
	[ "$(cat $D/scounter_try/try)" = 0 ]
}

a_reset_takes_nothing_else() {
	for junk in 0 2 11 yes '' reset; do
		! (echo "$junk" >$S/scounter_try/try/reset) 2>/dev/null ||
			fail "accepted '$junk'" || return 1
	done
	! (echo 1 >$S/scounter_try/try/value) 2>/dev/null || return 1
	rmmod scounter_try
}

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

a_bad_name_is_refused() {
	long=0123456789012345678901234567890123456789012345678901234567890123
	refuse 'Invalid argument' name= &&
		refuse 'Invalid argument' name=a/b &&
		refuse 'Invalid argument' name=.. &&
		refuse 'Invalid argument' group=a/b &&
		refuse 'too long' name=$long &&
		refuse 'too long' group=$long
}

# All that debugfs has beside the groups, which sysfs has as well.
no_group_takes_the_name_of_a_file() {
	found=0
	for path in "$D"/*; do
		file=${path##*/}
		[ -e "$S/$file" ] && continue
		refuse 'Invalid argument' group="$file" || return 1
		found=$((found + 1))
	done
	[ $found -ge 4 ] || fail "only $found"
}

a_bad_kind_or_error_is_refused() {
	refuse 'Invalid argument' kind=nonsense &&
		refuse 'out of range\|not representable' kind=approx error=4999 &&
		refuse 'out of range\|not representable' kind=bfp_dup error=200001 &&
		refuse 'out of range\|not representable' kind=atomic error=10000
}

a_name_is_given_once_a_group() {
	# Recent kernels keep "File exists" for modules, and turn a client's so.
	refuse 'File exists\|resource busy' group=scounter_switches name=atomic ||
		return 1
	load scounter_try name=atomic || return 1
	[ -f $D/scounter_try/atomic ] && [ -f $D/scounter_switches/atomic ] || return 1
	rmmod scounter_try
}

names_with_spaces_stay_in_their_column() {
	load scounter_try 'name="two words"' add=5 || return 1
	[ "$(cat "$D/scounter_try/two words")" = 5 ] || return 1
	line=$(grep '^scounter_try/two' $D/counters)
	# shellcheck disable=SC2086 # the columns
	set -- $line
	[ "$1" = 'scounter_try/two\040words' ] && [ "$3" = 5 ] ||
		fail "$line" || return 1
	rmmod scounter_try
}

an_add_of_2_to_the_63_is_seen() {
	for kind in atomic percpu multiline; do
		load scounter_try kind="$kind" add=9223372036854775807 more=1 || return 1
		[ "$(cat $S/scounter_try/try/value)" = 9223372036854775808 ] &&
			[ "$(cat $S/scounter_try/try/state)" = overflow ] ||
			fail "$(cat $D/counters)" || return 1
		rmmod scounter_try
	done
}

# What each kind counts to; rbo_numa less where a bit has to tell two nodes apart.
ends_of_ranges() {
	numa_end=4611686018427387903
	[ "$NODES" != 1 ] || numa_end=9223372036854775807
	cat <<-END
		bfp_dup 8796092989440
		bfp_csup 8796092989440
		cas 9223372036854775807
		rbo 9223372036854775807
		cohort 9223372036854775807
		rbo_numa $numa_end
		rbo_numa_adapt $numa_end
		multiline_adapt 4611686018427387903
		morris 9223372036854775807
		morris_adapt 4294962295
		scalable32 4286578687
	END
}

a_saturated_counter_says_so() {
	ends_of_ranges >/tmp/ends
	while read -r kind end; do
		load scounter_try kind="$kind" add=9223372036854775807 || return 1
		[ "$(cat $S/scounter_try/try/value)" = "$end" ] &&
			[ "$(cat $S/scounter_try/try/upper)" = 18446744073709551615 ] &&
			[ "$(cat $S/scounter_try/try/state)" = saturated ] ||
			fail "$kind $(cat $D/counters)" || return 1
		rmmod scounter_try
	done </tmp/ends
}

# Full, and then more: 0.
a_wrapped_counter_says_so() {
	for kind in bfp_dup cas rbo_numa multiline_adapt morris scalable32; do
		load scounter_try kind="$kind" wrap=1 add=9223372036854775807 more=9223372036854775807 ||
			return 1
		[ "$(cat $S/scounter_try/try/value)" = 0 ] &&
			[ "$(cat $S/scounter_try/try/state)" = wrapped ] ||
			fail "$kind $(cat $D/counters)" || return 1
		echo 1 >$S/scounter_try/try/reset
		[ "$(cat $S/scounter_try/try/state)" = exact ] || return 1
		rmmod scounter_try
	done
}

every_kind_is_listed_and_can_be_made() {
	awk '!/^#/ { print $1 }' $D/kinds >/tmp/kinds
	# Of the same table as the file.
	sed 's/^kinds=//; s/and, to leave the choice,//' /payload/modinfo >/tmp/named
	[ "$(wc -l </tmp/kinds)" = "$(wc -w </tmp/named)" ] || fail "$(cat $D/kinds)" || return 1
	while read -r kind; do
		load scounter_try kind="$kind" add=100 || return 1
		[ "$(cat $D/scounter_try/try)" = 100 ] || fail "$kind" || return 1
		rmmod scounter_try
		grep -q "[ =,]${kind}[ ,]" /payload/modinfo || fail "$kind: not in modinfo" ||
			return 1
	done </tmp/kinds
}

an_unknown_kind_names_the_known_ones_once() {
	load scounter_try kind=nonsense || load scounter_try kind=other
	dmesg | grep "there is no kind '" >/tmp/unknown
	[ "$(wc -l </tmp/unknown)" = 1 ] || return 1
	while read -r kind; do
		grep -q " $kind" /tmp/unknown || fail "$kind: $(cat /tmp/unknown)" || return 1
	done </tmp/kinds
}

options_are_taken_and_checked() {
	refuse 'Invalid argument' kind=cas sensitive=1 &&
		refuse 'Invalid argument' kind=cas granularity=10 &&
		refuse 'Invalid argument' kind=bfp_dup components=2 &&
		refuse 'Invalid argument' kind=percpu wrap=1 &&
		refuse 'out of range\|not representable' kind=scalable granularity=63 &&
		refuse 'out of range\|not representable' kind=multiline components=3 &&
		load scounter_try kind=scalable sensitive=1 granularity=10 add=99999 &&
		[ "$(cat $D/scounter_try/try)" = 99999 ] && rmmod scounter_try &&
		load scounter_try kind=multiline components=8 add=99999 &&
		[ "$(cat $D/scounter_try/try)" = 99999 ] && rmmod scounter_try
}

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

# Exact kinds exactly; the approximate ones within 6.5 of their standard
# deviations, so that a right counter fails once in 10^10 runs.  With resets,
# which leave an error of their own each, the error is that of the sum: at most
# the worst.  With RACES, racing must have lost some: that is how one knows that there
# was something to lose.  Not with resets, of which it can return some twice, and not
# where most CPUs are gone half of the time.
judge_hammer() {
	echo 0 >/sys/module/scounter_hammer/parameters/run
	tee /tmp/hammered </sys/kernel/debug/scounter_hammer
	awk -v resets="$1" -v races="${2:-0}" '
		function fail(why) { print why ": " $0; failed = 1 }
		$1 == "rounds" {
			for (i = 3; i <= NF; i += 2)
				if ($i == 0 && !($(i - 1) == "nmi" && !x86))
					fail("no events in a context")
			next
		}
		{ lines++ }
		$2 == 0 { fail("nothing was counted") }
		$1 == "racing" {
			if (races && $3 >= $2)
				fail("nothing was lost by what loses counts")
			next
		}
		$5 != 0 { fail("the value went down") }
		$1 !~ /^(bfp|morris|scalable)/ && $2 != $3 { fail("lost or invented") }
		$1 ~ /^(bfp|morris|scalable)/ {
			error = resets ? 10001 : $4
			off = $2 > $3 ? $2 - $3 : $3 - $2
			if (off * 1000000 > 6.5 * error * $2)
				fail("beyond its error")
		}
		END { exit failed || lines != 17 }
	' x86="$x86" /tmp/hammered ||
		return 1
	rmmod scounter_hammer
}

all_contexts_lose_nothing() {
	load scounter_hammer || return 1
	sleep 5
	judge_hammer 0 1
}

# The rounds of the test before.
the_nmi_context_was_one_of_them() {
	[ "$x86" != 0 ] || skip 'only x86 has NMIs to raise' || return
	awk '$1 == "rounds" && $9 > 0 { found = 1 } END { exit !found }' /tmp/hammered
}

resets_beside_lose_nothing() {
	load scounter_hammer reset=1 || return 1
	sleep 3
	judge_hammer 1
}

unplugged_cpus_lose_nothing() {
	[ -e /sys/devices/system/cpu/cpu1/online ] || skip 'no CPU can be unplugged here' || return
	load scounter_hammer || return 1
	for _ in 1 2; do
		for cpu in 1 2 3; do
			echo 0 >/sys/devices/system/cpu/cpu$cpu/online || return 1
		done
		cat $D/counters >/dev/null
		for cpu in 1 2 3; do
			echo 1 >/sys/devices/system/cpu/cpu$cpu/online || return 1
		done
	done
	judge_hammer 0
}

# The judge of the three tests before: of some thousand rounds one is missing.
a_lost_count_is_noticed() {
	load scounter_hammer busted=1 || return 1
	sleep 1
	! judge_hammer 0 || fail 'not noticed' || return 1
	rmmod scounter_hammer
}

# Of each kind, whatever CPU 1 was doing when it was stopped.
no_stalled_cpu_stops_another() {
	[ "$x86" != 0 ] || skip 'only x86 has NMIs to raise' || return
	grep -v '^cohort$\|^approx$' /tmp/kinds >/tmp/stallable
	while read -r kind; do
		load scounter_stall kind="$kind" || fail "$kind: $(cat /tmp/insmod)" || return 1
		rmmod scounter_stall
	done </tmp/stallable
}

# cohort takes a lock, and so is what the test before is to catch.
a_lock_would_be_noticed() {
	[ "$x86" != 0 ] || skip 'only x86 has NMIs to raise' || return
	if load scounter_stall kind=cohort stalls=2000; then
		rmmod scounter_stall
		fail 'not noticed'
	else
		grep -q 'timed out' /tmp/insmod || fail "$(cat /tmp/insmod)"
	fi
}

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

state_of() {
	awk -v counter="scounter_hammer/$1" '$1 == counter { print $8 }' $D/counters
}

# multiline_adapt keeps one line a node, exact gets several.
has_grown() {
	awk '
		$1 == "scounter_hammer/exact" { exact = $7 }
		$1 == "scounter_hammer/multiline_adapt" { other = $7 }
		END { exit !(other > 64 && exact > other) }' $D/counters
}

# A CPU that is idle is not woken to look at counters: each has something to do.
wake_all() {
	for _ in 1 2 3 4; do
		(i=0; while [ $((i += 1)) -lt 3000 ]; do :; done) &
	done
	wait
}

# One failed try is enough here, as emulated CPUs seldom make four fail.
contended_counters_inflate_and_lose_nothing() {
	rmmod scounter && load scounter adapt_tries=1 grow_rate=1000 || return 1
	load scounter_hammer || return 1
	for _ in $(seq 60); do
		sleep 1
		has_grown && break
	done
	[ "$(state_of multiline_adapt)" = inflated ] && [ "$(state_of exact)" = inflated ] &&
		[ "$(state_of morris_adapt)" = sampling ] && has_grown ||
		fail "$(cat $D/counters)" || return 1
	echo 0 >/sys/module/scounter_hammer/parameters/run
	cat /sys/kernel/debug/scounter_hammer >/dev/null
	value=$(cat $D/scounter_hammer/multiline)
	for counter in multiline_adapt exact; do
		[ "$(cat $D/scounter_hammer/$counter)" = "$value" ] || return 1
	done
	judge_hammer 0 || return 1
	load scounter_hammer reset=1 || return 1
	sleep 4
	judge_hammer 1 || return 1
	load scounter_hammer || return 1
	sleep 1
	echo 0 >/sys/module/scounter_hammer/parameters/run
	cat /sys/kernel/debug/scounter_hammer >/dev/null
	for counter in multiline_adapt exact; do
		echo 1 >$S/scounter_hammer/$counter/reset
	done
	# Five seconds without an event, and the grace period of all tasks.
	for _ in $(seq 60); do
		[ "$(state_of multiline_adapt)" = exact ] &&
			[ "$(state_of exact)" = exact ] && break
		sleep 1
		wake_all
	done
	[ "$(state_of multiline_adapt)" = exact ] && [ "$(state_of exact)" = exact ] ||
		fail "$(cat $D/counters)" || return 1
	rmmod scounter_hammer
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

A=/sys/kernel/debug/scounter_array_try
P=/sys/module/scounter_array_try/parameters

array_says() {
	awk -v what="$1" '$1 == what { print $2 }' $A
}

array_events() {
	awk '$1 == "counted" { print $3 + $5 + $7 + $9 }' $A
}

# hammer_array PARAMETER...: 256 counters of 16 bits, 64 words that all CPUs write,
# until there are 2000000 events.  M = 512: one has a relative standard deviation of
# sqrt(1 / 1024), the sum of 256 of 0.2 %.  7 of these are allowed; 3 if it is more.
hammer_array() {
	load scounter_array_try hammer=1 m=512 "$@" || return 1
	for _ in $(seq 60); do
		sleep 1
		[ "$(array_events)" -gt 2000000 ] && break
	done
	echo 0 >$P/run
	cat $A
	awk '
		$1 == "counted" {
			for (i = 3; i <= NF; i += 2) {
				counted += $i
				if ($i == 0 && !($(i - 1) == "nmi" && !x86)) {
					print "no events in " $(i - 1)
					failed = 1
				}
			}
		}
		$1 == "sum" { sum = $2 }
		END {
			off = sum / counted - 1
			print counted " counted, " sum " in the array, off by " off
			if (failed || counted <= 2000000)
				exit 1
			exit off >= 0.0137 || off <= -0.0137 ? 3 : 0
		}' x86="$x86" $A
	judged=$?
	rmmod scounter_array_try
	return $judged
}

an_array_counts_in_all_contexts() {
	hammer_array &&
		hammer_array flags=1 &&
		hammer_array flags=2 &&
		hammer_array kind=4 q=1300000 m=256 &&
		hammer_array kind=7 m=1
}

# One event in 16 is 6.25 %, 32 standard deviations; 7 are allowed.
a_lost_count_in_an_array_is_noticed() {
	hammer_array busted=1
	[ $? = 3 ] || fail 'not noticed'
}

# The C library decodes what the kernel wrote, to the same values, bounds and sum.  The
# last type is full at 8032: no upper bound.
a_snapshot_means_the_same_in_user_space() {
	need arrays || return
	for type in 'kind=1 bits=8 q=1080000' 'kind=1 bits=10 q=1031000' 'kind=2 bits=6 group=5' \
		'kind=3 bits=12 m=128' 'kind=4 bits=12 q=1400000 m=64' 'kind=5 bits=16 q=1080000' \
		'kind=6 bits=8 m=16 theta=10' 'kind=7 bits=8' 'kind=4 bits=10 q=1500000 m=12 flags=2' \
		'kind=3 bits=8 m=32'; do
		# shellcheck disable=SC2086 # the parameters
		load scounter_array_try length=200 add=12345 $type || fail "$type" || return 1
		snapshot=$D/arrays/scounter_array_try/array
		tail -n +6 $A >/tmp/kernel
		./arrays show $snapshot 0 200 | awk '!/^#/ && $2 { print $1, $2, $3, $4, $5 }' >/tmp/user
		cmp /tmp/kernel /tmp/user || fail "$type" || return 1
		[ -s /tmp/user ] || return 1
		[ "$(./arrays sum $snapshot | awk '!/^#/ { printf "%d", $2 }')" = "$(array_says sum)" ] ||
			fail "$type: another sum" || return 1
		[ "$(stat -c %a $snapshot)" = 444 ] || return 1
		head -c 100 $snapshot >/tmp/truncated
		! ./arrays show /tmp/truncated 2>/tmp/why && grep -q truncated /tmp/why || return 1
		rmmod scounter_array_try
	done
}

# 8, 10, 12 and 16 bits: 10, 13.3, 16 and 20 MB, and less than 1 % more.
ten_million_cells_are_created() {
	for type in 'kind=1 bits=8 q=1080000 10000000' 'kind=4 bits=10 q=1400000 m=8 13333336' \
		'kind=4 bits=12 q=1400000 m=64 16000000' 'kind=4 bits=16 q=1600000 m=2048 20000000'; do
		# shellcheck disable=SC2086 # the parameters
		load scounter_array_try length=10000000 ${type% *} || return 1
		bytes=$(array_says bytes)
		rmmod scounter_array_try
		[ "$bytes" -ge "${type##* }" ] && [ "$bytes" -le $((${type##* } * 101 / 100)) ] ||
			fail "$type: $bytes bytes" || return 1
	done
}

# refused ERROR PARAMETER...: the array is not created, for this reason
array_refused() {
	why=$1
	shift
	load scounter_array_try "$@" && fail "$* is not refused" && return 1
	grep -q "$why" /tmp/insmod || fail "$*: $(cat /tmp/insmod)" || return 1
	[ ! -e $D/arrays/scounter_array_try ]
}

a_bad_array_is_refused() {
	array_refused 'Numerical result' bits=9 &&
		array_refused 'Numerical result' kind=1 bits=8 q=2000001 &&
		array_refused 'Numerical result' kind=4 bits=8 q=1500000 m=257 &&
		array_refused 'Numerical result' kind=6 bits=8 m=16 theta=9 &&
		array_refused 'nvalid' kind=99 &&
		array_refused 'Numerical result' length=0 &&
		array_refused 'nvalid' flags=4 &&
		array_refused 'nvalid' name=a/b &&
		array_refused 'memory' length=400000000000
}

a_merge_with_itself_is_refused() {
	array_refused 'nvalid' self_merge=1 add=5
}

a_forgotten_array_is_removed() {
	load scounter_array_try forget=1 || return 1
	[ -f $D/arrays/scounter_array_try/array ] || return 1
	rmmod scounter_array_try
	[ ! -e $D/arrays/scounter_array_try ] &&
		dmesg | grep -q "scounter_array_try left the array 'array' behind"
}

a_snapshot_agrees_with_the_files() {
	need scounter || return
	load scounter_try name='"two words"' kind=bfp_dup error=50000 add=123456 || return 1
	[ "$(stat -c %a /dev/scounter)" = 444 ] || fail "$(ls -l /dev/scounter)" || return 1
	line=$(./scounter list --tsv 'scounter_try/two words' | tail -n 1)
	file="$S/scounter_try/two words"
	[ "$line" = "$(printf 'scounter_try/two words\t%s\t%s\t%s\t%s\t%s\t64\t%s' \
		"$(cat "$file/kind")" "$(cat "$file/value")" "$(cat "$file/error")" \
		"$(cat "$file/lower")" "$(cat "$file/upper")" "$(cat "$file/state")")" ] ||
		fail "$line"
}

as_nobody() {
	su nobody -s /bin/sh -c "$*"
}

nobody_reads_a_snapshot_and_cannot_reset() {
	need scounter || return
	before=$(./scounter read --value 'scounter_try/*')
	[ "$(as_nobody "/payload/scounter read --value 'scounter_try/*'")" = "$before" ] ||
		return 1
	! as_nobody "/payload/scounter reset 'scounter_try/*'" 2>/tmp/reset || return 1
	grep -q 'only root may reset' /tmp/reset || fail "$(cat /tmp/reset)" || return 1
	! (: >>/dev/scounter) 2>/dev/null || fail 'opened for writing' || return 1
	[ "$(./scounter read --value 'scounter_try/*')" = "$before" ]
}

# A kernel address begins with ffff or ff: as a little-endian word, it ends so.
# The bytes of every kind, once spread, are looked at word by word.
a_snapshot_shows_no_address() {
	rmmod scounter_try
	while read -r any; do
		load scounter_try kind="$any" add=1000 more=1000 || return 1
		od -An -v -t x8 -w8 /dev/scounter | grep -v ffffffffffffffff >/tmp/words
		grep -q 5245544e554f4353 /tmp/words || fail 'no magic' || return 1
		! grep -E '^ *ff[0-9a-f]{14}' /tmp/words || fail "$any" || return 1
		rmmod scounter_try
	done </tmp/kinds
}

a_snapshot_is_one_picture() {
	need scounter || return
	load scounter_try add=5 || return 1
	exec 5</dev/scounter
	dd bs=1 count=1 <&5 >/tmp/first 2>/dev/null
	rmmod scounter_try
	cat <&5 >>/tmp/first
	exec 5<&-
	[ "$(./scounter --from /tmp/first read --value scounter_try/try)" = 5 ]
}

the_command_resets_as_root() {
	need scounter || return
	load scounter_try add=5 || return 1
	./scounter export --openmetrics 'scounter_try/*' >/tmp/before
	sleep 1
	./scounter reset scounter_try/try || return 1
	./scounter export --openmetrics 'scounter_try/*' >/tmp/after
	grep -q '_total{.* 5$' /tmp/before && grep -q '_total{.* 0$' /tmp/after ||
		fail "$(cat /tmp/after)" || return 1
	[ "$(grep 'created{' /tmp/before)" != "$(grep 'created{' /tmp/after)" ] || return 1
	rmmod scounter_try
}

# exported: TOTAL CREATED, as the unit of systemd exports it
exported() {
	./scounter export --prometheus --state /tmp/state 'scounter_try/*' |
		awk '/^scounter_events_total/ { total = $NF } /^scounter_events_created/ { created = $NF }
			END { print total, created }'
}

a_total_that_wrapped_is_exported_anew() {
	need scounter || return
	count=/sys/module/scounter_try/parameters/count
	full=9223372036854775807
	load scounter_try kind=scalable32 wrap=1 add=$full || return 1
	before=$(exported)
	echo $full >$count && echo 7 >$count || return 1
	after=$(exported)
	echo 2 >$count
	later=$(exported)
	[ "${before% *}" = 4286578687 ] && [ "${after% *}" = 7 ] && [ "${later% *}" = 9 ] &&
		[ "${before#* }" != "${after#* }" ] && [ "${after#* }" = "${later#* }" ] ||
		fail "$before, $after, $later" || return 1
	rmmod scounter_try
}

# Each of 10,000 counters has 3 MB; all together may have 64 MiB, unless root asks.
held_snapshots_are_bounded() {
	rm -f /tmp/held
	holders=
	for _ in $(seq 30); do
		su nobody -s /bin/sh -c '
			head -c 1 >/dev/null 2>&1 && echo held || echo refused
			exec sleep 1000' </dev/scounter >>/tmp/held &
		holders="$holders $!"
	done
	while [ "$(wc -l </tmp/held)" -lt 30 ]; do
		sleep 1
	done
	refused=$(grep -c refused /tmp/held)
	[ "$refused" = 8 ] || fail "$refused of 30 refused" || return 1
	as_nobody 'cat /dev/scounter' 2>&1 >/dev/null | grep -q 'temporarily unavailable' &&
		cat /dev/scounter >/dev/null || fail 'root is refused, too' || return 1
	# Not all sleeps by their name: one may be about to begin.
	# shellcheck disable=SC2086 # a number a word
	kill $holders
	wait
	as_nobody 'cat /dev/scounter' >/dev/null
}

ten_thousand_counters_are_listed() {
	need scounter || return
	load scounter_many || return 1
	lines=$(./scounter list | grep -c '^scounter_many/many')
	held_snapshots_are_bounded || return 1
	# A reader that goes while the counters go.
	(for _ in 1 2 3 4 5; do cat /dev/scounter; done) >/dev/null &
	rmmod scounter_many || return 1
	wait
	[ "$lines" = 10000 ] || fail "$lines"
}

# Not scounter_switches, whose tracepoint is patched into the scheduler each time:
# emulated CPUs that run what another patches end in an int3 or never, now and then.
modules_load_and_unload_many_times() {
	rmmod scounter || return 1
	for _ in $(seq 30); do
		load scounter && load scounter_flows && load scounter_try || return 1
		cat $D/counters >/dev/null
		rmmod scounter_try && rmmod scounter_flows && rmmod scounter || return 1
	done
}

the_module_leaves_nothing() {
	[ ! -e $D ] && [ ! -e $S ] && ! grep -q scounter /proc/modules
}

# The last test, as lockdown cannot be lifted and refuses unsigned modules.
lockdown_leaves_reading_alone() {
	need scounter || return
	lockdown=/sys/kernel/security/lockdown
	mount -t securityfs security /sys/kernel/security 2>/dev/null
	# Debian's kernels have it.
	[ -e $lockdown ] || [ "$LANE" = stock ] || skip 'this kernel has no lockdown' || return
	load scounter && load scounter_try add=5 || return 1
	echo confidentiality >$lockdown || fail 'the kernel has no lockdown' || return 1
	grep -qF '[confidentiality]' $lockdown || return 1
	[ "$(./scounter read --value scounter_try/try)" = 5 ] &&
		[ "$(cat $S/scounter_try/try/value)" = 5 ] || return 1
	./scounter reset scounter_try/try || return 1
	[ "$(./scounter read --value scounter_try/try)" = 0 ] || return 1
	# No file there can be written, so that it is not closed either.
	grep -q '^scounter_try/try' $D/counters || return 1
	rmmod scounter_try && rmmod scounter
}

# shellcheck disable=SC2086 # a name a word
[ $# != 0 ] || set -- $TESTS
echo "1..$#" >&3
number=0
for test; do
	number=$((number + 1))
	$test >/tmp/output 2>&1
	status=$?
	if [ $status = 0 ]; then
		echo "ok $number - $test" >&3
	elif [ $status = 77 ]; then
		echo "ok $number - $test # SKIP $(cat /tmp/output)" >&3
	else
		echo "not ok $number - $test" >&3
		sed 's/^/# /' /tmp/output >&3
		# What the test could not put away must not fail the next one.
		for module in try array_try leaky hammer stall flows sizes; do
			rmmod scounter_$module 2>/dev/null
		done
	fi
done
