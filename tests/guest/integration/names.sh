# SPDX-License-Identifier: GPL-2.0
# Names: which are refused, and how they are shown.
# shellcheck shell=sh

TESTS="$TESTS
a_bad_name_is_refused
no_group_takes_the_name_of_a_file
a_bad_kind_or_error_is_refused
a_name_is_given_once_a_group
names_with_spaces_stay_in_their_column
"

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
