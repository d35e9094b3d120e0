#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scounter watch: what a terminal shows.  SCOUNTER is the program.
bats_require_minimum_version 1.5.0

load screen

# A bfp word at exponent 6 that counts 6400 events a second, for 40 seconds: the square of
# the bar's share of D events is 9 * 64 / D, at least.
setup_file() {
	python3 - "$BATS_TEST_DIRNAME/snapshot.py" >"$BATS_FILE_TMPDIR/recording" <<-'END'
		import subprocess, sys
		for second in range(41):
		    value = 8000000 + 6400 * second
		    subprocess.run([sys.argv[1], "--time", str(1000 + second)] + [repr(c) for c in (
		        dict(group="net", object="eth0", name="rx", kind="bfp_csup", value=value,
		             error_ppm=10000, flags=4, raw=6 << 28 | value >> 6, unit="packets", help="What came in."),
		        dict(group="net", name="exact_one", value=12345678 + 1500 * second),
		        dict(group="net", name="full", value=2**63 - 1, flags=1),
		        dict(group="fs", name="idle", value=7),
		        dict(group="fs", name="racing", value=20 * second, kind="racing", flags=8))], check=True)
	END
}

setup() {
	SNAPSHOT=$BATS_TEST_DIRNAME/snapshot.py
	cd "$BATS_TEST_TMPDIR"
	ln -s "$BATS_FILE_TMPDIR/recording" r
}

teardown() {
	screen_end
}

says() {
	[[ $output == *"$1"* ]] || { echo "no '$1' in: $output"; false; }
}

# rate NAME: its rate, bar and seconds in the last table of a batch
rate() {
	awk -F '\t' -v name="$1" '$1 == name { last = $3 " " $4 " " $7 } END { print last }' <<<"$output"
}

@test "watch: a rate is over as long as is needed for a bar of a tenth" {
	run -0 "$SCOUNTER" --from r watch --batch --count 1
	[ "${lines[1]}" = $'# name\tvalue\trate\terror_bar\tstate\tunit\tseconds\tkind' ]
	[ "$(rate net/exact_one)" = '1500.0 0.0 1.000' ]
	[ "$(rate net/full)" = '0.0 inf 1.000' ]
	# In a second, the bar is 3 sqrt(6400 * 64) = 1920 and some more.
	read -r rate bar seconds <<<"$(rate net/eth0/rx)"
	[ "$rate" = 6400.0 ] && [ "$seconds" = 1.000 ]
	[ "${bar%.*}" -gt 1700 ]
	# 9 s and some more are needed.
	run -0 "$SCOUNTER" --from r watch --batch
	read -r rate bar seconds <<<"$(rate net/eth0/rx)"
	[ "$rate" = 6400.0 ]
	[ "${bar%.*}" -le 640 ]
	[ "${seconds%.*}" -ge 9 ] && [ "${seconds%.*}" -le 15 ]
	[ "$(rate net/exact_one)" = '1500.0 0.0 1.000' ]
	# A table for each interval.
	[ "$(grep -c '^# name' <<<"$output")" = 40 ]
}

@test "watch: a counter that was reset begins its rate anew" {
	{
		"$SNAPSHOT" --time 1000 "{'kind':'bfp_csup','value':8000000,'error_ppm':10000,'flags':4,'raw':0x6001e848}"
		"$SNAPSHOT" --time 1001 "{'kind':'bfp_csup','value':8006400,'error_ppm':10000,'flags':4,'raw':0x6001e8ac}"
		"$SNAPSHOT" --time 1005 "{'kind':'bfp_csup','value':300,'raw':300,'resets':1,'reset':1003}"
	} >reset
	run -0 "$SCOUNTER" --from reset watch --batch
	[ "$(rate g/n)" = '150.0 0.0 2.000' ]
	# Nor does a rate that needs longer reach back beyond that.
	{
		"$SNAPSHOT" --time 1000 "{'kind':'bfp_csup','value':9000000,'error_ppm':10000,'flags':4,'raw':0x60022551}"
		"$SNAPSHOT" --time 1005 "{'kind':'bfp_csup','value':8000000,'error_ppm':10000,'flags':4,'raw':0x6001e848,'resets':1,'reset':1003}"
		"$SNAPSHOT" --time 1006 "{'kind':'bfp_csup','value':8006400,'error_ppm':10000,'flags':4,'raw':0x6001e8ac,'resets':1,'reset':1003}"
	} >later
	run -0 "$SCOUNTER" --from later watch --batch
	[[ $(rate g/n) == '6400.0 '*' 1.000' ]]
}

@test "watch at 80x24: every column, in three digits, and the end stays" {
	screen_begin 80 24 "$SCOUNTER" --from r watch --interval 0.02
	screen_sees '^scounter  [0-9:]+ END  every 0.02 s  5 counters  by rate  [?] keys'
	says 'NAME          KIND     VALUE RATE/s    +- OVER LAST 20s   STATE        UNIT'
	grep -Eq '^net/eth0/rx +bfp_csup 8\.26M  6\.40k  (8|9|10)\.?[0-9]*%  1[0-9]s ██████████ sampling     packets$' <<<"$output"
	grep -Eq '^net/exact_one +atomic   12\.4M  1\.50k +0   1s █+ exact' <<<"$output"
	grep -Eq '^net/full +atomic   9\.22E +0 +[?] +1s _+ saturated' <<<"$output"
	grep -Eq '^fs/racing +racing +800 +20 +[?] +1s █+ LOSES-COUNTS' <<<"$output"
	[ "$(sed -n '3s/ .*//p' <<<"$output")" = net/eth0/rx ]
	screen_keys q
	screen_sees '^status 0'
}

@test "watch at 200x50: names, kinds, units and help texts are whole" {
	screen_begin 200 50 "$SCOUNTER" --from r watch --interval 0.02
	screen_sees END
	says 'LAST 20s              STATE         UNIT     HELP'
	grep -Eq '^net/eth0/rx  +bfp_csup  .* ████████████████████  sampling      packets  What came in\.' <<<"$output"
	says LOSES-COUNTS
}

@test "watch: keys for digits, order, filter, pause and help" {
	screen_begin 80 24 "$SCOUNTER" --from r watch --interval 0.02 --raw
	screen_sees END
	grep -Eq '^net/exact_one .* 12405678 +1500\.0 +0\.0' <<<"$output"
	grep -Eq '^net/full .* 9223372036854775807 +0\.0' <<<"$output"
	screen_keys r
	screen_sees '^net/exact_one .* 12\.4M'
	screen_keys N
	screen_sees 'by name'
	[ "$(sed -n '3s/ .*//p' <<<"$output")" = fs/idle ]
	screen_keys V
	screen_sees 'by value'
	[ "$(sed -n '3s/ .*//p' <<<"$output")" = net/full ]
	screen_keys s
	screen_sees 'by name'
	screen_keys / r x q
	screen_sees '0 with /rxq_ of 5 counters' 'No name has this; Esc shows all'
	screen_keys BSpace Enter
	screen_sees '1 with /rx of 5 counters'
	[ "$(sed -n '3,$p' <<<"$output" | grep -c .)" = 1 ]
	screen_keys / BSpace BSpace '*/i' '*' Enter
	screen_sees '1 with /[*]/i[*] of 5' '^fs/idle'
	screen_keys Escape
	screen_sees '^scounter [^/]* 5 counters'
	screen_keys '?'
	screen_sees '^space pause' '^R V N by rate'
	screen_keys x
	screen_sees '^fs/idle'
	screen_keys q
	screen_sees '^status 0'
}

@test "watch: space stops the tables, and lets them go on" {
	screen_begin 80 24 "$SCOUNTER" --from r watch --interval 30
	screen_sees '^fs/racing +racing +0 +-'
	screen_keys Space
	screen_sees PAUSED
	# Time passes after that, and the next table comes at once.
	screen_keys Space
	screen_sees '^fs/racing +racing +20 +20'
}

@test "watch: what is full or loses counts is red, where colours are" {
	screen_begin 80 24 "$SCOUNTER" --from r watch --interval 0.02
	screen_sees END
	screen_tmux capture-pane -e -p -t screen >coloured
	grep -q $'\e\\[31mnet/full' coloured
	grep -q $'\e\\[31mfs/racing' coloured
	run -1 grep -q $'\e\\[[0-9;]*3[0-9]mnet/exact' coloured
	screen_end
	screen_begin 80 24 env NO_COLOR=1 "$SCOUNTER" --from r watch --interval 0.02
	screen_sees END
	screen_tmux capture-pane -e -p -t screen >plain
	run -1 grep -q $'\e\\[3[1-7]m' plain
}

@test "watch: a locale without blocks has other marks" {
	screen_begin 80 24 env LC_ALL=C "$SCOUNTER" --from r watch --interval 0.02
	screen_sees END '^net/exact_one .* @@@@@@@+ exact'
	grep -Eq '^fs/idle .* _+ exact' <<<"$output"
}

@test "watch: what was asked for; the kind of it where there is room" {
	for second in 1000 1001; do
		"$SNAPSHOT" --time $second "{'kind':'approx:bfp_csup','value':$second,'raw':$second}"
	done >chosen
	for columns in '80 approx 1.00k' '200 approx:bfp_csup  '; do
		screen_begin "${columns%% *}" 24 "$SCOUNTER" --from chosen watch --interval 0.02
		screen_sees END
		says "${columns#* }"
		screen_end
	done
}

@test "watch --plain: the tables of the screen, one after the other" {
	LC_ALL=C.UTF-8 run -0 "$SCOUNTER" --from r watch --plain --count 2
	[ "${#lines[@]}" = 14 ]
	[[ ${lines[0]} =~ ^'scounter  '[0-9:]+'  every 1 s  5 counters  by rate'$ ]]
	[[ ${lines[1]} == 'NAME '*' KIND '*' VALUE RATE/s '*STATE* ]]
	[[ ${lines[3]} =~ ^net/exact_one' '+atomic' '+12\.3M' '+1\.50k' '+0' '+1s ]]
}
