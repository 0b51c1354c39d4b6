/*
 * Sentences for callers of weir.h.
 */
#ifndef SUP_EXPLAIN_H
#define SUP_EXPLAIN_H

#include "supervisor/weir.h"

/* Writes a sentence that names the place and the next step; cut to fit. */
__attribute__((format(printf, 2, 3))) void sup_explain(
    char error[WEIR_ERROR_MAX], const char *format, ...);

/* A name as messages have it: of a long one the end, after three dots, so that
 * the rest of the sentence has room. Returns shown. */
#define SUP_EXPLAIN_NAME 204
const char *sup_explain_name(const char *name, char shown[SUP_EXPLAIN_NAME]);

/* "NAME:LINE:COLUMN: MEMBER: reason", of a byte of a text. */
void sup_explain_place(char error[WEIR_ERROR_MAX],
    const struct weir_source *source, size_t offset, const char *reason);

#endif
