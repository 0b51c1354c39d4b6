/*
 * The processes of an execution seen from outside: the text of a stat file,
 * the tree of this very test, and the loader that an ELF file names.
 */
#include <elf.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* cmocka wants four of the headers above before it */
#include <cmocka.h>

#include "supervisor/elf_loader.h"
#include "supervisor/tree.h"

/* --- one stat file -------------------------------------------------------- */

#define BEHIND " 1 1 1 0 -1 4194560 1 2 3 4 "

static void
t_a_stat_is_read_behind_its_name(void **state)
{
	static const char *const names[] = {
	    "python3", "a b", ") Z 9 9 (", "((", ")", "x) R 1"};
	struct sup_tree_stat stat;
	char text[300];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(text, sizeof(text),
		    "77 (%s) S" BEHIND "5 70 300 1000 20 0 1 0 99\n", names[i]);
		assert_true(sup_tree_stat(text, &stat));
		assert_int_equal(stat.ticks, 1375);
		assert_true(stat.lives);
	}
}

static void
t_who_lives(void **state)
{
	static const struct {
		char is;
		unsigned threads;
		bool lives;
	} rows[] = {
	    {'R', 1, true}, {'S', 1, true}, {'D', 1, true}, {'T', 1, true},
	    {'t', 1, true}, {'Z', 1, false}, {'X', 1, false}, {'X', 0, false},
	    {'Z', 0, false},
	    {'Z', 2, true}, /* only its first thread has ended */
	};
	struct sup_tree_stat stat;
	char text[300];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		(void)snprintf(text, sizeof(text),
		    "1 (x) %c" BEHIND "1 1 1 1 20 0 %u 0 0\n", rows[i].is,
		    rows[i].threads);
		assert_true(sup_tree_stat(text, &stat));
		assert_int_equal(stat.lives, rows[i].lives);
	}
}

static void
t_what_is_no_stat(void **state)
{
	static const char whole[] = "1 (x) S" BEHIND "1 1 1 1 20 0 1";
	struct sup_tree_stat stat = {true, 7};
	char text[sizeof(whole)];

	(void)state;
	assert_true(sup_tree_stat(whole, &stat));
	stat.ticks = 7;
	for (size_t len = 0; len < sizeof(whole) - 1; len++) {
		memcpy(text, whole, len);
		text[len] = '\0';
		assert_false(sup_tree_stat(text, &stat));
		assert_int_equal(stat.ticks, 7);
	}
	assert_false(sup_tree_stat("1 (x) S a b c d e f g h i j k", &stat));
	assert_false(sup_tree_stat("1 (x) SS 1", &stat));
}

/* --- a tree --------------------------------------------------------------- */

/* A child with a child of its own, both of which wait; its id, and the
 * grandchild's. What ends them is the end of the pipe. */
static pid_t
make_branch(int *ret_key, pid_t *ret_leaf)
{
	int came[2], gate[2];
	pid_t pid, leaf;
	char byte;

	assert_int_equal(pipe(came), 0);
	assert_int_equal(pipe(gate), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)close(gate[1]);
		leaf = fork();
		if (leaf > 0 && write(came[1], &leaf, sizeof(leaf)) < 0)
			_exit(1);
		_exit(read(gate[0], &byte, 1) == 0 ? 0 : 1);
	}
	(void)close(gate[0]);
	(void)close(came[1]);
	assert_int_equal(
	    read(came[0], ret_leaf, sizeof(*ret_leaf)), (int)sizeof(*ret_leaf));
	(void)close(came[0]);
	*ret_key = gate[1];
	return pid;
}

static bool
has(const struct sup_tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->count; i++)
		if (tree->pids[i] == pid)
			return true;
	return false;
}

static void
t_a_tree_is_found_and_counted(void **state)
{
	static struct sup_tree tree;
	struct sup_tree_use before, use;
	pid_t branch, leaf = 0;
	siginfo_t info;
	int key;

	(void)state;
	sup_tree_look(getpid(), getpid(), &before);
	assert_true(before.seen);
	assert_int_equal(before.living, 1);
	branch = make_branch(&key, &leaf);
	sup_tree_find(getpid(), &tree);
	assert_int_equal(tree.count, 3);
	assert_int_equal(tree.pids[0], getpid());
	assert_true(has(&tree, branch) && has(&tree, leaf));
	sup_tree_look(getpid(), leaf, &use);
	assert_int_equal(use.living, 3);
	assert_true(use.seen);
	sup_tree_look(leaf, branch, &use);
	assert_int_equal(use.living, 1);
	assert_false(use.seen);
	/* one that has ended, and nobody has waited for */
	(void)close(key);
	assert_int_equal(
	    waitid(P_PID, (id_t)branch, &info, WEXITED | WNOWAIT), 0);
	sup_tree_look(getpid(), branch, &use);
	assert_true(use.seen);
	assert_int_equal(use.living, 1);
	assert_int_equal(waitpid(branch, NULL, 0), branch);
}

static void
t_time_is_counted_before_and_after_the_wait(void **state)
{
	struct sup_tree_use use;
	uint64_t before, zombie;
	siginfo_t info;
	pid_t pid;

	(void)state;
	sup_tree_look(getpid(), getpid(), &use);
	before = use.cpu_ns;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		while (clock() < CLOCKS_PER_SEC / 5)
			;
		_exit(0);
	}
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	sup_tree_look(getpid(), getpid(), &use);
	zombie = use.cpu_ns;
	assert_true(zombie >= before + 150000000);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	sup_tree_look(getpid(), getpid(), &use);
	assert_true(use.cpu_ns >= zombie);
}

/* --- the loader ----------------------------------------------------------- */

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr parts[2];
	char path[16];
};

static struct image
make_image(void)
{
	struct image image = {.path = "/lib/ld.so"};

	memcpy(image.header.e_ident, ELFMAG, SELFMAG);
	image.header.e_ident[EI_CLASS] = ELFCLASS64;
	image.header.e_ident[EI_DATA] = ELFDATA2LSB;
	image.header.e_phoff = offsetof(struct image, parts);
	image.header.e_phnum = 2;
	image.header.e_phentsize = sizeof(Elf64_Phdr);
	image.parts[0].p_type = PT_LOAD;
	image.parts[1].p_type = PT_INTERP;
	image.parts[1].p_offset = offsetof(struct image, path);
	image.parts[1].p_filesz = sizeof("/lib/ld.so");
	return image;
}

static struct wire_span
span(const struct image *image, size_t len)
{
	return (struct wire_span){(const uint8_t *)image, len};
}

static void
t_the_loader_of_an_image(void **state)
{
	struct image image = make_image();
	const size_t len = offsetof(struct image, path) + sizeof("/lib/ld.so");
	const char *path = NULL;

	(void)state;
	assert_true(sup_elf_loader_parse(span(&image, len), &path));
	assert_string_equal(path, "/lib/ld.so");
	for (size_t cut = 0; cut < len; cut++)
		assert_false(sup_elf_loader_parse(span(&image, cut), &path));
	image.parts[1].p_type = PT_NOTE;
	assert_true(sup_elf_loader_parse(span(&image, len), &path));
	assert_null(path);
}

static void
t_images_that_are_wrong(void **state)
{
	const char *path = "before";
	struct image image;

	(void)state;
#define WRONG(change)                                                          \
	do {                                                                   \
		image = make_image();                                          \
		change;                                                        \
		assert_false(                                                  \
		    sup_elf_loader_parse(span(&image, sizeof(image)), &path)); \
		assert_string_equal(path, "before");                           \
	} while (0)
	WRONG(image.header.e_ident[0] = 'E');
	WRONG(image.header.e_ident[EI_CLASS] = ELFCLASS32);
	WRONG(image.header.e_ident[EI_DATA] = ELFDATA2MSB);
	WRONG(image.header.e_phentsize++);
	WRONG(image.header.e_phoff = UINT64_MAX);
	WRONG(image.header.e_phoff = sizeof(image));
	WRONG(image.header.e_phnum = UINT16_MAX;
	      image.parts[1].p_type = PT_NOTE);
	WRONG(image.parts[1].p_offset = UINT64_MAX);
	WRONG(image.parts[1].p_offset = sizeof(image));
	WRONG(image.parts[1].p_filesz = 0);
	WRONG(image.parts[1].p_filesz = UINT64_MAX);
	WRONG(image.parts[1].p_filesz--); /* not terminated */
	WRONG(image.path[0] = 'l');	  /* not absolute */
}

static void
t_the_loader_of_this_program(void **state)
{
	char path[PATH_MAX] = "x";

	(void)state;
	assert_true(sup_elf_loader("/proc/self/exe", path, sizeof(path)));
	assert_int_equal(path[0], '/');
	assert_int_equal(access(path, X_OK), 0);
	assert_false(sup_elf_loader("/proc/self/exe", path, strlen(path)));
	assert_false(sup_elf_loader("/etc/passwd", path, sizeof(path)));
	assert_false(sup_elf_loader("/nowhere", path, sizeof(path)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_a_stat_is_read_behind_its_name),
	    cmocka_unit_test(t_who_lives),
	    cmocka_unit_test(t_what_is_no_stat),
	    cmocka_unit_test(t_a_tree_is_found_and_counted),
	    cmocka_unit_test(t_time_is_counted_before_and_after_the_wait),
	    cmocka_unit_test(t_the_loader_of_an_image),
	    cmocka_unit_test(t_images_that_are_wrong),
	    cmocka_unit_test(t_the_loader_of_this_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
