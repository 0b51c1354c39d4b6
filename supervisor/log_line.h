/*
 * A ledger's record as a line: of JSON, and of a table for people.
 *
 * SECURITY: everything in a record may have been made up to harm who looks at
 * it. The JSON is valid whatever the record holds; the table has no control
 * characters but the newline at its end. Pure, but for the memory of the JSON
 * scanner.
 */
#ifndef SUP_LOG_LINE_H
#define SUP_LOG_LINE_H

#include "bindings/json_check.h"
#include "bindings/ledger_read.h"
#include "bindings/text.h"

/* "2026-11-29T21:56:37.123456789Z" and NUL. */
#define SUP_LOG_TIME 31
void sup_log_time(uint64_t ns, char text[SUP_LOG_TIME]);

/* More than any record takes. */
#define SUP_LOG_JSON_MAX (512 * 1024)
#define SUP_LOG_ROW_MAX	 4096

/*
 * One object and a newline. `at` is the record's place in the file, `hash` the
 * chain's at its end, and the rest the record's fields by their words. Values
 * that are JSON stand as they are, others as a string.
 */
WIRE_MUST_USE enum wire_err sup_log_json(const struct bind_ledger_item *item,
    const uint8_t hash[BIND_SHA256_LEN], struct bind_json_check *check,
    uint8_t *buf, size_t buf_max, size_t *ret_len);

/* Time, first half of the execution's id, event, call, tool and what is worth
 * knowing; and a newline. */
void sup_log_row(const struct bind_ledger_item *item, struct bind_text *text);

#endif
