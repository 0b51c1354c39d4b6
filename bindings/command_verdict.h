/*
 * What became of a command call, in a kind and words.
 *
 * Pure but for the names of errors. Nothing of the host's paths or environment
 * is told: the words go to the program.
 */
#ifndef BIND_COMMAND_VERDICT_H
#define BIND_COMMAND_VERDICT_H

#include "bindings/text.h"
#include "wire/kinds.h"
#include "wire/report.h"

/* Escaped bytes of stderr that a message carries (B14). */
#define BIND_COMMAND_STDERR 1024

/* Room for the words: stderr's tail and what stands around it. */
#define BIND_COMMAND_WORDS_LEN (BIND_COMMAND_STDERR + 256)

struct bind_command_facts {
	/* Why it was stopped from outside, and that in words; or NONE. */
	enum wire_tool_kind stop;
	const char *stop_words;
	bool reported;
	struct wire_report report; /* EXITED or FAILED, when reported */
	bool has_output;
	struct wire_span stderr_tail; /* raw */
};

/* NONE: the output is the answer, and nothing is added to *text. */
enum wire_tool_kind bind_command_verdict(
    const struct bind_command_facts *facts, struct bind_text *text);

#endif
