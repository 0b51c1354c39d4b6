#include "supervisor/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/sys_call.h"

int
sup_sys_open(const char *path, int flags)
{
	return (int)SUP_CALL(open(path, flags | O_CLOEXEC));
}

int
sup_sys_create(const char *path, int flags)
{
	return (int)SUP_CALL(open(path, flags | O_CLOEXEC, 0600));
}

int
sup_sys_unlink(const char *path)
{
	return (int)SUP_CALL(unlink(path));
}

int
sup_sys_openat(int dir_fd, const char *path, int flags)
{
	return (int)SUP_CALL(openat(dir_fd, path, flags | O_CLOEXEC));
}

void
sup_sys_close(int *fd)
{
	/* KERNEL: close(2) has released the descriptor even on EINTR. */
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

ssize_t
sup_sys_read(int fd, void *buf, size_t len)
{
	return SUP_CALL(read(fd, buf, len));
}

ssize_t
sup_sys_write(int fd, const void *buf, size_t len)
{
	return SUP_CALL(write(fd, buf, len));
}

ssize_t
sup_sys_read_at(int fd, void *buf, size_t len, uint64_t offset)
{
	return SUP_CALL(pread(fd, buf, len, (off_t)offset));
}

ssize_t
sup_sys_write_at(int fd, const void *buf, size_t len, uint64_t offset)
{
	return SUP_CALL(pwrite(fd, buf, len, (off_t)offset));
}

int
sup_sys_punch(int fd, uint64_t offset, uint64_t len)
{
	return (int)SUP_CALL(
	    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		(off_t)offset, (off_t)len));
}

ssize_t
sup_sys_read_whole(int fd, void *buf, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t n = sup_sys_read(fd, (char *)buf + have, len - have);

		if (n < 0)
			return n;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

size_t
sup_sys_read_text(const char *path, char *text, size_t size)
{
	int fd = sup_sys_open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : sup_sys_read_whole(fd, text, size - 1);

	sup_sys_close(&fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

int
sup_sys_put(const char *path, const char *text)
{
	int fd = sup_sys_open(path, O_WRONLY);
	size_t len = strlen(text);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = sup_sys_write(fd, text, len);
	sup_sys_close(&fd);
	if (n < 0)
		return (int)n;
	return (size_t)n == len ? 0 : -EIO;
}

int
sup_sys_pipe(int ret_fds[2])
{
	return (int)SUP_CALL(pipe2(ret_fds, O_CLOEXEC));
}

int
sup_sys_socketpair(int type, int ret_fds[2])
{
	return (int)SUP_CALL(
	    socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ret_fds));
}

int
sup_sys_set_nonblocking(int fd)
{
	long flags = SUP_CALL(fcntl(fd, F_GETFL));

	if (flags < 0)
		return (int)flags;
	return (int)SUP_CALL(fcntl(fd, F_SETFL, flags | O_NONBLOCK));
}

ssize_t
sup_sys_send(int fd, const void *buf, size_t len)
{
	return SUP_CALL(send(fd, buf, len, MSG_NOSIGNAL | MSG_DONTWAIT));
}

/*
 * SECURITY: the peer may attach descriptors to any message. They are taken
 * close-on-exec and closed, all but the one the caller asks for, so that a
 * program can neither fill our table nor leave anything in it.
 */
static void
take_fds(struct msghdr *msg, int *ret_fd, unsigned *ret_closed)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL;
	     c = CMSG_NXTHDR(msg, c)) {
		size_t count;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (ret_fd != NULL && *ret_fd < 0) {
				*ret_fd = fd;
				continue;
			}
			(*ret_closed)++;
			sup_sys_close(&fd);
		}
	}
}

ssize_t
sup_sys_recv(int fd, void *buf, size_t len, int *ret_fd, unsigned *ret_closed)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(253 * sizeof(int))]; /* SCM_MAX_FD */
	} control;
	struct iovec iov = {buf, len};
	struct msghdr msg = {
	    .msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control),
	};
	ssize_t n;

	if (ret_fd != NULL)
		*ret_fd = -1;
	n = SUP_CALL(recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
	if (n >= 0 && msg.msg_controllen > 0)
		take_fds(&msg, ret_fd, ret_closed);
	return n;
}

int
sup_sys_pipe_size(int fd)
{
	return (int)SUP_CALL(fcntl(fd, F_GETPIPE_SZ));
}

int
sup_sys_sealed(const char *name, struct wire_span bytes)
{
	struct rlimit limit;
	long fd = SUP_CALL(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
	int result = (int)fd;
	ssize_t n;
	long r;

	if (fd < 0)
		return (int)fd;
	/* KERNEL: the limit holds for memory files too, with SIGXFSZ, and
	 * signals are the host's. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes.len > limit.rlim_cur)
		n = -EFBIG;
	else
		n = sup_sys_write((int)fd, bytes.p, bytes.len);
	r = n < 0 ? n : (size_t)n == bytes.len ? 0 : -EIO;
	/* SECURITY: what was checked is what will be read. */
	if (r == 0)
		r = SUP_CALL(fcntl((int)fd, F_ADD_SEALS,
		    F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
	if (r < 0) {
		sup_sys_close(&result);
		return (int)r;
	}
	return result;
}

int
sup_sys_open_tree(const char *path)
{
	return (int)SUP_CALL(syscall(SYS_open_tree, AT_FDCWD, path,
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
}

int
sup_sys_fstat(int fd, struct stat *ret_stat)
{
	return (int)SUP_CALL(fstat(fd, ret_stat));
}

int
sup_sys_stat(const char *path, struct stat *ret_stat)
{
	return (int)SUP_CALL(stat(path, ret_stat));
}

int
sup_sys_lstat(const char *path, struct stat *ret_stat)
{
	return (int)SUP_CALL(lstat(path, ret_stat));
}

bool
sup_sys_readable(const char *path)
{
	return SUP_CALL(faccessat(AT_FDCWD, path, R_OK, AT_EACCESS)) == 0;
}

int
sup_sys_readlinkat(int dir_fd, const char *path, char *buf, size_t len)
{
	long n = SUP_CALL(readlinkat(dir_fd, path, buf, len));

	if (n < 0)
		return (int)n;
	if ((size_t)n >= len)
		return -ENAMETOOLONG;
	buf[n] = '\0';
	return (int)n;
}

int
sup_sys_readlink(const char *path, char *buf, size_t len)
{
	return sup_sys_readlinkat(AT_FDCWD, path, buf, len);
}

int
sup_sys_realpath(const char *path, char *buf, size_t len)
{
	char *real = realpath(path, NULL);
	int error = errno;
	size_t real_len;

	if (real == NULL)
		return -error;
	real_len = strlen(real);
	if (real_len < len)
		memcpy(buf, real, real_len + 1);
	free(real);
	return real_len < len ? 0 : -ENAMETOOLONG;
}

int
sup_sys_getcwd(char *buf, size_t len)
{
	char *cwd = getcwd(buf, len);
	int error = errno;

	return cwd != NULL ? 0 : -error;
}

int
sup_sys_random(void *buf, size_t len)
{
	ssize_t n = SUP_CALL(getrandom(buf, len, 0));

	return n < 0 ? (int)n : (size_t)n == len ? 0 : -EIO;
}

int
sup_sys_dup_above(int fd, int lowest)
{
	return (int)SUP_CALL(fcntl(fd, F_DUPFD_CLOEXEC, lowest));
}

int
sup_sys_dup_to(int fd, int number)
{
	return (int)SUP_CALL(dup2(fd, number));
}

int
sup_sys_keep_capabilities(const int *capabilities, size_t count)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) < 0)
		return -errno;
	for (int i = 0; i < 2; i++)
		data[i].inheritable = data[i].permitted;
	if (syscall(SYS_capset, &head, data) < 0)
		return -errno;
	for (size_t i = 0; i < count; i++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capabilities[i],
			0, 0) < 0)
			return -errno;
	return 0;
}

int
sup_sys_exec_stub(int fd)
{
	static char name[] = "weir-child";
	char *argv[] = {name, NULL};
	char *envp[] = {NULL};

	(void)syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
	return -errno;
}
