/*
 * Target: texts from elsewhere that weir takes apart.
 *
 * The first byte, a letter, chooses. Properties:
 *  w  the command of --tool NAME=COMMAND (bindings/shell_words.h) is split into
 *     the words that a state for each byte gives, or refused as there; in a
 *     buffer of text.len + 1 bytes always, and each word ends inside it;
 *  p  the text of a pyvenv.cfg (supervisor/pyvenv.h): the value of a key is
 *     that of the first line whose part before `=` is the key, trimmed;
 *  m  a line of mountinfo (child/mountinfo.h) is planned exactly when its
 *     mount point, unescaped, is the root, or lies at or beneath one of those
 *     allowed; and so is a file of such lines, whatever its size;
 *  r  a record of the stub (wire/report.h) is taken exactly when its size,
 *     magic, code and stage are right; stages are found by their words only;
 *  x  the beginning of a file to execute (supervisor/grant_exec.h): a script
 * has the interpreter that a state for each byte gives; a program is of this
 *     machine, and what either needs is an absolute path or nothing;
 *  s  /proc/PID/status, u  /proc/PID/uid_map: read without reading past their
 *     end, and a uid_map never gives a child id 0.
 */
#include "fuzz.h"

#include <elf.h>
#include <linux/errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bindings/shell_words.h"
#include "child/mountinfo.h"
#include "supervisor/evidence.h"
#include "supervisor/grant_exec.h"
#include "supervisor/idmap.h"
#include "supervisor/pyvenv.h"
#include "wire/err.h"
#include "wire/kinds.h"
#include "wire/report.h"

/* NUL-terminated; free() it. */
static char *
text_of(struct wire_span in)
{
	char *text = malloc(in.len + 1);

	FUZZ_REQUIRE(text != NULL);
	if (in.len != 0)
		memcpy(text, in.p, in.len);
	text[in.len] = '\0';
	return text;
}

/* --- shell words ---------------------------------------------------------- */

enum quoting { BARE, SINGLE, DOUBLE, BARE_BACKSLASH, DOUBLE_BACKSLASH };

/* The words one after another, each with its NUL, by a state for each byte. */
struct words {
	char *text;
	size_t len, count;
	enum quoting quoting;
	size_t opened[2]; /* the quote, the backslash: where they stand */
	bool in_word;
};

static void
put(struct words *w, char c)
{
	w->text[w->len++] = c;
	w->in_word = true;
}

static void
bare(struct words *w, char c, size_t at)
{
	if (strchr(" \t\n", c) != NULL) {
		if (w->in_word) {
			w->text[w->len++] = '\0';
			w->count++;
		}
		w->in_word = false;
	} else if (c == '\'' || c == '"') {
		w->quoting = c == '"' ? DOUBLE : SINGLE;
		w->opened[0] = at;
		w->in_word = true;
	} else if (c == '\\') {
		w->quoting = BARE_BACKSLASH;
		w->opened[1] = at;
	} else {
		put(w, c);
	}
}

static void
quoted(struct words *w, char c)
{
	switch (w->quoting) {
	case SINGLE:
	case DOUBLE:
		if (c == (w->quoting == SINGLE ? '\'' : '"'))
			w->quoting = BARE;
		else if (c == '\\' && w->quoting == DOUBLE)
			w->quoting = DOUBLE_BACKSLASH;
		else
			put(w, c);
		break;
	case DOUBLE_BACKSLASH:
		w->quoting = DOUBLE;
		if (c == '\n')
			break;
		if (strchr("$`\"\\", c) == NULL)
			put(w, '\\');
		put(w, c);
		break;
	case BARE_BACKSLASH:
		w->quoting = BARE;
		if (c != '\n')
			put(w, c);
		break;
	case BARE:
		break;
	}
}

static enum wire_err
model_words(struct wire_span in, struct words *w, size_t *ret_offset)
{
	size_t i;

	for (i = 0; i < in.len; i++) {
		if (in.p[i] == 0) {
			*ret_offset = i;
			return WIRE_ERR_NUL_BYTE;
		}
	}
	for (i = 0; i < in.len; i++) {
		if (w->quoting == BARE)
			bare(w, (char)in.p[i], i);
		else
			quoted(w, (char)in.p[i]);
	}
	if (w->quoting == BARE) {
		bare(w, ' ', in.len);
		return WIRE_OK;
	}
	*ret_offset = w->opened[w->quoting == BARE_BACKSLASH];
	return WIRE_ERR_BAD_SYNTAX;
}

static void
check_words(struct wire_span in)
{
	size_t max = in.len + 1, words_max, count = 0, offset = 0, i;
	struct words want = {.text = malloc(max + 1)};
	struct wire_errinfo info = {NULL, 0, 0};
	char *buf = malloc(max), *at = want.text;
	enum wire_err err = model_words(in, &want, &offset), got;
	char **words;

	/* One more for the NULL, and then one too few. */
	words_max = (err == WIRE_OK ? want.count : in.len) + 1;
	words = calloc(words_max, sizeof(*words));
	FUZZ_REQUIRE(want.text != NULL && buf != NULL && words != NULL);
	got = bind_shell_split(in, buf, max, words, words_max, &count, &info);
	FUZZ_REQUIRE(got == err);
	FUZZ_REQUIRE(err == WIRE_OK || info.offset == offset);
	if (err == WIRE_OK) {
		FUZZ_REQUIRE(count == want.count && words[count] == NULL);
		for (i = 0; i < count; i++, at += strlen(at) + 1)
			FUZZ_REQUIRE(strcmp(words[i], at) == 0);
		FUZZ_REQUIRE(
		    bind_shell_split(in, buf, max, words, words_max - 1, &count,
			&info) == WIRE_ERR_NO_SPACE);
		if (want.len != 0)
			FUZZ_REQUIRE(
			    bind_shell_split(in, buf, want.len - 1, words,
				words_max, &count, &info) == WIRE_ERR_NO_SPACE);
	}
	free(want.text);
	free(buf);
	free(words);
}

/* --- pyvenv.cfg ----------------------------------------------------------- */

static char *
trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	for (len = strlen(text); len > 0; len--)
		if (strchr(" \t", text[len - 1]) == NULL)
			break;
	text[len] = '\0';
	return text;
}

static bool
model_value(char *text, const char *key, char *buf, size_t len)
{
	char *line, *equals;

	while ((line = strsep(&text, "\n")) != NULL) {
		equals = strchr(line, '=');
		if (equals == NULL)
			continue;
		*equals = '\0';
		if (strcmp(trim(line), key) != 0)
			continue;
		line = equals + 1 + strspn(equals + 1, " \t");
		line[strcspn(line, "\r")] = '\0';
		line = trim(line);
		if (*line == '\0' || strlen(line) >= len)
			return false;
		memcpy(buf, line, strlen(line) + 1);
		return true;
	}
	return false;
}

static void
check_pyvenv(struct wire_span in)
{
	static const char *const keys[] = {"home", "executable"};
	size_t room = 1 + fuzz_byte(&in), i;
	char *text = text_of(in), *copy = text_of(in);
	char *want = malloc(room), *got = malloc(room);
	bool found;

	FUZZ_REQUIRE(want != NULL && got != NULL);
	for (i = 0; i < 2; i++) {
		memcpy(copy, text, in.len + 1);
		found = model_value(copy, keys[i], want, room);
		FUZZ_REQUIRE(
		    sup_pyvenv_value(text, keys[i], got, room) == found);
		FUZZ_REQUIRE(!found || strcmp(got, want) == 0);
	}
	free(text);
	free(copy);
	free(want);
	free(got);
}

/* --- mountinfo ------------------------------------------------------------ */

static bool
is_beneath(const char *path, const char *top)
{
	size_t len = strlen(top);

	return len != 0 && strncmp(path, top, len) == 0 &&
	    (path[len] == '\0' || path[len] == '/');
}

/* The mount point as proc(5) says: the fifth of fields that single blanks
 * part, its octal escapes resolved; false when the line has not so many, or an
 * escape that the kernel would not write. */
static bool
mount_point(char *line, char *ret_path)
{
	char *field = NULL;
	size_t i, len = 0;

	for (i = 0; i < 5; i++)
		field = strsep(&line, " ");
	if (field == NULL || line == NULL)
		return false;
	for (i = 0; field[i] != '\0'; i++, len++) {
		ret_path[len] = field[i];
		if (field[i] != '\\')
			continue;
		if (strspn(field + i + 1, "01234567") < 3 || field[i + 1] > '3')
			return false;
		ret_path[len] = (char)((field[i + 1] - '0') * 64 +
		    (field[i + 2] - '0') * 8 + (field[i + 3] - '0'));
		i += 3;
	}
	ret_path[len] = '\0';
	/* A path holds no NUL, and a slash is never escaped. */
	return strlen(ret_path) == len && strstr(field, "\\057") == NULL;
}

static bool
is_planned(const struct wire_plan *plan, const char *path)
{
	size_t i;

	if (strcmp(path, "/") == 0 || is_beneath(path, "/dev/shm") ||
	    is_beneath(path, plan->workspace))
		return true;
	for (i = 0; i < plan->mount_count; i++)
		if (is_beneath(path, plan->mounts[i].target))
			return true;
	return false;
}

/* One line; counts those that are planned. */
static void
check_line(
    const struct wire_plan *plan, struct wire_span line, bool *ret_planned)
{
	char *text = text_of(line), *path = malloc(line.len + 1);
	bool want, got = stub_mountinfo_planned(plan, line);

	FUZZ_REQUIRE(path != NULL);
	if (strlen(text) == line.len && mount_point(text, path)) {
		want = is_planned(plan, path);
		FUZZ_REQUIRE(got == want);
	}
	*ret_planned = got;
	free(text);
	free(path);
}

static void
check_file(const struct wire_plan *plan, struct wire_span in)
{
	int fd = memfd_create("mountinfo", MFD_CLOEXEC), want = 0;
	struct wire_span rest = in;
	uint32_t mounts = UINT32_MAX, lines = 0;
	const uint8_t *end;
	bool planned;

	FUZZ_REQUIRE(fd >= 0);
	FUZZ_REQUIRE(write(fd, in.p, in.len) == (ssize_t)in.len);
	FUZZ_REQUIRE(lseek(fd, 0, SEEK_SET) == 0);
	while (want == 0 && rest.len != 0) {
		end = memchr(rest.p, '\n', rest.len);
		if (end == NULL) {
			want = rest.len >= 8192 ? EOVERFLOW : EBADMSG;
			break;
		}
		check_line(
		    plan, fuzz_bytes(&rest, (size_t)(end - rest.p)), &planned);
		(void)fuzz_byte(&rest);
		want = planned ? 0 : EXDEV;
		lines++;
	}
	FUZZ_REQUIRE(stub_mountinfo_check(plan, fd, &mounts) == want);
	FUZZ_REQUIRE(mounts == (want == 0 ? lines : UINT32_MAX));
	close(fd);
}

static void
check_mountinfo(struct wire_span in)
{
	static const char *const texts[] = {"/usr", "/lib", "/workspace",
	    "/a b\\c", "/dev/null", "/usr/lib", "", "/\xc3\xa9\n"};
	struct wire_plan plan = {.mount_count = fuzz_byte(&in) % 4};
	size_t i;

	plan.workspace = texts[fuzz_byte(&in) % 8];
	for (i = 0; i < plan.mount_count; i++)
		plan.mounts[i].target = texts[fuzz_byte(&in) % 8];
	if (in.len < 8192)
		check_file(&plan, in);
}

/* --- records of the stub and words ---------------------------------------- */

static void
check_word(const char *word, const char *meaning)
{
	FUZZ_REQUIRE(word != NULL && meaning != NULL && *meaning != '\0');
	FUZZ_REQUIRE(strspn(word, "abcdefghijklmnopqrstuvwxyz_0123456789") ==
	    strlen(word));
}

/* Any number for an enumeration has a word, and a word its own number. */
static void
check_words_of(struct wire_span word, unsigned number)
{
	enum wire_stage stage = wire_stage_from(word);
	enum wire_tool_kind kind = wire_tool_kind_from(word);
	enum wire_claim_kind claim = wire_claim_kind_from(word);
	char *text = text_of(word);

	FUZZ_REQUIRE(stage == WIRE_STAGE_COUNT ||
	    (strlen(text) == word.len &&
		strcmp(wire_stage_word(stage), text) == 0));
	FUZZ_REQUIRE(kind == WIRE_TOOL_NONE ||
	    (strlen(text) == word.len &&
		strcmp(wire_tool_kind_word(kind), text) == 0));
	FUZZ_REQUIRE(claim == WIRE_CLAIM_NONE ||
	    (strlen(text) == word.len &&
		strcmp(wire_claim_kind_word(claim), text) == 0));
	check_word(wire_stage_word((enum wire_stage)number),
	    wire_stage_what((enum wire_stage)number));
	check_word(wire_err_word((enum wire_err)number),
	    wire_err_meaning((enum wire_err)number));
	check_word(wire_tool_kind_word((enum wire_tool_kind)number), "-");
	check_word(wire_claim_kind_word((enum wire_claim_kind)number), "-");
	check_word(wire_limit_word((enum wire_limit)number), "-");
	free(text);
}

static void
check_report(struct wire_span in)
{
	struct wire_report report, want;
	bool good = in.len == sizeof(want);

	if (good) {
		memcpy(&want, in.p, sizeof(want));
		good = want.magic == WIRE_REPORT_MAGIC && want.code >= 1 &&
		    want.code <= 5 && want.stage < WIRE_STAGE_COUNT;
	}
	FUZZ_REQUIRE((wire_report_check(in, &report) == WIRE_OK) == good);
	FUZZ_REQUIRE(!good || memcmp(&report, &want, sizeof(want)) == 0);
	check_words_of(in, in.len != 0 ? in.p[0] : UINT32_MAX);
}

/* --- files to execute ----------------------------------------------------- */

/* The interpreter of a script as the kernel finds it, byte by byte; false
 * where there is none. */
static bool
model_script(struct wire_span in, char needs[PATH_MAX])
{
	enum { BEFORE, INSIDE, AFTER } at = BEFORE;
	size_t len = 0;

	for (size_t i = 2; i < 256 && at != AFTER; i++) {
		char c = i < in.len ? (char)in.p[i] : '\0';
		bool blank = c == ' ' || c == '\t';

		if (at == BEFORE && blank)
			continue;
		at = INSIDE;
		if (blank || c == '\n' || c == '\0')
			at = AFTER;
		else
			needs[len++] = c;
	}
	needs[len] = '\0';
	return at == AFTER && needs[0] == '/';
}

static void
check_program(struct wire_span in)
{
	/* Exactly as large, so that reading past its end is seen. */
	uint8_t *copy = malloc(in.len + 1);
	char needs[PATH_MAX], want[PATH_MAX];
	enum sup_exec_kind kind;
	Elf64_Ehdr header;

	FUZZ_REQUIRE(copy != NULL);
	copy = realloc(copy, in.len != 0 ? in.len : 1);
	FUZZ_REQUIRE(copy != NULL);
	if (in.len != 0)
		memcpy(copy, in.p, in.len);
	kind = sup_exec_parse((struct wire_span){copy, in.len}, needs);
	FUZZ_REQUIRE(needs[0] == '/' || needs[0] == '\0');
	if (in.len >= 2 && memcmp(in.p, "#!", 2) == 0) {
		FUZZ_REQUIRE(
		    (kind == SUP_EXEC_SCRIPT) == model_script(in, want));
		FUZZ_REQUIRE(kind == SUP_EXEC_SCRIPT ? strcmp(needs, want) == 0
						     : needs[0] == '\0');
	} else if (kind != SUP_EXEC_BAD) {
		FUZZ_REQUIRE(kind == SUP_EXEC_PROGRAM);
		FUZZ_REQUIRE(in.len >= sizeof(header));
		memcpy(&header, in.p, sizeof(header));
		FUZZ_REQUIRE(memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
		    header.e_ident[EI_CLASS] == ELFCLASS64);
		FUZZ_REQUIRE(
		    header.e_type == ET_DYN || header.e_type == ET_EXEC);
	} else {
		FUZZ_REQUIRE(needs[0] == '\0');
	}
	free(copy);
}

/* --- files of /proc ------------------------------------------------------- */

static void
check_status(struct wire_span in)
{
	struct sup_status status;

	sup_evidence_parse_status(in, &status);
	FUZZ_REQUIRE(status.read == (in.len != 0));
}

static void
check_uid_map(struct wire_span in)
{
	struct sup_idmap map;
	char *text = text_of(in);

	sup_idmap_choose(0, 0, text, "0 0 4294967295\n", &map);
	/* SECURITY: a child is never real root. */
	FUZZ_REQUIRE(!map.own || sup_idmap_uid(&map, 1) != 0);
	FUZZ_REQUIRE(!map.own || sup_idmap_gid(&map, 1) != 0);
	sup_idmap_choose(1000, 1000, text, text, &map);
	FUZZ_REQUIRE(!map.own && map.uid == 1000 && map.gid == 1000);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size};

	switch (fuzz_byte(&in)) {
	case 'w':
		check_words(in);
		break;
	case 'p':
		check_pyvenv(in);
		break;
	case 'm':
		check_mountinfo(in);
		break;
	case 'r':
		check_report(in);
		break;
	case 'x':
		check_program(in);
		break;
	case 's':
		check_status(in);
		break;
	case 'u':
		check_uid_map(in);
		break;
	default:
		break;
	}
	return 0;
}
