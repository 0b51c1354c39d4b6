/*
 * A small interpreter for the classic BPF of seccomp filters, for tests.
 *
 * bpf_check refuses what the kernel would refuse of the instructions used
 * here (kernel/seccomp.c seccomp_check_filter, net/core/filter.c
 * bpf_check_classic); bpf_run is only for programs that passed it.
 */
#ifndef TESTS_UNIT_BPF_H
#define TESTS_UNIT_BPF_H

#include <linux/bpf_common.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <string.h>

#include "wire/plan.h"

static inline bool
bpf_is_jump_inside(size_t len, size_t at, const struct wire_plan_insn *insn)
{
	const size_t left = len - at - 1;

	if (insn->code == (BPF_JMP | BPF_JA))
		return insn->k < left;
	return insn->jt < left && insn->jf < left;
}

static inline bool
bpf_check(const struct wire_plan_insn *insns, size_t len)
{
	size_t i;

	if (len == 0 || insns[len - 1].code != (BPF_RET | BPF_K))
		return false;
	for (i = 0; i < len; i++) {
		switch (insns[i].code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (insns[i].k % 4 != 0 ||
			    insns[i].k >= sizeof(struct seccomp_data))
				return false;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
		case BPF_RET | BPF_K:
			break;
		case BPF_JMP | BPF_JA:
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JGE | BPF_K:
		case BPF_JMP | BPF_JGT | BPF_K:
		case BPF_JMP | BPF_JSET | BPF_K:
			if (!bpf_is_jump_inside(len, i, &insns[i]))
				return false;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* The action; *ret_steps counts instructions when it is not NULL. */
static inline uint32_t
bpf_run(const struct wire_plan_insn *insns, const struct seccomp_data *data,
    size_t *ret_steps)
{
	uint32_t a = 0;
	bool taken;
	size_t pc, steps = 0;

	for (pc = 0;; pc++) {
		const struct wire_plan_insn *insn = &insns[pc];

		steps++;
		if (BPF_CLASS(insn->code) == BPF_RET) {
			if (ret_steps != NULL)
				*ret_steps = steps;
			return insn->k;
		}
		if (BPF_CLASS(insn->code) == BPF_LD) {
			memcpy(
			    &a, (const char *)data + insn->k, sizeof(uint32_t));
			continue;
		}
		if (BPF_CLASS(insn->code) == BPF_ALU) {
			a &= insn->k;
			continue;
		}
		if (BPF_OP(insn->code) == BPF_JA) {
			pc += insn->k;
			continue;
		}
		taken = BPF_OP(insn->code) == BPF_JEQ ? a == insn->k
		    : BPF_OP(insn->code) == BPF_JGE   ? a >= insn->k
		    : BPF_OP(insn->code) == BPF_JGT   ? a > insn->k
						      : (a & insn->k) != 0;
		pc += taken ? insn->jt : insn->jf;
	}
}

#endif
