/*
 * Reading a configuration file that must be nobody else's (C19).
 *
 * The rules are those that sshd has for its users' files (StrictModes): the
 * file, every directory that leads to it and every symbolic link on the way
 * belong to root or to the effective user, and neither file nor directories
 * can be written by group or others; directories with the sticky bit, such as
 * /tmp, may be, since what stands in them cannot be replaced by others. Links
 * are followed, one part after the other on held descriptors: what was checked
 * is what is read, and it is opened once. Only regular files, and none longer
 * than its maximum.
 *
 * Memory: the text is the caller's to free. Threads: any.
 */
#ifndef SUP_PROFILE_FILE_H
#define SUP_PROFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/weir.h"

/* False with a sentence that names the path and what to do. *ret_memory says
 * whether it was memory that was short. */
bool sup_profile_file_read(const char *path, size_t max, char **ret_text,
    size_t *ret_len, bool *ret_memory, char error[WEIR_ERROR_MAX]);

#endif
