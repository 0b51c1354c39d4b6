/*
 * Inside of options: the table that drives the parser, --help and the check of
 * the manual, with what each option does to struct sup_options.
 *
 * Pure. Nobody but options.c and options_table.c includes this.
 */
#ifndef SUP_OPTIONS_TABLE_H
#define SUP_OPTIONS_TABLE_H

#include "supervisor/options.h"
#include "supervisor/usage.h"

struct sup_parser {
	int argc;
	char *const *argv;
	int next;    /* index of the next argument */
	bool doctor; /* the command is `doctor` */
	struct sup_options *options;
	struct sup_usage usage;
};

struct sup_option_spec {
	struct sup_option_text text;
	enum wire_err (*apply)(struct sup_parser *parser, const char *value);
};

/* Of the command that the parser is at; word is an option, len its length
 * without a value. NULL: there is none. */
const struct sup_option_spec *sup_option_find(
    const struct sup_parser *parser, const char *word, size_t len);

/* The program, which can be given once. */
WIRE_MUST_USE enum wire_err sup_option_set_program(
    struct sup_parser *parser, enum sup_source source, const char *program);

#endif
