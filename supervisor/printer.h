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

/* Above this the source is paused. */
#define SUP_PRINTER_HIGH (64 * 1024)
/* Room above that for two more turns of a source that is resumed once more at
 * its end, each byte escaped to four. */
#define SUP_PRINTER_MAX (SUP_PRINTER_HIGH + 2 * 4 * 64 * 1024 + 64)

struct sup_printer {
	int fd;
	bool escape;
	bool own_fd; /* a terminal, opened anew so that it cannot block */
	int error;   /* errno of a failed write: everything is dropped */
	size_t start, len;
	uint8_t held[4]; /* an unfinished character */
	size_t held_len;
	uint8_t queue[SUP_PRINTER_MAX];
};

/*
 * fd is borrowed. A terminal is opened anew, not blocking: one that is stopped
 * (Ctrl-S) or not read would else block us in write(2), and with us the clock
 * and the signals.
 */
void sup_printer_init(struct sup_printer *printer, int fd, bool escape);
void sup_printer_release(struct sup_printer *printer);

/* Takes all bytes, at most 64 KiB at a time and two times above the mark; what
 * then finds no room is an error of the stream. False: pause, the queue is
 * above the mark. */
bool sup_printer_put(
    struct sup_printer *printer, const void *bytes, size_t len);

/* Writes one piece; call when poll(2) says the descriptor is writable. True
 * when the source may go on. */
bool sup_printer_step(struct sup_printer *printer);
bool sup_printer_is_empty(const struct sup_printer *printer);

/* Drops what is queued, and counts as failed. */
void sup_printer_give_up(struct sup_printer *printer);

/* What was held back of an unfinished character goes into the queue; for the
 * end. */
void sup_printer_flush_held(struct sup_printer *printer);

/* Escapes text into out, at least 4 * len bytes; returns the length. Pure. */
size_t sup_printer_escape(const uint8_t *text, size_t len, uint8_t *out);

#endif
