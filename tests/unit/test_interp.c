/*
 * Finding the interpreter, on trees made for it.
 */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/interp.h"
#include "supervisor/sys.h"

static char base[PATH_MAX];

static const char *
at(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 4];

	(void)snprintf(path, PATH_MAX, "%.200s/%.200s", base, name);
	return path;
}

static void
make_dir(const char *name)
{
	assert_int_equal(mkdir(at(name), 0755), 0);
}

static void
make_file(const char *name, const char *text, mode_t mode)
{
	FILE *f = fopen(at(name), "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(at(name), mode), 0);
}

/* An installation at base/py, a virtual environment of it at base/venv, one
 * with a copied executable at base/copy, a shim directory. */
static int
make_trees(void **state)
{
	char cfg[2 * PATH_MAX], real[PATH_MAX];

	(void)state;
	(void)snprintf(base, sizeof(base), "/tmp/weir-interp-XXXXXX");
	assert_non_null(mkdtemp(base));
	assert_int_equal(sup_sys_realpath(base, real, sizeof(real)), 0);
	(void)snprintf(base, sizeof(base), "%.100s", real);
	make_dir("py");
	make_dir("py/bin");
	make_dir("py/lib");
	make_dir("py/lib/python3.9");
	make_dir("py/lib/python3.11");
	make_file("py/lib/python3.9/os.py", "", 0644);
	make_file("py/lib/python3.11/os.py", "", 0644);
	make_file("py/bin/python3.11",
	    "\x7f"
	    "ELFrest",
	    0755);
	assert_int_equal(symlink("python3.11", at("py/bin/python3")), 0);
	make_dir("venv");
	make_dir("venv/bin");
	assert_int_equal(
	    symlink(at("py/bin/python3"), at("venv/bin/python")), 0);
	(void)snprintf(
	    cfg, sizeof(cfg), "home = %s\nversion = 3.11.1\n", at("py/bin"));
	make_file("venv/pyvenv.cfg", cfg, 0644);
	make_dir("copy");
	make_dir("copy/bin");
	make_file("copy/bin/python3",
	    "\x7f"
	    "ELFcopy",
	    0755);
	/* What it names is looked at, and passed over. */
	(void)snprintf(cfg, sizeof(cfg),
	    "executable = %s\nhome = %s\nversion = 3.11.1\n",
	    at("nowhere/python3"), at("py/bin"));
	make_file("copy/pyvenv.cfg", cfg, 0644);
	make_dir("lost");
	make_dir("lost/bin");
	make_file("lost/bin/python3",
	    "\x7f"
	    "ELFcopy",
	    0755);
	make_file("lost/pyvenv.cfg", "home = /nowhere\n", 0644);
	make_dir("shims");
	make_file("shims/python3", "#!/bin/sh\n", 0755);
	make_dir("bare");
	make_dir("bare/bin");
	make_file("bare/bin/python3",
	    "\x7f"
	    "ELFbare",
	    0755);
	make_file("py/bin/plain",
	    "\x7f"
	    "ELFplain",
	    0644);
	return 0;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int
remove_trees(void **state)
{
	(void)state;
	return nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void
finds(const char *name, const char *path_env)
{
	struct sup_interp interp;

	assert_int_equal(sup_interp_resolve(name, path_env, &interp), WIRE_OK);
	assert_string_equal(interp.path, at("py/bin/python3.11"));
	assert_string_equal(interp.prefix, at("py"));
	assert_string_equal(interp.version, "3.11");
}

static void
refuses(const char *name, const char *path_env, enum sup_interp_fault fault,
    const char *names)
{
	struct sup_interp interp;

	assert_int_equal(
	    sup_interp_resolve(name, path_env, &interp), WIRE_ERR_BAD_ARGUMENT);
	assert_int_equal(interp.fault, fault);
	if (strstr(interp.text, names) == NULL)
		fail_msg("'%s' does not name '%s'", interp.text, names);
}

static void
t_paths_and_virtual_environments(void **state)
{
	(void)state;
	finds(at("py/bin/python3.11"), NULL);
	finds(at("py/bin/python3"), NULL);
	finds(at("venv/bin/python"), NULL);
	finds(at("copy/bin/python3"), NULL);
}

static void
t_path_passes_shims_over(void **state)
{
	struct sup_interp interp;
	char path[2 * PATH_MAX];

	(void)state;
	(void)snprintf(path, sizeof(path), "relative:%s::%s:%s", at("shims"),
	    at("nowhere"), at("py/bin"));
	finds("python3", path);
	assert_int_equal(sup_interp_resolve("python3", path, &interp), WIRE_OK);
	assert_non_null(strstr(interp.warning, "shims/python3"));
	refuses("python3", at("shims"), SUP_INTERP_MISSING, "shims/python3");
	refuses("python3", NULL, SUP_INTERP_MISSING, "PATH");
	refuses("python3", "", SUP_INTERP_MISSING, "--python");
}

static void
t_named_paths_are_refused_with_advice(void **state)
{
	(void)state;
	refuses(at("shims/python3"), NULL, SUP_INTERP_NOT_EXECUTABLE,
	    "name the real one");
	refuses(at("py/bin/plain"), NULL, SUP_INTERP_NOT_EXECUTABLE,
	    "not an ELF executable");
	refuses(at("py/bin/none"), NULL, SUP_INTERP_MISSING, "No such file");
	refuses(at("py/bin"), NULL, SUP_INTERP_NOT_EXECUTABLE, "py/bin");
	refuses(at("lost/bin/python3"), NULL, SUP_INTERP_NOT_EXECUTABLE,
	    "pyvenv.cfg");
	refuses(at("bare/bin/python3"), NULL, SUP_INTERP_NOT_EXECUTABLE,
	    "standard library");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_paths_and_virtual_environments),
	    cmocka_unit_test(t_path_passes_shims_over),
	    cmocka_unit_test(t_named_paths_are_refused_with_advice),
	};

	return cmocka_run_group_tests(tests, make_trees, remove_trees);
}
