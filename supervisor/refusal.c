#include "supervisor/refusal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* Exit status of the interpreter when a stage failed inside it. */
#define MODULE_FAILED 125

#define PROFILE "the container's seccomp profile"

/* The first row that fits; NULL and 0 fit everything. */
static const struct {
	const char *stage;
	int error;
	const char *advice;
} rows[] = {
    {NULL, EAGAIN, "the host is out of processes or memory"},
    {NULL, ENOMEM, "the host is out of processes or memory"},
    {NULL, EMFILE, "raise the limit of open files (ulimit -n)"},
    {NULL, ENFILE, "raise fs.file-max (sysctl)"},
    {SUP_STAGE_NAMESPACES, ENOSPC,
	"raise user.max_user_namespaces (sysctl), or the limit of another "
	"namespace kind under user.max_*"},
    {SUP_STAGE_NAMESPACES, EUSERS,
	"user namespaces are nested too deep: start weir further out"},
    {SUP_STAGE_NAMESPACES, EPERM,
	"the host refuses user namespaces: look at "
	"kernel.unprivileged_userns_clone, "
	"kernel.apparmor_restrict_unprivileged_userns, " PROFILE
	", and whether this runs in a chroot"},
    {SUP_STAGE_NAMESPACES, EACCES,
	"the host refuses user namespaces: look at "
	"kernel.apparmor_restrict_unprivileged_userns and other security "
	"modules"},
    {SUP_STAGE_NAMESPACES, EINVAL,
	"the kernel was built without one of the namespaces"},
    {"maps", EROFS,
	"/proc is mounted read-only: mount it read-write for weir (of a "
	"container: unmask it)"},
    {"maps", ENOENT, "/proc does not show new processes: mount a whole /proc"},
    {"maps", EPERM,
	"root needs CAP_SETUID and CAP_SETGID to map ids that are not its "
	"own; else look at kernel.apparmor_restrict_unprivileged_userns"},
    {"root", EPERM,
	"mounts in user namespaces are refused: allow fsopen, fsmount, "
	"open_tree, move_mount, mount_setattr and pivot_root in " PROFILE
	", or look at kernel.apparmor_restrict_unprivileged_userns"},
    {"root", EACCES,
	"mounts in user namespaces are refused: look at "
	"kernel.apparmor_restrict_unprivileged_userns and other security "
	"modules"},
    {"workspace", EPERM,
	"mounts in user namespaces are refused: allow fsopen, fsmount, "
	"move_mount and umount2 in " PROFILE},
    {"landlock", EPERM, "allow landlock_restrict_self in " PROFILE},
    {"seccomp", EINVAL,
	"the kernel needs CONFIG_SECCOMP_FILTER, and for --trace Linux 5.7"},
    {"seccomp", EBUSY,
	"--trace is not to be had where somebody listens to the system calls "
	"of weir itself; leave it out, or start weir outside of that"},
    {NULL, ENOSYS,
	"the kernel is older than Linux 5.14, or " PROFILE
	" hides the call: allow it there"},
    {NULL, EPERM,
	PROFILE " or a security module forbids the call: allow it there; "
		"weir doctor tries each step"},
    {NULL, 0, "weir doctor tries each step, and says what to change"},
};

const char *
sup_refusal_advice(const char *stage, int error)
{
	size_t i = 0;

	while ((rows[i].stage != NULL && strcmp(rows[i].stage, stage) != 0) ||
	    (rows[i].error != 0 && rows[i].error != error))
		i++;
	return rows[i].advice;
}

/* A filter of the host's that kills answers so; ours answers with an errno,
 * and is in force only when `ready` is near. */
static bool
is_killed_by_filter(const struct sup_facts *f)
{
	return f->gone_signal == SIGSYS ||
	    (f->exited && WIFSIGNALED(f->wait_status) &&
		WTERMSIG(f->wait_status) == SIGSYS);
}

/* A listener that is refused to one way to make a child is refused to all,
 * and says nothing of the ways themselves. */
static bool
is_about_the_trace(const struct sup_facts *f)
{
	enum wire_stage stage;
	int error;

	return f->traced && sup_refusal_parse(f->early_text, &stage, &error) &&
	    stage == WIRE_STAGE_SECCOMP;
}

bool
sup_refusal_is(const struct sup_facts *f)
{
	if (f->ran || f->setup_site != NULL)
		return false;
	switch (f->cause) {
	case SUP_EVENT_REFUSED:
		return f->refusal_kind == SUP_KIND_NONE;
	case SUP_EVENT_FAILED:
		return f->failed.stage != WIRE_STAGE_EXEC &&
		    f->failed.stage != WIRE_STAGE_PLAN;
	case SUP_EVENT_EXITED:
		return is_killed_by_filter(f) ||
		    (WIFEXITED(f->wait_status) &&
			WEXITSTATUS(f->wait_status) == MODULE_FAILED &&
			!is_about_the_trace(f));
	case SUP_EVENT_GONE:
		return is_killed_by_filter(f);
	case SUP_EVENT_NONE:
	case SUP_EVENT_GATHERED:
	case SUP_EVENT_READY:
	case SUP_EVENT_READY_LATE:
	case SUP_EVENT_DONE:
	case SUP_EVENT_VIOLATION:
	case SUP_EVENT_WALL_OVER:
	case SUP_EVENT_CANCEL:
	case SUP_EVENT_EXHAUSTED:
	case SUP_EVENT_EXCEEDED:
	case SUP_EVENT_MEMORY_OVER:
	case SUP_EVENT_GRACE_OVER:
	case SUP_EVENT_SETTLED:
	case SUP_EVENT_SETTLE_OVER:
	case SUP_EXEC_EVENTS:
		break;
	}
	return false;
}

bool
sup_refusal_lasts(const struct sup_facts *f)
{
	static const int lasting[] = {
	    EPERM, EACCES, ENOSYS, EINVAL, EOPNOTSUPP, EROFS};
	enum wire_stage stage;
	int error = f->failed.sys;

	if (f->cause == SUP_EVENT_EXITED &&
	    !sup_refusal_parse(f->early_text, &stage, &error))
		error = 0;
	for (size_t i = 0; i < sizeof(lasting) / sizeof(lasting[0]); i++)
		if (error == lasting[i])
			return true;
	return is_killed_by_filter(f);
}

bool
sup_refusal_parse(const char *text, enum wire_stage *ret_stage, int *ret_error)
{
	enum wire_stage stage;
	char word[32];
	int error;

	if (text == NULL ||
	    sscanf(text, "weir: stage %31s failed: errno %d", word, &error) !=
		2)
		return false;
	stage = wire_stage_from(
	    (struct wire_span){(const uint8_t *)word, strlen(word)});
	if (stage == WIRE_STAGE_COUNT)
		return false;
	*ret_stage = stage;
	*ret_error = error;
	return true;
}
