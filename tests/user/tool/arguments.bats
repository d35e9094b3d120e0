#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scounter attach with fields, on the types of a kernel that a C file stands for.
# SCOUNTER is the program.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	mkdir btf
	cat >kernel.c <<-'C'
		typedef unsigned long size_t;
		typedef unsigned int __be32;
		struct inner { char name[8]; const char *text; };
		struct task {
			long state;
			union { struct { int deep; short arm; }; long other; };
			char comm[16];
			struct task *parent;
			struct inner inner;
			unsigned int bit : 3, whole;
		};
		struct wide { long a, b, c; };
		enum way { IN, OUT };
		int __traceiter_hit(void *__data, unsigned long call_site, size_t bytes, struct task *prev,
				    enum way way, const char *name, __be32 xid, int sixth, struct wide wide,
				    int behind) { return call_site + bytes + (long)prev + way + *name + xid + sixth + wide.a + behind; }
		int __traceiter_sched_switch(void *__data, int preempt, struct task *prev, long prev_state)
		{ return preempt + (long)prev + prev_state; }
	C
	gcc -g -O0 -c -o kernel.o kernel.c
	pahole -J kernel.o
	cp kernel.o btf/vmlinux
	printf 'struct own { int x; }; int __traceiter_loaded(void *__data, struct own *own, int n) { return own->x + n; }\n' >module.c
	gcc -g -O0 -c -o module.o module.c
	pahole -J --btf_base btf/vmlinux module.o
	cp module.o btf/mod
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p e t/events/sys/hit t/events/sys/sched_switch
	export SCOUNTER_EVENTS=e SCOUNTER_TRACEFS=t SCOUNTER_BTF=$BATS_FILE_TMPDIR/btf
	printf '%s\n' sys:hit sys:sched_switch 'mod:loaded [mod]' sys:bare >e/available
	for file in systems attach error_log; do
		: >e/$file
	done
	echo 'idle 0 0' >e/progress
	printf '\tfield:%s;\toffset:8;\tsize:%s;\tsigned:%s;\n' 'unsigned long call_site' 8 0 \
		'size_t bytes' 8 0 'char prev_comm[16]' 16 0 'unsigned int way' 4 0 \
		'__data_loc char[] name' 4 0 'u32 xid' 4 0 'int other' 4 1 'int sixth' 8 1 \
		>t/events/sys/hit/format
	printf '\tfield:%s;\toffset:8;\tsize:%s;\tsigned:%s;\n' 'long prev_state' 8 1 \
		>t/events/sys/sched_switch/format
}

# line_is EXPECTED ARGUMENT...: what attach says to the kernel
line_is() {
	: >e/attach
	run -0 --separate-stderr "$SCOUNTER" attach "${@:2}"
	[ "$(cat e/attach)" = "$1" ] || { echo "$(cat e/attach), not $1"; false; }
}

@test "a field of the name and type of a parameter is that argument" {
	line_is 'sys:hit top=call_site@arg0:8u sum=bytes@arg1:8u hist=way@arg3:4u' \
		sys:hit --top call_site --sum bytes --hist way
	[ -z "$stderr" ]
	line_is 'sys:hit top=name@arg4+0:s,pid,stack' sys:hit --top name,pid,stack
	# A parameter that is no field.
	line_is 'sys:sched_switch top=preempt@arg0:4d' sys:sched_switch --top preempt
	line_is 'mod:loaded top=own->x@arg0+0:4d,n@arg1:4d' mod:loaded --top 'own->x,n'
}

@test "members, through pointers and structs" {
	line_is 'sys:hit top=prev->comm@arg2+0x10:16s,prev->parent->deep@arg2+0x20+0x8:4d' \
		sys:hit --top 'prev->comm,prev->parent->deep'
	line_is 'sys:hit top=prev->inner.name@arg2+0x28:8s,prev->inner.text@arg2+0x30+0:s' \
		sys:hit --top 'prev->inner.name,prev->inner.text'
	line_is 'sys:hit sum=prev->arm@arg2+0xc:2d' sys:hit --sum 'prev->arm'
	line_is 'sys:hit top=who@arg2+0x20+0x20+0x20+0x10:16s' \
		sys:hit --top 'who=prev->parent->parent->parent->comm'
	line_is 'sys:hit top=c@arg0:8u' sys:hit --top c=call_site
}

@test "what the record alone has is taken from there, and it is said" {
	line_is 'sys:hit top=prev_comm' sys:hit --top prev_comm
	[[ $stderr == *"prev_comm is read from the record of the event, about "*"'prev->comm' is in an argument" ]]
	# Of another size, of another order of bytes, and computed as the table knows.
	for field in sixth xid other; do
		line_is "sys:hit top=$field,call_site" sys:hit --top "$field,call_site"
		[[ $stderr == *"$field is read from the record"* ]]
	done
	line_is 'sys:sched_switch top=prev_state' sys:sched_switch --top prev_state
	[[ $stderr == *'prev_state is read from the record'* ]]
	# Without types.
	SCOUNTER_BTF=/nonexistent line_is 'sys:hit top=call_site' sys:hit --top call_site
	[[ $stderr == *'call_site is read from the record'* ]]
}

# refused REASON ARGUMENT...: and nothing is written
refused() {
	run -1 "$SCOUNTER" attach "${@:2}"
	[[ $output == *"$1"* ]] || { echo "no '$1' in: $output"; false; }
	[ ! -s e/attach ]
}

@test "what the arguments do not have is refused" {
	refused "sys:hit has no argument 'prew'" sys:hit --top 'prew->comm'
	refused "struct task has no member 'com'" sys:hit --top 'prev->com'
	refused "'prev' is no struct" sys:hit --top 'prev.comm'
	refused "'prev->comm' is no pointer" sys:hit --top 'prev->comm->x'
	refused "'bit' is a bit field" sys:hit --top 'prev->bit'
	refused "what is behind 'prev->comm' is not understood" sys:hit --top 'prev->comm[1]'
	refused "what is behind 'prev' is not understood" sys:hit --top 'prev-comm'
	refused 'prev->inner: is neither a number nor a string' sys:hit --top 'prev->inner'
	refused 'probes do not find this argument' sys:hit --top 'wide.a'
	refused 'probes do not find this argument' sys:hit --top 'behind'
	refused 'not in one line' sys:hit --top 'prev->comm' --sum other
	refused 'no BTF that tells the arguments of sys:bare' sys:bare --top 'a->b'
	refused 'more than 4 pointers' sys:hit --top 'x=prev->parent->parent->parent->parent->comm'
	refused "sys:hit has no argument 'other'" sys:hit --top 'x=other'
	run -2 "$SCOUNTER" attach sys:hit --top =call_site
	run -2 "$SCOUNTER" attach sys:hit --top x=
	run -2 "$SCOUNTER" attach sys:hit --top call_site --sum bytes,way
	run -2 "$SCOUNTER" attach sys:hit --top "$(seq -s , 17)"
}

@test "what the kernel is to judge is left to it" {
	line_is 'sys:hit top=colour' sys:hit --top colour
	line_is 'sys:* top=pid' 'sys:*' --top pid
	line_is 'sys:none top=pid' sys:none --top pid
	line_is 'hit top=pid' hit --top pid
	line_is 'sys:hit sys:bare top=call_site' sys:hit sys:bare --top call_site
}
