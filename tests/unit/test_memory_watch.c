/*
 * The watchdog on memory: what it counts of a process, when it looks again,
 * and that it sees this very process grow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/memory_watch.h"
#include "supervisor/units.h"

#define MIB (UINT64_C(1) << 20)

/* Memory of which every page is used. */
static void
touch(volatile char *block, size_t len)
{
	for (size_t i = 0; i < len; i += 1024)
		block[i] = 1;
}

static void
t_what_is_counted(void **state)
{
	static const char status[] = "Name:\tpython3\n"
				     "VmPeak:\t  900000 kB\n"
				     "VmRSS:\t   80000 kB\n"
				     "RssAnon:\t     100 kB\n"
				     "RssFile:\t   50000 kB\n"
				     "RssShmem:\t      20 kB\n"
				     "VmPTE:\t       3 kB\n"
				     "VmSwap:\t    4000 kB\n";

	(void)state;
	assert_int_equal(sup_memory_resident(status), 4123 * 1024);
	/* One that has ended has none of these lines. */
	assert_int_equal(sup_memory_resident("Name:\tx\nState:\tZ\n"), 0);
	assert_int_equal(sup_memory_resident(""), 0);
	/* A name cannot pretend to be one: it is on the first line, and its
	 * newlines are escaped (proc(5)). */
	assert_int_equal(
	    sup_memory_resident("Name:\tRssAnon:\\nRssAnon: 9\n"), 0);
}

static void
t_the_nearer_the_sooner(void **state)
{
	uint64_t at_ease = sup_memory_pause(4096 * MIB, 0);
	uint64_t far = sup_memory_pause(128 * MIB, 0);
	uint64_t near = sup_memory_pause(128 * MIB, 64 * MIB);

	(void)state;
	assert_int_equal(at_ease, 100 * SUP_NS_PER_MS);
	assert_true(far < at_ease);
	assert_true(near < far);
	/* Never at once, which would take a processor whole. */
	assert_int_equal(sup_memory_pause(MIB, MIB - 1), 2 * SUP_NS_PER_MS);
	assert_int_equal(sup_memory_pause(MIB, MIB), 2 * SUP_NS_PER_MS);
	assert_int_equal(sup_memory_pause(MIB, 9 * MIB), 2 * SUP_NS_PER_MS);
}

static void
t_sees_a_process_grow(void **state)
{
	struct sup_memory_watch watch = SUP_MEMORY_WATCH_NONE;
	uint64_t before;
	char *block;

	(void)state;
	assert_true(watch.next_ns == UINT64_MAX);
	assert_true(
	    sup_memory_watch_start(&watch, 0, getpid(), 1024 * MIB, 1000));
	assert_true(watch.next_ns > 1000);
	before = watch.peak;
	assert_true(before > 0);
	assert_false(sup_memory_watch_look(&watch, 2000));
	watch.limit = before + 16 * MIB;
	block = malloc(32 * MIB);
	assert_non_null(block);
	touch(block, 32 * MIB);
	assert_true(sup_memory_watch_look(&watch, 3000));
	assert_true(watch.peak >= before + 32 * MIB);
	free(block);
	sup_memory_watch_stop(&watch);
	assert_true(watch.next_ns == UINT64_MAX);
	assert_int_equal(watch.status_fd, -1);
}

static void
t_sees_a_tree(void **state)
{
	struct sup_memory_watch one = SUP_MEMORY_WATCH_NONE;
	struct sup_memory_watch tree = SUP_MEMORY_WATCH_NONE;
	int ready[2], go[2];
	pid_t child;
	char byte;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	child = fork();
	if (child == 0) {
		char *block = malloc(32 * MIB);

		if (block != NULL)
			touch(block, 32 * MIB);
		(void)!write(ready[1], "r", 1);
		(void)close(go[1]);
		(void)!read(go[0], &byte, 1);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_true(sup_memory_watch_start(&one, 0, getpid(), 1024 * MIB, 0));
	assert_true(
	    sup_memory_watch_start(&tree, getpid(), getpid(), 1024 * MIB, 0));
	assert_true(tree.peak >= one.peak + 32 * MIB);
	for (int i = 0; i < 2; i++) {
		(void)close(ready[i]);
		(void)close(go[i]);
	}
	sup_memory_watch_stop(&one);
	sup_memory_watch_stop(&tree);
}

static void
t_nobody_to_watch(void **state)
{
	struct sup_memory_watch watch = SUP_MEMORY_WATCH_NONE;

	(void)state;
	/* Above any process id. */
	assert_false(sup_memory_watch_start(&watch, 0, 1 << 23, 1024 * MIB, 0));
	assert_true(watch.next_ns == UINT64_MAX);
	assert_int_equal(watch.status_fd, -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_what_is_counted),
	    cmocka_unit_test(t_the_nearer_the_sooner),
	    cmocka_unit_test(t_sees_a_process_grow),
	    cmocka_unit_test(t_sees_a_tree),
	    cmocka_unit_test(t_nobody_to_watch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
