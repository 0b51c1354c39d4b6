/*
 * What the kernel says of control groups: the texts as it writes them, and
 * what could be mistaken for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "supervisor/cgroup_text.h"

static const char hybrid[] = "9:name=systemd:/\n"
			     "4:memory:/box/7\n"
			     "2:cpu,cpuacct:/a:b\n"
			     "0::/user.slice/x.scope\n";

static void
t_own_path(void **state)
{
	char path[32];

	(void)state;
	assert_true(sup_cgroup_own(hybrid, "memory", path, sizeof(path)));
	assert_string_equal(path, "/box/7");
	assert_true(sup_cgroup_own(hybrid, "", path, sizeof(path)));
	assert_string_equal(path, "/user.slice/x.scope");
	/* In a list, and a path with a colon. */
	assert_true(sup_cgroup_own(hybrid, "cpuacct", path, sizeof(path)));
	assert_string_equal(path, "/a:b");
	/* Whole words only. */
	assert_false(sup_cgroup_own(hybrid, "mem", path, sizeof(path)));
	assert_false(sup_cgroup_own(hybrid, "pids", path, sizeof(path)));
	assert_false(sup_cgroup_own("", "", path, sizeof(path)));
	assert_false(sup_cgroup_own("0:", "", path, sizeof(path)));
	assert_false(sup_cgroup_own("0::", "", path, sizeof(path)));
	assert_false(sup_cgroup_own("0::x\n", "", path, sizeof(path)));
}

static void
t_own_path_must_fit(void **state)
{
	char path[8];

	(void)state;
	assert_true(sup_cgroup_own("0::/123456\n", "", path, sizeof(path)));
	assert_string_equal(path, "/123456");
	assert_false(sup_cgroup_own("0::/1234567\n", "", path, sizeof(path)));
}

static bool
is_mount(const char *text, const char *controller, struct sup_cgroup_mount *m)
{
	char line[256];

	(void)snprintf(line, sizeof(line), "%s", text);
	return sup_cgroup_is_mount(line, controller, m);
}

static void
t_mounts(void **state)
{
	static const char v1[] =
	    "34 30 0:31 / /sys/fs/cgroup/memory rw,nosuid "
	    "shared:9 master:2 - cgroup cgroup rw,memory\n";
	static const char v2[] =
	    "40 30 0:37 /a\\040b /sys/fs/c\\134g rw - cgroup2 cgroup2 rw\n";
	struct sup_cgroup_mount m;

	(void)state;
	assert_true(is_mount(v1, "memory", &m));
	assert_string_equal(m.root, "/");
	assert_string_equal(m.point, "/sys/fs/cgroup/memory");
	assert_false(is_mount(v1, "mem", &m));
	assert_false(is_mount(v1, "", &m));
	assert_true(is_mount(v2, "", &m));
	assert_string_equal(m.root, "/a b");
	assert_string_equal(m.point, "/sys/fs/c\\g");
	assert_false(is_mount(v2, "memory", &m));
	/* Another type, and lines that are cut short. */
	assert_false(
	    is_mount("1 2 0:3 / /x rw - tmpfs cgroup rw,memory", "memory", &m));
	assert_false(is_mount("1 2 0:3 / /x rw - cgroup cgroup", "memory", &m));
	assert_false(is_mount("1 2 0:3 / /x rw", "", &m));
	assert_false(is_mount("", "", &m));
}

static void
t_locate(void **state)
{
	struct sup_cgroup_mount m = {"/", "/sys/fs/cgroup"};
	char dir[24];

	(void)state;
	assert_true(sup_cgroup_locate(&m, "/a/b", dir, sizeof(dir)));
	assert_string_equal(dir, "/sys/fs/cgroup/a/b");
	assert_true(sup_cgroup_locate(&m, "/", dir, sizeof(dir)));
	assert_string_equal(dir, "/sys/fs/cgroup");
	/* 23 bytes and the NUL fit, one more does not. */
	assert_true(sup_cgroup_locate(&m, "/34567890", dir, sizeof(dir)));
	assert_false(sup_cgroup_locate(&m, "/345678901", dir, sizeof(dir)));
	/* Outside of the cgroup namespace. */
	assert_false(sup_cgroup_locate(&m, "/../a", dir, sizeof(dir)));
	assert_false(sup_cgroup_locate(&m, "a", dir, sizeof(dir)));
	/* Of a container: only a part of the hierarchy is mounted. */
	(void)snprintf(m.root, sizeof(m.root), "/box");
	assert_true(sup_cgroup_locate(&m, "/box", dir, sizeof(dir)));
	assert_string_equal(dir, "/sys/fs/cgroup");
	assert_true(sup_cgroup_locate(&m, "/box/c", dir, sizeof(dir)));
	assert_string_equal(dir, "/sys/fs/cgroup/c");
	assert_false(sup_cgroup_locate(&m, "/boxer", dir, sizeof(dir)));
	assert_false(sup_cgroup_locate(&m, "/", dir, sizeof(dir)));
	(void)snprintf(m.root, sizeof(m.root), "/../..");
	assert_false(sup_cgroup_locate(&m, "/box", dir, sizeof(dir)));
}

static void
t_counts(void **state)
{
	static const char events[] =
	    "low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\n";
	static const char v1[] =
	    "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n";
	uint64_t n = 99;

	(void)state;
	assert_true(sup_cgroup_count(events, "oom_kill", &n));
	assert_int_equal(n, 5);
	assert_true(sup_cgroup_count(events, "max", &n));
	assert_int_equal(n, 3);
	assert_true(sup_cgroup_count(v1, "oom_kill", &n));
	assert_int_equal(n, 7);
	n = 99;
	assert_false(sup_cgroup_count(events, "kill", &n));
	assert_false(sup_cgroup_count("oom_kill x\n", "oom_kill", &n));
	assert_false(sup_cgroup_count("oom_kill", "oom_kill", &n));
	assert_false(sup_cgroup_count("", "oom_kill", &n));
	assert_int_equal(n, 99);
}

static void
t_numbers(void **state)
{
	uint64_t n = 99;

	(void)state;
	assert_true(sup_cgroup_number("67108864\n", &n));
	assert_int_equal(n, 67108864);
	assert_true(sup_cgroup_number("0", &n));
	assert_int_equal(n, 0);
	assert_true(sup_cgroup_number("max\n", &n));
	assert_true(n == UINT64_MAX);
	n = 99;
	assert_false(sup_cgroup_number("", &n));
	assert_false(sup_cgroup_number("maximum\n", &n));
	assert_false(sup_cgroup_number("-1\n", &n));
	assert_int_equal(n, 99);
}

static void
t_words(void **state)
{
	(void)state;
	assert_true(sup_cgroup_has("cpu io memory pids\n", "memory"));
	assert_true(sup_cgroup_has("12\n345\n", "345"));
	assert_true(sup_cgroup_has("memory", "memory"));
	assert_false(sup_cgroup_has("memory2 memor", "memory"));
	assert_false(sup_cgroup_has("12\n345\n", "34"));
	assert_false(sup_cgroup_has("", "memory"));
}

/* A controller is in one hierarchy at a time; version 2 is taken where it has
 * it. */
static void
t_choice(void **state)
{
	(void)state;
	assert_int_equal(
	    sup_cgroup_choose("0::/x\n", "cpu memory\n"), SUP_CGROUP_V2);
	assert_int_equal(sup_cgroup_choose(hybrid, ""), SUP_CGROUP_V1);
	assert_int_equal(
	    sup_cgroup_choose(hybrid, "cpu pids\n"), SUP_CGROUP_V1);
	assert_int_equal(
	    sup_cgroup_choose("0::/x\n", "cpu pids\n"), SUP_CGROUP_NONE);
	assert_int_equal(sup_cgroup_choose("", ""), SUP_CGROUP_NONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_own_path),
	    cmocka_unit_test(t_own_path_must_fit),
	    cmocka_unit_test(t_mounts),
	    cmocka_unit_test(t_locate),
	    cmocka_unit_test(t_counts),
	    cmocka_unit_test(t_numbers),
	    cmocka_unit_test(t_words),
	    cmocka_unit_test(t_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
