# SPDX-License-Identifier: GPL-2.0
# Counting in all contexts at once, beside resets and while CPUs come and go.
# shellcheck shell=sh

TESTS="$TESTS
all_contexts_lose_nothing
the_nmi_context_was_one_of_them
resets_beside_lose_nothing
unplugged_cpus_lose_nothing
a_lost_count_is_noticed
no_stalled_cpu_stops_another
a_lock_would_be_noticed
contended_counters_inflate_and_lose_nothing
"

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

# stripes_were_traced EVENT COUNTER...
stripes_were_traced() {
	event=$1
	shift
	for counter; do
		grep -q "scounter_$event: name=$counter word=[0-9a-f]* kind=multiline_adapt value=[0-9]*\$" \
			/tmp/trace || fail "no $event of $counter: $(cat /tmp/trace)" || return 1
	done
}

# One failed try is enough here, as emulated CPUs seldom make four fail.
contended_counters_inflate_and_lose_nothing() {
	traced=
	rmmod scounter && load scounter adapt_tries=1 grow_rate=1000 || return 1
	! trace_on || traced=yes
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
	deflating=
	for counter in multiline_adapt exact; do
		[ "$(state_of $counter)" != inflated ] || deflating="$deflating $counter"
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
	[ "$traced" ] || return 0
	trace_off >/tmp/trace
	# shellcheck disable=SC2086 # a counter a word
	stripes_were_traced inflate multiline_adapt exact && stripes_were_traced deflate $deflating
}
