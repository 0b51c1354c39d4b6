/*
 * SECURITY: the proof behind "what is mounted equals the plan" (C17): a mount
 * that nobody planned, such as one that came with a recursive bind of the
 * wrong tree, stops the start.
 */
#include "child/mountinfo.h"

#include <linux/errno.h>

#include "child/sys.h"

/* Mount points of the longest line that is worth reading. */
#define LINE_MAX_ 8192

/* Field 5 of a line: fields are separated by single blanks. */
static bool
mount_point(struct wire_span line, struct wire_span *ret_field)
{
	size_t begin = 0;
	unsigned field = 1;

	for (size_t i = 0; i < line.len; i++) {
		if (line.p[i] != ' ')
			continue;
		if (field == 5) {
			*ret_field =
			    (struct wire_span){line.p + begin, i - begin};
			return true;
		}
		field++;
		begin = i + 1;
	}
	return false;
}

/* One byte of a field: blank, tab, newline and backslash are \ooo. */
static int
next_byte(struct wire_span *field)
{
	const uint8_t *p = field->p;
	size_t used = 1;
	int byte = p[0];

	if (byte == '\\' && field->len >= 4) {
		byte = (p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0');
		used = 4;
	}
	field->p += used;
	field->len -= used;
	return byte & 0xff;
}

/* Whether the field names path itself, or something beneath it. SECURITY:
 * everything is beneath the empty path, which stands for none. */
static bool
within(struct wire_span field, const char *path)
{
	if (*path == '\0')
		return false;
	while (*path != '\0') {
		if (field.len == 0 || next_byte(&field) != (uint8_t)*path)
			return false;
		path++;
	}
	return field.len == 0 || field.p[0] == '/';
}

bool
stub_mountinfo_planned(const struct wire_plan *plan, struct wire_span line)
{
	struct wire_span field;

	if (!mount_point(line, &field))
		return false;
	if (field.len == 1 && field.p[0] == '/')
		return true;
	if (within(field, plan->workspace) || within(field, "/dev/shm"))
		return true;
	for (size_t i = 0; i < plan->mount_count; i++)
		if (within(field, plan->mounts[i].target))
			return true;
	return false;
}

int
stub_mountinfo_check(const struct wire_plan *plan, int fd, uint32_t *ret_mounts)
{
	uint8_t buf[LINE_MAX_];
	size_t have = 0;
	uint32_t mounts = 0;

	for (;;) {
		long n =
		    STUB_SYS(__NR_read, fd, buf + have, sizeof(buf) - have);
		size_t begin = 0;

		if (n < 0)
			return (int)-n;
		have += (size_t)n;
		for (size_t i = 0; i < have; i++) {
			struct wire_span line = {buf + begin, i - begin};

			if (buf[i] != '\n')
				continue;
			if (!stub_mountinfo_planned(plan, line))
				return EXDEV;
			mounts++;
			begin = i + 1;
		}
		__builtin_memmove(buf, buf + begin, have - begin);
		have -= begin;
		if (n == 0)
			break;
		if (have == sizeof(buf))
			return EOVERFLOW;
	}
	if (have != 0)
		return EBADMSG;
	*ret_mounts = mounts;
	return 0;
}
