#include "supervisor/usage.h"

#include <bsd/string.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What is quoted of an argument: each byte may take four, and the quotes. */
#define QUOTED_BYTES 60
_Static_assert(4 * QUOTED_BYTES + sizeof("''...") <= SUP_USAGE_QUOTED,
    "a quoted argument must fit");

enum wire_err
sup_usage_refuse(struct sup_usage *usage, const char *format, ...)
{
	size_t len;
	va_list args;

	len = strlcpy(usage->text, "weir: ", SUP_USAGE_TEXT);
	va_start(args, format);
	/* A cut text is still an error's text. */
	(void)vsnprintf(usage->text + len, SUP_USAGE_TEXT - len, format, args);
	va_end(args);
	return WIRE_ERR_BAD_ARGUMENT;
}

const char *
sup_usage_quote(const char *argument, char text[SUP_USAGE_QUOTED])
{
	const char *end = argument + strnlen(argument, QUOTED_BYTES);
	size_t len = 0;
	const char *p;

	text[len++] = '\'';
	for (p = argument; p < end; p++) {
		if (*p >= 0x20 && *p < 0x7f && *p != '\\')
			text[len++] = *p;
		else
			len +=
			    (size_t)snprintf(text + len, SUP_USAGE_QUOTED - len,
				"\\x%02x", (unsigned char)*p);
	}
	(void)strlcpy(
	    text + len, *p == '\0' ? "'" : "...'", SUP_USAGE_QUOTED - len);
	return text;
}

enum wire_err
sup_usage_value(struct sup_usage *usage, const char *value, const char *reason)
{
	char quoted[SUP_USAGE_QUOTED];

	return sup_usage_refuse(usage, "%s %s: %s", usage->option,
	    sup_usage_quote(value, quoted), reason);
}
