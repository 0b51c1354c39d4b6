#include "supervisor/evidence.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "supervisor/sys.h"

#define STATUS_MAX 8192

static const char *const namespace_files[SUP_NAMESPACES] = {
    [SUP_NS_USER] = "user",
    [SUP_NS_PID] = "pid",
    [SUP_NS_MNT] = "mnt",
    [SUP_NS_NET] = "net",
};

/* Each with its name in /proc/PID/limits. */
static const struct {
	int number;
	const char *name;
} resources[WIRE_LIMITS] = {
    [WIRE_LIMIT_CORE] = {RLIMIT_CORE, "Max core file size"},
    [WIRE_LIMIT_CPU] = {RLIMIT_CPU, "Max cpu time"},
    [WIRE_LIMIT_AS] = {RLIMIT_AS, "Max address space"},
    [WIRE_LIMIT_FSIZE] = {RLIMIT_FSIZE, "Max file size"},
    [WIRE_LIMIT_NPROC] = {RLIMIT_NPROC, "Max processes"},
    [WIRE_LIMIT_NOFILE] = {RLIMIT_NOFILE, "Max open files"},
};

void
sup_evidence_namespaces(pid_t pid, struct sup_namespaces *ret_namespaces)
{
	for (size_t i = 0; i < SUP_NAMESPACES; i++) {
		char path[64];
		struct stat st;

		(void)snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid,
		    namespace_files[i]);
		ret_namespaces->inode[i] =
		    sup_sys_stat(path, &st) == 0 ? st.st_ino : 0;
	}
}

/* Reads digits of a base; moves *p past them. */
static uint64_t
number(const char **p, const char *end, unsigned base)
{
	uint64_t value = 0;

	while (*p < end && (**p == ' ' || **p == '\t'))
		(*p)++;
	for (; *p < end; (*p)++) {
		unsigned digit;

		if (**p >= '0' && **p <= '9')
			digit = (unsigned)(**p - '0');
		else if (base == 16 && **p >= 'a' && **p <= 'f')
			digit = (unsigned)(**p - 'a') + 10;
		else
			break;
		value = value * base + digit;
	}
	return value;
}

static void
status_line(const char *line, const char *end, struct sup_status *status)
{
	static const char *const caps[5] = {
	    "CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"};
	const struct {
		const char *name;
		uint32_t *values;
		size_t count;
	} rows[] = {
	    {"Uid:", status->uid, 4},
	    {"Gid:", status->gid, 4},
	    {"NoNewPrivs:", &status->no_new_privs, 1},
	    {"Seccomp:", &status->seccomp, 1},
	    {"Threads:", &status->threads, 1},
	};
	size_t len = (size_t)(end - line);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].name);
		const char *p = line + n;

		if (len < n || memcmp(line, rows[i].name, n) != 0)
			continue;
		for (size_t j = 0; j < rows[i].count; j++)
			rows[i].values[j] = (uint32_t)number(&p, end, 10);
	}
	for (size_t i = 0; i < 5; i++) {
		const char *p = line + 7;

		if (len > 7 && memcmp(line, caps[i], 7) == 0)
			status->caps[i] = number(&p, end, 16);
	}
	if (len > 6 && memcmp(line, "VmHWM:", 6) == 0) {
		const char *p = line + 6;

		status->peak_kb = number(&p, end, 10);
	}
	if (len >= 7 && memcmp(line, "Groups:", 7) == 0)
		for (const char *p = line + 7; p < end; p++)
			if (*p >= '0' && *p <= '9' &&
			    (p[-1] < '0' || p[-1] > '9'))
				status->groups++;
}

void
sup_evidence_parse_status(struct wire_span text, struct sup_status *ret_status)
{
	const char *p = (const char *)text.p, *end = p + text.len;

	memset(ret_status, 0, sizeof(*ret_status));
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		if (newline == NULL)
			newline = end;
		status_line(p, newline, ret_status);
		p = newline + 1;
	}
	ret_status->read = text.len > 0;
}

/* A number or `unlimited` at *p; moves past it. False for anything else. */
static bool
limit_number(const char **p, uint64_t *ret_value)
{
	static const char none[] = "unlimited";
	char *end;

	*p += strspn(*p, " ");
	if (strncmp(*p, none, sizeof(none) - 1) == 0) {
		*p += sizeof(none) - 1;
		*ret_value = UINT64_MAX;
		return true;
	}
	if (**p < '0' || **p > '9')
		return false;
	*ret_value = strtoull(*p, &end, 10);
	*p = end;
	return true;
}

bool
sup_evidence_parse_limits(const char *text, enum wire_limit limit,
    uint64_t *ret_soft, uint64_t *ret_hard)
{
	const char *name = resources[limit].name, *p = text;
	size_t len = strlen(name);

	while (p != NULL && strncmp(p, name, len) != 0) {
		p = strchr(p, '\n');
		if (p != NULL)
			p++;
	}
	if (p == NULL)
		return false;
	p += len;
	return limit_number(&p, ret_soft) && limit_number(&p, ret_hard);
}

/* Those of another uid are told by prlimit(2) only to who has
 * CAP_SYS_RESOURCE, which containers seldom give; proc(5) tells anybody. */
static void
observe_limits(struct sup_evidence *evidence, pid_t pid2)
{
	char path[64], text[STATUS_MAX];
	bool read = false;

	evidence->limits_read = true;
	for (size_t i = 0; i < WIRE_LIMITS; i++) {
		uint64_t *soft = &evidence->soft[i], *hard = &evidence->hard[i];

		if (sup_sys_prlimit(pid2, resources[i].number, soft, hard) == 0)
			continue;
		if (!read) {
			(void)snprintf(
			    path, sizeof(path), "/proc/%d/limits", (int)pid2);
			(void)sup_sys_read_text(path, text, sizeof(text));
			read = true;
		}
		if (!sup_evidence_parse_limits(
			text, (enum wire_limit)i, soft, hard))
			evidence->limits_read = false;
	}
}

void
sup_evidence_observe(struct sup_evidence *evidence, pid_t pid2)
{
	char path[64], text[STATUS_MAX];
	size_t len;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid2);
	len = sup_sys_read_text(path, text, sizeof(text));
	sup_evidence_parse_status(
	    (struct wire_span){(const uint8_t *)text, len}, &evidence->status);
	observe_limits(evidence, pid2);
}

static uint64_t
smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void
sup_evidence_expect(
    struct sup_evidence *evidence, const struct sup_launch *launch)
{
	for (size_t i = 0; i < WIRE_LIMITS; i++) {
		uint64_t soft = UINT64_MAX, hard = UINT64_MAX;

		(void)sup_sys_prlimit(0, resources[i].number, &soft, &hard);
		evidence->planned[i] = launch->stub.soft[i] != WIRE_PLAN_UNSET;
		/* As in child/limits.c: 0 is not stricter than 1 here. */
		if (i == WIRE_LIMIT_CORE && launch->stub.soft[i] == 1)
			soft = 1;
		evidence->want_hard[i] = smaller(launch->stub.hard[i], hard);
		evidence->want_soft[i] =
		    smaller(smaller(launch->stub.soft[i], soft),
			evidence->want_hard[i]);
	}
	evidence->backend = launch->stub.backend;
	evidence->processes = launch->stub.processes;
	evidence->own_number = launch->stub.by_pid;
	evidence->network = launch->network;
	/* The mounts and what came along with them, the workspace twice (see
	 * child/root.c), /dev/shm and the root. */
	evidence->mounts_planned =
	    (uint32_t)(launch->stub.mount_count + launch->below_count + 4);
}

static void
check_fds(struct sup_evidence *evidence, const struct wire_ready *ready)
{
	evidence->foreign_fd = -1;
	for (size_t i = 0; i < ready->fd_count; i++)
		if (ready->fds[i] > WIRE_FD_CHANNEL) {
			evidence->foreign_fd = (int)ready->fds[i];
			break;
		}
}

static bool
has_variable(const struct wire_ready *ready, const char *variable)
{
	struct wire_span want = {(const uint8_t *)variable, strlen(variable)};

	for (size_t i = 0; i < ready->environment_count; i++)
		if (wire_json_text_equal(ready->environment[i], want))
			return true;
	return false;
}

/* The child's environment against the plan's, as sets of equal size. What is
 * preloaded takes its variable away; an interpreter without a loader cannot. */
static bool
same_environment(
    const struct sup_launch *launch, const struct wire_ready *ready)
{
	const struct wire_plan *plan = &launch->stub;
	size_t found = 0;

	for (size_t i = 0; i < plan->env_count; i++) {
		if (has_variable(ready, plan->env[i]))
			found++;
		else if (plan->env[i] != launch->preload)
			return false;
	}
	return found == ready->environment_count;
}

/* The last two are the root itself, and a file that is granted: Landlock's own
 * proof (launch.c). */
static void
check_canaries(struct sup_evidence *evidence, const struct wire_plan *seal,
    const struct wire_ready *ready)
{
	uint32_t count = (uint32_t)seal->canary_count - 2;
	const uint32_t *before = ready->canary_before;
	const uint32_t *after = ready->canary_after;

	evidence->canary_count = count;
	evidence->canary_proved = 0;
	evidence->canary_open = NULL;
	for (size_t i = 0; i < count; i++) {
		if (after[i] == 0)
			evidence->canary_open = seal->canaries[i];
		if (before[i] == 0 && after[i] == EACCES)
			evidence->canary_proved++;
	}
	evidence->landlock_proved = before[count] == 0 &&
	    after[count] == EACCES && after[count + 1] == 0;
}

bool
sup_evidence_ready(struct sup_evidence *evidence,
    const struct sup_launch *launch, const struct wire_ready *ready,
    const char **ret_problem)
{
	const struct wire_plan *seal = &launch->seal;

	if (ready->canary_count != seal->canary_count) {
		*ret_problem = "ready lists another number of canaries than "
			       "were planned";
		return false;
	}
	evidence->ready = true;
	evidence->pid_inside = ready->pid;
	evidence->inet_errno = ready->inet_errno;
	evidence->inet6_errno = ready->inet6_errno;
	evidence->fork_errno = ready->fork_errno;
	evidence->landlock_abi = ready->landlock_abi;
	evidence->landlock_errno = ready->landlock_errno;
	evidence->dumpable = ready->dumpable;
	check_canaries(evidence, seal, ready);
	check_fds(evidence, ready);
	evidence->environment_equal = same_environment(launch, ready);
	return true;
}

bool
sup_evidence_cpu_raised(const struct sup_evidence *e, uint64_t soft)
{
	return soft > e->want_soft[WIRE_LIMIT_CPU] &&
	    soft <= e->want_hard[WIRE_LIMIT_CPU];
}

bool
sup_evidence_is_same(const struct sup_evidence *a, const struct sup_evidence *b)
{
	const struct sup_status *x = &a->status, *y = &b->status;

	return memcmp(x->uid, y->uid, sizeof(x->uid)) == 0 &&
	    memcmp(x->gid, y->gid, sizeof(x->gid)) == 0 &&
	    memcmp(x->caps, y->caps, sizeof(x->caps)) == 0 &&
	    x->groups == y->groups && x->no_new_privs == y->no_new_privs &&
	    x->seccomp == y->seccomp && x->read == y->read &&
	    a->limits_read == b->limits_read &&
	    memcmp(a->soft, b->soft, sizeof(a->soft)) == 0 &&
	    memcmp(a->hard, b->hard, sizeof(a->hard)) == 0 &&
	    a->memory.limit == b->memory.limit &&
	    a->memory.inside == b->memory.inside &&
	    a->memory.swap_held == b->memory.swap_held;
}
