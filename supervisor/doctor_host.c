#include "supervisor/doctor_host.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bsd/string.h>

#include "supervisor/sys.h"
#include "supervisor/sys_doctor.h"

#ifndef STATX_INO /* musl before 1.2.4 */
#include <linux/stat.h>
#endif

static const char *const settings[SUP_SETTING_COUNT] = {[SUP_SETTING_NONE] = "",
#define X(name, text) [SUP_SETTING_##name] = text,
    SUP_DOCTOR_SETTINGS(X)
#undef X
};

const char *
sup_doctor_setting_name(enum sup_doctor_setting setting)
{
	return settings[setting];
}

static long
read_setting(const char *name)
{
	char path[128], text[32], *end;
	long value;

	(void)snprintf(path, sizeof(path), "/proc/sys/%s", name);
	for (char *p = path; *p != '\0'; p++)
		if (*p == '.')
			*p = '/';
	if (sup_sys_read_text(path, text, sizeof(text)) == 0)
		return SUP_SETTING_UNKNOWN;
	value = strtol(text, &end, 10);
	return end != text && value >= 0 ? value : SUP_SETTING_UNKNOWN;
}

/* The fifth word of a line is the mount point (proc(5), mountinfo). */
bool
sup_doctor_is_chroot(const char *mountinfo)
{
	if (*mountinfo == '\0')
		return false;
	while (*mountinfo != '\0') {
		const char *line = mountinfo;

		for (int word = 0; word < 4; word++) {
			line += strcspn(line, " \n");
			line += *line == ' ' ? 1 : 0;
		}
		if (line[0] == '/' && line[1] == ' ')
			return false;
		mountinfo += strcspn(mountinfo, "\n");
		mountinfo += *mountinfo == '\n' ? 1 : 0;
	}
	return true;
}

/* Of the mount that the root stands on, and the root in it; 0: unknown. */
static uint64_t
root_id(void)
{
	struct statx is = {0};

	if (sup_sys_raw(SYS_statx,
		(const long[6]){AT_FDCWD, (long)"/", 0,
		    STATX_INO | STATX_MNT_ID, (long)&is, 0}) < 0)
		return 0;
	return is.stx_mnt_id << 40 ^ is.stx_ino;
}

/*
 * Whether the root is another than the mount namespace's own: entering the
 * namespace that one is in already leaves a chroot (setns(2)). For who may,
 * and in a child, since it lasts.
 */
static bool
leaves_chroot(void)
{
	int status = 0, fd;
	pid_t pid = sup_sys_fork();

	if (pid == 0) {
		uint64_t before = root_id();

		fd = sup_sys_open("/proc/self/ns/mnt", O_RDONLY);
		if (sup_sys_raw(SYS_setns,
			(const long[6]){fd, CLONE_NEWNS, 0, 0, 0, 0}) < 0)
			_exit(0);
		_exit(before != root_id());
	}
	return pid > 0 && sup_sys_wait(pid, &status, 0) == pid &&
	    WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

void
sup_doctor_choose_ids(struct sup_idmap *ret_map)
{
	char uid_map[4096], gid_map[4096];

	(void)sup_sys_read_text("/proc/self/uid_map", uid_map, sizeof(uid_map));
	(void)sup_sys_read_text("/proc/self/gid_map", gid_map, sizeof(gid_map));
	sup_idmap_choose(geteuid(), getegid(), uid_map, gid_map, ret_map);
}

void
sup_doctor_look(struct sup_doctor_host *ret_host)
{
	static char text[64 * 1024];
	struct sup_doctor_host host = {.uid = geteuid()};
	struct utsname name;
	struct sup_idmap map;
	size_t len;

	if (uname(&name) == 0) {
		(void)strlcpy(host.kernel, name.release, sizeof(host.kernel));
		(void)strlcpy(host.machine, name.machine, sizeof(host.machine));
		(void)sscanf(host.kernel, "%u.%u", &host.major, &host.minor);
	}
	len = sup_sys_read_text("/proc/self/status", text, sizeof(text));
	sup_evidence_parse_status(
	    (struct wire_span){(const uint8_t *)text, len}, &host.status);
	host.filtered =
	    prctl(PR_GET_SECCOMP, 0, 0, 0, 0) > 0 || host.status.seccomp > 0;
	host.no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
	len = sup_sys_read_text("/proc/self/mountinfo", text, sizeof(text));
	/* One that does not fit says nothing about what is missing. */
	host.chroot = (len < sizeof(text) - 1 && sup_doctor_is_chroot(text)) ||
	    leaves_chroot();
	sup_doctor_choose_ids(&map);
	host.only_root = !map.own && (map.uid == 0 || map.gid == 0);
	(void)sup_sys_read_text(
	    "/sys/kernel/security/lsm", host.lsm, sizeof(host.lsm));
	for (int i = SUP_SETTING_NONE + 1; i < SUP_SETTING_COUNT; i++)
		host.setting[i] = read_setting(settings[i]);
	host.setting[SUP_SETTING_NONE] = SUP_SETTING_UNKNOWN;
	*ret_host = host;
}
