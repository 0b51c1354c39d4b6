/*
 * One of the command's own output streams, written without ever blocking on
 * a slow reader for longer than the reader needs: a bounded queue that the
 * main loop empties when the descriptor can take more.
 *
 * On a terminal, control characters other than newline and tab, and bytes
 * that are not UTF-8, are shown escaped (I1). SECURITY: a program must not be
 * able to drive the terminal of who runs it (CVE-2017-5226 and its kin).
 */
#ifndef SUP_PRINTER_H
#define SUP_PRINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The queue takes a whole turn of output, escaped. */
#define SUP_PRINTER_MAX (4 * 64 * 1024)
/* Above this the source is paused. */
#define SUP_PRINTER_HIGH (64 * 1024)

struct sup_printer {
	int fd;
	bool escape;
	bool broken; /* the reader is gone: everything is dropped */
	uint8_t *queue;
	size_t start, len;
	uint8_t held[4]; /* an unfinished character */
	size_t held_len;
};

/* False when memory is short. fd is borrowed. */
bool sup_printer_init(struct sup_printer *printer, int fd, bool escape);
void sup_printer_release(struct sup_printer *printer);

/* Takes all bytes (at most 64 KiB at a time while the queue is below
 * SUP_PRINTER_HIGH). False: pause, the queue is above the mark. */
bool sup_printer_put(
    struct sup_printer *printer, const void *bytes, size_t len);

/* Writes one piece; call when poll(2) says the descriptor is writable. True
 * when the source may go on. */
bool sup_printer_step(struct sup_printer *printer);
bool sup_printer_is_empty(const struct sup_printer *printer);

/* Writes everything, waiting as long as it takes; for the end. */
void sup_printer_finish(struct sup_printer *printer);

/* Escapes text into out, at least 4 * len bytes; returns the length. Pure. */
size_t sup_printer_escape(const uint8_t *text, size_t len, uint8_t *out);

#endif
