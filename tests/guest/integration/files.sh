# SPDX-License-Identifier: GPL-2.0
# What an operator finds in debugfs and sysfs.
# shellcheck shell=sh

TESTS="$TESTS
the_table_is_empty_at_first
the_seed_is_fixed_and_not_public
switches_are_counted_as_the_kernel_counts_them
embedded_counters_count
files_have_their_permissions
a_value_can_be_read_by_everybody
the_table_agrees_with_the_files
the_commands_of_the_documentation_work
others_read_tables_where_they_are_mounted
a_reset_starts_again
a_reset_takes_nothing_else
"

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
	make_users
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

# Debugfs itself stays closed, and so does what its folders are not mounted for.
others_read_tables_where_they_are_mounted() {
	need scounter || return
	load scounter_sizes || return 1
	chmod 700 /sys/kernel/debug
	! as_nobody './scounter array sum scounter_sizes/all' 2>/tmp/why || return 1
	grep -q 'unless the administrator has mounted /run/scounter/debug' /tmp/why || return 1
	mkdir -p /run/scounter/debug/topk /run/scounter/debug/arrays
	chmod 750 /run/scounter
	mount --bind /sys/kernel/debug/scounter/topk /run/scounter/debug/topk || return 1
	mount --bind /sys/kernel/debug/scounter/arrays /run/scounter/debug/arrays || return 1
	! as_nobody './scounter array sum scounter_sizes/all' 2>/dev/null || return 1
	chown nobody /run/scounter
	as_nobody './scounter array sum scounter_sizes/all' >/tmp/sum || return 1
	! as_nobody './scounter kinds' 2>/dev/null || return 1
	rmmod scounter_sizes
	umount /run/scounter/debug/topk /run/scounter/debug/arrays
	grep -q complete /tmp/sum
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
