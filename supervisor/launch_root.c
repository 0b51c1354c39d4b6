#include "supervisor/launch_root.h"

#include <stdio.h>
#include <string.h>

#include "supervisor/launch_grants.h"
#include "supervisor/sys.h"

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

/*
 * With the network: how names become addresses, and whom a peer's certificate
 * may be signed by, where distributions keep it.
 *
 * SECURITY: no directory that holds private keys, such as /etc/ssl itself.
 */
static const char *const network_paths[] = {
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/ca-trust/extracted",
    "/etc/ca-certificates/extracted",
    "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates",
    "/var/lib/ca-certificates",
};

static const char *const devices[] = {
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
};

const char *
sup_launch_keep(struct sup_launch *launch, const char *text)
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

bool
sup_path_is_beneath(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 &&
	    (path[len] == '\0' || path[len] == '/');
}

bool
sup_launch_is_covered(const struct sup_launch *launch, const char *path)
{
	for (size_t i = 0; i < launch->stub.mount_count; i++)
		if (launch->stub.mounts[i].kind == WIRE_MOUNT_DIR &&
		    sup_path_is_beneath(path, launch->stub.mounts[i].target))
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

void
sup_launch_put_mount(struct sup_launch *launch, const char *source,
    const char *target, bool directory, unsigned flags)
{
	struct wire_plan *plan = &launch->stub;
	struct wire_plan_mount *m;

	if (plan->mount_count == WIRE_PLAN_MOUNTS) {
		launch->err = WIRE_ERR_NO_SPACE;
		return;
	}
	m = &plan->mounts[plan->mount_count++];
	m->kind = directory ? WIRE_MOUNT_DIR : WIRE_MOUNT_FILE;
	m->flags = flags;
	m->fd = -1;
	m->source = source;
	m->target = target;
}

static void
add_mount(struct sup_launch *launch, const char *source, const char *target,
    bool directory, unsigned flags)
{
	if (!sup_launch_is_covered(launch, target))
		sup_launch_put_mount(launch, sup_launch_keep(launch, source),
		    sup_launch_keep(launch, target), directory, flags);
}

static void
add_link(struct sup_launch *launch, const char *path, const char *target)
{
	struct wire_plan *plan = &launch->stub;

	if (plan->link_count == WIRE_PLAN_LINKS) {
		launch->err = WIRE_ERR_NO_SPACE;
		return;
	}
	plan->links[plan->link_count++] = (struct wire_plan_link){
	    sup_launch_keep(launch, path), sup_launch_keep(launch, target)};
}

/* A directory of the system as it is, or, where the host has a symbolic link
 * (merged /usr), the same link. On the host's root the link is there. */
static void
add_system_dir(struct sup_launch *launch, const char *path)
{
	bool own_root = launch->stub.backend == WIRE_BACKEND_ISOLATED;
	char target[PATH_MAX];
	struct stat st;

	if ((own_root ? sup_sys_lstat : sup_sys_stat)(path, &st) < 0)
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
		    !sup_launch_is_covered(launch, path) &&
		    !is_linked(launch, path))
			add_system_dir(launch, path);
	}
	add_mount(launch, interp->path, interp->path, false, 0);
}

/* What is behind a link, at the link's place; nothing is missed that is not
 * there. */
static void
add_real(struct sup_launch *launch, const char *path)
{
	char real[PATH_MAX];
	struct stat st;

	if (sup_sys_realpath(path, real, sizeof(real)) == 0 &&
	    sup_sys_stat(real, &st) == 0 &&
	    (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		add_mount(launch, real, path, S_ISDIR(st.st_mode), 0);
}

void
sup_launch_list_file(struct sup_launch *launch, const char *path)
{
	/* Through a link of the root's: what is behind it is listed. */
	for (size_t i = 0; i < launch->stub.link_count; i++)
		if (sup_path_is_beneath(path, launch->stub.links[i].path))
			return;
	for (size_t i = 0; i < launch->stub.mount_count; i++)
		if (strcmp(path, launch->stub.mounts[i].target) == 0)
			return;
	add_real(launch, path);
}

/* Single files: the loader's cache, the time zone, devices. */
static void
add_files(struct sup_launch *launch)
{
	struct stat st;

	for (size_t i = 0; i < sizeof(system_files) / sizeof(system_files[0]);
	     i++)
		add_real(launch, system_files[i]);
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (sup_sys_stat(devices[i], &st) == 0 && S_ISCHR(st.st_mode))
			add_mount(launch, devices[i], devices[i], false,
			    WIRE_MOUNT_DEVICE);
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
		    strcmp(point, m->source) == 0 ||
		    !sup_path_is_beneath(point, m->source))
			continue;
		if (launch->below_count == WIRE_PLAN_MOUNTS)
			launch->err = WIRE_ERR_NO_SPACE;
		else
			launch->below[launch->below_count++] =
			    sup_launch_keep(launch, point);
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

static bool
is_granted_in(const struct sup_launch *launch, const struct sup_grants *grants,
    const char *dir)
{
	for (size_t i = 0; grants != NULL && i < grants->path_count; i++)
		if (sup_launch_has_grant(launch, &grants->paths[i]) &&
		    sup_path_is_beneath(grants->paths[i].path, dir))
			return true;
	return false;
}

void
sup_launch_list_root(
    struct sup_launch *launch, const struct sup_launch_request *request)
{
	const struct sup_interp *interp = request->interp;

	for (size_t i = 0; i < sizeof(system_dirs) / sizeof(system_dirs[0]);
	     i++)
		add_system_dir(launch, system_dirs[i]);
	add_interpreter(launch, interp);
	add_mount(launch, request->libexec, launch->runtime, true, 0);
	add_files(launch);
	for (size_t i = 0; launch->network &&
	     i < sizeof(network_paths) / sizeof(network_paths[0]);
	     i++)
		add_real(launch, network_paths[i]);
	/* Programs that insist on /tmp get the workspace, unless something
	 * that they need stands there. */
	if (launch->stub.backend == WIRE_BACKEND_ISOLATED &&
	    !sup_path_is_beneath(interp->path, "/tmp") &&
	    !is_granted_in(launch, request->grants, "/tmp"))
		add_link(launch, "/tmp", SUP_WORKSPACE);
	if (request->grants != NULL) {
		/* Libraries that packages bring may be links through it, as
		 * Debian's BLAS is. */
		if (request->grants->package_count > 0)
			add_system_dir(launch, "/etc/alternatives");
		launch->grants_from = launch->stub.mount_count;
		sup_launch_list_grants(launch, request->grants);
	} else {
		launch->grants_from = launch->stub.mount_count;
	}
	find_below(launch);
}
