# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The judge: was this run of a guest good? It looks at two files only, what
# came through the verdict channel and what the kernel said on its console.
# Nothing passes by default: the exit line must be there, so must each test
# line that the plan announces, and the console must be free of complaints.
# To source, after lib.sh.

# What a kernel prints when something is wrong with it.
FAULTS=(
	'WARNING:' 'BUG:' 'Oops' 'Kernel panic' 'Call Trace:'
	'general protection fault' 'Unable to handle kernel'
	'unable to handle kernel' 'kernel BUG at' 'invalid opcode:'
	'divide error:' 'double fault:' 'stack segment:'
	'KASAN:' 'KCSAN:' 'KFENCE:' 'KMSAN:' 'UBSAN'
	'possible circular locking' 'possible recursive locking'
	'inconsistent lock state' 'inconsistent \{.*\} usage'
	'lock held when returning to user space' 'bad unlock balance'
	'irq lock inversion' 'possible irq lock inversion'
	'suspicious RCU usage' 'Invalid wait context' 'locks held by'
	'INFO: rcu' 'INFO: trying to register non-static key'
	'INFO: task .* blocked for more than' 'hung task'
	'soft lockup' 'hard LOCKUP' 'workqueue lockup'
	'unreferenced object'
	'sleeping function called from invalid context'
	'scheduling while atomic' 'using .* in preemptible'
	'DEBUG_LOCKS_WARN_ON' 'ODEBUG:' 'refcount_t:'
	'list_add corruption' 'list_del corruption' 'corrupted list'
	'Bad page state' 'Bad rss-counter' 'Objects remaining in'
	'Slab cache still has objects' 'Poison overwritten'
	'Object already free' 'Redzone overwritten' 'Out of memory:'
	'page allocation failure' 'percpu: allocation failed'
	'unbalanced .*enable' 'Segfault with no mm' 'stack-protector:'
)

# A log without the heads of reports of data races in which no stack passes a
# module of ours: there the kernel races with itself.
without_foreign_races()
{
	awk '
	/BUG: KCSAN:/ { race = $0; ours = 0; next }
	race && /\[scounter/ { ours = 1 }
	race && /====================/ {
		if (ours)
			print race
		race = ""
	}
	{ print }
	END {
		if (race)
			print race
	}'
}

# A log without the warning of tracing that it has no memory for the fields of a
# module's events.  failing_load takes that memory away: the fault is no other's.
without_failed_fields()
{
	awk '
	/WARNING: .*event_define_fields.*failing_load/ { foreign = 1; next }
	/\[ end trace / { foreign = 0 }
	foreign && /Call Trace:/ { foreign = 0; next }
	{ print }'
}

# Print the lines of a console log that tell of a fault.
console_faults()
{
	local IFS='|'

	tr -d '\0' < "$1" | without_foreign_races | without_failed_fields | grep -aE -- "${FAULTS[*]}"
}

# Judge a verdict channel as TAP: print "passed failed skipped", and after them
# a line for each thing that is wrong.
judge_tap()
{
	awk '
	function wrong(text) { complaints = complaints text "\n" }
	{ sub(/\r$/, "") }
	/^1\.\.[0-9]+/ {
		if (planned++)
			wrong("a second plan: " $0)
		else
			plan = substr($1, 4) + 0
	}
	/^(not )?ok( |$)/ {
		bad = $1 == "not"
		number = bad ? $3 : $2
		seen++
		if (number != seen "") {
			wrong("test line " seen " is numbered \"" number "\"")
			odd++
		} else if (bad) {
			wrong($0)
			failed++
		} else if (toupper($0) ~ /# SKIP/) {
			skipped++
		} else {
			passed++
		}
	}
	/^Bail out!/ { wrong($0) }
	END {
		failed += odd
		if (!planned) {
			wrong("no plan (1..N) came")
		} else if (!plan) {
			wrong("the plan is of no test")
		} else if (seen != plan) {
			wrong("the plan says " plan " tests, " seen + 0 \
				" test lines came")
			failed += plan > seen ? plan - seen : seen - plan
		}
		print passed + 0, failed + 0, skipped + 0
		printf "%s", complaints
	}' "$1"
}

# The status after "#EXIT" in the channel's last line; nothing when it is not
# there.
exit_line()
{
	tail -n 1 "$1" | tr -d '\r' | sed -n 's/^#EXIT \([0-9]\{1,\}\)$/\1/p'
}

# Did the kernel's log reach the console until the script's end? A console that
# was silenced would hide all faults.
console_complete()
{
	grep -qaF -- "$END_MARK" "$1"
}

# judge VERDICT CONSOLE TAP LATE: TAP and LATE are empty for no. Say
# on stderr all that is wrong, print the count of tests on stdout when TAP is
# wanted, return the exit status that "run --help" lists.
judge()
{
	local verdict=$1 console=$2 tap=$3 late=$4
	local status=$PASS others=0 passed failed skipped complaints faults code

	if [[ $tap ]]; then
		{
			read -r passed failed skipped
			complaints=$(cat)
		} < <(judge_tap "$verdict")
		if [[ $complaints ]]; then
			say "tests: $complaints"
			status=$TAP_FAILED
		fi
	fi
	code=$(exit_line "$verdict")
	if [[ ! $code && ! $late ]]; then
		say "no verdict: the guest ended before its script did"
		status=$NO_VERDICT
		((++others))
	elif [[ $code && $code != 0 ]]; then
		say "the script ended with status $code"
		status=$SCRIPT_FAILED
		((++others))
	fi
	if [[ $code ]] && ! console_complete "$console"; then
		say "the kernel's console fell silent before the script's end"
		status=$NO_VERDICT
		((++others))
	fi
	if faults=$(console_faults "$console"); then
		say "the kernel complained:"$'\n'"$faults"
		status=$KERNEL_FAULT
		((++others))
	fi
	if [[ $late ]]; then
		say "time-out: the guest was killed"
		status=$TIMED_OUT
		((++others))
	fi
	[[ ! $tap ]] || print_count "$passed" "$failed" "$skipped" \
		"$others" "$status"
	return "$status"
}

# "N passed, M failed, K skipped". What is wrong beside the test lines counts
# as one failure each, so that M is 0 only when all is well.
print_count()
{
	local failed=$(($2 + $4))

	((failed || $5 == PASS)) || failed=1
	printf '%d passed, %d failed' "$1" "$failed"
	(($3 == 0)) || printf ', %d skipped' "$3"
	printf '\n'
}
