/*
 * Splits a command line into words by the quoting rules of the POSIX shell
 * (XCU 2.2), and does nothing else of what a shell does.
 *
 *  - Outside quotes: blanks (space, tab, newline) separate words; a backslash
 *    makes the next byte literal.
 *  - '...': everything literal. "...": literal, but a backslash before one of
 *    $ ` " \ makes that byte literal, and stays before any other.
 *  - A backslash before a newline vanishes together with it, except in '...'.
 *  - Quotes may join parts of one word; '' and "" are an empty word.
 *  - Nothing is expanded, and | & ; < > ( ) $ ` * ? [ ] # ~ = % ! { } have no
 *    meaning: outside quotes they are ordinary bytes of a word.
 *
 * Pure.
 */
#ifndef BIND_SHELL_WORDS_H
#define BIND_SHELL_WORDS_H

#include "wire/err.h"
#include "wire/span.h"

/*
 * Writes the words, NUL-terminated, one after another into buf; text.len + 1
 * bytes are always enough. words[i] points to each of them, and
 * words[*ret_count] is NULL.
 *
 * BAD_SYNTAX: a quote or backslash that nothing ends, at its offset; NUL_BYTE;
 * NO_SPACE: buf is too small, or there are words_max words or more.
 */
WIRE_MUST_USE enum wire_err bind_shell_split(struct wire_span text, char *buf,
    size_t buf_max, char **words, size_t words_max, size_t *ret_count,
    struct wire_errinfo *info);

#endif
