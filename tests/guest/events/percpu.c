// SPDX-License-Identifier: GPL-2.0
/*
 * Counts tracepoints exactly with BPF: a program at each raw tracepoint adds one in an
 * array of each CPU.
 *
 * Usage: percpu TRACEPOINT...
 *
 * Says "counting" when all are attached, and answers each line of its input with a line:
 * the counts, and how many hits BPF has left out as they came while it counted another on
 * the same CPU.
 */
#include <err.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_CPUS	1024

struct counter {
	int map, program;
};

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	int result = syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (result < 0)
		err(1, "BPF command %d", command);
	return result;
}

static int make_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_PERCPU_ARRAY,
		.key_size = 4,
		.value_size = 8,
		.max_entries = 1,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

#define INSN(op, to, from, offset, value) {				\
	.code = (op), .dst_reg = BPF_REG_##to, .src_reg = (from),	\
	.off = (offset), .imm = (value),				\
}

/* value = lookup(map, &zero); if (value) *value += 1; return 0 */
static int load(int map)
{
	enum { INSNS = 12 };
	const struct bpf_insn insns[INSNS] = {
		INSN(BPF_ST | BPF_W | BPF_MEM, 10, 0, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, BPF_REG_10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3, 0),
		INSN(BPF_LDX | BPF_DW | BPF_MEM, 1, BPF_REG_0, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_DW | BPF_MEM, 0, BPF_REG_1, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = (uintptr_t)insns,
		.insn_cnt = INSNS,
		.license = (uintptr_t)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

static void attach(struct counter *counter, const char *tracepoint)
{
	union bpf_attr attr = { .raw_tracepoint.name = (uintptr_t)tracepoint };

	counter->map = make_map();
	counter->program = load(counter->map);
	attr.raw_tracepoint.prog_fd = counter->program;
	bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

static uint64_t count(const struct counter *counter)
{
	uint64_t values[MAX_CPUS] = { 0 }, sum = 0;
	uint32_t key = 0, i;
	union bpf_attr attr = {
		.map_fd = counter->map,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)values,
	};

	bpf(BPF_MAP_LOOKUP_ELEM, &attr);
	for (i = 0; i < MAX_CPUS; i++)
		sum += values[i];
	return sum;
}

static uint64_t left_out(const struct counter *counter)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr attr = {
		.info.bpf_fd = counter->program,
		.info.info = (uintptr_t)&info,
		.info.info_len = sizeof(info),
	};

	bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	return info.recursion_misses;
}

int main(int argc, char **argv)
{
	struct counter *counters = calloc(argc, sizeof(*counters));
	uint64_t missed;
	char line[64];
	int i;

	if (argc < 2 || !counters)
		errx(2, "usage: percpu TRACEPOINT...");
	for (i = 1; i < argc; i++)
		attach(&counters[i], argv[i]);
	puts("counting");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		for (i = 1, missed = 0; i < argc; i++) {
			printf("%ju ", (uintmax_t)count(&counters[i]));
			missed += left_out(&counters[i]);
		}
		printf("%ju\n", (uintmax_t)missed);
		fflush(stdout);
	}
	return 0;
}
