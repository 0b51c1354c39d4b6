#include "supervisor/cgroup_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY "memory"

/* Whether the list, of len bytes and separated by commas, has the word. */
static bool
is_listed(const char *list, size_t len, const char *word)
{
	size_t want = strlen(word);

	for (size_t from = 0, i = 0; i <= len; i++) {
		if (i < len && list[i] != ',')
			continue;
		if (i - from == want && memcmp(list + from, word, want) == 0)
			return true;
		from = i + 1;
	}
	return false;
}

bool
sup_cgroup_own(
    const char *text, const char *controller, char *ret_path, size_t size)
{
	for (const char *line = text; *line != '\0';) {
		size_t len = strcspn(line, "\n");
		const char *list = memchr(line, ':', len), *path = NULL;

		if (list != NULL) {
			list++;
			path = memchr(list, ':', len - (size_t)(list - line));
		}
		if (path != NULL &&
		    is_listed(list, (size_t)(path - list), controller)) {
			size_t n = len - (size_t)(path + 1 - line);

			if (n == 0 || n >= size || path[1] != '/')
				return false;
			memcpy(ret_path, path + 1, n);
			ret_path[n] = '\0';
			return true;
		}
		line += len + (line[len] == '\n');
	}
	return false;
}

/* Turns \\ooo of a mountinfo field into its byte (proc(5)). False when it
 * does not fit. */
static bool
unescape(const char *text, char *to, size_t size)
{
	size_t n = 0;

	for (const char *p = text; *p != '\0' && n + 1 < size; n++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' &&
		    p[2] != '\0' && p[3] != '\0') {
			to[n] = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 +
			    (p[3] - '0'));
			p += 4;
		} else {
			to[n] = *p++;
		}
		if (*p == '\0') {
			to[n + 1] = '\0';
			return true;
		}
	}
	return false;
}

/* Splits a line at its blanks; the number of fields. */
static size_t
split(char *line, char *fields[16])
{
	size_t count = 0;
	char *p = line;

	line[strcspn(line, "\n")] = '\0';
	while (count < 16 && p != NULL) {
		fields[count++] = p;
		p = strchr(p, ' ');
		if (p != NULL)
			*p++ = '\0';
	}
	return count;
}

bool
sup_cgroup_is_mount(
    char *line, const char *controller, struct sup_cgroup_mount *ret_mount)
{
	bool v2 = controller[0] == '\0';
	char *fields[16];
	size_t count = split(line, fields), dash = 6;

	/* Optional fields, a dash, then type, source, options of the
	 * superblock. */
	while (dash < count && strcmp(fields[dash], "-") != 0)
		dash++;
	if (count < dash + 4 ||
	    strcmp(fields[dash + 1], v2 ? "cgroup2" : "cgroup") != 0)
		return false;
	if (!v2 &&
	    !is_listed(fields[dash + 3], strlen(fields[dash + 3]), controller))
		return false;
	return unescape(fields[3], ret_mount->root, sizeof(ret_mount->root)) &&
	    unescape(fields[4], ret_mount->point, sizeof(ret_mount->point));
}

bool
sup_cgroup_locate(const struct sup_cgroup_mount *mount, const char *path,
    char *ret_dir, size_t size)
{
	const char *rest = path;
	int n;

	if (path[0] != '/' || strncmp(path, "/..", 3) == 0 ||
	    strncmp(mount->root, "/..", 3) == 0)
		return false;
	if (strcmp(mount->root, "/") != 0) {
		size_t len = strlen(mount->root);

		if (strncmp(path, mount->root, len) != 0 ||
		    (path[len] != '\0' && path[len] != '/'))
			return false;
		rest = path + len;
	}
	if (strcmp(rest, "/") == 0)
		rest = "";
	n = snprintf(ret_dir, size, "%s%s", mount->point, rest);
	return n > 0 && (size_t)n < size;
}

bool
sup_cgroup_number(const char *text, uint64_t *ret_number)
{
	char *end;

	if (strncmp(text, "max", 3) == 0 &&
	    (text[3] == '\n' || text[3] == '\0')) {
		*ret_number = UINT64_MAX;
		return true;
	}
	if (text[0] < '0' || text[0] > '9')
		return false;
	*ret_number = strtoull(text, &end, 10);
	return *end == '\n' || *end == '\0';
}

bool
sup_cgroup_count(const char *text, const char *word, uint64_t *ret_count)
{
	size_t len = strlen(word);

	for (const char *line = text; *line != '\0';) {
		size_t n = strcspn(line, "\n");

		if (n > len && strncmp(line, word, len) == 0 &&
		    line[len] == ' ' && line[len + 1] >= '0' &&
		    line[len + 1] <= '9') {
			*ret_count = strtoull(line + len + 1, NULL, 10);
			return true;
		}
		line += n + (line[n] == '\n');
	}
	return false;
}

bool
sup_cgroup_has(const char *text, const char *word)
{
	size_t want = strlen(word);

	for (const char *p = text; *p != '\0';) {
		size_t n = strcspn(p, " \n");

		if (n == want && memcmp(p, word, n) == 0)
			return true;
		p += n + (p[n] != '\0');
	}
	return false;
}

enum sup_cgroup_version
sup_cgroup_choose(const char *own, const char *controllers)
{
	char path[4096];

	if (sup_cgroup_has(controllers, MEMORY))
		return SUP_CGROUP_V2;
	if (sup_cgroup_own(own, MEMORY, path, sizeof(path)))
		return SUP_CGROUP_V1;
	return SUP_CGROUP_NONE;
}
