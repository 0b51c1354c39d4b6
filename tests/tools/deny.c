/*
 * A host that refuses system calls: installs a filter that answers the given
 * ones, and executes the command under it. Everything else is allowed.
 *
 *   deny RULE[,RULE...] ... -- COMMAND [ARGUMENT...]
 *
 *   RULE  CALL=ANSWER                  every such call
 *         CALL:N&MASK=ANSWER           when argument N (0 to 5) has all bits
 *                                      of MASK
 *         CALL:N==VALUE=ANSWER         when argument N is VALUE
 *
 *   ANSWER is the name of an errno (EPERM), its number, KILL (the process
 *   ends by SIGSYS) or TRAP (the thread is sent SIGSYS). MASK and VALUE are
 *   numbers as strtoull(3) reads them. The names of calls are libseccomp's
 *   (seccomp_syscall_resolve_name(3)); one that this machine does not have is
 *   an error.
 *
 *   deny unshare=EPERM,'clone:0&0x10000000=EPERM' -- weir doctor
 *
 * no_new_privs is set, as for every filter of somebody unprivileged. Exits
 * with 2 when a rule is wrong, 126 when there is no filter, 127 when the
 * command cannot be executed.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ERRNO_MAX 4095

struct rule {
	int call;
	uint32_t action;
	unsigned compared; /* 0 or 1 conditions */
	struct scmp_arg_cmp compare;
};

static void
fail(const char *rule, const char *what)
{
	(void)fprintf(stderr, "deny: %s: %s\n", rule, what);
	exit(2);
}

/* A number that ends where it should; exits otherwise. */
static uint64_t
number(const char *rule, const char *text, char **end, uint64_t max)
{
	uint64_t value;

	errno = 0;
	value = strtoull(text, end, 0);
	if (*end == text || errno != 0 || value > max)
		fail(rule, "a number is missing or out of range");
	return value;
}

static uint32_t
read_answer(const char *rule, const char *text)
{
	char *end;
	uint64_t value;

	if (strcmp(text, "KILL") == 0)
		return SCMP_ACT_KILL_PROCESS;
	if (strcmp(text, "TRAP") == 0)
		return SCMP_ACT_TRAP;
	for (int i = 1; i < 256; i++) {
		const char *name = strerrorname_np(i);

		if (name != NULL && strcmp(name, text) == 0)
			return SCMP_ACT_ERRNO((unsigned)i);
	}
	value = number(rule, text, &end, ERRNO_MAX);
	if (*end != '\0')
		fail(rule, "no such errno");
	return SCMP_ACT_ERRNO((unsigned)value);
}

/* What stands between CALL: and =ANSWER; returns where it ends. */
static char *
read_condition(const char *rule, char *text, struct scmp_arg_cmp *compare)
{
	char *end;

	compare->arg = (unsigned)number(rule, text, &end, 5);
	if (*end == '&') {
		compare->op = SCMP_CMP_MASKED_EQ;
		compare->datum_a = number(rule, end + 1, &end, UINT64_MAX);
		compare->datum_b = compare->datum_a;
	} else if (end[0] == '=' && end[1] == '=') {
		compare->op = SCMP_CMP_EQ;
		compare->datum_a = number(rule, end + 2, &end, UINT64_MAX);
	} else {
		fail(rule, "neither & nor == after the argument's number");
	}
	return end;
}

/* text is consumed. */
static void
read_rule(char *text, struct rule *rule)
{
	char whole[256];
	char *at = text + strcspn(text, ":=");
	char mark = *at;

	(void)snprintf(whole, sizeof(whole), "%s", text);
	*rule = (struct rule){0};
	if (mark == '\0')
		fail(whole, "there is no =ANSWER");
	*at++ = '\0';
	rule->call = seccomp_syscall_resolve_name(text);
	/* Negative and no error: a call that only other machines have. */
	if (rule->call < 0)
		fail(whole, "this machine has no such system call");
	if (mark == ':') {
		at = read_condition(whole, at, &rule->compare);
		rule->compared = 1;
		if (*at++ != '=')
			fail(whole, "there is no =ANSWER");
	}
	rule->action = read_answer(whole, at);
}

/* Adds all rules of one argument. */
static void
add_rules(scmp_filter_ctx filter, char *list)
{
	char *rest = list;
	char *text;

	while ((text = strsep(&rest, ",")) != NULL) {
		struct rule rule;
		int r;

		read_rule(text, &rule);
		r = seccomp_rule_add_array(filter, rule.action, rule.call,
		    rule.compared, &rule.compare);
		if (r < 0)
			fail(text, strerror(-r));
	}
}

int
main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int i = 1, r;

	if (filter == NULL) {
		(void)fprintf(stderr, "deny: out of memory\n");
		return 126;
	}
	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		add_rules(filter, argv[i]);
	if (i == 1 || i + 1 >= argc) {
		(void)fprintf(stderr,
		    "usage: deny CALL[:N&MASK|:N==VALUE]=ANSWER[,...] ... -- "
		    "COMMAND [ARGUMENT...]\n");
		return 2;
	}
	r = seccomp_load(filter);
	if (r < 0) {
		(void)fprintf(stderr, "deny: the filter: %s\n", strerror(-r));
		return 126;
	}
	seccomp_release(filter);
	(void)execvp(argv[i + 1], argv + i + 1);
	(void)fprintf(stderr, "deny: %s: %s\n", argv[i + 1], strerror(errno));
	return 127;
}
