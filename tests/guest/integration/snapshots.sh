# SPDX-License-Identifier: GPL-2.0
# /dev/scounter and the command scounter(8).
# shellcheck shell=sh

TESTS="$TESTS
a_snapshot_agrees_with_the_files
nobody_reads_a_snapshot_and_cannot_reset
a_snapshot_shows_no_address
a_snapshot_is_one_picture
the_command_resets_as_root
a_total_that_wrapped_is_exported_anew
a_reader_asks_for_some_counters
ten_thousand_counters_are_listed
"

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

# filtered GROUP PATTERN NAME...: the snapshot has these
filtered() {
	asked="$1 $2"
	found=$(as_nobody "/payload/filter '$1' '$2'" | sort | tr '\n' ' ')
	shift 2
	[ "${found% }" = "$*" ] || fail "$asked: $found"
}

a_reader_asks_for_some_counters() {
	need filter || return
	make_users
	load scounter_try group=one name=rx || return 1
	load scounter_many n=11 || return 1
	filtered one '' one/rx || return 1
	filtered '' 'o*' one/rx || return 1
	filtered '' '*/many1*' scounter_many/many1 scounter_many/many10 || return 1
	filtered scounter_many '*[57-8]' scounter_many/many5 scounter_many/many7 \
		scounter_many/many8 || return 1
	filtered scounter_many 'one/*' || return 1
	filtered on '' || return 1
	# What the command shows is what its patterns match.
	[ "$(./scounter read 'scounter_many/many?' 'one/r[w-z]' | wc -l)" = 11 ] &&
		[ "$(./scounter read --value 'one/rx')" = 0 ] || fail command || return 1
	rmmod scounter_many && rmmod scounter_try
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

# A snapshot of 10,000 counters without texts, objects and resets has 2.56 MB; each user may
# have 64 MiB, and root more.  The first one finds out how long records are.
held_snapshots_are_bounded() {
	rm -f /tmp/held
	cat /dev/scounter >/dev/null || return 1
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
	[ "$refused" = 4 ] || fail "$refused of 30 refused" || return 1
	as_nobody 'cat /dev/scounter' 2>&1 >/dev/null | grep -q 'temporarily unavailable' &&
		cat /dev/scounter >/dev/null || fail 'root is refused, too' || return 1
	su somebody -s /bin/sh -c 'cat /dev/scounter' >/dev/null ||
		fail 'another user is refused' || return 1
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
