/*
 * The command line of `weir`, parsed into a plain struct.
 *
 * Owns: the table of options, which --help and the manual are held against.
 * Refuses: everything it does not know or that has no mechanism in this
 * version. Nothing is read, opened or resolved here, and the environment is
 * not looked at (C19). Options are spelled in full and may stand before or
 * after FILE; `--` ends them.
 *
 * Memory: *ret_options borrows from argv. Threads: pure.
 */
#ifndef SUP_OPTIONS_H
#define SUP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/limits_table.h"
#include "supervisor/state_option.h"
#include "supervisor/usage.h"
#include "supervisor/weir.h"
#include "wire/err.h"
#include "wire/span.h"

#define SUP_OPTIONS_TOOLS  1024
#define SUP_OPTIONS_GRANTS 128
#define SUP_OPTIONS_MARKS  128

enum sup_action {
	SUP_ACTION_RUN,
	SUP_ACTION_HELP,
	SUP_ACTION_VERSION,
	SUP_ACTION_DOCTOR,
	SUP_ACTION_DOCTOR_HELP,
	SUP_ACTION_LOG, /* argv[2] and on are for sup_log_options_parse */
};

enum sup_source {
	SUP_SOURCE_NONE,
	SUP_SOURCE_FILE,
	SUP_SOURCE_TEXT,
	SUP_SOURCE_STDIN,
};

struct sup_option_tool {
	struct wire_span name; /* UTF-8, 1 to WIRE_MAX_TOOL_NAME bytes */
	const char *command;   /* not empty; not split yet */
};

struct sup_option_mark {
	struct wire_span name; /* of a tool, 1 to WIRE_MAX_TOOL_NAME bytes */
	enum weir_tool_mark mark;
};

struct sup_options {
	/* For RUN the rest is filled in, for DOCTOR what its options say. */
	enum sup_action action;
	bool json;
	bool value;
	bool raw;
	const char *python; /* path or name; "python3" where not given */
	bool level_given;
	enum weir_level level;
	enum weir_backend backend;
	bool unconfined;
	bool network;
	bool halt_on_exhaust;
	bool python_given;
	/* Paths of texts of terms, and a profile's name; NULL: not given. */
	const char *profile_file;
	const char *profile;
	const char *policy_file;
	const char *request_file;
	const char *mcp_config; /* path of a text; NULL: not given */
	const char *http_tools; /* likewise, of HTTP endpoints */
	/* NULL: not given. For RUN the file to make, for DOCTOR the program. */
	const char *trace;
	enum sup_source source;
	const char *program; /* FILE: the path; TEXT: the text */
	struct sup_state_options state;
	size_t tool_count;
	size_t grant_count;
	struct weir_grant grants[SUP_OPTIONS_GRANTS];
	size_t mark_count;
	uint64_t limits[SUP_LIMITS]; /* complete: defaults where not given */
	uint32_t limits_given;	     /* bit 1 << SUP_LIMIT_x */
	/* Bit 1 << WIRE_STAGE_x: stages to run; SUP_LAYERS_STRICT. All, but in
	 * a test build. */
	uint32_t layers;
	/* Distinct names; tool_count of them are set, and mark_count of those
	 * below. Last, so that a start need not touch the room for the
	 * others. */
	struct sup_option_tool tools[SUP_OPTIONS_TOOLS];
	struct sup_option_mark marks[SUP_OPTIONS_MARKS];
};

/*
 * argv as main has it. On WIRE_ERR_BAD_ARGUMENT usage holds one line without
 * newline that names the option, the place and the next step; the command
 * prints it and exits with SUP_EXIT_USAGE.
 */
WIRE_MUST_USE enum wire_err sup_options_parse(int argc, char *const argv[],
    struct sup_options *ret_options, char usage[SUP_USAGE_TEXT]);

/* A row of the table: for --help and for the check of the manual. */
struct sup_option_text {
	const char *word;    /* "--json", "-c", ... */
	const char *operand; /* what stands for its value; NULL: a flag */
	const char *help;    /* one line */
};

/* Those of `weir run`. NULL past the end. Only options that this build has. */
const struct sup_option_text *sup_options_text(size_t index);
/* Those of `weir doctor`. */
const struct sup_option_text *sup_options_doctor_text(size_t index);

#endif
