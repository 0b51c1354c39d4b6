/*
 * What this host is like, as far as it explains a refusal: the settings of
 * the kernel and what this process has inherited.
 *
 * Plain data that is read once and that nothing rests on but words: what is
 * possible is tried (doctor.h). Each may be unknown, since /proc may be away.
 */
#ifndef SUP_DOCTOR_HOST_H
#define SUP_DOCTOR_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/evidence.h"
#include "supervisor/idmap.h"

/* X(constant, name): a file beneath /proc/sys, spelled as sysctl(8) does. */
#define SUP_DOCTOR_SETTINGS(X)                                                 \
	X(MAX_USER, "user.max_user_namespaces")                                \
	X(MAX_PID, "user.max_pid_namespaces")                                  \
	X(MAX_MNT, "user.max_mnt_namespaces")                                  \
	X(MAX_NET, "user.max_net_namespaces")                                  \
	X(MAX_IPC, "user.max_ipc_namespaces")                                  \
	X(MAX_UTS, "user.max_uts_namespaces")                                  \
	X(MAX_CGROUP, "user.max_cgroup_namespaces")                            \
	X(USERNS_CLONE, "kernel.unprivileged_userns_clone")                    \
	X(APPARMOR, "kernel.apparmor_restrict_unprivileged_userns")

enum sup_doctor_setting {
	SUP_SETTING_NONE,
#define X(name, text) SUP_SETTING_##name,
	SUP_DOCTOR_SETTINGS(X)
#undef X
	    SUP_SETTING_COUNT
};

#define SUP_SETTING_UNKNOWN (-1L) /* not there, or not readable */

struct sup_doctor_host {
	char kernel[65], machine[65]; /* uname(2) */
	unsigned major, minor;	      /* of the kernel; 0: unknown */
	uint32_t uid;
	struct sup_status status; /* this process's */
	/* A filter that this process has inherited. Known without /proc. */
	bool filtered;
	bool no_new_privs; /* likewise */
	bool chroot;	   /* surely so; may be missed */
	bool only_root;	   /* no id that is not root's can be mapped */
	char lsm[256];	   /* security modules; "" when unreadable */
	long setting[SUP_SETTING_COUNT];
};

void sup_doctor_look(struct sup_doctor_host *ret_host);

const char *sup_doctor_setting_name(enum sup_doctor_setting setting);

/* Whether mountinfo (proc(5)) shows that the root is no mount: a chroot.
 * Pure. False for "". */
bool sup_doctor_is_chroot(const char *mountinfo);

/* As a start chooses them, from this process's own maps. */
void sup_doctor_choose_ids(struct sup_idmap *ret_map);

#endif
