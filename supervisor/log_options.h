/*
 * The command line of `weir log`, parsed into a plain struct.
 *
 * Owns: the table of its options. Refuses everything that it does not know.
 * Borrows from argv. Pure.
 */
#ifndef SUP_LOG_OPTIONS_H
#define SUP_LOG_OPTIONS_H

#include "bindings/sha256.h"
#include "supervisor/options.h"

struct sup_log_options {
	bool help;
	bool json;
	bool verify; /* print no record */
	bool follow;
	bool head_given;
	uint8_t head[BIND_SHA256_LEN];
	const char *state;   /* NULL: none was given */
	const char *operand; /* RUN or FILE */
	bool is_run;	     /* the operand is a Run's name beneath state */
};

/* argv from behind "log" on. As sup_options_parse. */
WIRE_MUST_USE enum wire_err sup_log_options_parse(int argc, char *const argv[],
    struct sup_log_options *ret_options, char usage[SUP_USAGE_TEXT]);

/* NULL past the end. */
const struct sup_option_text *sup_log_options_text(size_t index);

#endif
