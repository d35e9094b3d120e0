#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The guest's half of run: what counts raw_syscalls:sys_enter, or one function, and what
# that costs.  A line each, with tabs: what; nanoseconds of a call, as `hits` has them; KiB
# of the kernel's memory; calls counted beyond those that were made.
# Usage: guest.sh N WHAT...		N calls on each CPU
#        guest.sh late			what is said of a late key

cd /payload || exit 1
PATH=/payload:$PATH
T=/sys/kernel/tracing
E=/sys/kernel/debug/scounter_events
EVENT=raw_syscalls/sys_enter
CALL=110
# Of several names for its address, the one that ftrace has.
FUNCTION=$(grep -m 1 '_sys_getppid$' $T/available_filter_functions)
N=$1
[ "$N" = late ] || shift

# shellcheck source=tests/guest/events/late.sh
. ./late.sh

# foreign PROGRAM ARGUMENT...: of the host, with its libraries
foreign() {
	program=$1
	shift
	exec lib/ld-linux-x86-64.so.2 --library-path lib "./$program" "$@"
}

in_use() {
	echo 3 >/proc/sys/vm/drop_caches
	sleep 1
	awk '/^(Slab|VmallocUsed|Percpu):/ { sum += $2 } END { print sum }' /proc/meminfo
}

wait_for() {
	until "$@" >/dev/null 2>&1; do
		sleep 0.1
	done
}

# perf_events N: the process that counts has so many of them open
perf_events() {
	[ "$(readlink "/proc/$process/fd/"* | grep -c perf_event)" -ge "$1" ]
}

attach() {
	echo "$*" >$E/attach
}

let_go() {
	echo '*' >$E/detach
}

nothing_begin() { :; }
nothing_end() { :; }
nothing_read() { echo -; }

approx_begin() { attach raw_syscalls:sys_enter; }
approx_end() { let_go; }
approx_read() { awk '$1 == "raw_syscalls:sys_enter" { print $3 }' $E/attached; }

exact_begin() { attach raw_syscalls:sys_enter kind=exact; }
exact_end() { let_go; }
exact_read() { approx_read; }

# Of 100 entries: there are not so many different system calls here.
top_begin() { attach raw_syscalls:sys_enter top=id k=100; }
top_end() { let_go; }
top_read() {
	awk -v call=$CALL '$3 == call { print $1 }' \
		/sys/kernel/debug/scounter/topk/events/raw_syscalls:sys_enter:id
}

# The same, of the second argument of the tracepoint.
argument_begin() { attach raw_syscalls:sys_enter top=id@arg1:8d k=100; }
argument_end() { let_go; }
argument_read() { top_read; }

# What is in memory at the first argument: orig_ax of struct pt_regs on x86-64.
memory_begin() { attach raw_syscalls:sys_enter top=id@arg0+0x78:8u k=100; }
memory_end() { let_go; }
memory_read() { top_read; }

stack_begin() { attach raw_syscalls:sys_enter top=stack k=100; }
stack_end() { let_go; }
stack_read() { echo -; }

sum_begin() { attach raw_syscalls:sys_enter sum=id@arg1:8d kind=exact; }
sum_end() { let_go; }
sum_read() { approx_read; }

# What a tracepoint and the call of a probe take.
empty_probe() {
	echo sys_enter >/sys/module/scounter_traced/parameters/empty
}
empty_begin() { insmod scounter_traced.ko && empty_probe; }
empty_end() { empty_probe && rmmod scounter_traced; }
empty_read() { echo -; }

function_begin() { attach "function:$FUNCTION"; }
function_end() { let_go; }
function_read() { awk -v name="$FUNCTION" '$3 == name { print $1 }' $E/functions; }

hist_begin() { echo hist:keys=id >$T/events/$EVENT/trigger; }
hist_end() { echo '!hist:keys=id' >$T/events/$EVENT/trigger; }
hist_read() { awk -v call=$CALL '$3 == call { print $6 }' $T/events/$EVENT/hist; }

# As many as the buffers had room for.
recorded_begin() { echo >$T/trace && echo 1 >$T/events/$EVENT/enable; }
recorded_end() { echo 0 >$T/events/$EVENT/enable; }
recorded_read() {
	cat $T/per_cpu/cpu*/stats | awk '$1 == "entries:" { sum += $2 } END { print sum }'
}

perf_begin() {
	(foreign perf stat -a -x, -e raw_syscalls:sys_enter -o /tmp/perf) &
	process=$!
	wait_for perf_events "$CPUS"
	sleep 1
}
perf_end() {
	kill -INT "$process"
	wait "$process"
	awk -F, '$3 ~ /sys_enter/ { print $1 }' /tmp/perf >/tmp/read
}
perf_read() { :; }

bpftrace_run() {
	(foreign bpftrace -q -e "tracepoint:raw_syscalls:sys_enter { $1 }" >/tmp/bpftrace 2>&1) &
	process=$!
	# One for each CPU is for what it prints.
	wait_for perf_events $((CPUS + 1))
	sleep 1
}
bpftrace_stop() {
	kill -INT "$process"
	wait "$process"
	sed -n "s/^@$1: //p" /tmp/bpftrace >/tmp/read
}

bpftrace_begin() { bpftrace_run '@ = count()'; }
bpftrace_end() { bpftrace_stop; }
bpftrace_read() { :; }

bpftrace_id_begin() { bpftrace_run '@[args->id] = count()'; }
bpftrace_id_end() { bpftrace_stop "\\[$CALL\\]"; }
bpftrace_id_read() { :; }

bpf_begin() {
	rm -f /tmp/bpf /tmp/ask
	mkfifo /tmp/ask
	percpu sys_enter </tmp/ask >/tmp/bpf &
	exec 5>/tmp/ask
	wait_for grep -q counting /tmp/bpf
}
bpf_end() { exec 5>&-; wait; }
bpf_read() {
	echo >&5
	wait_for grep -q '[0-9]' /tmp/bpf
	awk '/[0-9]/ { print $1 }' /tmp/bpf
}

kprobe_begin() {
	echo p:scounter/getppid "$FUNCTION" >$T/kprobe_events
	echo 1 >$T/events/scounter/getppid/enable
}
kprobe_end() {
	echo 0 >$T/events/scounter/getppid/enable
	echo >$T/kprobe_events
}
kprobe_read() { awk '$1 == "getppid" { print $2 }' $T/kprobe_profile; }

# measure WHAT
measure() {
	before=$(in_use)
	"$1_begin" || exit 1
	bytes=$(($(in_use) - before))
	each=$(hits "$N") || exit 1
	"$1_read" >/tmp/read
	"$1_end" || exit 1
	printf '%s\t%s\t%s\t%s\n' "$1" "$each" $bytes \
		"$(awk -v made=$((N * CPUS)) 'NF { print $1 == "-" ? "-" : $1 - made }' /tmp/read)" >&3
}

# said BY: what of the late key is said, in a line each
said() {
	sed "s/^/$1\t/" >&3
}

late() {
	printf 'late key %s, made %s times\n' $LATE_KEY $LATE_TRUE >&3
	late_top | said scounter
	late_hist | said hist
	bpftrace_run '@[args->id] = count()'
	late_hits
	kill -INT "$process"
	wait "$process"
	{
		grep -c '^@\[' /tmp/bpftrace | sed 's/$/ keys/'
		grep "^@\\[$LATE_KEY\\]" /tmp/bpftrace || echo "no @[$LATE_KEY]"
		grep -v '^@' /tmp/bpftrace | sed '/^$/d; s/^/it says: /'
	} | said bpftrace
}

insmod scounter.ko seed=1 && insmod scounter_events.ko || exit 1
[ "$1" != late ] || { late; exit; }
for what; do
	measure "$what"
done
