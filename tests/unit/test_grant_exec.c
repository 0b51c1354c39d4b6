/*
 * What a file is that somebody wants to have executed: from its first bytes.
 */
#include "supervisor/grant_exec.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "supervisor/elf_loader.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

static char needs[PATH_MAX];

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

static void
t_scripts(void **state)
{
	static const char *const good[][2] = {
	    {"#!/bin/sh\n", "/bin/sh"},
	    {"#!/bin/sh", "/bin/sh"},
	    {"#! \t/bin/sh -e x\nrest", "/bin/sh"},
	    {"#!/bin/sh\t-e", "/bin/sh"},
	    {"#!/a\r\n", "/a\r"},
	    {"#!/usr/bin/env -S python3\n#!/bin/sh", "/usr/bin/env"},
	};
	static const char *const bad[] = {"#!", "#!\n/bin/sh", "#!sh\n",
	    "#! \n", "#!./sh\n", "#", "", " #!/bin/sh\n", "echo 1\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(sup_exec_parse(span_of(good[i][0]), needs),
		    SUP_EXEC_SCRIPT);
		assert_string_equal(needs, good[i][1]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(
		    sup_exec_parse(span_of(bad[i]), needs), SUP_EXEC_BAD);
		assert_string_equal(needs, "");
	}
}

/* The kernel looks at 256 bytes, and would take a shorter path. */
static void
t_the_longest_line_of_a_script(void **state)
{
	char text[300];

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text, "#!/", 3);
	text[255] = '\n';
	assert_int_equal(
	    sup_exec_parse(
		(struct wire_span){(const uint8_t *)text, sizeof(text)}, needs),
	    SUP_EXEC_SCRIPT);
	assert_int_equal(strlen(needs), 253);
	text[255] = 'a';
	text[256] = '\n';
	assert_int_equal(
	    sup_exec_parse(
		(struct wire_span){(const uint8_t *)text, sizeof(text)}, needs),
	    SUP_EXEC_BAD);
	/* A byte of 0 ends it. */
	text[9] = '\0';
	assert_int_equal(
	    sup_exec_parse(
		(struct wire_span){(const uint8_t *)text, sizeof(text)}, needs),
	    SUP_EXEC_SCRIPT);
	assert_string_equal(needs, "/aaaaaa");
}

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr part;
	char loader[16];
};

static struct image
an_image(void)
{
	struct image image = {
	    .header =
		{
		    .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			ELFDATA2LSB, EV_CURRENT},
		    .e_type = ET_DYN,
		    .e_machine = MACHINE,
		    .e_phoff = offsetof(struct image, part),
		    .e_phentsize = sizeof(Elf64_Phdr),
		    .e_phnum = 1,
		},
	    .part = {.p_type = PT_INTERP,
		.p_offset = offsetof(struct image, loader),
		.p_filesz = sizeof("/lib/ld.so")},
	    .loader = "/lib/ld.so",
	};

	return image;
}

static enum sup_exec_kind
parse(const struct image *image, size_t len)
{
	return sup_exec_parse(
	    (struct wire_span){(const uint8_t *)image, len}, needs);
}

static void
t_programs(void **state)
{
	struct image image = an_image();

	(void)state;
	assert_int_equal(parse(&image, sizeof(image)), SUP_EXEC_PROGRAM);
	assert_string_equal(needs, "/lib/ld.so");
	image.header.e_type = ET_EXEC;
	image.part.p_type = PT_NOTE;
	assert_int_equal(parse(&image, sizeof(image)), SUP_EXEC_PROGRAM);
	assert_string_equal(needs, "");
	for (size_t len = 0; len < sizeof(image); len++)
		(void)parse(&image, len);
}

static void
t_what_is_no_program_of_this_machine(void **state)
{
	struct image image = an_image();

	(void)state;
	image.header.e_machine = EM_386;
	assert_int_equal(parse(&image, sizeof(image)), SUP_EXEC_BAD);
	image = an_image();
	image.header.e_type = ET_REL;
	assert_int_equal(parse(&image, sizeof(image)), SUP_EXEC_BAD);
	image.header.e_type = ET_CORE;
	assert_int_equal(parse(&image, sizeof(image)), SUP_EXEC_BAD);
	image = an_image();
	image.header.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(parse(&image, sizeof(image)), SUP_EXEC_BAD);
	image = an_image();
	image.header.e_ident[EI_DATA] = ELFDATA2MSB;
	assert_int_equal(parse(&image, sizeof(image)), SUP_EXEC_BAD);
	image = an_image();
	image.loader[10] = 'x';
	assert_int_equal(parse(&image, sizeof(image)), SUP_EXEC_BAD);
	image = an_image();
	assert_int_equal(parse(&image, 20), SUP_EXEC_BAD);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_scripts),
	    cmocka_unit_test(t_the_longest_line_of_a_script),
	    cmocka_unit_test(t_programs),
	    cmocka_unit_test(t_what_is_no_program_of_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
