#include "supervisor/pyvenv.h"

#include <string.h>

/* Copies the trimmed value that begins at p. */
static bool
take_value(const char *p, char *buf, size_t len)
{
	size_t value_len;

	p += strspn(p, " \t");
	value_len = strcspn(p, "\r\n");
	while (value_len > 0 &&
	    (p[value_len - 1] == ' ' || p[value_len - 1] == '\t'))
		value_len--;
	if (value_len == 0 || value_len >= len)
		return false;
	memcpy(buf, p, value_len);
	buf[value_len] = '\0';
	return true;
}

bool
sup_pyvenv_value(const char *text, const char *key, char *buf, size_t len)
{
	const size_t key_len = strlen(key);

	for (const char *line = text; *line != '\0';) {
		size_t n = strcspn(line, "\n");
		const char *p = line + strspn(line, " \t");

		if (strncmp(p, key, key_len) == 0) {
			p += key_len;
			p += strspn(p, " \t");
			if (*p == '=')
				return take_value(p + 1, buf, len);
		}
		line += n + (line[n] == '\n');
	}
	return false;
}
