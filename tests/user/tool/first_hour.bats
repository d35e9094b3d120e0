#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The commands that Documentation/operator.rst begins with, on a terminal of 80x24.
# SCOUNTER is the program.
bats_require_minimum_version 1.5.0

load screen

setup() {
	PAGE=$BATS_TEST_DIRNAME/../../../Documentation/operator.rst
	cd "$BATS_TEST_TMPDIR"
	mkdir -p bin d/topk/scounter_kmalloc_top d/arrays/scounter_sizes
	ln -s "$SCOUNTER" bin/scounter
	for second in 0 1 2; do
		"$BATS_TEST_DIRNAME/snapshot.py" --time $((1000 + second)) \
			"{'group':'net','object':'eth0','name':'rx_packets','kind':'approx:bfp_csup','value':$((8000000 + 64000 * second)),'error_ppm':10000,'flags':4,'raw':$(((6 << 28) + 125000 + 1000 * second)),'unit':'packets','help':'Packets that were received.','label':'device'}" \
			"{'group':'net','name':'rx_errors','kind':'exact:multiline_adapt','value':$((5 * second))}" \
			"{'group':'a_module_of_a_long_name','object':'and_an_object_of_one','name':'a_counter_of_one','value':18446744073709551615,'flags':2}"
	done >day.snap
	head -c $(($(stat -c %s day.snap) / 3)) day.snap >before.snap
	tail -c $(($(stat -c %s day.snap) / 3)) day.snap >after.snap
	"$BATS_TEST_DIRNAME/fleet.py" array 5 0 255 7 7 >d/arrays/scounter_sizes/all
	{
		echo '# design lockfree capacity 100 key_size 8'
		echo '# total 1000 evictions 7 dropped 0 floor 5 pending 0 state complete'
		echo '600 0 a_function_of_a_long_name_that_allocates_memory+0x123/0x4567 [a_module_of_a_long_name]'
	} >d/topk/scounter_kmalloc_top/calls
}

teardown() {
	screen_end
}

# Those of the first block.
commands() {
	awk '/^The command ``scounter`` reads/ { inside = 1 }
		inside && /^    scounter / { found = 1; sub(/^ */, ""); print; next }
		found && !/^    / && !/^$/ { exit }' "$PAGE"
}

# shown COMMAND: on the screen until it is done, with lines as they were before a terminal
# of 80 columns broke them
shown() {
	screen_begin 80 24 env "PATH=$PWD/bin:$PATH" SCOUNTER_DEBUGFS=d SCOUNTER_SYSFS=d \
		bash -c "$1"
	[[ $1 != *watch* ]] || { screen_sees '[?] keys'; screen_keys q; }
	screen_sees '^status'
	output=$(screen_tmux capture-pane -p -J -S - -t screen)
	screen_end
}

@test "the first commands of operator.rst work at 80x24" {
	commands >commands
	[ "$(wc -l <commands)" -ge 10 ]
	# Not the file that record appends to.
	cp day.snap device.snap
	export SCOUNTER_FROM=device.snap
	while read -r command <&3; do
		case $command in
		# What is in no recording.
		*' topk '* | *' array '*) unset SCOUNTER_FROM ;;
		*' record '*) command+=' --count 1' ;;
		esac
		shown "$command"
		grep -q '^status 0$' <<<"$output" || { echo "$command: $output"; false; }
		# What programs read is as long as it is.
		[[ $command == *export* ]] ||
			LC_ALL=C.UTF-8 awk -v command="$command" '
				{ gsub(/[\200-\277]/, "") }
				length > 80 { print command ": " $0; exit 1 }' <<<"$output"
		grep -q '[^ ]' <<<"${output%%status*}" || [[ $command == *report*html* ]] ||
			[[ $command == *watch* ]] || { echo "$command says nothing"; false; }
	done 3<commands
	[ -s day.html ]
}
