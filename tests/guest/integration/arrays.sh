# SPDX-License-Identifier: GPL-2.0
# Arrays of counters.
# shellcheck shell=sh

TESTS="$TESTS
an_array_counts_in_all_contexts
a_lost_count_in_an_array_is_noticed
a_snapshot_means_the_same_in_user_space
ten_million_cells_are_created
a_bad_array_is_refused
a_merge_with_itself_is_refused
a_forgotten_array_is_removed
a_hidden_array_has_no_file
"

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
		dmesg | grep -q "scounter_array_try left the array arrays/scounter_array_try/array behind"
}

# Its name is given, and its module has it.
a_hidden_array_has_no_file() {
	load scounter_array_try forget=1 flags=258 add=5 || return 1
	[ ! -e $D/arrays/scounter_array_try ] || return 1
	awk '$1 == "sum" { print; exit $2 < 900 || $2 > 1700 }' $A || return 1
	rmmod scounter_array_try
	dmesg | tail -n 5 |
		grep -q "scounter_array_try left the array arrays/scounter_array_try/array behind"
}
