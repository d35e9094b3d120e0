# SPDX-License-Identifier: GPL-2.0
# Sets: the counters of an object.
# shellcheck shell=sh

TESTS="$TESTS
a_set_has_a_line_and_a_file_for_each_counter
a_set_counts_what_belongs_together
a_reader_survives_its_set
ten_thousand_counters_of_sets_come_and_go
a_forgotten_set_is_removed
a_family_shows_words_without_names
a_family_goes_while_it_is_read
"

a_set_has_a_line_and_a_file_for_each_counter() {
	load scounter_links || fail "$(cat /tmp/insmod)" || return 1
	for link in link0 link1; do
		[ "$(awk '!/^#/ { print $1, $3 }' $D/scounter_links/$link)" = "\
rx_packets packets
rx_bytes bytes
rx_dropped packets
tx_packets packets
tx_bytes bytes
tx_queue_full 
wakeups " ] || fail "$(cat $D/scounter_links/$link)" || return 1
		[ "$(ls $S/scounter_links/$link | wc -l)" = 7 ] || return 1
	done
}

a_set_counts_what_belongs_together() {
	sleep 2
	before=$(cat $S/scounter_links/link1/tx_packets)
	awk '
		$1 == "rx_packets" { packets = $2 }
		$1 == "rx_bytes" { bytes = $2 }
		$1 == "tx_packets" { sent = $2 }
		$1 == "tx_bytes" { sent_bytes = $2 }
		{ print }
		END {
			# One of each may be between the packet and its bytes.
			exit !(packets > 10 && bytes > 64 * (packets - 1) &&
			       bytes <= 1500 * packets && sent > 10 &&
			       sent_bytes <= 64 * sent && sent_bytes >= 64 * (sent - 1))
		}' $D/scounter_links/link1 || return 1
	[ "$(cat $S/scounter_links/link1/tx_packets)" -ge "$before" ]
}

a_reader_survives_its_set() {
	exec 5<$D/scounter_links/link0 6<$S/scounter_links/link0/rx_packets
	cat <&5 >/dev/null
	rmmod scounter_links || return 1
	! cat <&5 2>/dev/null && ! cat <&6 2>/dev/null || return 1
	[ ! -e $D/scounter_links ] && [ ! -e $S/scounter_links ] || return 1
	exec 5<&- 6<&-
}

ten_thousand_counters_of_sets_come_and_go() {
	load scounter_many n=1000 rows=10 || fail "$(cat /tmp/insmod)" || return 1
	[ "$(cat $S/scounter_many/many999/row9)" = 0 ] || return 1
	[ "$(ls $D/scounter_many | wc -l)" = 1000 ] || return 1
	rmmod scounter_many || return 1
	[ ! -e $D/scounter_many ] && [ ! -e $S/scounter_many ]
}

a_forgotten_set_is_removed() {
	load scounter_leaky || return 1
	[ -f $D/scounter_leaky/forgotten_set ] || return 1
	rmmod scounter_leaky
	[ ! -e $D/scounter_leaky ] && [ ! -e $S/scounter_leaky ] &&
		dmesg | grep -q 'scounter_leaky left the set scounter_leaky/forgotten_set behind'
}

a_family_shows_words_without_names() {
	load scounter_flows || fail "$(cat /tmp/insmod)" || return 1
	while [ "$(cat $D/scounter_flows/packets)" -lt 100000 ]; do
		sleep 1
	done
	before=$(cat $D/scounter_flows/packets)
	cat $D/scounter_flows/flow_packets >/tmp/family
	after=$(cat $D/scounter_flows/packets)
	# Each word has at most 2 %, and a thousand of them much less.
	awk -v before="$before" -v after="$after" '
		$1 == "words" { words = $2 }
		$1 == "bytes" { bytes = $2 }
		$1 == "sum" { sum = $2; lower = $4; upper = $5 }
		$1 == "p50" { half = $2 }
		$1 == "largest" { largest = $2 }
		histogram { all += $3 }
		$1 == "#" && $2 == "from" { histogram = 1 }
		END {
			exit !(words == 1000 && bytes == 4000 && all == words &&
			       lower <= sum && sum <= upper && upper >= before &&
			       lower <= after && half < largest)
		}' /tmp/family || fail "$before $after $(cat /tmp/family)" || return 1
	[ "$(grep -c '^scounter_flows/flow_packets/' $D/counters)" = 7 ] &&
		grep -q '^scounter_flows/flow_packets/sum  *approx:bfp_csup ' $D/counters ||
		fail "$(cat $D/counters)"
}

a_family_goes_while_it_is_read() {
	[ -d $D/scounter_flows ] || load scounter_flows || return 1
	rm -f /tmp/over
	while [ ! -e /tmp/over ]; do
		cat $D/scounter_flows/flow_packets $D/counters /dev/scounter
	done >/dev/null 2>&1 &
	reader=$!
	for _ in 1 2 3 4 5; do
		rmmod scounter_flows && load scounter_flows || return 1
	done
	rmmod scounter_flows
	touch /tmp/over
	wait $reader
	[ ! -e $D/scounter_flows ]
}
