#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scounter events, attach and detach on a folder with the files of scounter_events.ko.
# SCOUNTER is the program.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p e t/events/sched t/events/mine
	: >t/events/enable
	export SCOUNTER_EVENTS=e SCOUNTER_TRACEFS=t SCOUNTER_BTF=/nonexistent
	printf '%s\n' sched:sched_switch sched:sched_waking 'net:rx [dummy]' bare:odd >e/available
	{
		echo '# system:event kind value error lower upper group'
		echo 'sched:sched_switch approx 8000000 1.0000% 7760000 8240000 events'
		echo 'net:rx exact 17 0.0000% 17 17 mine'
	} >e/attached
	echo 'idle 0 0' >e/progress
	for file in systems attach detach error_log; do
		: >e/$file
	done
}

says() {
	[[ $output == *"$1"* ]] || { echo "no '$1' in: $output"; false; }
}

@test "events: all that there is, its module, and what is attached" {
	run -0 "$SCOUNTER" events --tsv
	[ "$output" = $'name\tmodule\tstate\nsched:sched_switch\t\tattached\nsched:sched_waking\t\t-\nnet:rx\tdummy\tattached\nbare:odd\t\t-' ]
	run -0 "$SCOUNTER" events
	[[ ${lines[1]} =~ ^sched:sched_switch\ +-\ +attached$ && ${lines[3]} =~ ^net:rx\ +dummy\ +attached$ ]]
	run -0 "$SCOUNTER" events --tsv 'sched:*' 'n?t:*'
	[ "${#lines[@]}" = 4 ]
	run -1 "$SCOUNTER" events --tsv net:rx net:tx
	says 'no event net:tx'
	says $'net:rx\tdummy'
}

@test "events --attached: value, error and bounds; the most counted" {
	run -0 "$SCOUNTER" events --attached --tsv
	[ "${lines[1]}" = $'sched:sched_switch\tapprox\t8000000\t1.0000%\t7760000\t8240000\tevents' ]
	[ "${lines[2]}" = $'net:rx\texact\t17\t0.0000%\t17\t17\tmine' ]
	echo 'mm:fault exact 18446744073709551615 0.0000% 1 18446744073709551615 events new_column' >>e/attached
	run -0 "$SCOUNTER" events --attached --top 2
	[ "${#lines[@]}" = 3 ]
	[[ ${lines[1]} == mm:fault* && ${lines[2]} == sched:sched_switch* ]]
	run -0 "$SCOUNTER" events --attached --tsv 'net:*'
	[ "${#lines[@]}" = 2 ]
	run -1 "$SCOUNTER" events --attached bare:odd
	says 'no event bare:odd'
	echo 'what is this' >e/attached
	run -1 "$SCOUNTER" events --attached
	says 'a line that cannot be: what is this'
}

@test "attach: the systems of tracefs first, then the line" {
	run -0 "$SCOUNTER" attach 'sched:*' net:rx
	[ -z "$output" ]
	[ "$(sort e/systems)" = $'mine\nsched' ]
	[ "$(cat e/attach)" = 'sched:* net:rx' ]
	: >e/attach
	run -0 "$SCOUNTER" attach --kind exact --group mine '*'
	[ "$(cat e/attach)" = '* kind=exact group=mine' ]
	for error in 5 5%; do
		: >e/attach
		run -0 "$SCOUNTER" attach 'kmem:*' --error $error
		[ "$(cat e/attach)" = 'kmem:* error=5%' ]
	done
	: >e/attach
	run -0 "$SCOUNTER" attach kmem:kmalloc --hist len --sum len --entries 9 --top call_site
	[ "$(cat e/attach)" = 'kmem:kmalloc top=call_site k=9 sum=len hist=len' ]
	run -0 "$SCOUNTER" detach 'sched:*' '*'
	[ "$(cat e/detach)" = 'sched:* *' ]
	# Without tracefs.
	SCOUNTER_TRACEFS=/nonexistent run -0 "$SCOUNTER" events
	# Where it may not be written, as under lockdown.
	rm e/systems
	run -0 "$SCOUNTER" events
	says sched:sched_switch
}

@test "attach and detach: what the kernel would take for something else is wrong usage" {
	for pattern in '' ' ' 'a b' $'a\nb' $'a\tb' kind=exact; do
		run -2 "$SCOUNTER" attach "$pattern"
		run -2 "$SCOUNTER" detach "$pattern"
	done
	run -2 "$SCOUNTER" attach
	run -2 "$SCOUNTER" detach
	run -2 "$SCOUNTER" attach --kind atomic '*'
	run -2 "$SCOUNTER" attach --error '1 group=x' '*'
	run -2 "$SCOUNTER" attach --group 'a b' '*'
	run -2 "$SCOUNTER" attach --group '' '*'
	run -2 "$SCOUNTER" attach --entries 9 '*'
	says '--top FIELD'
	run -2 "$SCOUNTER" attach --top 'a b' '*'
	run -2 "$SCOUNTER" attach --sum '' '*'
	run -2 "$SCOUNTER" detach --kind exact '*'
	run -2 "$SCOUNTER" events --top 3
	[ ! -s e/attach ] && [ ! -s e/detach ]
}

# logged SECONDS REASON LINE BEFORE: an entry whose caret is behind BEFORE in LINE
logged() {
	printf '[%5d.000000] scounter_events: error: %s\n  Command: %s\n%*s^\n' \
		"$1" "$2" "$3" $((11 + ${#4})) ''
}

later() {
	echo $(($(cut -d . -f 1 /proc/uptime) + 1000))
}

@test "a line that is refused: the newest reason, and the word that is wrong" {
	ln -sf /dev/full e/attach
	{
		logged "$(later)" 'What matches is attached already' 'a:b net:none' ''
		logged "$(later)" 'No event matches' 'a:b net:none' 'a:b '
		logged "$(later)" 'Of another line' 'a:b' ''
	} >e/error_log
	run -1 "$SCOUNTER" attach a:b net:none
	[ "$output" = 'scounter: net:none: No event matches' ]
	# A caret within an option.
	logged "$(later)" 'approx has an error of' 'a:b error=3%' 'a:b error=' >e/error_log
	run -1 "$SCOUNTER" attach a:b --error 3
	[ "$output" = 'scounter: error=3%: approx has an error of' ]
	# What was logged before, or of another line, is no reason.
	{
		logged 0 'Long ago' 'a:b' ''
		logged "$(later)" 'Of another line' 'a:c' ''
		echo 'junk ^ [ error: '
		printf '[99999999.000000] scounter_events'
	} >e/error_log
	run -1 "$SCOUNTER" attach a:b
	[ "$output" = 'scounter: attach: No space left on device' ]
}

@test "attach: a signal ends it, and the status says which" {
	rm e/attach
	mkfifo e/attach
	# Nobody reads: it waits, as it does in the kernel.
	for signal in INT:130 TERM:143 HUP:129; do
		run -0 timeout 60 python3 "$BATS_TEST_DIRNAME/interrupt.py" "SIG${signal%:*}" \
			"$SCOUNTER" attach '*'
		says 'interrupted; nothing was attached'
		says "status ${signal#*:}"
	done
}

@test "attach: progress on a terminal only, and Ctrl-C" {
	rm e/attach
	mkfifo e/attach
	echo 'attaching 120 639' >e/progress
	run -0 timeout 60 python3 "$BATS_TEST_DIRNAME/interrupt.py" --keys '120 of 639' "$SCOUNTER" attach '*'
	says 'attaching: 120 of 639'
	says 'interrupted; nothing was attached'
	says 'status 130'
}

@test "the module is not loaded: status 3 and how to load it" {
	for command in events 'events --attached' 'attach *' 'detach *'; do
		# shellcheck disable=SC2086 # words
		set -f
		SCOUNTER_EVENTS=/nonexistent run -3 "$SCOUNTER" $command
		says 'modprobe scounter_events'
	done
}

@test "a file that cannot be opened, read or written is named" {
	rm e/available
	run -1 "$SCOUNTER" events
	says 'e/available: No such file or directory'
	mkdir e/available
	run -1 "$SCOUNTER" events
	says 'e/available: Is a directory'
	[ "$(id -u)" = 0 ] || skip 'only root can be somebody else'
	chmod 0700 e
	chmod 0755 .
	run -1 setpriv --reuid 65534 --clear-groups "$SCOUNTER" attach '*'
	says 'only root may'
}

@test "a full disk and a closed pipe" {
	run -1 bash -c '"$SCOUNTER" events >/dev/full'
	says 'No space left'
	for i in $(seq 20000); do echo "sys:event_$i"; done >e/available
	run -0 bash -c '"$SCOUNTER" events 2>&1 | head -n 1; exit ${PIPESTATUS[0]}'
	[ "${#lines[@]}" = 1 ]
}

called() {
	printf '# missed %s\n# bytes 2097152\n# calls, error, function\n' "${missed:-0}"
	[ $# = 0 ] || printf '%s\n' "$@"
}

@test "functions: the most called, of one name together, with share and error" {
	called '100 0.0000% vfs_write' '3000000 1.0000% dup' '4000000 1.0000% dup' \
		'2999900 1.2000% vfs_read' '7 0.0000% dup [mod]' >e/functions
	run -0 "$SCOUNTER" functions --tsv
	# sqrt(3^2 + 4^2) / 7
	[ "${lines[1]}" = $'dup\t\t7000000\t-\t70.0000%\t0.7143%' ]
	[ "${lines[2]}" = $'vfs_read\t\t2999900\t-\t29.9990%\t1.2000%' ]
	[ "${lines[4]}" = $'dup\tmod\t7\t-\t0.0001%\t0.0000%' ]
	run -0 "$SCOUNTER" functions --top 1
	[ "${#lines[@]}" = 3 ]
	[[ ${lines[1]} =~ ^\ +7000000\ +70.0000%\ +0.7143%\ +dup$ ]]
	[[ ${lines[2]} =~ ^\ +30.0000%\ +\(3\ others\)$ ]]
	# The share is that of all.
	run -0 "$SCOUNTER" functions --tsv 'function:vfs_w*' 'no*'
	[ "${#lines[@]}" = 2 ]
	[ "${lines[1]}" = $'vfs_write\t\t100\t-\t0.0010%\t0.0000%' ]
	run -1 "$SCOUNTER" functions none
	says 'no such function was called'
	missed=12 called '1 0.0000% x' >e/functions
	run -0 --separate-stderr "$SCOUNTER" functions
	[ "$stderr" = 'scounter: 12 calls are in no count' ]
}

@test "functions --rate: what was called meanwhile" {
	rm -f e/functions
	mkfifo e/functions later
	{
		called '1000 0.0000% few' '8192000 1.3000% many' '5 0.0000% still' \
			'8192000 1.0000% anew' >e/functions
		mv later e/functions
		called '1400 0.0000% few' '8193000 1.3000% many' '5 0.0000% still' \
			'2048 1.0000% anew' '20000 1.0000% new' >e/functions
	} &
	run -0 timeout 60 "$SCOUNTER" functions --tsv --rate 0.5
	wait
	cut -f 1 <<<"$output" >names
	[ "$(cat names)" = $'function\nnew\nanew\nmany\nfew' ]
	# 1000 calls, of which one in at most 4001.5 is seen: sqrt(1000 * 4000.5) / 1000
	[[ ${lines[3]} =~ ^many$'\t\t'8193000$'\t'[0-9.]+$'\t'4.264[0-9]%$'\t'200.01[0-9]+%$ ]]
	[[ ${lines[4]} == $'few\t\t1400\t'*$'\t0.0000%' ]]
	# Not more often than in the time that was asked for.
	rate=$(cut -f 4 <<<"${lines[4]}")
	[ "${rate%.*}" -gt 0 ] && [ "${rate%.*}" -le 800 ]
}

@test "functions: what is not attached, not there, or not in order" {
	printf '# missed 0\n# bytes 0\n# calls, error, function\n' >e/functions
	run -1 "$SCOUNTER" functions
	says "no function is attached; to count all: scounter attach 'function:*'"
	called >e/functions
	run -0 "$SCOUNTER" functions
	[ "${#lines[@]}" = 1 ]
	called 'many calls' >e/functions
	run -1 "$SCOUNTER" functions
	says 'a line that cannot be: many calls'
	rm e/functions
	run -1 "$SCOUNTER" functions
	says 'e/functions: No such file'
	SCOUNTER_EVENTS=/nonexistent run -3 "$SCOUNTER" functions
	run -2 "$SCOUNTER" functions --rate 0
	run -2 "$SCOUNTER" functions --rate=x
	run -2 "$SCOUNTER" functions --top 0
}
