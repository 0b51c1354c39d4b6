/*
 * Files without a name: bytes that are too many for memory and are gone with
 * their descriptor, however the process ends.
 *
 * Each call returns 0 or more, or -errno. No state; any thread.
 */
#ifndef SUP_UNLINKED_H
#define SUP_UNLINKED_H

#include <stddef.h>
#include <stdint.h>

/*
 * A new file, for reading and writing, close-on-exec: in /var/tmp, which is
 * meant for what may be large (file-hierarchy(7)), else in /tmp. Where the
 * filesystem knows no O_TMPFILE (open(2)), it has a random name for a moment.
 */
int sup_unlinked_open(void);

/* A new file at path, whose name is gone when this returns; -EEXIST where
 * anything is already, a link to nowhere included. */
int sup_unlinked_named(const char *path);

/*
 * All len bytes at offset, or -errno; then some of them may have been
 * written. -EFBIG without trying where RLIMIT_FSIZE does not allow it: the
 * kernel would send SIGXFSZ (setrlimit(2)), and signals are the host's.
 */
int sup_unlinked_write(int fd, const void *bytes, size_t len, uint64_t offset);

/* Gives the room of [0, to) back to the disk, where the filesystem can do
 * that (fallocate(2)); nothing there is read again. */
void sup_unlinked_forget(int fd, uint64_t to);

/* All len bytes at offset; -EIO when there are fewer. */
int sup_unlinked_read(int fd, void *bytes, size_t len, uint64_t offset);

#endif
