/*
 * Who the child is: ids, capabilities, no_new_privs, dumpable, signals.
 */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/prctl.h>

#include "child/stub.h"
#include "child/sys.h"

int
stub_maps_wait(int report_fd)
{
	char byte = 0;
	long n;

	do
		n = STUB_SYS(__NR_read, report_fd, &byte, 1);
	while (n == -EINTR);
	if (n < 0)
		return (int)-n;
	/* End of file: the host died, or decided against this start. */
	return n == 1 && byte == WIRE_REPORT_GO ? 0 : ECANCELED;
}

/*
 * SECURITY: the ids inside map to ids that are never real root; a process
 * with uid 0 outside could open files under /proc/sys for writing without any
 * capability. Capabilities survive this change (neither side of it is uid 0
 * of the namespace, capabilities(7)) and are dropped once the root stands.
 */
int
stub_ids_become(uint32_t uid, uint32_t gid)
{
	uint32_t is[3] = {0, 0, 0};
	long r;

	/*
	 * KERNEL: in a namespace whose gid map a plain user wrote, setgroups
	 * is denied for good (user_namespaces(7)); the groups then stay, and
	 * the host names them in the evidence.
	 */
	r = STUB_SYS(__NR_setgroups, 0, 0);
	if (r < 0 && r != -EPERM)
		return (int)-r;
	r = STUB_SYS(__NR_setresgid, gid, gid, gid);
	if (r < 0)
		return (int)-r;
	r = STUB_SYS(__NR_setresuid, uid, uid, uid);
	if (r < 0)
		return (int)-r;
	r = STUB_SYS(__NR_getresuid, &is[0], &is[1], &is[2]);
	if (r < 0)
		return (int)-r;
	return is[0] == uid && is[1] == uid && is[2] == uid ? 0 : EPERM;
}

/*
 * SECURITY: a signal to everybody reaches whom the kernel permits: only the
 * own tree where nobody else has the uid and no capability permits more. What
 * the kernel says counts and not the plan: with ids left as they were, root
 * would end the host.
 */
bool
stub_ids_are_alone(uint32_t uid)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct has[2] = {{0, 0, 0}, {0, 0, 0}};
	uint32_t is[3] = {0, 0, 0};

	if (uid == 0 || uid == WIRE_PLAN_KEEP ||
	    STUB_SYS(__NR_getresuid, &is[0], &is[1], &is[2]) < 0 ||
	    STUB_SYS(__NR_capget, &head, has) < 0)
		return false;
	return is[0] == uid && is[1] == uid && is[2] == uid &&
	    has[0].effective == 0 && has[1].effective == 0;
}

static int
drop_bounding(void)
{
	long r = 0;

	for (int cap = 0; cap < 64; cap++) {
		r = STUB_SYS(__NR_prctl, PR_CAPBSET_DROP, cap, 0, 0, 0);
		if (r == -EINVAL) /* beyond the newest capability */
			return 0;
		if (r < 0)
			break;
	}
	return r < 0 ? (int)-r : 0;
}

void
stub_bounding_drop(void)
{
	(void)drop_bounding();
}

/*
 * SECURITY: bounding, ambient, inheritable, permitted and effective sets are
 * all empty before anything else is executed, so that no file capability and
 * no set-user-id file can give one back. A plain user outside a namespace of
 * their own may not drop the bounding set (capabilities(7)); no_new_privs
 * then stands alone against such files, and the grade says so.
 */
int
stub_capabilities_drop(bool is_root_of_namespace)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
	int error = drop_bounding();
	long r;

	if (error != 0 && (is_root_of_namespace || error != EPERM))
		return error;
	r = STUB_SYS(
	    __NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (r < 0 && r != -EINVAL) /* EINVAL: before Linux 4.3 */
		return (int)-r;
	r = STUB_SYS(__NR_capset, &head, none);
	return r < 0 ? (int)-r : 0;
}

/* SECURITY: execve grants nothing from here on (prctl(2)); seccomp and
 * Landlock need it too. */
int
stub_no_new_privs(void)
{
	long r = STUB_SYS(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

	return r < 0 ? (int)-r : 0;
}

/*
 * SECURITY: no other process of the child, and none of the same uid on the
 * host, can read process 1 through /proc or ptrace; it also writes no core
 * file.
 */
int
stub_not_dumpable(void)
{
	long r = STUB_SYS(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);

	return r < 0 ? (int)-r : 0;
}

void
stub_signals_reset(void)
{
	/* struct kernel_sigaction: handler, flags, restorer, mask; all zero
	 * is SIG_DFL with an empty mask on both architectures. */
	static const unsigned long fresh[4];
	static const unsigned long empty_mask;

	for (int sig = 1; sig <= 64; sig++)
		(void)STUB_SYS(__NR_rt_sigaction, sig, fresh, 0,
		    sizeof(empty_mask)); /* KILL and STOP say EINVAL */
	(void)STUB_SYS(__NR_rt_sigprocmask, 2 /* SIG_SETMASK */, &empty_mask, 0,
	    sizeof(empty_mask));
}

void
stub_signals_block_child(void)
{
	static const uint64_t mask = 1ULL << (17 /* SIGCHLD */ - 1);
	static const unsigned long fresh[4]; /* SIG_DFL */

	(void)STUB_SYS(__NR_rt_sigaction, 17, fresh, 0, sizeof(mask));
	(void)STUB_SYS(
	    __NR_rt_sigprocmask, 0 /* SIG_BLOCK */, &mask, 0, sizeof(mask));
}
