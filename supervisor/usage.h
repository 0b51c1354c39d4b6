/*
 * The text of a usage error: one line that names the option, the place and
 * the next step.
 *
 * Owns: the form of that line. What is quoted of an argument is cut and has
 * everything but printable ASCII escaped, so that a hostile argument cannot
 * speak to the terminal.
 *
 * Threads: pure.
 */
#ifndef SUP_USAGE_H
#define SUP_USAGE_H

#include "wire/err.h"

#define SUP_USAGE_TEXT	 1024 /* bytes of the line, NUL counted */
#define SUP_USAGE_QUOTED 256  /* bytes of a quoted argument, NUL counted */

struct sup_usage {
	char *text;	    /* SUP_USAGE_TEXT bytes */
	const char *option; /* the option that is looked at */
};

/* "weir: " and the formatted text. Always WIRE_ERR_BAD_ARGUMENT. */
enum wire_err sup_usage_refuse(struct sup_usage *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "weir: OPTION 'VALUE': REASON". Always WIRE_ERR_BAD_ARGUMENT. */
enum wire_err sup_usage_value(
    struct sup_usage *usage, const char *value, const char *reason);

/* Writes argument in quotes; returns text. */
const char *sup_usage_quote(const char *argument, char text[SUP_USAGE_QUOTED]);

#endif
