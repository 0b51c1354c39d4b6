#include "supervisor/evidence.h"

#include <errno.h>
#include <stdio.h>
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

static const int resources[WIRE_LIMITS] = {
    [WIRE_LIMIT_CORE] = RLIMIT_CORE,
    [WIRE_LIMIT_CPU] = RLIMIT_CPU,
    [WIRE_LIMIT_AS] = RLIMIT_AS,
    [WIRE_LIMIT_FSIZE] = RLIMIT_FSIZE,
    [WIRE_LIMIT_NPROC] = RLIMIT_NPROC,
    [WIRE_LIMIT_NOFILE] = RLIMIT_NOFILE,
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

void
sup_evidence_observe(struct sup_evidence *evidence, pid_t pid2)
{
	char path[64], text[STATUS_MAX];
	size_t len;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid2);
	len = sup_sys_read_text(path, text, sizeof(text));
	sup_evidence_parse_status(
	    (struct wire_span){(const uint8_t *)text, len}, &evidence->status);
	evidence->limits_read = true;
	for (size_t i = 0; i < WIRE_LIMITS; i++)
		if (sup_sys_prlimit(pid2, resources[i], &evidence->soft[i],
			&evidence->hard[i]) < 0)
			evidence->limits_read = false;
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

		(void)sup_sys_prlimit(0, resources[i], &soft, &hard);
		evidence->want_hard[i] = smaller(launch->stub.hard[i], hard);
		evidence->want_soft[i] =
		    smaller(smaller(launch->stub.soft[i], soft),
			evidence->want_hard[i]);
	}
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
same_environment(const struct wire_plan *plan, const struct wire_ready *ready)
{
	size_t found = 0;

	for (size_t i = 0; i < plan->env_count; i++) {
		if (has_variable(ready, plan->env[i]))
			found++;
		else if (strcmp(plan->env[i], SUP_PRELOAD) != 0)
			return false;
	}
	return found == ready->environment_count;
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
	/* The last canary is the root itself: Landlock's own (launch.c). */
	evidence->canary_count = (uint32_t)ready->canary_count - 1;
	evidence->canary_open = NULL;
	for (size_t i = 0; i < evidence->canary_count; i++)
		if (ready->canary_after[i] == 0)
			evidence->canary_open = seal->canaries[i];
	evidence->landlock_proved =
	    ready->canary_before[evidence->canary_count] == 0 &&
	    ready->canary_after[evidence->canary_count] == EACCES;
	check_fds(evidence, ready);
	evidence->environment_equal = same_environment(&launch->stub, ready);
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
	    memcmp(a->hard, b->hard, sizeof(a->hard)) == 0;
}
