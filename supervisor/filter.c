/*
 * From the policy to a program.
 *
 * The number space is cut into segments with one target each; a balanced tree
 * of "not below" jumps finds the segment. Allowed calls cost the kernel no
 * run of the program at all: it walks the tree once for each number when the
 * filter is installed and caches plain verdicts (kernel/seccomp.c,
 * seccomp_cache_prepare, 5.11), so a shallow tree also makes installing fast.
 */
#include "supervisor/filter.h"

#include <linux/audit.h>
#include <linux/bpf_common.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include "supervisor/filter_table.h"

/* x86_64: the bit that marks a call of the x32 interface (asm/unistd.h). */
#define X32_BIT 0x40000000u

#define EPERM_NR  1u
#define ENOSYS_NR 38u

/* A named call, each with a gap before it, and the two ranges at the end. */
#define SEGMENTS_MAX (2 * SUP_SYSCALL_COUNT + 2)

/* Where a segment leads: a verdict, or the checks of one call. */
#define NO_CHECK SUP_SYSCALL_COUNT

struct target {
	enum sup_filter_verdict verdict; /* where call is NO_CHECK */
	unsigned call;
};

struct segment {
	uint32_t start;
	struct target target;
};

struct compiler {
	const struct sup_filter_params *params;
	struct wire_plan_insn *insns;
	size_t max;
	size_t len; /* may pass max: then nothing is written any more */
	struct target targets[SUP_SYSCALL_COUNT]; /* by call */
	bool named[SUP_SYSCALL_COUNT];
	struct segment segments[SEGMENTS_MAX];
	size_t segment_count;
	size_t leaves[SUP_SYSCALL_COUNT]; /* position of the jump to a check */
};

static const int32_t numbers[SUP_SYSCALL_COUNT][SUP_FILTER_ARCHES] = {
#define X(name, x86_64, aarch64) [SUP_SYS_##name] = {x86_64, aarch64},
    SUP_SYSCALLS(X)
#undef X
};

static const uint32_t audit_arches[SUP_FILTER_ARCHES] = {
    [SUP_FILTER_X86_64] = AUDIT_ARCH_X86_64,
    [SUP_FILTER_AARCH64] = AUDIT_ARCH_AARCH64,
};

static const uint32_t verdicts[] = {
    [SUP_FILTER_ALLOW] = SECCOMP_RET_ALLOW,
    [SUP_FILTER_EPERM] = SECCOMP_RET_ERRNO | EPERM_NR,
    [SUP_FILTER_ENOSYS] = SECCOMP_RET_ERRNO | ENOSYS_NR,
    [SUP_FILTER_KILL] = SECCOMP_RET_KILL_PROCESS,
};

/* --- writing instructions ------------------------------------------------ */

static void
emit(struct compiler *c, uint16_t code, size_t jt, size_t jf, uint32_t k)
{
	WIRE_BUG_IF(jt > UINT8_MAX);
	WIRE_BUG_IF(jf > UINT8_MAX);
	if (c->len < c->max)
		c->insns[c->len] =
		    (struct wire_plan_insn){code, (uint8_t)jt, (uint8_t)jf, k};
	c->len++;
}

static void
emit_load(struct compiler *c, size_t offset)
{
	emit(c, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

static void
emit_return(struct compiler *c, enum sup_filter_verdict verdict)
{
	emit(c, BPF_RET | BPF_K, 0, 0, verdicts[verdict]);
}

/* The halves of an argument: both architectures are little-endian. */
static size_t
low_half(unsigned arg)
{
	return offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t);
}

static size_t
high_half(unsigned arg)
{
	return low_half(arg) + sizeof(uint32_t);
}

/* --- checks of arguments ------------------------------------------------- */

static size_t
test_size(const struct sup_filter_test *test)
{
	return (test->wide ? 2u : 0u) + 1u + (test->mask != UINT32_MAX) +
	    test->count;
}

static size_t
rule_size(const struct sup_filter_rule *rule)
{
	size_t i, size = 1;

	for (i = 0; i < rule->count; i++)
		size += test_size(&rule->tests[i]);
	return size;
}

/* Falls through when the test holds, else jumps to position `fail`. */
static void
emit_test(struct compiler *c, const struct sup_filter_test *test, size_t fail)
{
	uint32_t value;
	size_t i, left;

	if (test->wide) {
		emit_load(c, high_half(test->arg));
		emit(c, BPF_JMP | BPF_JEQ | BPF_K, 0, fail - c->len - 1, 0);
	}
	emit_load(c, low_half(test->arg));
	if (test->mask != UINT32_MAX)
		emit(c, BPF_ALU | BPF_AND | BPF_K, 0, 0, test->mask);
	for (i = 0; i < test->count; i++) {
		value = test->own_pid ? c->params->own_pid : test->values[i];
		left = test->count - 1u - i; /* values after this one */
		emit(c, BPF_JMP | BPF_JEQ | BPF_K, left,
		    left > 0 ? 0 : fail - c->len - 1, value);
	}
}

bool
sup_filter_counts(const struct sup_filter_params *params,
    const struct sup_filter_group *group)
{
	switch (group->when) {
	case SUP_FILTER_ALWAYS:
		return true;
	case SUP_FILTER_WITH_PROCESSES:
		return params->processes;
	case SUP_FILTER_WITHOUT_PROCESSES:
		return !params->processes;
	case SUP_FILTER_WITH_NETWORK:
		return params->network;
	case SUP_FILTER_WITH_WRITES:
		return !params->no_writes;
	case SUP_FILTER_WITHOUT_WRITES:
		return params->no_writes;
	}
	return false;
}

/* All rules of a call one after the other; none holds: refused. */
static void
emit_check(struct compiler *c, unsigned call)
{
	const struct sup_filter_group *groups;
	const struct sup_filter_rule *rule;
	size_t group_count, g, r, t, fail;

	groups = sup_filter_groups(&group_count);
	for (g = 0; g < group_count; g++) {
		if (!sup_filter_counts(c->params, &groups[g]))
			continue;
		for (r = 0; r < groups[g].rule_count; r++) {
			rule = &groups[g].rules[r];
			if (rule->call != call)
				continue;
			fail = c->len + rule_size(rule);
			for (t = 0; t < rule->count; t++)
				emit_test(c, &rule->tests[t], fail);
			emit_return(c, SUP_FILTER_ALLOW);
			WIRE_BUG_IF(c->len != fail);
		}
	}
	emit_return(c, SUP_FILTER_EPERM);
}

/* --- segments and their tree --------------------------------------------- */

static void
name_call(struct compiler *c, unsigned call, struct target target)
{
	/* A table that says two things of one call says nothing. */
	WIRE_BUG_IF(c->named[call] && target.call == NO_CHECK);
	WIRE_BUG_IF(c->named[call] && c->targets[call].call == NO_CHECK);
	c->named[call] = true;
	c->targets[call] = target;
}

static void
name_calls(struct compiler *c)
{
	const struct sup_filter_group *groups, *group;
	size_t group_count, i;

	groups = sup_filter_groups(&group_count);
	for (group = groups; group < groups + group_count; group++) {
		const bool refused = group->own_files && c->params->shared_uid;
		const struct target target = {
		    refused ? SUP_FILTER_EPERM : group->verdict, NO_CHECK};

		if (!sup_filter_counts(c->params, group))
			continue;
		for (i = 0; i < group->call_count; i++)
			name_call(c, group->calls[i], target);
		for (i = 0; i < group->rule_count; i++)
			name_call(c, group->rules[i].call,
			    (struct target){SUP_FILTER_EPERM,
				refused ? NO_CHECK : group->rules[i].call});
	}
}

static void
push_segment(struct compiler *c, uint32_t start, struct target target)
{
	const struct segment *last;

	if (c->segment_count > 0) {
		last = &c->segments[c->segment_count - 1];
		if (last->target.call == target.call &&
		    last->target.verdict == target.verdict)
			return;
	}
	WIRE_BUG_IF(c->segment_count == SEGMENTS_MAX);
	c->segments[c->segment_count++] = (struct segment){start, target};
}

/* Numbers of this architecture in ascending order. */
static size_t
sort_calls(const struct compiler *c, unsigned sorted[SUP_SYSCALL_COUNT])
{
	const enum sup_filter_arch arch = c->params->arch;
	size_t count = 0, at;
	unsigned call;

	for (call = 0; call < SUP_SYSCALL_COUNT; call++) {
		if (!c->named[call] || numbers[call][arch] < 0)
			continue;
		for (at = count; at > 0 &&
		     numbers[sorted[at - 1]][arch] > numbers[call][arch];
		     at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = call;
		count++;
	}
	return count;
}

static void
cut_segments(struct compiler *c)
{
	const struct target refused = {SUP_FILTER_EPERM, NO_CHECK};
	const struct target newer = {SUP_FILTER_ENOSYS, NO_CHECK};
	const struct target killed = {SUP_FILTER_KILL, NO_CHECK};
	unsigned sorted[SUP_SYSCALL_COUNT];
	uint32_t number, next = 0;
	size_t count, i;

	count = sort_calls(c, sorted);
	for (i = 0; i < count; i++) {
		number = (uint32_t)numbers[sorted[i]][c->params->arch];
		if (number > next)
			push_segment(c, next, refused);
		push_segment(c, number, c->targets[sorted[i]]);
		next = number + 1;
	}
	push_segment(c, next, newer);
	/* SECURITY: the x32 calls reach the same kernel by other numbers. */
	if (c->params->arch == SUP_FILTER_X86_64)
		push_segment(c, X32_BIT, killed);
}

static void
emit_leaf(struct compiler *c, const struct target *target)
{
	if (target->call == NO_CHECK) {
		emit_return(c, target->verdict);
		return;
	}
	c->leaves[target->call] = c->len;
	emit(c, BPF_JMP | BPF_JA, 0, 0, 0); /* patched when the check stands */
}

/*
 * The tree over segments [from, to): the lower half follows its jump, and as
 * a tree of n segments takes 2n - 1 instructions, so the upper half's place
 * is known. Depth is the logarithm of a constant table's size.
 */
static void
emit_tree(struct compiler *c, size_t from, size_t to)
{
	const size_t middle = from + (to - from) / 2;

	if (to - from == 1) {
		emit_leaf(c, &c->segments[from].target);
		return;
	}
	emit(c, BPF_JMP | BPF_JGE | BPF_K, 2 * (middle - from) - 1, 0,
	    c->segments[middle].start);
	emit_tree(c, from, middle);
	emit_tree(c, middle, to);
}

static void
emit_checks(struct compiler *c)
{
	const size_t none = 0; /* the program starts with a load */
	size_t leaf;
	unsigned call;

	for (call = 0; call < SUP_SYSCALL_COUNT; call++) {
		leaf = c->leaves[call];
		if (leaf == none)
			continue;
		if (leaf < c->max)
			c->insns[leaf].k = (uint32_t)(c->len - leaf - 1);
		emit_check(c, call);
	}
}

/* ------------------------------------------------------------------------- */

static bool
params_are_valid(const struct sup_filter_params *params)
{
	if ((unsigned)params->arch >= SUP_FILTER_ARCHES)
		return false;
	/* SECURITY: 0 and what is negative to the kernel name other processes
	 * than one. */
	if (params->own_pid == 0 || params->own_pid > INT32_MAX)
		return false;
	return true;
}

enum wire_err
sup_filter_compile(const struct sup_filter_params *params,
    struct wire_plan_insn *insns, size_t max, size_t *ret_count)
{
	struct compiler c = {.params = params, .insns = insns, .max = max};

	if (!params_are_valid(params))
		return WIRE_ERR_BAD_ARGUMENT;
	name_calls(&c);
	cut_segments(&c);
	emit_load(&c, offsetof(struct seccomp_data, arch));
	emit(&c, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, audit_arches[params->arch]);
	emit_return(&c, SUP_FILTER_KILL);
	emit_load(&c, offsetof(struct seccomp_data, nr));
	emit_tree(&c, 0, c.segment_count);
	emit_checks(&c);
	if (c.len > max)
		return WIRE_ERR_NO_SPACE;
	*ret_count = c.len;
	return WIRE_OK;
}
