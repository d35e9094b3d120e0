# SPDX-License-Identifier: GPL-2.0
# Tests of scounter_events.ko beside what else counts events: ftrace's histograms and
# kprobes, and BPF.  To source; the functions of events.sh are there.
# shellcheck shell=sh disable=SC2154 # $E, $T and the rest are those of events.sh
# shellcheck source=tests/guest/events/late.sh
. ./late.sh

# Of hits a and others, an entry's error is at most N / k.
a_late_key_is_listed_with_a_bound() {
	late_hist >/tmp/hist
	late_top >/tmp/top
	cat /tmp/hist /tmp/top
	echo "$LATE_KEY was hit $LATE_TRUE times"
	# The histogram has no row of it, and says so of all that it has lost together.
	! grep -q "id: *$LATE_KEY " /tmp/hist &&
		[ "$(awk '$1 == "Dropped:" { print $2 }' /tmp/hist)" -ge $LATE_TRUE ] || return 1
	awk -v key=$LATE_KEY -v true=$LATE_TRUE '
		/^#/ { for (i = 1; i < NF; i++) if ($i == "total") total = $(i + 1) }
		!/^#/ { found = $3 == key && $1 >= true && $1 - $2 <= true && $2 <= total / 1000 }
		END { exit !found }' /tmp/top
}

# exactly TRACEPOINT...: BPF counts them, until exactly_end
exactly() {
	rm -f /tmp/ask /tmp/answers
	mkfifo /tmp/ask
	percpu "$@" </tmp/ask >/tmp/answers 2>&1 &
	exec 5>/tmp/ask
	until grep -q . /tmp/answers; do
		sleep 0.1
	done
	answers=1
	grep -qx counting /tmp/answers || fail "$(cat /tmp/answers)"
}

# exact_counts FILE: what they are now, and how many were left out
exact_counts() {
	echo >&5
	answers=$((answers + 1))
	until [ "$(grep -c '' /tmp/answers)" = $answers ]; do
		sleep 0.1
	done
	tail -n 1 /tmp/answers >"$1"
}

exactly_end() {
	exec 5>&-
	wait
}

MEMORY='kmalloc kfree kmem_cache_alloc'

# memory_within PERCENT OPTION...: counted between two looks at the exact counts, with so
# much on either side
memory_within() {
	percent=$1
	shift
	# shellcheck disable=SC2086 # a name a word
	exactly $MEMORY || return 1
	exact_counts /tmp/before
	# shellcheck disable=SC2046
	attach $(printf 'kmem:%s ' $MEMORY) "$@" || return 1
	exact_counts /tmp/attached
	switch_often
	exact_counts /tmp/first
	cat $E/attached >/tmp/counted
	exact_counts /tmp/last
	detach 'kmem:*' || return 1
	exactly_end
	cat /tmp/before /tmp/attached /tmp/first /tmp/counted /tmp/last
	column=0
	for event in $MEMORY; do
		column=$((column + 1))
		awk -v event="kmem:$event" -v column=$column -v percent="$percent" \
			-v in_flight="$(in_flight)" '
			FILENAME ~ /counted/ { if ($1 == event) counted = $3; next }
			{ exact[FILENAME] = $column; left_out[FILENAME] = $NF }
			END {
				low = exact["/tmp/first"] - exact["/tmp/attached"] - in_flight
				high = exact["/tmp/last"] - exact["/tmp/before"] + in_flight +
					left_out["/tmp/last"]
				printf "%s: between %d and %d, counted %d\n", event, low, high, counted
				exit !(low > 1000 && counted >= low * (1 - percent / 100) &&
					counted <= high * (1 + percent / 100))
			}' /tmp/before /tmp/attached /tmp/first /tmp/counted /tmp/last || return 1
	done
}

memory_events_agree_with_counts_of_each_cpu() {
	memory_within 0 kind=exact
}

# 7 standard deviations
memory_events_are_counted_within_the_error() {
	memory_within 14 error=2%
}

# A probe counts the function, and ftrace has both: exact up to 2048.
a_function_agrees_with_a_kprobe() {
	echo 'p:scounter/reads vfs_read' >$T/kprobe_events || return 1
	echo 1 >$T/events/scounter/reads/enable
	probed() { awk '$1 == "reads" { print $2 + $3 }' $T/kprobe_profile; }
	before=$(probed)
	attach 'function:vfs_read' || return 1
	after=$(probed)
	dd if=/dev/zero bs=1 count=1000 of=/dev/null 2>/dev/null
	low=$(($(probed) - after))
	counted=$(calls vfs_read)
	high=$(($(probed) - before))
	detach 'function:*' || return 1
	echo 0 >$T/events/scounter/reads/enable
	echo >$T/kprobe_events
	echo "vfs_read: between $low and $high, counted $counted"
	[ "$low" -ge 1000 ] && [ "$high" -le 2048 ] && [ "$counted" -ge "$low" ] &&
		[ "$counted" -le "$high" ]
}

# Of a kernel that has the profiler, which Debian's have not.
profiled() {
	cat $T/trace_stat/function* | awk '$2 ~ /^[0-9]+$/ { hits[$1] += $2 }
		END { for (name in hits) print name, hits[name] }' >"$1"
}

# All functions of some patterns: exact up to 2048, and beyond that 7 standard deviations.
functions_agree_with_the_profiler() {
	load scounter_traced || fail "$(cat /tmp/insmod)" || return 1
	echo 'vfs_*' >$T/set_ftrace_filter && echo 'scounter_traced_*' >>$T/set_ftrace_filter &&
		echo 'kmem_cache_*' >>$T/set_ftrace_filter || return 1
	echo 1 >$T/function_profile_enabled || return 1
	profiled /tmp/before
	attach 'function:vfs_*' 'function:scounter_traced_*' 'function:kmem_cache_*' || return 1
	profiled /tmp/attached
	echo 2000 >$P/hits
	switch_often
	profiled /tmp/first
	cp $E/functions /tmp/counted
	profiled /tmp/last
	detach 'function:*' || return 1
	echo 0 >$T/function_profile_enabled
	echo >$T/set_ftrace_filter
	rmmod scounter_traced || return 1
	awk -v in_flight="$(in_flight)" '
		# The profiler cuts names.
		FILENAME ~ /counted/ { if (!/^#/) counted[substr($3, 1, 30)] += $1; next }
		{ hits[FILENAME, $1] = $2; names[$1] }
		END {
			for (name in names) {
				low = hits["/tmp/first", name] - hits["/tmp/attached", name] - in_flight
				high = hits["/tmp/last", name] - hits["/tmp/before", name] + in_flight
				n = counted[name] + 0
				error = high > 2048 ? 7 * 0.016 : 0
				wrong = n < low * (1 - error) || n > high * (1 + error)
				all_wrong += wrong
				exact += high <= 2048 && high > 0
				if (wrong || n > 1000)
					printf "%s: between %d and %d, counted %d%s\n", name, low, high, n,
						wrong ? ": wrong" : ""
			}
			print exact " functions exactly"
			exit !(!all_wrong && exact >= 5 && counted["scounter_traced_call"] == 2000)
		}' /tmp/before /tmp/attached /tmp/first /tmp/counted /tmp/last
}
