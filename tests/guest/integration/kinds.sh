# SPDX-License-Identifier: GPL-2.0
# Kinds, their options, and the ends of their ranges.
# shellcheck shell=sh

TESTS="$TESTS
an_add_of_2_to_the_63_is_seen
a_saturated_counter_says_so
a_wrapped_counter_says_so
every_kind_is_listed_and_can_be_made
an_unknown_kind_names_the_known_ones_once
options_are_taken_and_checked
what_is_wrong_is_logged_with_its_limits
"

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
	# What a choice stands for has the same bytes and the same range.
	awk '{ of[$1] = $2 " " $3 }
		END { exit of["exact"] != of["multiline_adapt"] || of["approx"] != of["bfp_csup"] }' \
		$D/kinds || fail "$(cat $D/kinds)" || return 1
	# Of the same table as the file.
	sed 's/^kinds=//; s/and, to leave the choice,//' /payload/modinfo >/tmp/named
	[ "$(wc -l </tmp/kinds)" = "$(wc -w </tmp/named)" ] || fail "$(cat $D/kinds)" || return 1
	while read -r kind; do
		load scounter_try kind="$kind" add=100 || return 1
		[ "$(cat $D/scounter_try/try)" = 100 ] || fail "$kind" || return 1
		shown=$kind
		case $kind in
		exact) shown=exact:multiline_adapt ;;
		approx) shown=approx:bfp_csup ;;
		esac
		[ "$(cat $S/scounter_try/try/kind)" = $shown ] &&
			grep -q "^scounter_try/try  *$shown  *100  *0% " $D/counters ||
			fail "$(cat $D/counters)" || return 1
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

# logged TEXT: since the last time
logged() {
	dmesg -c >/tmp/dmesg
	grep -qF "$1" /tmp/dmesg || fail "no '$1': $(cat /tmp/dmesg)"
}

# The log takes ten such lines in five seconds, and the tests before wrote some.
what_is_wrong_is_logged_with_its_limits() {
	sleep 6
	dmesg -c >/dev/null
	refuse 'out of range\|not representable' kind=approx error=4999 &&
		logged "counter 'try': kind 257, error_ppm 4999, " &&
		refuse 'out of range\|not representable' kind=approx error=200001 &&
		logged ': error_ppm is 0 or 5000 to 200000' &&
		refuse 'out of range\|not representable' kind=exact error=10000 &&
		logged ': error_ppm is 0 where the kind is exact or loses counts' &&
		refuse 'out of range\|not representable' kind=exact components=3 &&
		logged ': components are 0, 1, 2, 4 or 8' &&
		refuse 'Invalid argument' kind=cas granularity=3 &&
		logged ': a choice that this kind does not have'
}
