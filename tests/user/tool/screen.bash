# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Commands on a terminal, for tests: tmux is one that can be asked for what it shows.

# A server of its own for each: one that is ending takes no session.
screens=0

screen_tmux() {
	tmux -S "$BATS_TEST_TMPDIR/tmux$screens" -f /dev/null -u "$@"
}

# screen_begin COLUMNS LINES COMMAND...; after it, the screen has its exit status
screen_begin() {
	local columns=$1 lines=$2

	shift 2
	screens=$((screens + 1))
	printf '%q ' "$@" >screen-command
	# shellcheck disable=SC2016 # the shell in the terminal
	LC_ALL=C.UTF-8 screen_tmux new-session -d -s screen -x "$columns" -y "$lines" \
		'bash -c '\''. ./screen-command; echo "status $?"; exec sleep 600'\'
}

screen_keys() {
	screen_tmux send-keys -t screen "$@"
}

screen_end() {
	screen_tmux kill-server 2>/dev/null || true
}

# screen_sees REGEX...: each in turn, within a minute; the screen is in $output
screen_sees() {
	local regex tries

	for regex in "$@"; do
		for ((tries = 0; tries < 600; tries++)); do
			output=$(screen_tmux capture-pane -p -t screen)
			! grep -Eq -- "$regex" <<<"$output" || continue 2
			sleep 0.1
		done
		echo "no '$regex' in: $output"
		return 1
	done
}
