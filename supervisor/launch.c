#include "supervisor/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>

#include "supervisor/elf_loader.h"
#include "supervisor/filter_why.h"
#include "supervisor/launch_grants.h"
#include "supervisor/launch_root.h"
#include "supervisor/sys.h"

#define LANDLOCK_ALL	    ((1ULL << 16) - 1)
#define LANDLOCK_WRITE_FILE (1ULL << 1)
#define LANDLOCK_WORK	    (SUP_LANDLOCK_READ | SUP_LANDLOCK_WRITE)

/*
 * Files that a host has and a root of ours must not: generic names, since the
 * list is mapped in the interpreter for a moment and must tell nothing.
 */
static const char *const canaries[] = {
    "/etc/passwd",
    "/etc/hostname",
    "/etc/machine-id",
    "/proc/self/environ",
    "/proc/1/status",
    "/proc/version",
    "/sys/kernel/mm/transparent_hugepage/enabled",
};

void
sup_launch_add_rule(
    struct sup_launch *launch, const char *path, uint64_t access)
{
	struct wire_plan *plan = &launch->seal;

	if (plan->rule_count == WIRE_PLAN_RULES) {
		launch->err = WIRE_ERR_NO_SPACE;
		return;
	}
	plan->rules[plan->rule_count++] = (struct wire_plan_rule){path, access};
}

static void
add_rules(struct sup_launch *launch, const struct sup_launch_request *request)
{
	const struct sup_grants *grants = request->grants;

	launch->seal.landlock_handled = LANDLOCK_ALL;
	/* Bind and connect of TCP: ruled, and no rule allows any. */
	launch->seal.landlock_net = launch->network ? 0 : 3;
	launch->seal.landlock_scoped = 3; /* abstract sockets and signals */
	for (size_t i = 0; i < launch->grants_from; i++) {
		const struct wire_plan_mount *m = &launch->stub.mounts[i];
		uint64_t access = SUP_LANDLOCK_READ;

		/* KERNEL: a device on a read-only mount can be written to;
		 * read-only is its inode. */
		if ((m->flags & (WIRE_MOUNT_WRITE | WIRE_MOUNT_DEVICE)) != 0)
			access |= LANDLOCK_WRITE_FILE;
		sup_launch_add_rule(launch, m->target, access);
	}
	sup_launch_add_rule(launch, launch->stub.workspace, LANDLOCK_WORK);
	/* On the host's root that is everybody's. */
	if (launch->stub.backend == WIRE_BACKEND_ISOLATED)
		sup_launch_add_rule(launch, "/dev/shm", LANDLOCK_WORK);
	if (grants != NULL)
		sup_launch_grant_rules(launch, grants);
	if (launch->stub.processes > 0)
		sup_launch_program_rules(launch, request->interp->path, grants);
}

static void
add_canaries(struct sup_launch *launch)
{
	struct wire_plan *seal = &launch->seal;
	char path[PATH_MAX + sizeof(SUP_GRANTED_FILE) + 1];

	for (size_t i = 0; i < sizeof(canaries) / sizeof(canaries[0]); i++)
		if (sup_sys_readable(canaries[i]) &&
		    !sup_launch_is_covered(launch, canaries[i]))
			seal->canaries[seal->canary_count++] = canaries[i];
	/* The root itself can be listed before Landlock and not after: the
	 * proof that the ruleset is in force. A file that is granted can be
	 * opened all the same. */
	seal->canaries[seal->canary_count++] = "/";
	(void)snprintf(
	    path, sizeof(path), "%s/%s", launch->runtime, SUP_GRANTED_FILE);
	seal->canaries[seal->canary_count++] = sup_launch_keep(launch, path);
}

static void
add_variable(struct sup_launch *launch, const char *name, const char *value)
{
	char text[PATH_MAX + 64];
	int n = snprintf(text, sizeof(text), "%s=%s", name, value);

	if (n < 0 || (size_t)n >= sizeof(text)) {
		launch->err = WIRE_ERR_NO_SPACE;
		return;
	}
	launch->stub.env[launch->stub.env_count++] =
	    sup_launch_keep(launch, text);
}

/*
 * SECURITY: a file of ours, read-only in the child, that runs before the
 * program does and has less to do than the module. The loader would complain
 * of a missing one on the program's own stderr, and it splits the variable at
 * blanks and colons (ld.so(8)).
 */
static void
add_preload(struct sup_launch *launch, const char *libexec)
{
	struct wire_plan *plan = &launch->stub;
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s" SUP_PREFAULT, libexec);

	if (n < 0 || (size_t)n >= sizeof(path) || !sup_sys_readable(path))
		return;
	(void)snprintf(path, sizeof(path), "%s" SUP_PREFAULT, launch->runtime);
	if (strpbrk(path, " :\t\n") != NULL)
		return;
	add_variable(launch, "LD_PRELOAD", path);
	launch->preload = plan->env[plan->env_count - 1];
}

/*
 * SECURITY: the environment is built from nothing (C9). A deny-list would
 * miss the next credential-shaped variable.
 */
static void
add_environment(
    struct sup_launch *launch, const struct sup_launch_request *request)
{
	const struct sup_grants *grants = request->grants;
	const char *workspace = launch->stub.workspace;

	add_variable(launch, "HOME", workspace);
	add_variable(launch, "TMPDIR", workspace);
	add_variable(launch, "TZ",
	    sup_sys_readable("/etc/localtime") ? "/etc/localtime" : "UTC0");
	add_variable(launch, "MALLOC_ARENA_MAX", "2");
	/* Else the interpreter sets it itself (PEP 538), and what is seen
	 * inside would not be what was given. */
	add_variable(launch, "LC_CTYPE", "C.UTF-8");
	add_preload(launch, request->libexec);
	launch->variables_from = launch->stub.env_count;
	for (size_t i = 0; grants != NULL && i < grants->variable_count; i++)
		launch->stub.env[launch->stub.env_count++] =
		    grants->variables[i];
}

/* One argument: control characters are in no path that is granted. */
static const char *
join_packages(struct sup_launch *launch, const struct sup_grants *grants)
{
	size_t len = 0, at = 0;
	char *text;

	for (size_t i = 0; i < grants->package_count; i++)
		len += strlen(grants->packages[i]) + 1;
	text = launch->text + launch->text_len;
	if (len > SUP_LAUNCH_TEXT - launch->text_len) {
		launch->err = WIRE_ERR_NO_SPACE;
		return "";
	}
	for (size_t i = 0; i < grants->package_count; i++) {
		size_t n = strlen(grants->packages[i]);

		memcpy(text + at, grants->packages[i], n);
		text[at + n] = '\n';
		at += n + 1;
	}
	text[at - 1] = '\0';
	launch->text_len += at;
	return text;
}

static void
add_command(struct sup_launch *launch, const struct sup_launch_request *request)
{
	static const char boot[] =
	    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
	    "import bootstrap; bootstrap.main()";
	/* Isolated, without site, UTF-8, unbuffered (C10). */
	static const char *const args[] = {
	    "-I", "-S", "-X", "utf8", "-u", "-c", boot};
	struct wire_plan *plan = &launch->stub;

	plan->args[plan->arg_count++] =
	    sup_launch_keep(launch, request->interp->path);
	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		plan->args[plan->arg_count++] = args[i];
	plan->args[plan->arg_count++] = launch->runtime;
	if (request->grants != NULL && request->grants->package_count > 0)
		plan->args[plan->arg_count++] =
		    join_packages(launch, request->grants);
}

/* Notes which mounts the supervisor opens, and numbers their descriptors. */
static void
open_by_host(struct sup_launch *launch)
{
	for (size_t i = 0; i < launch->stub.mount_count; i++) {
		struct wire_plan_mount *m = &launch->stub.mounts[i];

		m->fd = WIRE_FD_MOUNTS + (int)launch->opened_count;
		launch->opened[launch->opened_count++] = m->source;
		m->source = "";
	}
}

/* Most plans are a few KiB; the largest gets the room it needs. */
static enum wire_err
encode(const struct wire_plan *plan, uint8_t **ret_buf, size_t *ret_len)
{
	enum wire_err err = WIRE_ERR_NO_SPACE;
	uint8_t *buf = NULL;

	for (size_t max = WIRE_PLAN_MAX / 8;
	     err == WIRE_ERR_NO_SPACE && max <= WIRE_PLAN_MAX; max *= 8) {
		free(buf);
		buf = malloc(max);
		if (buf == NULL)
			return WIRE_ERR_NO_MEMORY;
		err = wire_plan_encode(plan, buf, max, ret_len);
	}
	if (err != WIRE_OK)
		free(buf);
	else
		*ret_buf = buf;
	return err;
}

static enum wire_err
seal_plan(const struct wire_plan *plan, const char *name, int *ret_fd,
    struct wire_errinfo *info)
{
	uint8_t *buf;
	size_t len;
	enum wire_err err = encode(plan, &buf, &len);
	int fd;

	if (err != WIRE_OK)
		return wire_fail(info, err, name, 0);
	fd = sup_sys_sealed(name, (struct wire_span){buf, len});
	free(buf);
	if (fd < 0) {
		if (info != NULL)
			*info = (struct wire_errinfo){name, -fd, 0};
		return WIRE_ERR_SYSTEM;
	}
	*ret_fd = fd;
	return WIRE_OK;
}

static bool
has_write_grant(const struct sup_grants *grants)
{
	for (size_t i = 0; grants != NULL && i < grants->path_count; i++)
		if (grants->paths[i].write)
			return true;
	return false;
}

static enum wire_err
add_filter(struct sup_launch *launch, const struct sup_launch_request *request,
    struct wire_errinfo *info)
{
	enum wire_err err;

	launch->filter = (struct sup_filter_params){
	    .arch = SUP_FILTER_NATIVE,
	    /* In a PID namespace of its own the program is process 2. */
	    .own_pid = launch->stub.namespaces ? SUP_FILTER_OWN_PID
					       : WIRE_PLAN_OWN_PID,
	    .processes = launch->stub.processes > 0,
	    .network = launch->network,
	    .no_writes = !has_write_grant(request->grants),
	    .shared_uid = launch->stub.backend == WIRE_BACKEND_PROCESS &&
		!request->other_ids,
	};
	err = sup_filter_compile(&launch->filter, launch->insns, SUP_FILTER_MAX,
	    &launch->seal.insn_count);
	if (err != WIRE_OK)
		return wire_fail(info, err, "system-call filter", 0);
	if (request->trace)
		sup_filter_ask(launch->insns, launch->seal.insn_count);
	launch->seal.insns = launch->insns;
	launch->seal.trace = request->trace;
	return WIRE_OK;
}

/* Whether anything of the child's own would hide the interpreter. */
static enum wire_err
check_interpreter(
    const struct sup_launch_request *request, struct wire_errinfo *info)
{
	const char *path = request->interp->path;
	char loader[PATH_MAX];

	if (request->terms->limits[SUP_LIMIT_PROCESSES] > 0 &&
	    request->backend != WIRE_BACKEND_NONE &&
	    !sup_elf_loader(path, loader, sizeof(loader)))
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
		    "processes: the interpreter's file does not name its "
		    "loader as those of this machine do; use another",
		    0);
	if (request->backend == WIRE_BACKEND_ISOLATED &&
	    (sup_path_is_beneath(path, SUP_WORKSPACE) ||
		sup_path_is_beneath(path, SUP_RUNTIME) ||
		sup_path_is_beneath(path, "/dev")))
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
		    "the interpreter stands where the sandbox has its own "
		    "directories (" SUP_WORKSPACE ", " SUP_RUNTIME
		    ", /dev); use one that is installed elsewhere",
		    0);
	return WIRE_OK;
}

/* The first part of path that others may not enter, or at its end not read;
 * false when there is none. */
static bool
find_closed(const char *path, char closed[PATH_MAX])
{
	size_t len = strlen(path);
	struct stat st;

	for (size_t i = 1; i <= len && len < PATH_MAX; i++) {
		unsigned needed = i == len ? S_IROTH | S_IXOTH : S_IXOTH;

		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(closed, path, i);
		closed[i] = '\0';
		if (sup_sys_stat(closed, &st) < 0 ||
		    (st.st_mode & needed) != needed)
			return true;
	}
	return false;
}

/* The same of what may be executed; in a root of its own only the files
 * matter, and not the directories that they stand in on the host. */
static bool
find_closed_program(const struct sup_launch *launch,
    const struct sup_launch_request *request, char closed[PATH_MAX])
{
	const struct sup_grants *grants = request->grants;
	struct stat st;

	for (size_t i = 0; grants != NULL && launch->stub.processes > 0 &&
	     i < grants->path_count;
	     i++) {
		const char *path = grants->paths[i].path;

		if (!grants->paths[i].execute)
			continue;
		if (request->backend == WIRE_BACKEND_PROCESS) {
			if (find_closed(path, closed))
				return true;
			continue;
		}
		(void)strlcpy(closed, path, PATH_MAX);
		if (sup_sys_stat(path, &st) < 0 ||
		    (st.st_mode & (S_IROTH | S_IXOTH)) != (S_IROTH | S_IXOTH))
			return true;
	}
	return false;
}

/*
 * On the host's root a child with ids of its own has only what everybody may
 * enter. Said here by name: the loader or the interpreter would fail later
 * with less to go by.
 */
static enum wire_err
check_open(struct sup_launch *launch, const struct sup_launch_request *request,
    struct wire_errinfo *info)
{
	char closed[PATH_MAX], text[PATH_MAX + 200];

	if (!request->other_ids ||
	    (!find_closed_program(launch, request, closed) &&
		(request->backend != WIRE_BACKEND_PROCESS ||
		    (!find_closed(request->interp->path, closed) &&
			!find_closed(request->libexec, closed)))))
		return WIRE_OK;
	(void)snprintf(text, sizeof(text),
	    "%s is closed to the ids that the child has; let others enter it, "
	    "or use what is installed for everybody",
	    closed);
	if (info != NULL)
		*info = (struct wire_errinfo){
		    sup_launch_keep(launch, text), EACCES, 0};
	return WIRE_ERR_SYSTEM;
}

static void
set_scalars(struct sup_launch *launch, const struct sup_launch_request *request)
{
	struct wire_plan *stub = &launch->stub, *seal = &launch->seal;
	const struct sup_terms *terms = request->terms;

	stub->layers = seal->layers =
	    terms->layers & ((1u << WIRE_STAGE_COUNT) - 1);
	stub->channel_fd = seal->channel_fd = WIRE_FD_CHANNEL;
	stub->backend = seal->backend = request->backend;
	stub->namespaces = seal->namespaces = request->namespaces;
	stub->uid = seal->uid = request->uid;
	stub->gid = seal->gid = request->gid;
	stub->by_pid = seal->by_pid = request->by_pid;
	stub->send_workspace = request->send_workspace;
	/* The caller's own rights have no number of them. */
	if (request->backend != WIRE_BACKEND_NONE)
		stub->processes = (uint32_t)terms->limits[SUP_LIMIT_PROCESSES];
	stub->workspace_bytes = terms->limits[SUP_LIMIT_WORKSPACE];
	stub->workspace_inodes = terms->limits[SUP_LIMIT_INODES];
	sup_terms_rlimits(terms, stub->soft, stub->hard);
	/* It counts everything of a uid: only one of its own can be limited;
	 * else the threads are watched (C3). */
	if (request->uid == WIRE_PLAN_KEEP) {
		stub->threads = (uint32_t)terms->limits[SUP_LIMIT_THREADS] + 1;
		stub->soft[WIRE_LIMIT_NPROC] = stub->hard[WIRE_LIMIT_NPROC] =
		    WIRE_PLAN_UNSET;
	}
	for (size_t i = 0; i < WIRE_LIMITS; i++)
		seal->soft[i] = seal->hard[i] = WIRE_PLAN_UNSET;
	launch->runtime = request->backend == WIRE_BACKEND_ISOLATED
	    ? SUP_RUNTIME
	    : sup_launch_keep(launch, request->libexec);
	stub->workspace = seal->workspace =
	    sup_launch_keep(launch, request->workspace);
}

enum wire_err
sup_launch_build(struct sup_launch *launch,
    const struct sup_launch_request *request, struct wire_errinfo *info)
{
	enum wire_err err;

	launch->stub_plan_fd = launch->seal_plan_fd = -1;
	err = check_interpreter(request, info);
	if (err != WIRE_OK)
		return err;
	launch->text = malloc(SUP_LAUNCH_TEXT);
	if (launch->text == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "launch plan", 0);
	set_scalars(launch, request);
	launch->network =
	    request->terms->network && request->backend != WIRE_BACKEND_NONE;
	err = check_open(launch, request, info);
	if (err != WIRE_OK)
		return err;
	sup_launch_list_root(launch, request);
	if (request->backend != WIRE_BACKEND_NONE)
		add_rules(launch, request);
	add_canaries(launch);
	add_environment(launch, request);
	add_command(launch, request);
	if (launch->err != WIRE_OK)
		return wire_fail(info, launch->err, "launch plan", 0);
	if (request->open_mounts && request->backend == WIRE_BACKEND_ISOLATED)
		open_by_host(launch);
	if (request->backend != WIRE_BACKEND_NONE)
		err = add_filter(launch, request, info);
	if (err == WIRE_OK)
		err = seal_plan(
		    &launch->stub, "weir-plan", &launch->stub_plan_fd, info);
	if (err == WIRE_OK)
		err = seal_plan(
		    &launch->seal, "weir-seal", &launch->seal_plan_fd, info);
	return err;
}

void
sup_launch_release(struct sup_launch *launch)
{
	sup_sys_close(&launch->stub_plan_fd);
	sup_sys_close(&launch->seal_plan_fd);
	free(launch->text);
	launch->text = NULL;
}
