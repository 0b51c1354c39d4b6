#include "supervisor/unlinked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>

#include "supervisor/sys.h"

static const char *const places[] = {"/var/tmp", "/tmp"};

int
sup_unlinked_named(const char *path)
{
	/* SECURITY: the directory is everybody's: never one that is there. */
	int fd = sup_sys_create(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);

	if (fd >= 0)
		(void)sup_sys_unlink(path);
	return fd;
}

/* For filesystems that cannot make a file without a name. */
static int
open_named(const char *dir)
{
	uint64_t random;
	char path[64];
	int r = sup_sys_random(&random, sizeof(random));

	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "%s/weir-%016llx", dir,
	    (unsigned long long)random);
	return sup_unlinked_named(path);
}

int
sup_unlinked_open(void)
{
	int fd = -ENOENT;

	for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(places[0]);
	     i++) {
		/* O_EXCL: it can never be given a name. */
		fd = sup_sys_create(places[i], O_RDWR | O_TMPFILE | O_EXCL);
		if (fd == -EOPNOTSUPP || fd == -EISDIR || fd == -EINVAL)
			fd = open_named(places[i]);
	}
	return fd;
}

int
sup_unlinked_write(int fd, const void *bytes, size_t len, uint64_t offset)
{
	const char *from = bytes;
	uint64_t soft, hard;
	int r = sup_sys_prlimit(0, RLIMIT_FSIZE, &soft, &hard);

	if (r < 0)
		return r;
	if (len > soft || offset > soft - len)
		return -EFBIG;
	while (len > 0) {
		ssize_t n = sup_sys_write_at(fd, from, len, offset);

		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		from += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

void
sup_unlinked_forget(int fd, uint64_t to)
{
	(void)sup_sys_punch(fd, 0, to);
}

int
sup_unlinked_read(int fd, void *bytes, size_t len, uint64_t offset)
{
	char *to = bytes;

	while (len > 0) {
		ssize_t n = sup_sys_read_at(fd, to, len, offset);

		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		to += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}
