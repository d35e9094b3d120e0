#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# N counters with a name, in snapshots only, are made, listed and destroyed.  In a guest
# whose clock counts instructions (lane icount): for how long are interrupts off
# meanwhile, and preemption?  In another, where latencies are the host's as well: is all
# done, and in how many milliseconds?  Writes TAP to file descriptor 3, with the figures.
# Usage: million.sh N [full | voluntary]	how the kernel is preempted, default full;
#					else no more is judged than interrupts
# shellcheck source-path=SCRIPTDIR disable=SC2317,SC2086

n=$1 preempt=${2:-full}
result=0
D=/sys/kernel/debug/scounter
L=/sys/kernel/debug/scounter_latency
MOST=1000000	# ns: 1 ms
cd /payload || exit 1
. ./tap.sh

# value WORD: the greatest of all CPUs, as the tracer says
value() {
	awk -v word="$1" '$1 == word && $2 >= most { most = $2 } END { print most + 0 }' $L
}

now() {
	if [ -e $L ]; then
		value now
	else
		awk '{ printf "%d", $1 * 1000 }' /proc/uptime
		echo 000000
	fi
}

# spent COMMAND...: sets $spent to the nanoseconds that it takes
spent() {
	begin=$(now)
	"$@" || return 1
	spent=$(($(now) - begin))
}

many() {
	insmod scounter_many.ko hide=3 "$@"
}

made_ns() {
	cat /sys/module/scounter_many/parameters/made_ns
}

# figures WHAT: the longest latencies since the last call, and the milliseconds
figures() {
	if [ ! -e $L ]; then
		printf '# %-28s %49d\n' "$1" $((spent / 1000000)) >&3
		return
	fi
	set -- "$1" "$(value irq)" "$(value irq-module)" "$(value task)" \
		"$(value task-module)" $((spent / 1000000))
	cat $L
	printf '# %-28s %9d %9d %9d %9d %9d\n' "$@" >&3
	[ "$3" -lt $MOST ] || return 1
	[ "$preempt" != full ] || [ "$5" -lt $MOST ]
}

# stage WHAT COMMAND...: it is done, without a latency of MOST that has scounter in its
# stack
stage() {
	what=$1
	shift
	sleep 1
	[ ! -e $L ] || echo >$L
	spent "$@" && figures "$what"
	judge "$what"
}

# The tracer is not blind: what is held for 2 ms it sees, and where.
the_tracer_sees() {
	echo >$L
	echo "$1 2000" >$L
	[ "$(value "$1")" -gt 1800000 ] && grep -q "hold_$2.*scounter_latency" $L
}

twice() {
	insmod scounter_idle.ko && rmmod scounter_idle &&
		insmod scounter_idle.ko && rmmod scounter_idle
}

# Beside a thousand counters; then beside n.
prepare() {
	insmod scounter.ko && echo "$preempt" >/sys/kernel/debug/sched/preempt || return 1
	if [ "$LANE" = icount ]; then
		insmod scounter_latency.ko text="$(cat /sys/module/scounter/sections/.text)" \
			size="$(awk '$1 == "scounter" { print $2 }' /proc/modules)" || return 1
	fi
	many n=1000 && few_made=$(made_ns) && twice && spent twice && few_beside=$spent &&
		rmmod scounter_many && sleep 1
}

# As much memory as a snapshot has, and no counter: what the kernel itself takes.
program() {
	dd if=/dev/zero of=/dev/null bs=$((n * 256)) count=1
}

# In a guest of several CPUs, several at once.
read_snapshots() {
	for _ in $(seq 2 "$CPUS"); do
		cat /dev/scounter >/dev/null || echo failed >/tmp/failed &
	done
	cat /dev/scounter >/dev/null && wait && [ ! -e /tmp/failed ]
}

read_and_destroy() {
	read_snapshots &
	rmmod scounter_many && wait $! && [ ! -e /tmp/failed ]
}

list_from_file() {
	./scounter --from /tmp/snapshot list | tail -n 1
	rm /tmp/snapshot
}

list() {
	[ "$(./scounter list | grep -c '^scounter_many/many')" = "$n" ]
}

# compare WHAT FEW MANY: under a clock that counts instructions, within 1.5 times
compare() {
	printf '# %-28s %9d %9d\n' "$@" >&3
	[ "$LANE" != icount ] || [ $((2 * $3)) -le $((3 * $2)) ]
}

is_flat() {
	compare 'ns a counter of 1000, of all' $((few_made / 1000)) $(($(made_ns) / n))
}

is_independent() {
	spent twice && compare 'ns of 2 other modules' "$few_beside" "$spent"
}

# For the readers there is nothing among n groups.
all_hidden() {
	insmod scounter_many.ko n="$n" hide=7 apart=1 && cat /dev/scounter >/dev/null &&
		cp $D/counters /dev/null && rmmod scounter_many
}

left_behind() {
	many n="$n" forget=1 && rmmod scounter_many &&
		dmesg | grep -q 'scounter_many left [0-9]* more behind'
}

# judged WHAT COMMAND...
judged() {
	what=$1
	shift
	"$@"
	judge "$what"
}

all() {
	judged 'the modules load' prepare
	if [ -e $L ]; then
		judged 'the tracer sees interrupts that are off' the_tracer_sees irq interrupts
		judged 'the tracer sees preemption that is off' the_tracer_sees task task
	fi
	printf '# %-28s %9s %9s %9s %9s %9s\n' 'ns at most' irq scounter task scounter ms >&3
	stage 'no counter, a large program' program
	stage 'made' many n="$n"
	judged 'one costs no more than 1.5 times one of a thousand' is_flat
	stage 'other modules come and go' twice
	judged 'another module comes and goes as beside a thousand' is_independent
	stage 'snapshots are read' read_snapshots
	stage 'a snapshot is written down' cp /dev/scounter /tmp/snapshot
	stage 'listed' list
	stage 'the table is read' cp $D/counters /dev/null
	stage 'read and destroyed' read_and_destroy
	stage 'no counter, listed of a file' list_from_file
	stage 'left behind by a module' left_behind
	stage 'hidden, each in its group' all_hidden
	[ ! -e $L ] || rmmod scounter_latency
	judged 'the module goes' rmmod scounter
}

: >/tmp/said
[ "$LANE" = icount ] && echo 1..17 >&3 || echo 1..15 >&3
all >/dev/console 2>&1
exit $result
