#include "supervisor/grades.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of sup_status.caps. */
#define CAPS_BOUNDING 3

static const char *const guarantee_words[SUP_GUARANTEE_COUNT] = {
#define X(name, word) [SUP_##name] = word,
    SUP_GUARANTEES(X)
#undef X
};

static const char *const grade_words[] = {
    [SUP_UNAVAILABLE] = "unavailable",
    [SUP_UNVERIFIED] = "unverified",
    [SUP_ENFORCED] = "enforced",
};

static const char *const level_words[] = {
    [SUP_LEVEL_NONE] = "none",
    [SUP_LEVEL_PROCESS] = "process",
    [SUP_LEVEL_ISOLATED] = "isolated",
};

const char *
sup_guarantee_word(enum sup_guarantee guarantee)
{
	return guarantee_words[guarantee];
}

const char *
sup_grade_word(enum sup_grade grade)
{
	return grade_words[grade];
}

const char *
sup_level_word(enum sup_level level)
{
	return level_words[level];
}

__attribute__((format(printf, 4, 5))) static void
set(struct sup_grades *grades, enum sup_guarantee guarantee,
    enum sup_grade grade, const char *format, ...)
{
	va_list args;

	grades->grade[guarantee] = grade;
	va_start(args, format);
	(void)vsnprintf(
	    grades->evidence[guarantee], SUP_EVIDENCE_TEXT, format, args);
	va_end(args);
}

/* Both known, and different. */
static bool
own_namespace(const struct sup_evidence *e, enum sup_namespace which)
{
	return e->host.inode[which] != 0 && e->child.inode[which] != 0 &&
	    e->host.inode[which] != e->child.inode[which];
}

bool
sup_grades_limit_stands(const struct sup_evidence *e, enum wire_limit limit)
{
	return e->planned[limit] && e->limits_read &&
	    e->soft[limit] == e->want_soft[limit] &&
	    e->hard[limit] == e->want_hard[limit] &&
	    e->hard[limit] != WIRE_LIMIT_INFINITY;
}

/* A root of its own: the mount namespace is the boundary. */
static void
grade_own_root(const struct sup_evidence *e, struct sup_grades *g)
{
	char second[96];
	bool planned = e->mounts == e->mounts_planned;

	if (e->landlock_abi > 0 && e->landlock_proved)
		(void)snprintf(second, sizeof(second),
		    "second layer: Landlock ABI %" PRIu32 ", proved",
		    e->landlock_abi);
	else
		(void)snprintf(second, sizeof(second),
		    "second layer: none (stage landlock, errno %" PRIu32 ")",
		    e->landlock_errno);
	if (!e->ready || e->canary_open != NULL)
		set(g, SUP_FILESYSTEM, SUP_UNAVAILABLE,
		    "stage root: %s can be read inside; %s",
		    e->canary_open != NULL ? e->canary_open : "nothing probed",
		    second);
	else if (own_namespace(e, SUP_NS_MNT) && planned)
		set(g, SUP_FILESYSTEM, SUP_ENFORCED,
		    "own mount namespace, pivoted, %" PRIu32
		    " mounts as planned, %" PRIu32 " canaries closed; %s",
		    e->mounts, e->canary_count, second);
	else
		set(g, SUP_FILESYSTEM, SUP_UNVERIFIED,
		    "stage root and stage workspace: canaries closed, but the "
		    "mounts (%" PRIu32 " of %" PRIu32
		    ") could not be proved; %s",
		    e->mounts, e->mounts_planned, second);
}

/* Before ABI 3 a file that may only be read could be emptied (truncate(2)). */
#define LANDLOCK_ABI_LEAST 3

/* The host's root: Landlock is the boundary. */
static void
grade_landlock(const struct sup_evidence *e, struct sup_grades *g)
{
	if (e->ready && e->landlock_abi == 0)
		set(g, SUP_FILESYSTEM, SUP_UNAVAILABLE,
		    "stage landlock: it is not in force (errno %" PRIu32
		    ": %s); the kernel needs CONFIG_SECURITY_LANDLOCK and "
		    "\"landlock\" in its lsm= list, a container a seccomp "
		    "profile that allows landlock_*",
		    e->landlock_errno, strerror((int)e->landlock_errno));
	else if (!e->ready || e->canary_open != NULL)
		set(g, SUP_FILESYSTEM, SUP_UNAVAILABLE,
		    "stage landlock: %s can be read inside",
		    e->canary_open != NULL ? e->canary_open : "nothing probed");
	else if (!e->landlock_proved || e->canary_proved == 0)
		set(g, SUP_FILESYSTEM, SUP_UNAVAILABLE,
		    "stage landlock: ABI %" PRIu32
		    " accepted the rules, and they do not hold",
		    e->landlock_abi);
	else if (e->landlock_abi < LANDLOCK_ABI_LEAST)
		set(g, SUP_FILESYSTEM, SUP_UNVERIFIED,
		    "stage landlock: ABI %" PRIu32
		    " cannot refuse to empty a file; ABI 3 (Linux 6.2) is "
		    "needed",
		    e->landlock_abi);
	else
		set(g, SUP_FILESYSTEM, SUP_ENFORCED,
		    "Landlock ABI %" PRIu32 ": / and %" PRIu32
		    " more opened before it and not after it, a granted file "
		    "opens; names and metadata of others stay visible",
		    e->landlock_abi, e->canary_proved);
}

static void
grade_filesystem(const struct sup_evidence *e, struct sup_grades *g)
{
	if (e->backend == WIRE_BACKEND_ISOLATED)
		grade_own_root(e, g);
	else if (e->backend == WIRE_BACKEND_PROCESS)
		grade_landlock(e, g);
	else
		set(g, SUP_FILESYSTEM, SUP_UNAVAILABLE,
		    "unconfined: the program may what the caller may");
}

/*
 * SECURITY: a grant excuses the grade of the network alone, and only where the
 * filter stands: else Unix sockets of the host would be open with it, and
 * nothing would tell.
 */
bool
sup_grades_network_is_excused(const struct sup_evidence *e)
{
	return e->network && e->ready && e->fork_errno == EPERM;
}

static void
grade_granted_network(const struct sup_evidence *e, struct sup_grades *g)
{
	if (sup_grades_network_is_excused(e))
		set(g, SUP_NETWORK, SUP_UNAVAILABLE,
		    "granted: the host's network, its loopback and internal "
		    "services included; socket() for IPv4: errno %" PRIu32
		    ", for IPv6: errno %" PRIu32
		    "; other families stay refused",
		    e->inet_errno, e->inet6_errno);
	else
		set(g, SUP_NETWORK, SUP_UNAVAILABLE,
		    "granted, but the filter that refuses other families is "
		    "not in force (stage seccomp)");
}

static void
grade_network(const struct sup_evidence *e, struct sup_grades *g)
{
	bool empty =
	    own_namespace(e, SUP_NS_NET) && e->links > 0 && e->links_up == 0;
	bool refused =
	    e->ready && e->inet_errno == EPERM && e->inet6_errno == EPERM;

	if (e->network)
		grade_granted_network(e, g);
	else if (empty && refused)
		set(g, SUP_NETWORK, SUP_ENFORCED,
		    "own network namespace, %" PRIu32
		    " link(s), none up; socket() refused for IPv4 (errno "
		    "%" PRIu32 ") and IPv6 (errno %" PRIu32 ")",
		    e->links, e->inet_errno, e->inet6_errno);
	else if (empty)
		set(g, SUP_NETWORK, SUP_UNVERIFIED,
		    "own network namespace without a link that is up, but "
		    "socket() is not refused (stage seccomp)");
	else if (refused && own_namespace(e, SUP_NS_NET) && e->links == 0)
		set(g, SUP_NETWORK, SUP_UNVERIFIED,
		    "socket() is refused and the network namespace is its own, "
		    "but it cannot be shown to be empty: process 1 could not "
		    "ask; allow socket(AF_INET, SOCK_DGRAM) in the container's "
		    "seccomp profile");
	else if (refused)
		set(g, SUP_NETWORK, SUP_UNVERIFIED,
		    "socket() is refused, but the network namespace is not "
		    "shown to be empty (%" PRIu32 " of %" PRIu32 " links up)",
		    e->links_up, e->links);
	else
		set(g, SUP_NETWORK, SUP_UNAVAILABLE,
		    "neither an empty network namespace nor a filter (stage "
		    "seccomp)");
}

/* Landlock's scope of signals. */
#define LANDLOCK_ABI_SIGNALS 6

/*
 * SECURITY: without a PID namespace a program that may have processes must not
 * reach process 1, which holds its tree and has its uid: its signals end at
 * Landlock's scope. And its tree must end however fast it forks: by a uid that
 * nobody else has.
 */
static bool
tree_can_be_held(const struct sup_evidence *e)
{
	return e->own_number && e->landlock_proved &&
	    e->landlock_abi >= LANDLOCK_ABI_SIGNALS;
}

static void
grade_process_tree(const struct sup_evidence *e, struct sup_grades *g)
{
	if (own_namespace(e, SUP_NS_PID) && e->ready && e->pid_inside == 2)
		set(g, SUP_PROCESS_TREE, SUP_ENFORCED,
		    "PID namespace whose process 1 is ours; the program is "
		    "process 2");
	else if (e->backend == WIRE_BACKEND_PROCESS && e->processes > 0 &&
	    !tree_can_be_held(e))
		set(g, SUP_PROCESS_TREE, SUP_UNAVAILABLE,
		    "processes are granted, and there is no PID namespace: it "
		    "takes a uid of the child's own (start weir as root) and "
		    "Landlock ABI %d (Linux 6.12; here %" PRIu32
		    "), or a host that allows user namespaces",
		    LANDLOCK_ABI_SIGNALS, e->landlock_abi);
	else if (e->backend == WIRE_BACKEND_PROCESS && e->ready && e->subreaper)
		set(g, SUP_PROCESS_TREE, SUP_UNVERIFIED,
		    "process 1 is the subreaper of all that the program "
		    "starts; there is no PID namespace");
	else if (e->backend == WIRE_BACKEND_PROCESS)
		set(g, SUP_PROCESS_TREE, SUP_UNAVAILABLE,
		    "stage subreaper: neither a PID namespace nor a "
		    "subreaper");
	else
		set(g, SUP_PROCESS_TREE, SUP_UNAVAILABLE,
		    "no PID namespace of its own was seen");
}

/* One who has no capability may not empty the bounding set either. */
static bool
no_capabilities(const struct sup_evidence *e)
{
	const struct sup_status *s = &e->status;
	bool callers_own =
	    !own_namespace(e, SUP_NS_USER) && s->uid[0] == e->host_uid;

	for (size_t i = 0; i < 5; i++)
		if (s->caps[i] != 0 && !(i == CAPS_BOUNDING && callers_own))
			return false;
	return true;
}

static void
grade_identity(const struct sup_evidence *e, struct sup_grades *g)
{
	const struct sup_status *s = &e->status;
	bool root = false;

	for (size_t i = 0; i < 4; i++)
		root = root || s->uid[i] == 0 || s->gid[i] == 0;
	if (e->backend == WIRE_BACKEND_NONE)
		set(g, SUP_IDENTITY, SUP_UNAVAILABLE,
		    "unconfined: the caller's own ids and capabilities (uid "
		    "%" PRIu32 ")",
		    s->uid[0]);
	else if (!s->read)
		set(g, SUP_IDENTITY, SUP_UNAVAILABLE,
		    "the process status cannot be read");
	else if (root)
		set(g, SUP_IDENTITY, SUP_UNAVAILABLE,
		    "stage ids: an id outside is that of real root (uid "
		    "%" PRIu32 ", gid %" PRIu32
		    "); start weir with a uid and a gid other than 0, or as "
		    "root",
		    s->uid[0], s->gid[0]);
	else if (!no_capabilities(e))
		set(g, SUP_IDENTITY, SUP_UNAVAILABLE,
		    "stage capabilities: capabilities are left (bounding "
		    "%" PRIx64 ", effective %" PRIx64 ")",
		    s->caps[3], s->caps[2]);
	else if (s->no_new_privs != 1)
		set(g, SUP_IDENTITY, SUP_UNAVAILABLE,
		    "stage no_new_privs: it is not set");
	else if (own_namespace(e, SUP_NS_USER) || s->uid[0] != e->host_uid)
		set(g, SUP_IDENTITY, SUP_ENFORCED,
		    "%s, uid %" PRIu32 " gid %" PRIu32 " outside%s, %" PRIu32
		    " supplementary groups, five capability sets empty, "
		    "no_new_privs",
		    own_namespace(e, SUP_NS_USER) ? "own user namespace"
						  : "own uid",
		    s->uid[0], s->gid[0],
		    s->uid[0] == e->host_uid ? " (the caller's)" : "",
		    s->groups);
	else
		set(g, SUP_IDENTITY, SUP_UNVERIFIED,
		    "the supervisor's own uid %" PRIu32
		    ", without capabilities, no_new_privs",
		    s->uid[0]);
}

/* A group of the kernel's that holds all of it, kernel memory included. */
static void
grade_cgroup(const struct sup_memory_seen *m, struct sup_grades *g)
{
	if (m->limit != m->want || !m->inside)
		set(g, SUP_MEMORY, SUP_UNAVAILABLE,
		    "stage memory: the program's process is %s the cgroup, "
		    "whose limit reads %" PRIu64 " where %" PRIu64
		    " was written",
		    m->inside ? "in" : "not in", m->limit, m->want);
	else
		set(g, SUP_MEMORY, m->swap_held ? SUP_ENFORCED : SUP_UNVERIFIED,
		    "cgroup v%d: a limit of %" PRIu64
		    " bytes for everything, the kernel's memory included, "
		    "read back; %s",
		    m->by == SUP_MEMORY_CGROUP2 ? 2 : 1, m->limit,
		    m->swap_held ? "no swap beyond it"
				 : "the kernel does not limit swap");
}

static void
grade_watchdog(const struct sup_evidence *e, struct sup_grades *g)
{
	const struct sup_memory_seen *m = &e->memory;

	if (!m->watched)
		set(g, SUP_MEMORY, SUP_UNAVAILABLE,
		    "stage memory: there is no cgroup, and the watchdog does "
		    "not run");
	else
		set(g, SUP_MEMORY, SUP_UNVERIFIED,
		    "watchdog: what is resident in %s%s against a limit of "
		    "%" PRIu64 " bytes; RLIMIT_AS %" PRIu64
		    " bytes read by the host",
		    m->by_tree ? "each process" : "the one process",
		    m->quota_seen ? " and in the workspace"
				  : ", not in the workspace,",
		    m->want, e->soft[WIRE_LIMIT_AS]);
}

static void
grade_memory(const struct sup_evidence *e, struct sup_grades *g, bool single)
{
	if (!sup_grades_limit_stands(e, WIRE_LIMIT_AS))
		set(g, SUP_MEMORY, SUP_UNAVAILABLE,
		    "stage address_space: the limit is not in force");
	else if (e->memory.by == SUP_MEMORY_WATCHDOG)
		grade_watchdog(e, g);
	else if (e->memory.by != SUP_MEMORY_NONE)
		grade_cgroup(&e->memory, g);
	else
		set(g, SUP_MEMORY, single ? SUP_ENFORCED : SUP_UNVERIFIED,
		    "RLIMIT_AS %" PRIu64
		    " bytes read by the host; %s; %s, kernel buffers by "
		    "open_files",
		    e->soft[WIRE_LIMIT_AS],
		    single ? "one process" : "more processes are possible",
		    e->backend == WIRE_BACKEND_ISOLATED
			? "every tmpfs bounded"
			: "the workspace is on disk");
}

static void
grade_limits(const struct sup_evidence *e, struct sup_grades *g)
{
	bool single = e->ready && e->fork_errno == EPERM && e->processes == 0;

	if (!sup_grades_limit_stands(e, WIRE_LIMIT_CPU))
		set(g, SUP_CPU, SUP_UNAVAILABLE,
		    "stage cpu: the limit is not in force");
	else if (e->tree_watched)
		set(g, SUP_CPU, SUP_UNVERIFIED,
		    "watched: the sum of all processes against %" PRIu64
		    " s; RLIMIT_CPU %" PRIu64 "/%" PRIu64
		    " s of each read by the host",
		    e->want_soft[WIRE_LIMIT_CPU], e->soft[WIRE_LIMIT_CPU],
		    e->hard[WIRE_LIMIT_CPU]);
	else
		set(g, SUP_CPU, single ? SUP_ENFORCED : SUP_UNVERIFIED,
		    "RLIMIT_CPU %" PRIu64 "/%" PRIu64 " s read by the host; %s",
		    e->soft[WIRE_LIMIT_CPU], e->hard[WIRE_LIMIT_CPU],
		    single ? "one process" : "more processes are possible");
	grade_memory(e, g, single);
	if (sup_grades_limit_stands(e, WIRE_LIMIT_FSIZE))
		set(g, SUP_FILE_SIZE, SUP_ENFORCED,
		    "RLIMIT_FSIZE %" PRIu64 " bytes read by the host",
		    e->soft[WIRE_LIMIT_FSIZE]);
	else
		set(g, SUP_FILE_SIZE, SUP_UNAVAILABLE,
		    "stage file_size: the limit is not in force");
}

static void
grade_process_count(const struct sup_evidence *e, struct sup_grades *g)
{
	bool filter = e->ready && e->fork_errno == EPERM;
	bool limit = sup_grades_limit_stands(e, WIRE_LIMIT_NPROC) &&
	    (own_namespace(e, SUP_NS_USER) || e->status.uid[0] != e->host_uid);

	if (e->processes > 0 && limit && e->tree_watched)
		set(g, SUP_PROCESS_COUNT, SUP_UNVERIFIED,
		    "%" PRIu32 " processes are granted and watched; "
		    "RLIMIT_NPROC %" PRIu64
		    " tasks, threads included, read by the host",
		    e->processes, e->soft[WIRE_LIMIT_NPROC]);
	else if (e->processes > 0)
		set(g, SUP_PROCESS_COUNT, SUP_UNAVAILABLE,
		    "processes are granted, and %s",
		    limit ? "cannot be seen in /proc"
			  : "stage processes: RLIMIT_NPROC is not in force");
	else if (filter && limit)
		set(g, SUP_PROCESS_COUNT, SUP_ENFORCED,
		    "fork refused (errno 1); RLIMIT_NPROC %" PRIu64
		    " tasks read by the host",
		    e->soft[WIRE_LIMIT_NPROC]);
	else if (filter && !e->planned[WIRE_LIMIT_NPROC])
		set(g, SUP_PROCESS_COUNT, SUP_UNVERIFIED,
		    "fork refused (errno 1); threads are watched, since "
		    "RLIMIT_NPROC would count the caller's other processes");
	else if (filter || limit)
		set(g, SUP_PROCESS_COUNT, SUP_UNVERIFIED, "%s",
		    filter
			? "fork refused, but stage processes: RLIMIT_NPROC "
			  "is not in force"
			: "RLIMIT_NPROC in force, but stage seccomp: fork is "
			  "not refused");
	else
		set(g, SUP_PROCESS_COUNT, SUP_UNAVAILABLE,
		    "stages seccomp and processes: neither a filter nor a "
		    "limit");
}

void
sup_grades_derive(const struct sup_evidence *e, struct sup_grades *ret_grades)
{
	grade_filesystem(e, ret_grades);
	grade_network(e, ret_grades);
	grade_process_tree(e, ret_grades);
	grade_identity(e, ret_grades);
	grade_limits(e, ret_grades);
	grade_process_count(e, ret_grades);
	if (e->timer_armed)
		set(ret_grades, SUP_WALL_CLOCK, SUP_ENFORCED,
		    "the host's timer was armed before the program was sent");
	else
		set(ret_grades, SUP_WALL_CLOCK, SUP_UNAVAILABLE,
		    "the host's timer is not armed");
	if (e->ready && e->environment_equal)
		set(ret_grades, SUP_ENVIRONMENT, SUP_ENFORCED,
		    "the environment seen inside equals the plan's");
	else
		set(ret_grades, SUP_ENVIRONMENT, SUP_UNAVAILABLE,
		    "the environment seen inside differs from the plan's");
	ret_grades->level =
	    sup_level_of(ret_grades->grade, sup_grades_network_is_excused(e));
	/* Isolated means a root of its own, too (C5): on the host's root the
	 * names of all its files stay visible. */
	if (e->backend != WIRE_BACKEND_ISOLATED &&
	    ret_grades->level == SUP_LEVEL_ISOLATED)
		ret_grades->level = SUP_LEVEL_PROCESS;
}
