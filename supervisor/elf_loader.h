/*
 * The dynamic loader that an ELF file names (elf(5), PT_INTERP): with an
 * interpreter the kernel opens it as a program too, so where only some files
 * may be executed it is one of them.
 *
 * Trust of inputs: the file is the deployment's, and its numbers are checked
 * all the same. Threads: any.
 */
#ifndef SUP_ELF_LOADER_H
#define SUP_ELF_LOADER_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/span.h"

/* How much of a file's beginning is looked at. */
#define SUP_ELF_HEAD 4096

/*
 * From the first bytes of a 64-bit file of this machine's byte order: false
 * when they are none, or name a loader that does not stand in them whole.
 * *ret_path points into the bytes and is terminated; NULL: it needs none. Pure.
 */
bool sup_elf_loader_parse(struct wire_span head, const char **ret_path);

/* The same of a file. path takes the text; "" when it needs none. */
bool sup_elf_loader(const char *file, char *path, size_t size);

#endif
