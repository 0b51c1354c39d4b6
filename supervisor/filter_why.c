#include "supervisor/filter_why.h"

#include <errno.h>
#include <linux/bpf_common.h>
#include <linux/seccomp.h>
#include <string.h>

#include "supervisor/filter_names.h"

/* Those of the policy first, in the order of enum sup_syscall. */
static const struct {
	const char *name;
	int32_t numbers[SUP_FILTER_ARCHES];
} calls[] = {
#define X(name, x86_64, aarch64) {#name, {x86_64, aarch64}},
    SUP_SYSCALLS(X) SUP_OTHER_SYSCALLS(X)
#undef X
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

static size_t
find_call(enum sup_filter_arch arch, uint32_t number)
{
	size_t i = 0;

	while (i < CALLS &&
	    (calls[i].numbers[arch] < 0 ||
		(uint32_t)calls[i].numbers[arch] != number))
		i++;
	return i;
}

/* Above all that the policy names: what a kernel may have one day. */
static bool
is_newer(enum sup_filter_arch arch, uint32_t number)
{
	for (size_t i = 0; i < SUP_SYSCALL_COUNT; i++)
		if (calls[i].numbers[arch] >= 0 &&
		    number <= (uint32_t)calls[i].numbers[arch])
			return false;
	return true;
}

static bool
names_call(const struct sup_filter_group *group, size_t call)
{
	for (size_t i = 0; i < group->call_count; i++)
		if (group->calls[i] == call)
			return true;
	for (size_t i = 0; i < group->rule_count; i++)
		if (group->rules[i].call == call)
			return true;
	return false;
}

/* One test of the filter, which notes what it looks at; whether it holds. */
static bool
try_test(const struct sup_filter_test *test, const uint64_t args[SUP_CALL_ARGS],
    struct sup_filter_seen seen[SUP_CALL_ARGS])
{
	const uint64_t high = test->wide ? ~(uint64_t)UINT32_MAX : 0;
	const uint64_t value = args[test->arg] & (high | test->mask);
	struct sup_filter_seen *s = &seen[test->arg];
	bool zero = test->wide && !test->own_pid && test->count == 1 &&
	    test->values[0] == 0 && test->mask == UINT32_MAX;

	if (!s->seen || (s->only_zero && !zero))
		*s = (struct sup_filter_seen){true, zero, zero ? 0 : value};
	if (zero && s->only_zero)
		s->value = value != 0;
	else
		s->value |= value;
	/* A refused call did not have the own id. */
	for (size_t i = 0; !test->own_pid && i < test->count; i++)
		if (value == test->values[i])
			return true;
	return false;
}

/* As the filter does: all rules, each up to the test that does not hold. */
static void
try_rules(const struct sup_filter_group *group, size_t call,
    const uint64_t args[SUP_CALL_ARGS],
    struct sup_filter_seen seen[SUP_CALL_ARGS])
{
	for (size_t i = 0; i < group->rule_count; i++) {
		const struct sup_filter_rule *rule = &group->rules[i];

		for (size_t t = 0; rule->call == call && t < rule->count; t++)
			if (!try_test(&rule->tests[t], args, seen))
				break;
	}
}

void
sup_filter_ask(struct wire_plan_insn *insns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (insns[i].code == (BPF_RET | BPF_K) &&
		    (insns[i].k & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO)
			insns[i].k = SECCOMP_RET_USER_NOTIF;
}

void
sup_filter_why(const struct sup_filter_params *params, uint32_t number,
    const uint64_t args[SUP_CALL_ARGS], struct sup_filter_why *ret_why)
{
	const enum sup_filter_arch arch = params->arch;
	const struct sup_filter_group *groups, *spare = NULL;
	size_t call = find_call(arch, number), count;

	memset(ret_why, 0, sizeof(*ret_why));
	ret_why->name = call < CALLS ? calls[call].name : NULL;
	ret_why->error = is_newer(arch, number) ? ENOSYS : EPERM;
	if (call >= SUP_SYSCALL_COUNT)
		return;
	groups = sup_filter_groups(&count);
	for (size_t i = 0; i < count; i++) {
		if (!names_call(&groups[i], call))
			continue;
		/* What could have been granted is the reason where there is
		 * no other. */
		if (!sup_filter_counts(params, &groups[i])) {
			spare = &groups[i];
			continue;
		}
		if (ret_why->group == NULL)
			ret_why->group = &groups[i];
		if (groups[i].verdict == SUP_FILTER_ENOSYS)
			ret_why->error = ENOSYS;
		if (!groups[i].own_files || !params->shared_uid)
			try_rules(&groups[i], call, args, ret_why->seen);
	}
	if (ret_why->group == NULL)
		ret_why->group = spare;
}
