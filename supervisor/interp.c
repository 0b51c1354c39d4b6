#include "supervisor/interp.h"

#include <bsd/string.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/pyvenv.h"
#include "supervisor/sys.h"

#define CFG_MAX 8192

__attribute__((format(printf, 3, 4))) static enum wire_err
refuse(struct sup_interp *interp, enum sup_interp_fault fault,
    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(interp->text, sizeof(interp->text), format, args);
	va_end(args);
	interp->fault = fault;
	return WIRE_ERR_BAD_ARGUMENT;
}

/* Opens a regular file, and waits for nobody who might open the other end of
 * something else. A descriptor; -EINVAL for what is no file; or -errno. */
static int
open_file(const char *path, struct stat *ret_st)
{
	int fd = sup_sys_open(path, O_RDONLY | O_NONBLOCK);

	if (fd >= 0 &&
	    (sup_sys_fstat(fd, ret_st) < 0 || !S_ISREG(ret_st->st_mode))) {
		sup_sys_close(&fd);
		return -EINVAL;
	}
	return fd;
}

/* 1: an ELF file; 0: something else; -errno: cannot be read. */
static int
is_elf(const char *path)
{
	static const unsigned char magic[4] = {0x7f, 'E', 'L', 'F'};
	unsigned char head[4];
	struct stat st;
	ssize_t n;
	int fd = open_file(path, &st);

	if (fd < 0)
		return fd == -EINVAL ? 0 : fd;
	n = sup_sys_read_whole(fd, head, sizeof(head));
	sup_sys_close(&fd);
	return n == (ssize_t)sizeof(head) && memcmp(head, magic, 4) == 0 &&
	    (st.st_mode & 0111) != 0;
}

/* Joins into buf; false when it does not fit. */
static bool
join(char *buf, size_t len, const char *dir, const char *name)
{
	int n = snprintf(buf, len, "%s/%s", dir, name);

	return n > 0 && (size_t)n < len;
}

static bool
parent(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash == NULL || slash == path)
		return false;
	*slash = '\0';
	return true;
}

static void
note_passed_over(struct sup_interp *interp, const char *path)
{
	int n = snprintf(interp->warning, sizeof(interp->warning),
	    "%s is not an ELF executable (a version manager's shim?) and was "
	    "passed over",
	    path);

	if (n < 0 || (size_t)n >= sizeof(interp->warning))
		(void)strlcpy(interp->warning,
		    "a candidate on PATH is not an ELF executable and was "
		    "passed over",
		    sizeof(interp->warning));
}

/* Looks name up in path_env; found is an ELF file. */
static bool
search(const char *name, const char *path_env, struct sup_interp *interp,
    char found[PATH_MAX])
{
	for (const char *p = path_env; p != NULL && *p != '\0';) {
		size_t len = strcspn(p, ":");
		char dir[PATH_MAX];
		int elf;

		/* An empty or relative entry would make the answer depend on
		 * the directory one stands in: passed over. */
		if (len > 0 && len < sizeof(dir) && p[0] == '/') {
			memcpy(dir, p, len);
			dir[len] = '\0';
			elf = join(found, PATH_MAX, dir, name) ? is_elf(found)
							       : -ENAMETOOLONG;
			if (elf == 1)
				return true;
			if (elf == 0 && interp->warning[0] == '\0')
				note_passed_over(interp, found);
		}
		p += len;
		if (*p == ':')
			p++;
	}
	return false;
}

/* Reads the pyvenv.cfg that belongs to the interpreter at path, if any. */
static bool
read_cfg(const char *path, char text[CFG_MAX])
{
	char dir[PATH_MAX], file[PATH_MAX];
	struct stat st;

	if (strlcpy(dir, path, sizeof(dir)) >= sizeof(dir))
		return false;
	/* Beside the executable, or one directory above (PEP 405). */
	for (int up = 0; up < 2 && parent(dir); up++) {
		ssize_t n;
		int fd;

		if (!join(file, sizeof(file), dir, "pyvenv.cfg"))
			return false;
		fd = open_file(file, &st);
		if (fd < 0)
			continue;
		n = sup_sys_read_whole(fd, text, CFG_MAX - 1);
		sup_sys_close(&fd);
		if (n < 0)
			return false;
		text[n] = '\0';
		return true;
	}
	return false;
}

/* Follows a virtual environment to its base; path is replaced. */
static bool
leave_venv(char path[PATH_MAX])
{
	char text[CFG_MAX], base[PATH_MAX], home[PATH_MAX];
	const char *name;

	if (!read_cfg(path, text))
		return true;
	name = strrchr(path, '/') + 1;
	if (sup_pyvenv_value(text, "executable", base, sizeof(base)) &&
	    is_elf(base) == 1)
		return strlcpy(path, base, PATH_MAX) < PATH_MAX;
	if (!sup_pyvenv_value(text, "home", home, sizeof(home)))
		return false;
	if (join(base, sizeof(base), home, name) && is_elf(base) == 1)
		return strlcpy(path, base, PATH_MAX) < PATH_MAX;
	if (join(base, sizeof(base), home, "python3") && is_elf(base) == 1)
		return strlcpy(path, base, PATH_MAX) < PATH_MAX;
	return false;
}

/* Whether dir/python<version> is a standard library; then it is noted. */
static bool
is_stdlib(struct sup_interp *interp, const char *dir, const char *version)
{
	char file[PATH_MAX];
	int n = snprintf(file, sizeof(file), "%s/python%s/os.py", dir, version);

	if (n < 0 || (size_t)n >= sizeof(file) ||
	    strlen(version) >= sizeof(interp->version) ||
	    !sup_sys_readable(file))
		return false;
	(void)strlcpy(interp->version, version, sizeof(interp->version));
	return true;
}

/* Any python3.N in dir. */
static bool
search_stdlib(struct sup_interp *interp, const char *dir)
{
	struct dirent *entry;
	DIR *stream = opendir(dir);
	bool found = false;

	while (stream != NULL && !found && (entry = readdir(stream)) != NULL)
		found = strncmp(entry->d_name, "python3.", 8) == 0 &&
		    is_stdlib(interp, dir, entry->d_name + 6);
	if (stream != NULL)
		(void)closedir(stream);
	return found;
}

/*
 * Looks for lib/python3.N/os.py beneath the prefix. One prefix may hold
 * several: the executable's own name tells which, when it carries a version,
 * and then no directory need be read.
 */
static bool
find_stdlib(struct sup_interp *interp)
{
	static const char *const libs[] = {"lib", "lib64"};
	const char *name = strrchr(interp->path, '/') + 1;
	bool named = strncmp(name, "python3.", 8) == 0;

	for (size_t i = 0; i < 2; i++) {
		char dir[PATH_MAX];

		if (!join(dir, sizeof(dir), interp->prefix, libs[i]))
			continue;
		if (named ? is_stdlib(interp, dir, name + 6)
			  : search_stdlib(interp, dir))
			return true;
	}
	return false;
}

static enum wire_err
locate(const char *name, const char *path_env, struct sup_interp *interp,
    char found[PATH_MAX])
{
	char cwd[PATH_MAX];
	int elf;

	if (strchr(name, '/') == NULL) {
		if (search(name, path_env, interp, found))
			return WIRE_OK;
		return refuse(interp, SUP_INTERP_MISSING,
		    "no interpreter '%s' on PATH%s%s; name one with "
		    "--python /path/to/python3",
		    name, interp->warning[0] != '\0' ? ": " : "",
		    interp->warning);
	}
	if (name[0] == '/') {
		if (strlcpy(found, name, PATH_MAX) >= PATH_MAX)
			return refuse(interp, SUP_INTERP_MISSING,
			    "the interpreter's path is too long");
	} else if (sup_sys_getcwd(cwd, sizeof(cwd)) < 0 ||
	    !join(found, PATH_MAX, cwd, name)) {
		return refuse(interp, SUP_INTERP_MISSING,
		    "'%s': the current directory cannot be used; give an "
		    "absolute path",
		    name);
	}
	elf = is_elf(found);
	if (elf == 1)
		return WIRE_OK;
	if (elf == -ENOENT || elf == -ENOTDIR)
		return refuse(interp, SUP_INTERP_MISSING,
		    "%s: %s; name an "
		    "existing interpreter with --python",
		    found, strerror(-elf));
	if (elf < 0)
		return refuse(interp, SUP_INTERP_NOT_EXECUTABLE, "%s: %s",
		    found, strerror(-elf));
	return refuse(interp, SUP_INTERP_NOT_EXECUTABLE,
	    "%s is not an ELF executable; a script or shim cannot be confined "
	    "as an interpreter: name the real one, such as the output of "
	    "'python3 -c \"import sys; print(sys.base_prefix)\"' with "
	    "/bin/python3",
	    found);
}

enum wire_err
sup_interp_resolve(
    const char *name, const char *path_env, struct sup_interp *ret_interp)
{
	char found[PATH_MAX];
	enum wire_err err;
	int r;

	memset(ret_interp, 0, sizeof(*ret_interp));
	err = locate(name, path_env, ret_interp, found);
	if (err != WIRE_OK)
		return err;
	if (!leave_venv(found))
		return refuse(ret_interp, SUP_INTERP_NOT_EXECUTABLE,
		    "%s belongs to a virtual environment whose base cannot be "
		    "found from its pyvenv.cfg; name the base interpreter",
		    found);
	r = sup_sys_realpath(found, ret_interp->path, sizeof(ret_interp->path));
	if (r < 0)
		return refuse(ret_interp, SUP_INTERP_NOT_EXECUTABLE, "%s: %s",
		    found, strerror(-r));
	(void)strlcpy(
	    ret_interp->prefix, ret_interp->path, sizeof(ret_interp->prefix));
	if (!parent(ret_interp->prefix) || !parent(ret_interp->prefix))
		return refuse(ret_interp, SUP_INTERP_NOT_EXECUTABLE,
		    "%s does not stand in PREFIX/bin", ret_interp->path);
	if (!find_stdlib(ret_interp))
		return refuse(ret_interp, SUP_INTERP_NOT_EXECUTABLE,
		    "no standard library beneath %s/lib for %s; name an "
		    "interpreter that is installed as PREFIX/bin/python3",
		    ret_interp->prefix, ret_interp->path);
	return WIRE_OK;
}
