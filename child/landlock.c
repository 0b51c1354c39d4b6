#include "child/landlock.h"

#include <asm/fcntl.h>
#include <asm/stat.h>
#include <linux/errno.h>
#include <linux/fcntl.h>

#include "child/sys.h"

/* Documentation/userspace-api/landlock.rst; the headers of a build machine
 * may be older than the kernel it runs on, so the numbers stand here. */
#define NR_CREATE_RULESET 444
#define NR_ADD_RULE	  445
#define NR_RESTRICT_SELF  446
#define CREATE_VERSION	  1u
#define RULE_PATH_BENEATH 1

#define FS_EXECUTE    (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE  (1ULL << 2)
#define FS_TRUNCATE   (1ULL << 14)
#define FS_IOCTL_DEV  (1ULL << 15)
/* What may be granted on something that is not a directory. */
#define FS_OF_FILES                                                            \
	(FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

struct ruleset {
	uint64_t fs, net, scoped;
};

struct path_beneath {
	uint64_t access;
	int32_t fd;
} __attribute__((packed));

/* The rights that each ABI version knows. */
static const struct {
	uint64_t fs, net, scoped;
	size_t size; /* of the ruleset attribute it accepts */
} abis[] = {
    {0, 0, 0, 0},
    {(1ULL << 13) - 1, 0, 0, 8},
    {(1ULL << 14) - 1, 0, 0, 8},
    {(1ULL << 15) - 1, 0, 0, 8},
    {(1ULL << 15) - 1, 3, 0, 16},
    {(1ULL << 16) - 1, 3, 0, 16},
    {(1ULL << 16) - 1, 3, 3, 24},
};
#define ABI_KNOWN (sizeof(abis) / sizeof(abis[0]) - 1)

/*
 * SECURITY: rights are masked by the type of the inode; the kernel answers
 * EINVAL to a directory's right on a plain file, and a whole ruleset would be
 * lost to one /dev/null.
 */
static int
add_rule(long ruleset_fd, const struct wire_plan_rule *rule, uint64_t handled)
{
	struct path_beneath path = {rule->access & handled, -1};
	struct stat st;
	long r;

	r = STUB_SYS(__NR_openat, AT_FDCWD, rule->path, O_PATH | O_CLOEXEC, 0);
	if (r < 0)
		return (int)-r;
	path.fd = (int32_t)r;
	r = STUB_SYS(__NR_fstat, path.fd, &st);
	if (r < 0)
		goto out;
	if ((st.st_mode & 0170000) != 0040000)
		path.access &= FS_OF_FILES;
	if (path.access != 0)
		r = STUB_SYS(
		    NR_ADD_RULE, ruleset_fd, RULE_PATH_BENEATH, &path, 0);
out:
	STUB_SYS(__NR_close, path.fd);
	return r < 0 ? (int)-r : 0;
}

/*
 * Whether the host keeps Landlock from us as a whole: it hides or forbids the
 * calls, or as many domains as can be are stacked already (E2BIG). Anything
 * else would be a ruleset of ours that is wrong.
 */
static bool
is_withheld(int error)
{
	return error == ENOSYS || error == EOPNOTSUPP || error == EPERM ||
	    error == E2BIG;
}

static int
restrict_with(const struct wire_plan *plan, size_t abi, uint32_t *ret_detail)
{
	struct ruleset set = {
	    plan->landlock_handled & abis[abi].fs,
	    plan->landlock_net & abis[abi].net,
	    plan->landlock_scoped & abis[abi].scoped,
	};
	long fd, r;
	int error = 0;

	fd = STUB_SYS(NR_CREATE_RULESET, &set, abis[abi].size, 0);
	if (fd < 0)
		return (int)-fd;
	for (size_t i = 0; i < plan->rule_count && error == 0; i++) {
		*ret_detail = (uint32_t)i;
		error = add_rule(fd, &plan->rules[i], set.fs);
	}
	if (error == 0) {
		r = STUB_SYS(NR_RESTRICT_SELF, fd, 0);
		error = r < 0 ? (int)-r : 0;
	}
	STUB_SYS(__NR_close, fd);
	return error;
}

int
stub_landlock_apply(const struct wire_plan *plan, uint32_t *ret_abi,
    uint32_t *ret_errno, uint32_t *ret_detail)
{
	long abi;
	int error;

	*ret_abi = 0;
	*ret_errno = 0;
	*ret_detail = 0;
	if (plan->landlock_handled == 0)
		return 0;
	abi = STUB_SYS(NR_CREATE_RULESET, 0, 0, CREATE_VERSION);
	if (abi <= 0) {
		/* ENOSYS: not built in; EOPNOTSUPP: disabled at boot. The
		 * host decides whether the level stands without it. */
		*ret_errno = abi < 0 ? (uint32_t)-abi : ENOSYS;
		return 0;
	}
	error = restrict_with(plan,
	    (size_t)abi < ABI_KNOWN ? (size_t)abi : ABI_KNOWN, ret_detail);
	if (error == 0) {
		*ret_abi = (uint32_t)abi;
	} else if (is_withheld(error)) {
		*ret_errno = (uint32_t)error;
		error = 0;
	}
	return error;
}
