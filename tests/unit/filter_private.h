/*
 * What the filter says of files and their modes where nothing of the host's
 * was granted for writing; the rows of filter_rows.h are for where something
 * was.
 */
#ifndef FILTER_PRIVATE_H
#define FILTER_PRIVATE_H

#include "tests/unit/filter_rows.h"

struct private_row {
	const char *call;
	uint64_t args[6];
	bool is_mode; /* refused where the uid is shared */
	uint32_t expect;
};

static const struct private_row private_file_rows[] = {
    {"chmod", {PTR, 06777}, true, ALLOW},
    {"fchmod", {1, 06777 | HI}, true, ALLOW},
    {"fchmodat", {3, PTR, 06777}, true, ALLOW},
    {"open", {PTR, O_CREAT, 06777}, false, ALLOW},
    {"openat", {3, PTR, O_CREAT | O_RDWR, 06777}, false, ALLOW},
    {"creat", {PTR, 06777}, false, ALLOW},
    {"mknod", {PTR, S_IFREG | 06777}, false, ALLOW},
    {"mknod", {PTR, 06777}, false, ALLOW},
    {"mknod", {PTR, S_IFIFO | 06777}, false, ALLOW},
    {"mknod", {PTR, S_IFCHR | 0666}, false, DENY},
    {"mknod", {PTR, S_IFSOCK | 0666}, false, DENY},
    {"mknodat", {3, PTR, S_IFREG | 06777}, false, ALLOW},
    {"mknodat", {3, PTR, 06777}, false, ALLOW},
    {"mknodat", {3, PTR, S_IFIFO | 06777}, false, ALLOW},
    {"mknodat", {3, PTR, S_IFBLK | 06777}, false, DENY},
    {"mknodat", {3, PTR, S_IFSOCK | 06777}, false, DENY},
};

static const struct bits private_bits[] = {
    {"mknod", {PTR, S_IFREG}, 1, ~(uint64_t)S_IFMT},
    {"mknodat", {AT_FDCWD, PTR, S_IFREG}, 2, ~(uint64_t)S_IFMT},
};

static inline bool
private_files_hold(enum sup_filter_arch arch, bool shared_uid)
{
	const struct sup_filter_params params = {.arch = arch,
	    .own_pid = OWN,
	    .no_writes = true,
	    .shared_uid = shared_uid};
	struct program program;
	unsigned bit;

	assert_int_equal(sup_filter_compile(&params, program.insns,
			     SUP_FILTER_MAX, &program.len),
	    WIRE_OK);
	assert_true(bpf_check(program.insns, program.len));
	for (size_t i = 0;
	     i < sizeof(private_file_rows) / sizeof(*private_file_rows); i++) {
		const struct private_row *row = &private_file_rows[i];
		const int nr = number(arch, row->call);
		const uint32_t expect =
		    row->is_mode && shared_uid ? DENY : row->expect;

		if (nr >= 0 &&
		    verdict(&program, arch, (uint32_t)nr, row->args) != expect)
			return false;
	}
	for (size_t i = 0; i < sizeof(private_bits) / sizeof(*private_bits);
	     i++)
		if (!bits_hold(&program, arch, &private_bits[i], &bit))
			return false;
	return true;
}

#endif
