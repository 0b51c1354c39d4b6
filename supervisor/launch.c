#include "supervisor/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/sys.h"

/* Landlock's rights by name; the running kernel masks what it lacks.
 * Documentation/userspace-api/landlock.rst */
#define LL_WRITE_FILE  (1ULL << 1)
#define LL_READ_FILE   (1ULL << 2)
#define LL_READ_DIR    (1ULL << 3)
#define LL_REMOVE_DIR  (1ULL << 4)
#define LL_REMOVE_FILE (1ULL << 5)
#define LL_MAKE_DIR    (1ULL << 7)
#define LL_MAKE_REG    (1ULL << 8)
#define LL_MAKE_SOCK   (1ULL << 9)
#define LL_MAKE_FIFO   (1ULL << 10)
#define LL_MAKE_SYM    (1ULL << 12)
#define LL_REFER       (1ULL << 13)
#define LL_TRUNCATE    (1ULL << 14)
#define LL_ALL	       ((1ULL << 16) - 1)

#define LL_READ (LL_READ_FILE | LL_READ_DIR)
/* SECURITY: no right to execute and none to make devices, anywhere. */
#define LL_WORK                                                                \
	(LL_READ | LL_WRITE_FILE | LL_REMOVE_DIR | LL_REMOVE_FILE |            \
	    LL_MAKE_DIR | LL_MAKE_REG | LL_MAKE_SOCK | LL_MAKE_FIFO |          \
	    LL_MAKE_SYM | LL_REFER | LL_TRUNCATE)

/* Where the dynamic loader and the interpreter find libraries. None for
 * 32 bits: the filter ends what makes such calls. */
static const char *const system_dirs[] = {
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/nix/store",
    "/gnu/store",
};

static const char *const system_files[] = {
    "/etc/ld.so.cache",
    "/etc/localtime",
};

static const char *const devices[] = {
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
};

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

static const char *
keep(struct sup_launch *launch, const char *text)
{
	size_t len = strlen(text) + 1;
	char *at = launch->text + launch->text_len;

	if (len > SUP_LAUNCH_TEXT - launch->text_len) {
		launch->err = WIRE_ERR_NO_SPACE;
		return "";
	}
	memcpy(at, text, len);
	launch->text_len += len;
	return at;
}

/* Whether path is dir or lies beneath it. */
static bool
beneath(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 &&
	    (path[len] == '\0' || path[len] == '/');
}

static bool
is_covered(const struct sup_launch *launch, const char *path)
{
	for (size_t i = 0; i < launch->stub.mount_count; i++)
		if (launch->stub.mounts[i].kind == WIRE_MOUNT_DIR &&
		    beneath(path, launch->stub.mounts[i].target))
			return true;
	return false;
}

static bool
is_linked(const struct sup_launch *launch, const char *path)
{
	for (size_t i = 0; i < launch->stub.link_count; i++)
		if (strcmp(path, launch->stub.links[i].path) == 0)
			return true;
	return false;
}

static void
add_mount(struct sup_launch *launch, const char *source, const char *target,
    bool directory, unsigned flags)
{
	struct wire_plan *plan = &launch->stub;
	struct wire_plan_mount *m;

	if (is_covered(launch, target))
		return;
	if (plan->mount_count == WIRE_PLAN_MOUNTS) {
		launch->err = WIRE_ERR_NO_SPACE;
		return;
	}
	m = &plan->mounts[plan->mount_count++];
	m->kind = directory ? WIRE_MOUNT_DIR : WIRE_MOUNT_FILE;
	m->flags = flags;
	m->fd = -1;
	m->source = keep(launch, source);
	m->target = keep(launch, target);
}

static void
add_link(struct sup_launch *launch, const char *path, const char *target)
{
	struct wire_plan *plan = &launch->stub;

	if (plan->link_count == WIRE_PLAN_LINKS) {
		launch->err = WIRE_ERR_NO_SPACE;
		return;
	}
	plan->links[plan->link_count++] =
	    (struct wire_plan_link){keep(launch, path), keep(launch, target)};
}

static void
add_rule(struct sup_launch *launch, const char *path, uint64_t access)
{
	struct wire_plan *plan = &launch->seal;

	if (plan->rule_count == WIRE_PLAN_RULES) {
		launch->err = WIRE_ERR_NO_SPACE;
		return;
	}
	plan->rules[plan->rule_count++] =
	    (struct wire_plan_rule){keep(launch, path), access};
}

/* A directory of the system as it is, or, where the host has a symbolic link
 * (merged /usr), the same link. */
static void
add_system_dir(struct sup_launch *launch, const char *path)
{
	char target[PATH_MAX];
	struct stat st;

	if (sup_sys_lstat(path, &st) < 0)
		return;
	if (S_ISLNK(st.st_mode)) {
		if (sup_sys_readlink(path, target, sizeof(target)) > 0)
			add_link(launch, path, target);
	} else if (S_ISDIR(st.st_mode)) {
		add_mount(launch, path, path, true, 0);
	}
}

/*
 * The interpreter: its own file and the library directories of its prefix
 * (C5). Not the whole prefix, which may be somebody's home.
 */
static void
add_interpreter(struct sup_launch *launch, const struct sup_interp *interp)
{
	static const char *const libs[] = {"lib", "lib64"};
	char path[PATH_MAX];

	for (size_t i = 0; i < 2; i++) {
		int n = snprintf(
		    path, sizeof(path), "%s/%s", interp->prefix, libs[i]);

		if (n > 0 && (size_t)n < sizeof(path) &&
		    !is_covered(launch, path) && !is_linked(launch, path))
			add_system_dir(launch, path);
	}
	add_mount(launch, interp->path, interp->path, false, 0);
}

static void
add_root(struct sup_launch *launch, const struct sup_interp *interp,
    const char *libexec)
{
	struct stat st;

	for (size_t i = 0; i < sizeof(system_dirs) / sizeof(system_dirs[0]);
	     i++)
		add_system_dir(launch, system_dirs[i]);
	add_interpreter(launch, interp);
	add_mount(launch, libexec, SUP_RUNTIME, true, 0);
	for (size_t i = 0; i < sizeof(system_files) / sizeof(system_files[0]);
	     i++) {
		char real[PATH_MAX];

		/* The file behind a link, at the link's place. */
		if (sup_sys_realpath(system_files[i], real, sizeof(real)) == 0)
			add_mount(launch, real, system_files[i], false, 0);
	}
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (sup_sys_stat(devices[i], &st) == 0 && S_ISCHR(st.st_mode))
			add_mount(launch, devices[i], devices[i], false,
			    WIRE_MOUNT_DEVICE);
	/* Programs that insist on /tmp get the workspace, unless the
	 * interpreter itself stands there. */
	if (!beneath(interp->path, "/tmp"))
		add_link(launch, "/tmp", SUP_WORKSPACE);
}

/* Turns \\ooo of a mountinfo field into its byte (proc(5)). */
static void
unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p != '\0'; to++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' &&
		    p[2] != '\0' && p[3] != '\0') {
			*to = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 +
			    (p[3] - '0'));
			p += 4;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
}

/* Notes a mount point of the host that lies inside something bound. */
static void
note_below(struct sup_launch *launch, const char *point)
{
	for (size_t i = 0; i < launch->stub.mount_count; i++) {
		const struct wire_plan_mount *m = &launch->stub.mounts[i];

		if (m->kind != WIRE_MOUNT_DIR ||
		    strcmp(point, m->source) == 0 || !beneath(point, m->source))
			continue;
		if (launch->below_count == WIRE_PLAN_MOUNTS)
			launch->err = WIRE_ERR_NO_SPACE;
		else
			launch->below[launch->below_count++] =
			    keep(launch, point);
	}
}

/* A bind takes what is mounted below along; a plain user could not even
 * leave it out (mount_namespaces(7), locked mounts). */
static void
find_below(struct sup_launch *launch)
{
	FILE *stream = fopen("/proc/self/mountinfo", "re");
	char line[2 * PATH_MAX];

	while (stream != NULL && fgets(line, sizeof(line), stream) != NULL) {
		char *point = line, *end;

		for (int i = 0; i < 4 && point != NULL; i++) {
			point = strchr(point, ' ');
			if (point != NULL)
				point++;
		}
		end = point != NULL ? strchr(point, ' ') : NULL;
		if (end == NULL)
			continue;
		*end = '\0';
		unescape(point);
		note_below(launch, point);
	}
	if (stream != NULL)
		(void)fclose(stream);
}

static void
add_rules(struct sup_launch *launch)
{
	launch->seal.landlock_handled = LL_ALL;
	launch->seal.landlock_net = 3;	  /* bind and connect of TCP */
	launch->seal.landlock_scoped = 3; /* abstract sockets and signals */
	for (size_t i = 0; i < launch->stub.mount_count; i++) {
		const struct wire_plan_mount *m = &launch->stub.mounts[i];
		uint64_t access = LL_READ;

		/* KERNEL: a device on a read-only mount can be written to;
		 * read-only is its inode. */
		if ((m->flags & (WIRE_MOUNT_WRITE | WIRE_MOUNT_DEVICE)) != 0)
			access |= LL_WRITE_FILE;
		add_rule(launch, m->target, access);
	}
	add_rule(launch, SUP_WORKSPACE, LL_WORK);
	add_rule(launch, "/dev/shm", LL_WORK);
}

static void
add_canaries(struct sup_launch *launch)
{
	struct wire_plan *seal = &launch->seal;

	for (size_t i = 0; i < sizeof(canaries) / sizeof(canaries[0]); i++)
		if (sup_sys_readable(canaries[i]) &&
		    !is_covered(launch, canaries[i]))
			seal->canaries[seal->canary_count++] = canaries[i];
	/* The root itself can be listed before Landlock and not after: the
	 * proof that the ruleset is in force. */
	seal->canaries[seal->canary_count++] = "/";
}

/*
 * SECURITY: the environment is built from nothing (C9). A deny-list would
 * miss the next credential-shaped variable.
 */
static void
add_environment(struct sup_launch *launch, const char *libexec)
{
	static const char *const fixed[] = {
	    "HOME=" SUP_WORKSPACE,
	    "TMPDIR=" SUP_WORKSPACE,
	    "TZ=/etc/localtime",
	    "MALLOC_ARENA_MAX=2",
	    /* Else the interpreter sets it itself (PEP 538), and what is
	     * seen inside would not be what was given. */
	    "LC_CTYPE=C.UTF-8",
	};
	struct wire_plan *plan = &launch->stub;
	size_t count = sizeof(fixed) / sizeof(fixed[0]);
	bool zone = sup_sys_readable("/etc/localtime");
	char preloaded[PATH_MAX];
	int n =
	    snprintf(preloaded, sizeof(preloaded), "%s" SUP_PREFAULT, libexec);

	for (size_t i = 0; i < count; i++) {
		if (!zone && strncmp(fixed[i], "TZ=", 3) == 0)
			plan->env[plan->env_count++] = "TZ=UTC0";
		else
			plan->env[plan->env_count++] = fixed[i];
	}
	/* SECURITY: a file of ours, bound read-only, that runs before the
	 * program does and has less to do than the module. The loader would
	 * complain of a missing one on the program's own stderr. */
	if (n > 0 && (size_t)n < sizeof(preloaded) &&
	    sup_sys_readable(preloaded))
		plan->env[plan->env_count++] = SUP_PRELOAD;
}

static void
add_command(struct sup_launch *launch, const struct sup_interp *interp)
{
	/* Isolated, without site, UTF-8, unbuffered (C10). */
	static const char *const args[] = {
	    "-I",
	    "-S",
	    "-X",
	    "utf8",
	    "-u",
	    "-c",
	    "import sys; sys.path.insert(0, '" SUP_RUNTIME
	    "'); import bootstrap; "
	    "bootstrap.main()",
	};
	struct wire_plan *plan = &launch->stub;

	plan->args[plan->arg_count++] = keep(launch, interp->path);
	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		plan->args[plan->arg_count++] = args[i];
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

static enum wire_err
add_filter(struct sup_launch *launch, struct wire_errinfo *info)
{
	const struct sup_filter_params params = {
	    .arch = SUP_FILTER_NATIVE,
	    .own_pid = SUP_FILTER_OWN_PID,
	};
	enum wire_err err;

	err = sup_filter_compile(
	    &params, launch->insns, SUP_FILTER_MAX, &launch->seal.insn_count);
	if (err != WIRE_OK)
		return wire_fail(info, err, "system-call filter", 0);
	launch->seal.insns = launch->insns;
	return WIRE_OK;
}

enum wire_err
sup_launch_build(struct sup_launch *launch, const struct sup_terms *terms,
    const struct sup_interp *interp, const char *libexec, bool open_mounts,
    struct wire_errinfo *info)
{
	struct wire_plan *stub = &launch->stub, *seal = &launch->seal;
	enum wire_err err;

	launch->stub_plan_fd = launch->seal_plan_fd = -1;
	if (beneath(interp->path, SUP_WORKSPACE) ||
	    beneath(interp->path, SUP_RUNTIME) || beneath(interp->path, "/dev"))
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
		    "the interpreter stands where the sandbox has its own "
		    "directories (" SUP_WORKSPACE ", " SUP_RUNTIME
		    ", /dev); use one that is installed elsewhere",
		    0);
	launch->text = malloc(SUP_LAUNCH_TEXT);
	if (launch->text == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "launch plan", 0);
	stub->layers = seal->layers =
	    terms->layers & ((1u << WIRE_STAGE_COUNT) - 1);
	stub->channel_fd = seal->channel_fd = WIRE_FD_CHANNEL;
	stub->namespaces = seal->namespaces = 1;
	stub->uid = stub->gid = 1000;
	stub->workspace = seal->workspace = SUP_WORKSPACE;
	stub->workspace_bytes = terms->limits[SUP_LIMIT_WORKSPACE];
	stub->workspace_inodes = terms->limits[SUP_LIMIT_INODES];
	sup_terms_rlimits(terms, stub->soft, stub->hard);
	for (size_t i = 0; i < WIRE_LIMITS; i++)
		seal->soft[i] = seal->hard[i] = WIRE_PLAN_UNSET;

	add_root(launch, interp, libexec);
	find_below(launch);
	add_rules(launch);
	add_canaries(launch);
	add_environment(launch, libexec);
	add_command(launch, interp);
	if (launch->err != WIRE_OK)
		return wire_fail(info, launch->err, "launch plan", 0);
	if (open_mounts)
		open_by_host(launch);
	err = add_filter(launch, info);
	if (err == WIRE_OK)
		err = seal_plan(stub, "weir-plan", &launch->stub_plan_fd, info);
	if (err == WIRE_OK)
		err = seal_plan(seal, "weir-seal", &launch->seal_plan_fd, info);
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
