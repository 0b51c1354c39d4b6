#include "supervisor/grant_exec.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <bsd/string.h>

#include "supervisor/elf_loader.h"
#include "supervisor/explain.h"
#include "supervisor/sys.h"
#include "supervisor/sys_files.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#endif

/* What the kernel looks at of a script (BINPRM_BUF_SIZE). */
#define SCRIPT_HEAD 256

/* --- what a file is ------------------------------------------------------- */

/* execve(2), "Interpreter scripts": blanks, then a path that a blank or the
 * end of the line ends. */
static enum sup_exec_kind
parse_script(struct wire_span head, char needs[PATH_MAX])
{
	char line[SCRIPT_HEAD + 1];
	size_t len = head.len < SCRIPT_HEAD ? head.len : SCRIPT_HEAD, at, n;

	memcpy(line, head.p, len);
	line[len] = '\0';
	at = 2 + strspn(line + 2, " \t");
	n = strcspn(line + at, " \t\n");
	/* One that is cut off is another path. */
	if (line[at] != '/' || at + n >= SCRIPT_HEAD)
		return SUP_EXEC_BAD;
	line[at + n] = '\0';
	(void)strlcpy(needs, line + at, PATH_MAX);
	return SUP_EXEC_SCRIPT;
}

enum sup_exec_kind
sup_exec_parse(struct wire_span head, char needs[PATH_MAX])
{
	const char *loader = NULL;
	Elf64_Ehdr header;

	needs[0] = '\0';
	if (head.len >= 2 && head.p[0] == '#' && head.p[1] == '!')
		return parse_script(head, needs);
	if (head.len < sizeof(header) || !sup_elf_loader_parse(head, &loader))
		return SUP_EXEC_BAD;
	memcpy(&header, head.p, sizeof(header));
	if (header.e_machine != MACHINE ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN))
		return SUP_EXEC_BAD;
	if (loader != NULL && strlcpy(needs, loader, PATH_MAX) >= PATH_MAX)
		return SUP_EXEC_BAD;
	return SUP_EXEC_PROGRAM;
}

static enum sup_exec_kind
look(int fd, char needs[PATH_MAX])
{
	uint8_t bytes[SUP_ELF_HEAD];
	ssize_t n = sup_sys_read_whole(fd, bytes, sizeof(bytes));

	needs[0] = '\0';
	return n < 0
	    ? SUP_EXEC_BAD
	    : sup_exec_parse((struct wire_span){bytes, (size_t)n}, needs);
}

enum sup_exec_kind
sup_exec_look(const char *path, char needs[PATH_MAX])
{
	int fd = sup_sys_open(path, O_RDONLY | O_NONBLOCK);
	enum sup_exec_kind kind = look(fd, needs);

	sup_sys_close(&fd);
	return kind;
}

/*
 * SECURITY: nothing that changes who runs it. The kernel would not let it, with
 * no_new_privs and on mounts of ours; what depends on that is no thing to give
 * to a program.
 */
static const char *
privilege_problem(int fd, const struct stat *st)
{
	int has;

	if ((st->st_mode & (S_ISUID | S_ISGID)) != 0)
		return "is set-user-id or set-group-id, which no program is "
		       "given; grant a copy that is not";
	has = sup_sys_has_attribute(fd, "security.capability");
	if (has < 0)
		return "does not show whether it has capabilities; grant a "
		       "copy of it elsewhere";
	return has > 0 ? "has capabilities of its own (setcap(8)), which no "
			 "program is given; grant a copy that has none"
		       : NULL;
}

static const char *
file_problem(int fd)
{
	char needs[PATH_MAX];
	const char *problem;
	struct stat st;
	int flags;

	if (sup_sys_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return "is not a file; name each file that may be executed";
	if ((st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0)
		return "is not executable; chmod +x it, or grant it with "
		       "--read";
	problem = privilege_problem(fd, &st);
	if (problem != NULL)
		return problem;
	flags = sup_sys_mount_flags(fd);
	if (flags < 0 || (flags & ST_NOEXEC) != 0)
		return "stands on a filesystem that nothing is executed from "
		       "(noexec); grant a copy elsewhere";
	switch (look(fd, needs)) {
	case SUP_EXEC_BAD:
		return "is neither a program of this machine nor a script "
		       "that begins with '#!' and an absolute path; grant "
		       "what interprets it";
	case SUP_EXEC_PROGRAM:
	case SUP_EXEC_SCRIPT:
		break;
	}
	if (needs[0] != '\0' &&
	    (sup_sys_stat(needs, &st) < 0 || !S_ISREG(st.st_mode)))
		return "names a loader or an interpreter that is not there; "
		       "install that, or grant another file";
	return NULL;
}

const char *
sup_exec_problem(const char *path)
{
	int fd = sup_sys_open(path, O_RDONLY | O_NONBLOCK);
	const char *problem;

	if (fd < 0)
		return "cannot be read, so what it needs is not known; let "
		       "weir read it";
	problem = file_problem(fd);
	sup_sys_close(&fd);
	return problem;
}

/* --- what else is granted ------------------------------------------------- */

static bool
same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether path, or a directory above it, is what `at` is, under whatever
 * name. */
static bool
leads_through(const char *path, const struct stat *at)
{
	char part[PATH_MAX];
	size_t len = strlen(path);
	struct stat st;

	if (len >= sizeof(part))
		return true;
	for (size_t i = 1; i <= len; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (sup_sys_stat(part, &st) < 0 || same_file(&st, at))
			return true;
	}
	return false;
}

struct checker {
	const struct sup_grants *grants;
	const char *interpreter;
	bool other_ids;
	char *text;
};

/* Whether a name of the file in a place to write in would do to write it. */
static bool
is_writable(const struct checker *checker, const struct stat *st)
{
	return (st->st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
	    (!checker->other_ids && st->st_uid == geteuid());
}

/*
 * SECURITY: what may be executed must not be what the program can write, by
 * this name or another: beneath a write grant, in a directory that is mounted
 * twice, or by a hard link, which could stand anywhere on its filesystem.
 */
static const char *
write_problem(const struct checker *checker, const char *path)
{
	const struct sup_grants *grants = checker->grants;
	struct stat st, at;

	if (sup_sys_stat(path, &st) < 0)
		return "is not there any more";
	for (size_t i = 0; i < grants->path_count; i++) {
		const struct sup_grant *g = &grants->paths[i];

		if (!g->write)
			continue;
		if (sup_sys_stat(g->path, &at) < 0 || leads_through(path, &at))
			return "may be executed, and another grant lets the "
			       "program write it; leave one of them out";
		if (st.st_nlink > 1 && st.st_dev == at.st_dev &&
		    is_writable(checker, &st))
			return "has more names than one (hard links), and "
			       "one could stand where the program may write; "
			       "grant or use a copy of it";
	}
	return NULL;
}

static bool
refuse(const struct checker *checker, const char *path, const char *problem)
{
	char shown[SUP_EXPLAIN_NAME];

	(void)snprintf(checker->text, SUP_GRANT_TEXT, "%s %s",
	    sup_explain_name(path, shown), problem);
	return false;
}

static bool
may_be_executed(const struct checker *checker, const char *path)
{
	const struct sup_grants *grants = checker->grants;
	char real[PATH_MAX];

	if (sup_sys_realpath(path, real, sizeof(real)) < 0)
		return false;
	if (strcmp(real, checker->interpreter) == 0)
		return true;
	for (size_t i = 0; i < grants->path_count; i++)
		if (grants->paths[i].execute &&
		    strcmp(real, grants->paths[i].path) == 0)
			return true;
	return false;
}

static bool
check_script(const struct checker *checker, const char *path, const char *needs)
{
	char script[SUP_EXPLAIN_NAME], shown[SUP_EXPLAIN_NAME];

	if (may_be_executed(checker, needs))
		return true;
	(void)snprintf(checker->text, SUP_GRANT_TEXT,
	    "%s is a script of %s, which may not be executed; grant that as "
	    "well, or leave the script out",
	    sup_explain_name(path, script), sup_explain_name(needs, shown));
	return false;
}

/* One file, and what the kernel opens with it. */
static bool
check_file(const struct checker *checker, const char *path)
{
	char needs[PATH_MAX], real[PATH_MAX];
	const char *problem = write_problem(checker, path);
	enum sup_exec_kind kind = sup_exec_look(path, needs);

	if (problem != NULL)
		return refuse(checker, path, problem);
	if (kind == SUP_EXEC_SCRIPT)
		return check_script(checker, path, needs);
	if (kind != SUP_EXEC_PROGRAM || needs[0] == '\0')
		return true;
	if (sup_sys_realpath(needs, real, sizeof(real)) < 0)
		return refuse(checker, path,
		    "names a loader that is not "
		    "there; install it");
	problem = write_problem(checker, real);
	return problem == NULL || refuse(checker, real, problem);
}

bool
sup_exec_check(const struct sup_grants *grants, const char *interpreter,
    bool other_ids, char text[SUP_GRANT_TEXT])
{
	const struct checker checker = {grants, interpreter, other_ids, text};

	if (!check_file(&checker, interpreter))
		return false;
	for (size_t i = 0; i < grants->path_count; i++)
		if (grants->paths[i].execute &&
		    !check_file(&checker, grants->paths[i].path))
			return false;
	return true;
}
