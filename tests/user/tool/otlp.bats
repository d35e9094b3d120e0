#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scounter export --otlp.  SCOUNTER is the program; otlp.py has the rules.
bats_require_minimum_version 1.5.0

setup() {
	SNAPSHOT=$BATS_TEST_DIRNAME/snapshot.py
	OTLP=$BATS_TEST_DIRNAME/otlp.py
	cd "$BATS_TEST_TMPDIR"
}

# points METRIC: name, start, value of its points
points() {
	jq -r --arg metric "$1" '.resourceMetrics[].scopeMetrics[].metrics[] | select(.name == $metric) |
		(.sum // .gauge).dataPoints[] | [([.attributes[] | (.value | (.stringValue // .boolValue))] |
		map(tostring) | join("/")), .startTimeUnixNano // "-", .asInt // .asDouble] | map(tostring) | join(" ")'
}

@test "sums with their starts, and bounds, variance and states as metrics of their own" {
	"$SNAPSHOT" "{'group':'net','object':'eth0','name':'rx','value':7,'unit':'bytes','help':'Received.','label':'device'}" \
		"{'group':'net','object':'eth1','name':'rx','value':8,'unit':'bytes','help':'Received.','label':'device','resets':1,'reset':500}" \
		"{'name':'a','value':1000000,'kind':'bfp_csup','error_ppm':10000,'flags':4}" \
		"{'name':'full','value':9223372036854775807,'flags':1}" \
		"{'name':'over','value':18446744073709551615,'flags':2}" \
		"{'name':'wrapped','value':5,'flags':32,'wraps':1,'wrapped':700}" >s
	"$SCOUNTER" --from s export --otlp >o
	run -0 "$OTLP" <o
	[ "$output" = '10 metrics, 48 points' ] || { echo "$output"; false; }
	[ "$(points scounter_net_rx_bytes <o)" = 'net/eth0/rx/atomic 1700000100000000000 7
net/eth1/rx/atomic 1700000500000000000 8' ]
	# jq has doubles.
	[ "$(points scounter_events <o | sed 's/ 1844674407370955[0-9]*$/ 2^64/')" = 'g/a/bfp_csup 1700000100000000000 1000000
g/full/atomic 1700000100000000000 9223372036854775807
g/over/atomic 1700000100000000000 2^64
g/wrapped/atomic 1700000700000000000 5' ] || { points scounter_events <o; false; }
	[ "$(points scounter_variance <o | grep /a/)" = 'g/a/bfp_csup - 100000000' ]
	[ "$(points scounter_lower_bound <o | grep /a/)" = 'g/a/bfp_csup - 970000' ]
	[ "$(points scounter_upper_bound <o | grep /a/)" = 'g/a/bfp_csup - 1030000' ]
	# What is not known is no point.
	[ "$(points scounter_upper_bound <o | grep -c -e full -e over)" = 0 ]
	[ "$(points scounter_variance <o | grep -c -e full -e over)" = 0 ]
	for state in saturated:full overflowed:over wrapped:wrapped; do
		[ "$(points "scounter_${state%:*}" <o | grep ' 1$')" = "g/${state#*:}/atomic - 1" ]
	done
	jq -e '.resourceMetrics[0].scopeMetrics[0].metrics[] | select(.name == "scounter_net_rx_bytes") |
		.unit == "By" and .description == "Received." and .sum.aggregationTemporality == 2 and
		.sum.isMonotonic and .sum.dataPoints[0].timeUnixNano == "1700001000000000000"' o
	jq -e '[.resourceMetrics[0].resource.attributes[] | {(.key): .value.stringValue}] | add ==
		{"service.name": "scounter", "service.instance.id": "01010101-0101-0101-0101-010101010101"}' o
}

@test "names of any bytes, no counter at all, and a clock that was set back" {
	"$SNAPSHOT" "{'name':'quote\"'}" "{'name':b'\\xff'}" "{'name':'ü 日本','help':b'\\xff\"'}" "{'name':'a_total'}" \
		"{'name':'x','object':'ü','label':'class','unit':'y:z'}" "{'name':'x','object':'o','label':'name'}" \
		"{'group':'1','name':'2','unit':'requests'}" >s
	run -0 bash -c '"$SCOUNTER" --from s export --otlp | '"$OTLP"
	"$SCOUNTER" --from s export --otlp | jq -e '[.. | .unit? // empty] | sort == ["{requests}", "{y:z}"]'
	"$SNAPSHOT" >none
	run -0 bash -c '"$SCOUNTER" --from none export --otlp | '"$OTLP"
	[ "$output" = '0 metrics, 0 points' ]
	"$SNAPSHOT" --time 50 "{'created':100}" >back
	"$SCOUNTER" --from back export --otlp >o
	run -0 "$OTLP" <o
	[ "$(points scounter_events <o)" = 'g/n/atomic - 0' ]
}

@test "a total that was reset has a new start; nothing is reset by an export" {
	"$SNAPSHOT" "{'value':100,'kind':'racing','flags':8}" >one
	"$SNAPSHOT" "{'value':90,'kind':'racing','flags':8}" >dip
	total() { "$SCOUNTER" --from "$1" export --otlp --state state | points scounter_events; }
	[ "$(total one)" = 'g/n/racing 1700000100000000000 100' ]
	[ "$(total dip)" = 'g/n/racing 1700000100000000000 100' ]
	cp one before
	"$SCOUNTER" --from one export --otlp >/dev/null
	cmp one before
}

@test "tables: k series and one of all others" {
	mkdir -p d/topk/events
	cat >d/topk/events/calls <<-'END'
		# design lockfree capacity 5 key_size 8
		# total 1000 evictions 3 dropped 0 floor 20 pending 1 state complete
		# count                              error key
		700                                     0 kfree+0x10/0x20 [mod] "x"
		200                                    12 vfs_read+0x1/0x2
		40                                     20 a
	END
	: >d/topk/events/calls.bin
	export SCOUNTER_DEBUGFS=d SCOUNTER_SYSFS=.
	"$SNAPSHOT" "{'value':7}" >snap
	"$SCOUNTER" --from snap export --otlp --tables 2 >o
	run -0 "$OTLP" <o
	[ "$(points scounter_top <o)" = 'events/calls/kfree+0x10/0x20 [mod] "x" - 700
events/calls/vfs_read+0x1/0x2 - 200
events/calls/true - 100' ] || { points scounter_top <o; false; }
	[ "$(points scounter_top_hits <o)" = 'events/calls - 1000' ]
	[ "$(points scounter_top_unlisted_max <o)" = 'events/calls - 21' ]
	jq -e '[.. | select(.key? == "otel.metric.overflow") | .value] == [{"boolValue": true}]' o
	run -0 bash -c '"$SCOUNTER" --from snap export --otlp | '"$OTLP"
	[[ $output != *top* ]]
}

@test "the rules find what is wrong" {
	"$SNAPSHOT" "{'value':7}" >s
	"$SCOUNTER" --from s export --otlp >good
	wrong() {
		jq "$1" good >bad
		run -1 "$OTLP" <bad
		[[ $output == *"$2"* ]] || { echo "$output"; false; }
	}
	run -0 "$OTLP" <good
	wrong '(.. | .asInt? // empty) |= tonumber' 'asInt is 7'
	wrong '.resource_metrics = .resourceMetrics | del(.resourceMetrics)' 'has no field resource_metrics'
	wrong '(.. | .aggregationTemporality? // empty) = 1' 'no cumulative, monotonic sum'
	wrong '(.. | .aggregationTemporality? // empty) = "CUMULATIVE"' 'aggregationTemporality is'
	wrong '(.. | .timeUnixNano? // empty) = 5' 'timeUnixNano is 5'
	wrong '(.. | .dataPoints? // empty) |= . + .' 'twice'
	wrong '(.. | .startTimeUnixNano? // empty) = "1800000000000000000"' 'ends before it starts'
	sed -E 's/"asDouble": *[0-9.]+/"asDouble": Infinity/' good >bad
	run -1 "$OTLP" <bad
}
