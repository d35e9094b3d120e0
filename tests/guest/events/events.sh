#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# scounter_events.ko on a real kernel: runs in the guest, writes TAP to file descriptor 3.
# Usage: events.sh [--rounds N] [TEST]...	default all of TESTS
# shellcheck source-path=SCRIPTDIR/..

cd /payload || exit 1
PATH=/payload:$PATH
D=/sys/kernel/debug/scounter
E=/sys/kernel/debug/scounter_events
T=/sys/kernel/tracing
P=/sys/module/scounter_traced/parameters
ROUNDS=20
TESTS="
the_recipes_are_as_documented
all_events_with_a_tracepoint_are_available
context_switches_are_counted_exactly
context_switches_are_counted_within_the_error
softirqs_are_counted_exactly
counters_of_events_are_seen_as_others
events_of_a_module_come_and_go
a_bad_line_is_refused_with_a_reason
a_signal_leaves_nothing_attached
a_signal_leaves_no_function_attached
the_command_says_what_is_wrong
the_command_is_interrupted
what_is_attached_keeps_the_module
all_functions_are_counted
functions_of_a_pattern_are_counted
a_bad_line_for_functions_is_refused
fields_of_an_event_are_counted
who_hits_an_event_is_counted
callers_of_kmalloc_are_found
strings_of_an_event_are_counted
a_hit_is_one_however_much_it_weighs
arguments_of_a_probe_are_counted
the_command_finds_the_arguments
arguments_and_records_agree
what_is_behind_a_pointer_is_counted
a_pointer_to_nothing_is_skipped
a_fault_of_a_read_ends_there
keys_of_several_fields_are_counted
stacks_are_counted
counts_by_arguments_go_with_their_module
fields_are_counted_on_a_cpu_that_returns
a_bad_line_of_fields_is_refused
a_late_key_is_listed_with_a_bound
memory_events_agree_with_counts_of_each_cpu
memory_events_are_counted_within_the_error
a_function_agrees_with_a_kprobe
fields_are_attached_and_detached_again_and_again
everything_is_attached_and_detached_again_and_again
lockdown_is_told
"

. ./tap.sh

# attach WORD..., detach WORD...: the status is that of the write
attach() {
	echo "$*" 2>/tmp/why >$E/attach || fail "attach $*: $(cat /tmp/why)"
}

detach() {
	echo "$*" 2>/tmp/why >$E/detach || fail "detach $*: $(cat /tmp/why)"
}

# value EVENT
value() {
	awk -v event="$1" '$1 == event { print $3 }' $E/attached
}

attached() {
	grep -vc '^#' $E/attached
}

# The first loads the module, which the other tests go on with.
the_recipes_are_as_documented() {
	while read -r command; do
		directory=$E
		[ -e $E ] || directory=/payload
		(cd "$directory" && sh -ec "$command") >/tmp/recipe 2>&1 ||
			fail "$command: $(cat /tmp/recipe)" || return 1
		case $command in
		*systems | *attach | *detach | "scounter attach"* | "scounter detach"* | insmod* | *error_log) ;;
		*) [ -s /tmp/recipe ] || fail "$command says nothing" || return 1 ;;
		esac
	done </payload/documented
	[ "$(attached)" = 0 ]
}

# Events whose name is not that of a tracepoint, as those of single system calls, are not.
all_events_with_a_tracepoint_are_available() {
	sed 's/ .*//' $E/available | grep -v '^bare:' | sort >/tmp/available
	grep -v '^syscalls:' $T/available_events | sort >/tmp/tracefs
	comm -23 /tmp/available /tmp/tracefs >/tmp/unknown
	[ -s /tmp/unknown ] && fail "not in tracefs: $(cat /tmp/unknown)" && return 1
	comm -13 /tmp/available /tmp/tracefs >/tmp/missing
	cat /tmp/missing
	# What ftrace itself writes has no tracepoint.
	grep -vE '^(ftrace|initcall|vsyscall):' /tmp/missing >/tmp/unexplained
	[ ! -s /tmp/unexplained ] && [ "$(wc -l </tmp/available)" -gt 300 ] || return 1
	[ "$(awk '{ sum += $2 } END { print sum }' $E/systems)" = "$(wc -l <$E/available)" ]
}

switches() {
	awk '$1 == "ctxt" { print $2 }' /proc/stat
}

# An emulated CPU can be between the two counts.
in_flight() {
	nproc
}

# How many switches a round makes depends on how the host is loaded: 60 rounds at least,
# and 1500 switches.
switch_often() {
	enough=$(($(switches) + 1500))
	i=0
	while [ "$i" -lt 60 ] || { [ "$i" -lt 2000 ] && [ "$(switches)" -lt "$enough" ]; }; do
		dd if=/dev/zero bs=1 count=300 2>/dev/null | cat >/dev/null
		i=$((i + 1))
	done
}

# between COMMAND EVENT OPTION...: sets low and high to what COMMAND says was counted
# while EVENT was, and counted to what EVENT says.
between() {
	truth=$1
	shift
	before=$($truth)
	attach "$@" || return 1
	after=$($truth)
	switch_often
	low=$(($($truth) - after - $(in_flight)))
	counted=$(value "$1")
	high=$(($($truth) - before + $(in_flight)))
	detach "$1" || return 1
	echo "$1: between $low and $high, counted $counted"
	[ "$low" -gt 1000 ]
}

context_switches_are_counted_exactly() {
	between switches sched:sched_switch kind=exact || return 1
	[ "$counted" -ge "$low" ] && [ "$counted" -le "$high" ]
}

# 7 standard deviations of 20 %: it counts one by one up to 6 or so only.
context_switches_are_counted_within_the_error() {
	between switches sched:sched_switch error=5% || return 1
	[ "$counted" -ge $((low * 65 / 100)) ] && [ "$counted" -le $((high * 135 / 100)) ]
}

softirqs() {
	awk 'NR > 1 { for (i = 2; i <= NF; i++) sum += $i } END { printf "%d\n", sum }' /proc/softirqs
}

softirqs_are_counted_exactly() {
	before=$(softirqs)
	attach irq:softirq_entry kind=exact || return 1
	after=$(softirqs)
	switch_often
	sleep 1
	low=$(($(softirqs) - after - $(in_flight)))
	counted=$(value irq:softirq_entry)
	high=$(($(softirqs) - before + $(in_flight)))
	detach irq:softirq_entry || return 1
	echo "between $low and $high, counted $counted"
	[ "$low" -gt 100 ] && [ "$counted" -ge "$low" ] && [ "$counted" -le "$high" ]
}

counters_of_events_are_seen_as_others() {
	attach irq:softirq_entry irq:softirq_exit kind=exact group=mine || return 1
	attach sched:sched_switch error=2% || return 1
	switch_often
	cat $D/mine/irq:exact $D/events/sched:2%
	grep -q '^softirq_entry [1-9]' $D/mine/irq:exact &&
		! grep -q '^irq_handler_entry ' $D/mine/irq:exact &&
		grep -q '^sched_switch [1-9]' $D/events/sched:2% || return 1
	grep -q '^mine/irq:exact/softirq_entry  *exact:multiline_adapt ' $D/counters &&
		! grep -q irq_handler_entry $D/counters || fail "$(cat $D/counters)" || return 1
	# What stays is seen, what is let go is not, and counts on when it is attached again.
	low=$(awk '$1 == "softirq_exit" { print $2 }' $D/mine/irq:exact)
	detach irq:softirq_exit || return 1
	! grep -q softirq_exit $D/mine/irq:exact || return 1
	attach irq:softirq_exit kind=exact group=mine || return 1
	[ "$(value irq:softirq_exit)" -ge "$low" ] || return 1
	detach '*' || return 1
	gone $D/mine/irq:exact
}

events_of_a_module_come_and_go() {
	attach 'scounter_traced:*' && fail 'attached before it is there' && return 1
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	grep -qx 'scounter_traced:scounter_traced_hit \[scounter_traced\]' $E/available || return 1
	attach 'scounter_traced:*' kind=exact || return 1
	echo 1000 >$P/hits
	[ "$(value scounter_traced:scounter_traced_hit)" = 1000 ] || fail 'no 1000' || return 1
	rmmod scounter_traced || return 1
	[ "$(attached)" = 0 ] && ! grep -q scounter_traced $E/available || return 1
	# The pattern is still in force.
	load scounter_traced && echo 10 >$P/hits || return 1
	[ "$(value scounter_traced:scounter_traced_hit)" = 10 ] || fail 'no 10' || return 1
	detach 'scounter_traced:*' || return 1
	rmmod scounter_traced && load scounter_traced || return 1
	[ "$(attached)" = 0 ] || return 1
	attach 'scounter_traced:*' && detach 'scounter_traced:scounter_traced_hi[t]' || return 1
	! detach 'scounter_traced:*' || fail 'a rule without an event is in force' || return 1
	rmmod scounter_traced
}

# refused_line FILE ERROR REASON LINE
refused_line() {
	echo >$E/error_log
	echo "$4" 2>/tmp/why >"$E/$1" && fail "accepted: $4" && return 1
	grep -q "$2" /tmp/why || fail "$4: $(cat /tmp/why)" || return 1
	grep -q "error: $3" $E/error_log || fail "$4: $(cat $E/error_log)" || return 1
	[ "$(attached)" = "${expected:-0}" ]
}

# caret LINE PREFIX: the last error's caret is below what follows PREFIX in LINE
caret() {
	line=$(tail -n 2 $E/error_log | sed -n 's/^  Command: //p')
	below=$(tail -n 1 $E/error_log)
	{ [ "$line" = "$1" ] && [ ${#below} = $((12 + ${#2})) ]; } || fail "$(cat $E/error_log)"
}

a_bad_line_is_refused_with_a_reason() {
	refused_line attach 'nvalid' 'No pattern' '' &&
		refused_line attach 'nvalid' 'No pattern' '   kind=exact' &&
		refused_line attach 'No such' 'No event matches' 'sched:no_such' &&
		refused_line attach 'No such' 'No event matches' 'sched:sched_switch sched:no_such' &&
		caret 'sched:sched_switch sched:no_such' 'sched:sched_switch ' &&
		refused_line attach 'nvalid' 'Unknown option' 'sched:* colour=red' &&
		caret 'sched:* colour=red' 'sched:* ' &&
		refused_line attach 'nvalid' 'This option is there twice' 'sched:* kind=exact kind=exact' &&
		refused_line attach 'nvalid' 'This option has no value' 'sched:* kind=' &&
		refused_line attach 'nvalid' 'Unknown kind' 'sched:* kind=atomic_bomb' &&
		refused_line attach 'nvalid' 'An error is a percentage' 'sched:* error=1' &&
		refused_line attach 'ange' 'approx has an error' 'sched:* error=3%' &&
		refused_line attach 'ange' 'approx has an error' 'sched:* kind=exact error=1%' &&
		refused_line attach 'ange' 'No error is kind=exact' 'sched:* error=0%' &&
		refused_line attach 'nvalid' 'A group' 'sched:* group=a/b' &&
		refused_line attach 'nvalid' 'A group' 'sched:* group=.' &&
		refused_line attach 'nvalid' 'A group' 'sched:* group=..' &&
		refused_line attach 'too long' 'No event has' "$(printf '%0200d' 0)" &&
		refused_line attach 'too long' 'More than 16' "$(seq -s ' ' 17)" &&
		refused_line detach 'No such' 'Nothing that matches' 'sched:*' &&
		refused_line detach 'nvalid' 'To detach takes no options' 'sched:* kind=exact' ||
		return 1
	attach sched:sched_switch || return 1
	expected=1 refused_line attach 'exists' 'What matches is attached' 'sched:sched_switch' &&
		caret sched:sched_switch '' || return 1
	detach '*' && [ "$(attached)" = 0 ] || return 1
	echo >$E/error_log
	[ ! -s $E/error_log ] || [ -z "$(cat $E/error_log)" ]
}

# interrupted SIGNAL STATUS: what attaches in the background, in the midst of that
interrupted() {
	writer=$!
	until grep -q '^attaching [1-9]' $E/progress; do
		kill -0 $writer 2>/dev/null || fail 'too quick' || return 1
	done
	kill -"$1" $writer
	wait $writer
	[ $? = "$2" ] && [ "$(attached)" = 0 ]
}

a_signal_leaves_nothing_attached() {
	sh -c "echo '*' >$E/attach" &
	interrupted KILL 137 || return 1
	grep -q 'error: Interrupted' $E/error_log &&
		[ "$(cat $E/progress)" = 'idle 0 0' ]
}

# Also while ftrace is at work, which takes no notice.
a_signal_leaves_no_function_attached() {
	for pause in 200000 600000; do
		sh -c "echo 'function:*' >$E/attach" &
		usleep $pause
		kill -KILL $! || fail 'too quick' || return 1
		wait $!
		refused_line detach 'No such' 'Nothing that matches' 'function:*' || return 1
	done
}

# refused_command STATUS MESSAGE ARGUMENT...
refused_command() {
	expected_status=$1 message=$2
	shift 2
	scounter "$@" >/tmp/why 2>&1
	{ [ $? = "$expected_status" ] && grep -qF "$message" /tmp/why; } ||
		fail "scounter $*: $(cat /tmp/why)"
}

the_command_says_what_is_wrong() {
	refused_command 1 'sched:no_such: No event matches' attach sched:sched_switch sched:no_such &&
		refused_command 1 'error=3%: approx has an error' attach --error 3 'sched:*' &&
		refused_command 1 'sched:*: Nothing that matches' detach 'sched:*' || return 1
	[ "$(attached)" = 0 ] || return 1
	scounter attach --kind exact --group mine irq:softirq_entry || return 1
	refused_command 1 'What matches is attached' attach irq:softirq_entry || return 1
	switch_often
	scounter events --tsv 'irq:softirq_e*' >/tmp/events
	grep -q 'softirq_entry.*attached' /tmp/events && grep -q 'softirq_exit.*-$' /tmp/events ||
		fail "$(cat /tmp/events)" || return 1
	scounter events --attached --tsv >/tmp/events
	grep -qE '^irq:softirq_entry	exact	[1-9][0-9]*	0.0000%	.*	mine$' /tmp/events ||
		fail "$(cat /tmp/events)" || return 1
	scounter detach irq:softirq_entry || return 1
	mount -t tmpfs none /sys/kernel/debug || return 1
	refused_command 1 'debugfs is not mounted' attach '*'
	status=$?
	umount /sys/kernel/debug
	return $status
}

the_command_is_interrupted() {
	scounter attach '*' 2>/tmp/why &
	{ interrupted TERM 143 && grep -q 'interrupted; nothing was attached' /tmp/why; } ||
		fail "$(cat /tmp/why)"
}

what_is_attached_keeps_the_module() {
	attach irq:softirq_entry || return 1
	! rmmod scounter_events 2>/tmp/why && grep -q 'unavailable' /tmp/why || return 1
	detach irq:softirq_entry || return 1
	rmmod scounter_events || return 1
	[ ! -e $E ] || return 1
	refused_command 3 'modprobe scounter_events' attach '*' || return 1
	load scounter_events
}

# calls FUNCTION [MODULE]: how often it was called, and 0 if it was not
calls() {
	awk -v name="$1" -v module="${2:+[$2]}" '
		$3 == name && $4 == module { sum += $1 }
		END { printf "%d\n", sum }' $E/functions
}

missed() {
	awk '$2 == "missed" { print $3 }' $E/functions
}

# Exact up to 2048.  The first hits in a module find no counter yet, and some may be missed.
all_functions_are_counted() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	begin=$(seconds)
	attach 'function:*' || return 1
	middle=$(seconds)
	echo 2000 >$P/hits
	dd if=/dev/zero bs=1 count=1000 of=/dev/null 2>/dev/null
	called=$(calls scounter_traced_call scounter_traced)
	reads=$(calls vfs_read)
	missed=$(missed)
	grep '^#' $E/functions
	sort -rn $E/functions | head -n 10
	bytes=$(awk '$2 == "bytes" { print $3 }' $E/functions)
	functions=$(grep -vc '^#' $E/functions)
	then=$(seconds)
	detach 'function:*' || return 1
	end=$(seconds)
	echo "# all functions attached and detached: $begin $middle $then $end;" \
		"$functions called, $bytes bytes, $missed missed" >&3
	rmmod scounter_traced || return 1
	echo "$called calls, $missed missed, $reads reads"
	[ "$called" -le 2000 ] && [ "$called" -ge $((2000 - missed)) ] && [ "$reads" -ge 950 ] &&
		[ "$functions" -gt 1000 ] && [ "$bytes" -le 2621440 ]
}

functions_of_a_pattern_are_counted() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	attach 'function:scounter_traced_*' 'function:vfs_rea[d]' || return 1
	echo 100 >$P/hits
	[ "$(calls scounter_traced_call scounter_traced)" = 100 ] ||
		fail "$(cat $E/functions)" || return 1
	scounter functions --tsv scounter_traced_call >/tmp/functions || return 1
	grep -q '^scounter_traced_call	scounter_traced	100	' /tmp/functions ||
		fail "$(cat /tmp/functions)" || return 1
	dd if=/dev/zero bs=1 count=1000 of=/dev/null 2>/dev/null
	[ "$(calls vfs_read)" -ge 1000 ] && [ "$(calls vfs_write)" = 0 ] ||
		fail "$(cat $E/functions)" || return 1
	[ "$(find $D/arrays/events -name 'text-*' | wc -l)" -gt 1 ] || return 1
	! rmmod scounter_events 2>/dev/null || return 1
	detach '*' || return 1
	gone $D/arrays/events || return 1
	rmmod scounter_traced
}

a_bad_line_for_functions_is_refused() {
	refused_line attach 'nvalid' 'No pattern of functions' 'function:' &&
		refused_line attach 'nvalid' 'No pattern of functions' 'function:!vfs_read' &&
		refused_line attach 'No such' 'ftrace knows' 'function:no_such_function' &&
		refused_line attach 'nvalid' 'Functions are counted' 'function:* kind=exact' &&
		refused_line attach 'No such' 'ftrace knows' 'sched:* function:no_such_function' &&
		refused_line detach 'No such' 'Nothing that matches' 'function:*' || return 1
	attach 'function:vfs_read' || return 1
	refused_line attach 'exists' 'Functions are attached' 'function:vfs_write' || return 1
	refused_line detach 'No such' 'Nothing that matches' 'function:vfs_read' || return 1
	detach 'function:*'
}

HIT=scounter_traced:scounter_traced_hit

# value_in GROUP EVENT
value_in() {
	awk -v group="$1" -v event="$2" '$1 == event && $7 == group { print $3 }' $E/attached
}

# row SET ROW, hits_of TABLE KEY: of what fields have been counted
row() {
	awk -v row="$2" '$1 == row { print $2 }' "$D/events/$1"
}

hits_of() {
	awk -v key="$2" '$3 == key && !/^#/ { print $1 }' "$D/topk/events/$1"
}

fields_of_an_event_are_counted() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	attach $HIT top=key k=20 sum=bytes hist=bytes kind=exact || fail "$(cat $E/error_log)" || return 1
	attach $HIT kind=exact || return 1
	echo 1000 >$P/hits
	cat $E/attached $D/events/$HIT $D/topk/events/$HIT:key
	[ "$(row $HIT hits)" = 1000 ] && [ "$(row $HIT skipped)" = 0 ] &&
		[ "$(row $HIT sum:bytes)" = 64000 ] && [ "$(row $HIT hist:bytes:64)" = 1000 ] &&
		[ "$(row $HIT hist:bytes:32)" = 0 ] && [ "$(row $HIT hist:bytes:128)" = 0 ] ||
		return 1
	for key in 0 1 2 3 4 5 6 7 8 9; do
		[ "$(hits_of $HIT:key $key)" = 100 ] || return 1
	done
	grep -q 'total 1000 evictions 0 dropped 0 ' $D/topk/events/$HIT:key || return 1
	# The count without fields and that with them are two lines.
	[ "$(value $HIT | tr '\n' ' ')" = '1000 1000 ' ] &&
		grep -q ' events .*top=key k=20 sum=bytes' $E/attached || return 1
	expected=2 refused_line attach 'exists' 'The group has fields' "$HIT hist=bytes" || return 1
	! rmmod scounter_events 2>/dev/null && ! rmmod scounter_traced 2>/dev/null || return 1
	detach $HIT && [ "$(attached)" = 0 ] || return 1
	gone $D/events/$HIT && gone $D/topk/events/$HIT:key || return 1
	attach $HIT hist=key && detach '*' || return 1
	rmmod scounter_traced
}

who_hits_an_event_is_counted() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	attach $HIT top=pid || return 1
	sh -c "echo \$\$ >/tmp/pid; echo 300 >$P/hits; :"
	cat /tmp/pid $D/topk/events/$HIT:pid
	[ "$(hits_of $HIT:pid "$(cat /tmp/pid)")" = 300 ] || return 1
	detach $HIT && attach $HIT top=comm || return 1
	sh -c "echo 300 >$P/hits; :"
	cat $D/topk/events/$HIT:comm
	[ "$(hits_of $HIT:comm sh)" = 300 ] || return 1
	detach $HIT && rmmod scounter_traced
}

# The bound of a key is the table's: count - error <= 5000 <= count.
callers_of_kmalloc_are_found() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	attach kmem:kmalloc top=call_site k=50 sum=bytes_alloc hist=bytes_req kind=exact || return 1
	echo 5000 >$P/allocations
	cat $D/topk/events/kmem:kmalloc:call_site >/tmp/callers
	sum=$(row kmem:kmalloc sum:bytes_alloc)
	bucket=$(row kmem:kmalloc hist:bytes_req:2048)
	hits=$(row kmem:kmalloc hits)
	detach kmem:kmalloc && rmmod scounter_traced || return 1
	cat /tmp/callers
	echo "$hits hits, $sum bytes, $bucket of 2048 to 4095 bytes"
	# 4096 bytes each; bytes asked for are in the bucket from 2048
	[ "$sum" -ge $((5000 * 4096)) ] && [ "$bucket" -ge 5000 ] && [ "$hits" -ge "$bucket" ] || return 1
	awk '$3 ~ /^scounter_traced_allocate[.+]/ && $4 == "[scounter_traced]" {
			found = $1 - $2 <= 5000 && $1 >= 5000
		}
		END { exit !found }' /tmp/callers
}

strings_of_an_event_are_counted() {
	before=$(switches)
	attach sched:sched_switch kind=exact top=next_comm hist=next_prio || return 1
	after=$(switches)
	switch_often
	low=$(($(switches) - after - $(in_flight)))
	counted=$(value sched:sched_switch)
	high=$(($(switches) - before + $(in_flight)))
	cat $D/topk/events/sched:sched_switch:next_comm
	shells=$(hits_of sched:sched_switch:next_comm sh)
	detach sched:sched_switch || return 1
	echo "between $low and $high, counted $counted"
	# A child that the shell forks is switched to, before it has a name of its own.
	[ "$counted" -ge "$low" ] && [ "$counted" -le "$high" ] && [ "$shells" -ge 60 ]
}

# sched_stat_runtime weighs the nanoseconds that it tells of.
a_hit_is_one_however_much_it_weighs() {
	stat=sched:sched_stat_runtime
	attach $stat kind=exact || return 1
	attach $stat sum=runtime kind=exact group=fields || return 1
	first=$(value_in events $stat)
	switch_often
	last=$(value_in events $stat)
	hits=$(value_in fields $stat)
	sum=$(awk '$1 == "sum:runtime" { print $2 }' $D/fields/$stat)
	end=$(value_in events $stat)
	detach '*' || return 1
	echo "$first to $last to $end events, $hits hits, $sum ns"
	[ "$hits" -gt 1000 ] && [ "$hits" -ge $((last - first - $(in_flight))) ] &&
		[ "$hits" -le "$end" ] && [ "$sum" -gt $((hits * 1000)) ]
}

fields_are_counted_on_a_cpu_that_returns() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	cpu1=/sys/devices/system/cpu/cpu1/online
	attach $HIT top=cpu hist=key || return 1
	taskset 2 sh -c "echo 100 >$P/hits" || return 1
	echo 0 >$cpu1 && echo 1 >$cpu1 || return 1
	sleep 1
	taskset 2 sh -c "echo 100 >$P/hits" || return 1
	# One that is offline when the line comes.
	echo 0 >$cpu1 || return 1
	[ "$(hits_of $HIT:cpu 1)" = 200 ] || fail "$(cat $D/topk/events/$HIT:cpu)" || return 1
	detach $HIT && attach $HIT top=cpu hist=key || return 1
	echo 1 >$cpu1 || return 1
	sleep 1
	taskset 2 sh -c "echo 100 >$P/hits" || return 1
	[ "$(hits_of $HIT:cpu 1)" = 100 ] || fail "$(cat $D/topk/events/$HIT:cpu)" || return 1
	detach $HIT && rmmod scounter_traced
}

# key is the first argument, and bytes the second.
arguments_of_a_probe_are_counted() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	attach $HIT top=key@arg0:8u k=20 sum=bytes@arg1:4u hist=bytes@arg1:4d kind=exact ||
		fail "$(cat $E/error_log)" || return 1
	echo 1000 >$P/hits
	cat $E/attached $D/events/$HIT $D/topk/events/$HIT:key
	[ "$(row $HIT hits)" = 1000 ] && [ "$(row $HIT skipped)" = 0 ] &&
		[ "$(row $HIT sum:bytes)" = 64000 ] && [ "$(row $HIT hist:bytes:64)" = 1000 ] ||
		return 1
	for key in 0 1 2 3 4 5 6 7 8 9; do
		[ "$(hits_of $HIT:key $key)" = 100 ] || return 1
	done
	# The table alone has no set.  A narrow key is the lower bits of the register.
	detach $HIT && gone $D/events/$HIT && attach $HIT top=key@arg0:2u && attach $HIT || return 1
	echo 1000 >$P/hits
	[ "$(hits_of $HIT:key 9)" = 100 ] && gone $D/events/$HIT || return 1
	grep -q "^$HIT *exact *1000 *0.0000% *1000 *1000 events .*top=key@arg0:2u" $E/attached || return 1
	detach $HIT && attach $HIT top=bytes@arg1:4u,key@arg0:8u || return 1
	echo 1000 >$P/hits
	grep -q '^100 *0 64, 7$' $D/topk/events/$HIT:bytes,key || return 1
	# An argument that has no register, and that there is not.
	detach $HIT || return 1
	case $(uname -m) in
	x86_64)
		attach $HIT top=bytes@arg1:4u,key@arg11:8u || return 1
		echo 1000 >$P/hits
		[ "$(row $HIT hits)" = 1000 ] && detach $HIT || return 1
		;;
	esac
	rmmod scounter_traced
}

# The bound of a key is the table's: count - error <= 5000 <= count.
the_command_finds_the_arguments() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	scounter attach --kind exact kmem:kmalloc --top call_site --sum bytes_alloc --hist bytes_req 2>/tmp/why ||
		fail "$(cat /tmp/why)" || return 1
	[ ! -s /tmp/why ] && grep -q 'top=call_site@arg0:8u sum=bytes_alloc@arg' $E/attached || return 1
	echo 5000 >$P/allocations
	cat $D/topk/events/kmem:kmalloc:call_site >/tmp/callers
	sum=$(row kmem:kmalloc sum:bytes_alloc)
	bucket=$(row kmem:kmalloc hist:bytes_req:2048)
	scounter detach kmem:kmalloc && rmmod scounter_traced || return 1
	[ "$sum" -ge $((5000 * 4096)) ] && [ "$bucket" -ge 5000 ] || return 1
	awk '$3 ~ /^scounter_traced_allocate[.+]/ && $4 == "[scounter_traced]" {
			found = $1 - $2 <= 5000 && $1 >= 5000
		}
		END { exit !found }' /tmp/callers || fail "$(cat /tmp/callers)" || return 1
	# What it does not find, it says, and takes from the record.
	scounter attach sched:sched_switch --top prev_comm 2>/tmp/why || return 1
	grep -q "prev_comm is read from the record of the event, .*'prev->comm'" /tmp/why &&
		grep -q 'top=prev_comm$' $E/attached || return 1
	scounter detach '*'
	refused_command 1 "has no argument 'pref'" attach sched:sched_switch --top 'pref->comm' &&
		refused_command 1 'not in one line' attach sched:sched_switch --top 'prev_comm,prev->pid' &&
		refused_command 1 'no such field' attach sched:sched_switch --top colour &&
		[ "$(attached)" = 0 ]
}

# agree EVENT FIELD: the argument that the command takes for a field has its values.  The
# record is counted for a shorter time, and a hit may be between the two counts.
agree() {
	args=$D/topk/arguments/$1:$2
	scounter attach "$1" --top "$2" --entries 100000 --group arguments || return 1
	grep -q "top=$2@arg" $E/attached || fail "$1 $2: $(cat $E/attached)" || return 1
	attach "$1" "top=$2" k=100000 group=records || return 1
	cat "$args" >/tmp/before
	for _ in 1 2 3 4 5; do
		dd if=/dev/zero bs=1 count=100 2>/dev/null | cat >/dev/null
	done
	cat "$args" >/tmp/least
	cat "$D/topk/records/$1:$2" >/tmp/record
	cat "$args" >/tmp/most
	detach "$1" || return 1
	awk -v flight="$(in_flight)" '
		/^#/ { next }
		{
			count = $1
			$1 = $2 = ""
			if (FILENAME == "/tmp/before")
				before[$0] = count
			else if (FILENAME == "/tmp/least")
				least[$0] = count - before[$0] - flight
			else if (FILENAME == "/tmp/record")
				record[$0] = count
			else
				most[$0] = count + flight
		}
		END {
			for (key in least)
				if (least[key] > record[key] + 0)
					wrong = wrong "; fewer of" key
			for (key in record) {
				hits += record[key]
				if (record[key] > most[key] + 0 && record[key] > flight)
					wrong = wrong "; more of" key
			}
			print hits " hits" wrong
			exit wrong != "" || hits < 20
		}' /tmp/before /tmp/least /tmp/record /tmp/most >/tmp/agrees
	agrees=$?
	echo "$1 $2: $(cat /tmp/agrees)"
	return $agrees
}

arguments_and_records_agree() {
	agree kmem:kmalloc bytes_req && agree kmem:kmalloc call_site && agree kmem:kfree call_site &&
		agree raw_syscalls:sys_enter id && agree raw_syscalls:sys_exit ret &&
		agree sched:sched_stat_runtime runtime && agree kmem:mm_page_alloc order
}

what_is_behind_a_pointer_is_counted() {
	before=$(switches)
	scounter attach sched:sched_switch --kind exact --top 'next->comm' --hist 'next->prio' || return 1
	after=$(switches)
	grep -q 'top=next->comm@arg2+' $E/attached || fail "$(cat $E/attached)" || return 1
	switch_often
	low=$(($(switches) - after - $(in_flight)))
	counted=$(value sched:sched_switch)
	high=$(($(switches) - before + $(in_flight)))
	cat "$D/topk/events/sched:sched_switch:next->comm"
	shells=$(hits_of 'sched:sched_switch:next->comm' sh)
	skipped=$(row sched:sched_switch skipped)
	detach sched:sched_switch || return 1
	echo "between $low and $high, counted $counted, skipped $skipped"
	[ "$counted" -ge "$low" ] && [ "$counted" -le "$high" ] && [ "$shells" -ge 60 ] && [ "$skipped" = 0 ]
}

a_pointer_to_nothing_is_skipped() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	attach $HIT top=key@arg0+0:8u sum=bytes@arg1:4u kind=exact || return 1
	echo 1000 >$P/hits
	[ "$(row $HIT skipped)" = 1000 ] && [ "$(row $HIT hits)" = 0 ] &&
		[ "$(row $HIT sum:bytes)" = 0 ] || return 1
	detach $HIT && rmmod scounter_traced
}

# 4 GiB behind what kmalloc() returns there is no memory.  The fault is an event, whose own
# pointer leads to nothing, too.
a_fault_of_a_read_ends_there() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	attach kmem:kmalloc top=ptr@arg1+0xfffffff0:8u kind=exact &&
		attach exceptions:page_fault_kernel top=address@arg0+0xfffffff0:s kind=exact || return 1
	echo 5000 >$P/allocations
	skipped=$(row kmem:kmalloc skipped)
	faults=$(row exceptions:page_fault_kernel skipped)
	detach '*' && rmmod scounter_traced || return 1
	echo "$skipped skipped, $faults faults skipped"
	[ "$skipped" -ge 5000 ] && [ "$faults" -ge 5000 ]
}

keys_of_several_fields_are_counted() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	attach $HIT top=comm,key,bytes || return 1
	sh -c "echo 1000 >$P/hits; :"
	cat $D/topk/events/$HIT:comm,key,bytes
	grep -q '^100 *0 sh, 7, 64$' $D/topk/events/$HIT:comm,key,bytes &&
		grep -q ' key_size 32$' $D/topk/events/$HIT:comm,key,bytes || return 1
	# A string of any length gets what the others leave.
	detach $HIT && attach irq:irq_handler_entry top=name,irq && detach '*' || return 1
	attach sched:sched_process_exec top=filename || return 1
	/payload/busybox true 2>/dev/null || /bin/busybox true || return 1
	cat $D/topk/events/sched:sched_process_exec:filename
	grep -q '/busybox$' $D/topk/events/sched:sched_process_exec:filename || return 1
	detach '*' && rmmod scounter_traced
}

# One way leads to the hits, and one to the allocations; with two probes, too.
stacks_are_counted() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	for other in '' kind=exact; do
		attach $HIT top=stack || return 1
		[ -z "$other" ] || attach $HIT $other || return 1
		echo 1000 >$P/hits
		cat $D/topk/events/$HIT:stack
		grep -q '^1000 *0 scounter_traced_call+[^<]* < hits_set' $D/topk/events/$HIT:stack ||
			return 1
		detach $HIT || return 1
	done
	# From perf's handler.
	attach $HIT top=key,stack || return 1
	echo 1000 >$P/hits
	cat $D/topk/events/$HIT:key,stack
	grep -q '^100 *0 7, scounter_traced_call+[^<]* < hits_set' $D/topk/events/$HIT:key,stack ||
		return 1
	detach $HIT && rmmod scounter_traced
}

counts_by_arguments_go_with_their_module() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	attach $HIT top=key@arg0:8u sum=bytes@arg1:4u && attach $HIT || return 1
	echo 1000 >$P/hits
	rmmod scounter_traced || return 1
	[ "$(attached)" = 0 ] || return 1
	dmesg | grep -q 'scounter_traced goes, and the counts of 2 of its events with it' || return 1
	gone $D/topk/events/$HIT:key && gone $D/events/$HIT || return 1
	# The pattern is still in force.
	detach $HIT
}

a_bad_line_of_fields_is_refused() {
	switch=sched:sched_switch
	refused_line attach 'No such' 'The event has no such field' "$switch top=colour" &&
		caret "$switch top=colour" "$switch top=" &&
		refused_line attach 'No such' 'The event has no such field' "$switch sum=pid" &&
		refused_line attach 'nvalid' 'This field is no number' "$switch top=next_pid sum=next_comm" &&
		refused_line attach 'nvalid' 'This field is neither' 'raw_syscalls:sys_enter top=args' &&
		refused_line attach 'nvalid' 'This field has no name' "$switch top=next_pid,,next_comm" &&
		refused_line attach 'nvalid' 'This field has no name' "$switch top=@arg0:8u" &&
		caret "$switch top=@arg0:8u" "$switch top=" &&
		refused_line attach 'too long' 'The fields take more than 64' "$switch top=prev_comm,next_comm,prev_pid,next_pid,prev_prio,next_prio,prev_state" &&
		refused_line attach 'too long' 'More than 8 fields' "$switch top=pid,pid,pid,pid,pid,pid,pid,pid,pid" &&
		refused_line attach 'nvalid' 'Either all fields' "$switch top=next_pid,a@arg0:8u" &&
		refused_line attach 'nvalid' 'A place is as' "$switch top=a@arg0" &&
		caret "$switch top=a@arg0" "$switch top=a@" &&
		refused_line attach 'nvalid' 'A place is as' "$switch top=a@ar0:8u" &&
		refused_line attach 'nvalid' 'A place is as' "$switch top=a@arg0:8" &&
		refused_line attach 'nvalid' 'A place is as' "$switch top=a@arg0:3u" &&
		refused_line attach 'nvalid' 'A place is as' "$switch top=a@arg0:16u" &&
		refused_line attach 'nvalid' 'A place is as' "$switch top=a@arg0:16s" &&
		refused_line attach 'nvalid' 'A place is as' "$switch top=a@arg0+0:65s" &&
		refused_line attach 'nvalid' 'A place is as' "$switch top=a@arg0+x:8u" &&
		refused_line attach 'nvalid' 'A place is as' "$switch top=a@arg0+1+1+1+1+1:8u" &&
		refused_line attach 'ange' 'Probes see the arguments 0 to 11' "$switch top=a@arg12:8u" &&
		refused_line attach 'nvalid' 'This field is no number' "$switch sum=a@arg0+0:16s" &&
		refused_line attach 'too long' 'The event and its fields are too long' "$switch top=$(printf '%060d' 0)@arg0:8u" &&
		refused_line attach 'ange' 'k is from 1 to 1048576' "$switch top=next_pid k=0" &&
		refused_line attach 'ange' 'k is from 1 to 1048576' "$switch top=next_pid k=1048577" &&
		refused_line attach 'ange' 'k is from 1 to 1048576' "$switch top=next_pid k=many" &&
		refused_line attach 'nvalid' 'Without top=' "$switch sum=next_pid k=9" &&
		refused_line attach 'nvalid' 'Fields are those of one' "$switch sched:sched_waking top=comm" &&
		refused_line attach 'No such' 'Fields are those of one' 'sched:* top=comm' &&
		refused_line attach 'No such' 'Fields are those of one' 'function:* top=comm' &&
		refused_line attach 'nvalid' 'This option has no value' "$switch top=" &&
		refused_line attach 'nvalid' 'This option is there twice' "$switch top=comm top=pid"
}

# KiB of all that a module may allocate
in_use() {
	awk '/^(Slab|VmallocUsed|Percpu|PageTables|KernelStack):/ { sum += $2 }
		END { print sum }' /proc/meminfo
}

seconds() {
	cut -d ' ' -f 1 /proc/uptime
}

# With and without a record, beside hits.
fields_once() {
	attach $HIT top=key@arg0:8u && attach $HIT top=stack sum=bytes@arg1:4u group=second &&
		attach $HIT top=comm,key hist=bytes group=third && detach '*' && [ "$(attached)" = 0 ]
}

fields_are_attached_and_detached_again_and_again() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	echo 1000000000 >$P/hits &
	hitting=$!
	fields_once && fields_once && fields_once || return 1
	before=$(in_use)
	for _ in $(seq "$ROUNDS"); do
		fields_once || fail "$(cat $E/error_log)" || return 1
	done
	after=$(in_use)
	echo "$before KiB in use, $after after $ROUNDS rounds"
	kill $hitting
	wait $hitting
	[ $((after - before)) -lt 1024 ] && rmmod scounter_traced
}

once() {
	attach '*' && [ "$(attached)" = "$(wc -l <$E/available)" ] && detach '*' && [ "$(attached)" = 0 ]
}

everything_is_attached_and_detached_again_and_again() {
	begin=$(seconds)
	attach '*' || fail "$(cat $E/error_log)" || return 1
	middle=$(seconds)
	events=$(attached)
	switch_often
	sort -rnk 3 $E/attached | head -n 10
	then=$(seconds)
	detach '*' || return 1
	end=$(seconds)
	echo "# $events events attached and detached: $begin $middle $then $end" >&3
	once && once && once || return 1
	before=$(in_use)
	for _ in $(seq "$ROUNDS"); do
		once || fail "$(cat $E/error_log)" || return 1
	done
	after=$(in_use)
	echo "# $before KiB in use, $after after $ROUNDS rounds of all events" >&3
	[ $((after - before)) -lt 512 ]
}

all_functions_are_attached_and_detached_again_and_again() {
	before=
	# The first round is before.
	for _ in $(seq 0 "$ROUNDS"); do
		attach 'function:*' || fail "$(cat $E/error_log)" || return 1
		[ "$(grep -vc '^#' $E/functions)" -gt 100 ] && detach 'function:*' || return 1
		gone $D/arrays/events || return 1
		[ -n "$before" ] || before=$(in_use)
	done
	after=$(in_use)
	echo "# $before KiB in use, $after after $ROUNDS rounds of all functions" >&3
	[ $((after - before)) -lt 512 ]
}

# The last test, as lockdown cannot be lifted.
lockdown_is_told() {
	mount -t securityfs security /sys/kernel/security 2>/dev/null
	echo confidentiality >/sys/kernel/security/lockdown || return 1
	refused_command 1 'locked down' attach '*' && refused_command 1 'locked down' detach '*' ||
		return 1
	# Who only reads may.
	scounter events --attached
}

# shellcheck source=tests/guest/events/compared.sh
. ./compared.sh

[ "$1" != --rounds ] || {
	ROUNDS=$2
	shift 2
}
load scounter || exit 1
# shellcheck disable=SC2086 # a name a word
[ $# != 0 ] || set -- $TESTS
[ "$1" = the_recipes_are_as_documented ] || load scounter_events || exit 1
run_tests 'traced' "$@"
