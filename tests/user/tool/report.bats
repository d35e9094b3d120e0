#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scounter report and diff: tables on a terminal, and figures.  SCOUNTER is the program.
bats_require_minimum_version 1.5.0

load screen

# 10 seconds of 100 events each, then 10 of 300; 6400 a second in units of 64.
setup_file() {
	python3 - "$BATS_TEST_DIRNAME/snapshot.py" >"$BATS_FILE_TMPDIR/recording" <<-'END'
		import subprocess, sys
		for second in range(21):
		    value = 8000000 + 6400 * second
		    subprocess.run([sys.argv[1], "--time", str(1000 + second)] + [repr(c) for c in (
		        dict(group="net", object="eth0", name="rx", kind="bfp_csup", value=value,
		             error_ppm=10000, flags=4, raw=6 << 28 | value >> 6, unit="packets",
		             help="What <b>came</b> in & went."),
		        dict(group="net", name="steps", value=100 * second + 200 * max(second - 10, 0)),
		        dict(group="fs", name="\"'<&>", value=7),
		        dict(group="fs", name="racing", value=20 * second, kind="racing", flags=8))], check=True)
	END
}

setup() {
	SNAPSHOT=$BATS_TEST_DIRNAME/snapshot.py
	cd "$BATS_TEST_TMPDIR"
	ln -s "$BATS_FILE_TMPDIR/recording" r
	export TZ=UTC
}

teardown() {
	screen_end
}

says() {
	[[ $output == *"$1"* ]] || { echo "no '$1' in: $output"; false; }
}

@test "report and diff: aligned on a terminal, with tabs elsewhere" {
	run -0 "$SCOUNTER" report r net/steps
	[ "${lines[2]}" = $'# name\tbefore\tafter\tevents\tdeviation\trate\tnote\tunit' ]
	[ "${lines[3]}" = $'net/steps\t0\t4000\t4000\t0\t200.0\t\t' ]
	screen_begin 80 24 "$SCOUNTER" report r
	screen_sees 'status 0'
	says '# 21 snapshots
# 20.000 s
NAME          BEFORE    AFTER  EVENTS    +-  RATE/s  NOTE          UNIT'
	grep -Eq "^net/eth0/rx  8000000  8128000  128000  28..  6400\.0 +packets" <<<"$output"
	says 'net/steps          0     4000    4000     0   200.0'
	says 'fs/racing          0      400     400   inf    20.0  LOSES-COUNTS'
	screen_end
	"$SNAPSHOT" --time 1010 "{'group':'of_a_long_name','object':'interface','name':'received','value':18446744073709551615}" >long
	screen_begin 80 24 "$SCOUNTER" diff r long
	screen_sees 'status 0'
	says 'NAME                                       EVENTS  +-               RATE/s  NOTE'
	says 'of_a_long_nam…face/received  18446744073709551615'
	grep -Eq '^net/steps +gone' <<<"$output"
	screen_end
	screen_begin 80 24 "$SCOUNTER" diff --tsv r r net/steps
	screen_sees 'status 0' '^# name'
}

# Tags that are open at the end, what is loaded, and what is wrong.
page() {
	python3 - "$1" <<-'END'
		import html.parser, re, sys
		class Page(html.parser.HTMLParser):
		    open, panels, text, section, paths = [], [], "", None, {}
		    def handle_starttag(self, tag, attributes):
		        a = dict(attributes)
		        for name, value in attributes:
		            assert not name.startswith("on") and name != "src", (tag, name)
		            assert name != "href" or value.startswith("#"), value
		        assert tag not in ("script", "link", "iframe", "img", "object"), tag
		        if tag == "section":
		            self.section = a["id"]
		            self.panels.append(a["id"])
		        if tag == "path":
		            self.paths[self.section, a["class"]] = a["d"]
		        if tag not in ("meta", "line", "path"):
		            self.open.append(tag)
		    def handle_endtag(self, tag):
		        assert self.open.pop() == tag, tag
		    def handle_startendtag(self, tag, attributes):
		        if tag == "path":
		            self.handle_starttag(tag, attributes)
		    def handle_data(self, data):
		        self.text += data
		source = open(sys.argv[1]).read()
		assert source.startswith("<!DOCTYPE html>")
		assert not re.search(r"https?:|//|url\(|@import", source), "it loads something"
		page = Page()
		page.feed(source)
		assert not page.open, page.open
		print(len(page.panels), "panels")
		for (section, kind), d in page.paths.items():
		    print(section, kind, d)
		print(page.text)
	END
}

@test "report --html: a page of its own, with a panel for each counter" {
	run -0 "$SCOUNTER" report --html page.html r
	[ -z "$output" ]
	run -0 page page.html
	says '4 panels'
	says '2023-11-14 22:30:00 UTC to 2023-11-14 22:30:20 UTC: 21 snapshots of 4 counters.'
	says "fs/\"'<&>"
	says 'What <b>came</b> in & went.'
	for text in packets/s LOSES-COUNTS 22:30:05 22:30:20; do
		says "$text"
	done
	# fs: the quotes, racing; net/steps, net/eth0/rx.  From 56 to 708 in 20 s; the largest rate
	# is at 8 + 120 / 21, and a third of it at 88.0.
	says 'c2 line M56.0 89.9H88.6V89.9H121.2'
	says 'V89.9H382.0V13.7H414.6'
	says 'c1 unknown M56.0 13.7H88.6'
	says $'c1 line \n'
	says $'c2 band \n'
	# The bar falls to a tenth after about 10 s: at most two pieces, and bands around them.
	band=$(sed -n 's/^c3 band //p' <<<"$output")
	[ "$(grep -o M <<<"$band" | wc -l)" = 2 ]
	[[ $band == M56.0* ]]
	# The line is in the middle of it.
	[[ $band =~ ^'M56.0 '([0-9.]+)H[0-9.]+V([0-9.]+) ]]
	line=$(sed -n 's/^c3 line M56.0 \([0-9.]*\)H.*/\1/p' <<<"$output")
	awk "BEGIN { off = ${BASH_REMATCH[1]} + ${BASH_REMATCH[2]} - 2 * $line
		exit !(${BASH_REMATCH[1]} < $line - 5 && off < 0.3 && off > -0.3) }"
	# Some of it.
	run -1 "$SCOUNTER" report --html some.html r net/steps net/none
	says 'no counter net/none'
	run -0 page some.html
	says '1 panels'
}

@test "report --html: a reset begins anew, and a counter may go" {
	{
		"$SNAPSHOT" --time 1000 "{'value':1000}" "{'name':'gone'}"
		"$SNAPSHOT" --time 1010 "{'value':2000}" "{'name':'gone','value':5}"
		"$SNAPSHOT" --time 1020 "{'value':300,'resets':1,'reset':1017}" "{'name':'later','value':4}"
	} >reset
	"$SCOUNTER" report --html page.html reset
	run -0 page page.html
	says '3 panels'
	# 100 a second for ten seconds; 100 in the last three.
	says 'c2 line M56.0 13.7H382.0M610.2 13.7H708.0'
	says gone
}

@test "report --html: what cannot be drawn leaves nothing" {
	run -1 "$SCOUNTER" report --html /nonexistent/page.html r
	[ "$output" = 'scounter: /nonexistent/page.html: No such file or directory' ]
	head -c 3000 r >damaged
	run -1 "$SCOUNTER" report --html page.html damaged
	says truncated
	run -2 "$SCOUNTER" report --html page.html - <r
	says 'wants a file'
	run -1 "$SCOUNTER" report --html page.html r net/none
	says 'r: nothing to draw'
	for other in --csv --tsv '--gnuplot x.png'; do
		# shellcheck disable=SC2086 # an option and its value
		run -2 "$SCOUNTER" report --html page.html $other r
		[ "$output" = 'scounter: report wants one of --csv, --tsv, --html and --gnuplot; see scounter report --help' ]
	done
	[ ! -e page.html ]
}

@test "report --html: a browser shows it, where there is one" {
	command -v chromium >/dev/null || skip 'chromium is not installed'
	"$SCOUNTER" report --html page.html r
	timeout 60 chromium --headless --no-sandbox --disable-gpu --window-size=1000,1000 \
		--screenshot="$PWD/page.png" "file://$PWD/page.html"
	[ "$(head -c 4 page.png | tail -c 3)" = PNG ]
}

@test "report --gnuplot: a panel of rates for each counter" {
	mkdir bin
	printf '#!/bin/sh\nexec tee commands | %s "$@"\n' "$(command -v gnuplot)" >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH run -0 "$SCOUNTER" report --gnuplot picture.png r
	[ -z "$output" ]
	[ "$(head -c 4 picture.png | tail -c 3)" = PNG ]
	[ "$(grep -c '^plot' commands)" = 4 ]
	grep -q '^set multiplot layout 2,2' commands
	grep -q "^set title 'net/eth0/rx (packets/s)'" commands
	grep -q "^set title 'fs/\"''<&> (events/s)'" commands
	# Time, rate and its bounds; racing has none.
	grep -q '^1700001011.000000 300 300 300$' commands
	grep -q '^1700001010.000000 6400 [56]...\(\.[0-9]*\)* [67]...\(\.[0-9]*\)*$' commands ||
		{ cat commands; false; }
	"$SNAPSHOT" --many 201 >many
	run -1 "$SCOUNTER" report --gnuplot many.png many
	says 'many.png: 201 counters do not fit, at most 200 do; name some, or take --html'
	[ ! -e many.png ]
}
