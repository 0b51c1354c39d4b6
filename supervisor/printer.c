#include "supervisor/printer.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/sys.h"
#include "wire/utf8.h"

/* KERNEL: a pipe that poll(2) calls writable takes this much without
 * blocking (pipe(7), PIPE_BUF); a terminal or file takes what it takes. */
#define PIECE 4096

void
sup_printer_init(struct sup_printer *printer, int fd, bool escape)
{
	memset(printer, 0, offsetof(struct sup_printer, queue));
	printer->fd = fd;
	printer->escape = escape;
	if (isatty(fd) == 1) {
		char path[32];
		int own;

		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		own = sup_sys_open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
		if (own >= 0) {
			printer->fd = own;
			printer->own_fd = true;
		}
	}
}

void
sup_printer_release(struct sup_printer *printer)
{
	if (printer->own_fd)
		sup_sys_close(&printer->fd);
}

static size_t
escape_byte(uint8_t byte, uint8_t *out)
{
	static const char digits[] = "0123456789abcdef";

	out[0] = '\\';
	out[1] = 'x';
	out[2] = (uint8_t)digits[byte >> 4];
	out[3] = (uint8_t)digits[byte & 15];
	return 4;
}

/* Whether a well-formed character may reach a terminal as it is. */
static bool
is_plain(const uint8_t *p, size_t len)
{
	if (len == 1)
		return p[0] == '\n' || p[0] == '\t' ||
		    (p[0] >= 0x20 && p[0] != 0x7f);
	/* U+0080 to U+009F: the C1 controls, CSI among them. */
	return !(len == 2 && p[0] == 0xc2 && p[1] < 0xa0);
}

size_t
sup_printer_escape(const uint8_t *text, size_t len, uint8_t *out)
{
	size_t written = 0;

	for (size_t i = 0; i < len;) {
		bool ok;
		size_t n =
		    wire_utf8_step((struct wire_span){text + i, len - i}, &ok);

		if (ok && is_plain(text + i, n)) {
			memcpy(out + written, text + i, n);
			written += n;
		} else {
			for (size_t j = 0; j < n; j++)
				written +=
				    escape_byte(text[i + j], out + written);
		}
		i += n;
	}
	return written;
}

static void
append(struct sup_printer *printer, const uint8_t *bytes, size_t len)
{
	if (printer->start > 0) {
		memmove(printer->queue, printer->queue + printer->start,
		    printer->len);
		printer->start = 0;
	}
	if (len * (printer->escape ? 4 : 1) > SUP_PRINTER_MAX - printer->len) {
		printer->error = ENOBUFS;
		return;
	}
	if (printer->escape) {
		printer->len += sup_printer_escape(
		    bytes, len, printer->queue + printer->len);
		return;
	}
	memcpy(printer->queue + printer->len, bytes, len);
	printer->len += len;
}

/* Bytes at the end that may be the beginning of one character. */
static size_t
unfinished(const uint8_t *bytes, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		uint8_t byte = bytes[len - back];

		if (byte < 0x80)
			return 0;
		if (byte >= 0xc2) {
			size_t needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;

			return needs > back ? back : 0;
		}
	}
	return 0;
}

bool
sup_printer_put(struct sup_printer *printer, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint8_t joined[8];
	size_t keep;

	if (printer->error != 0)
		return true;
	/* Complete a character that was cut between two reads. */
	while (printer->held_len > 0 && len > 0) {
		memcpy(joined, printer->held, printer->held_len);
		joined[printer->held_len] = *p;
		keep = unfinished(joined, printer->held_len + 1);
		if (keep == printer->held_len + 1) {
			printer->held[printer->held_len++] = *p++;
			len--;
			continue;
		}
		append(printer, joined, printer->held_len + 1);
		printer->held_len = 0;
		p++;
		len--;
	}
	keep = printer->escape ? unfinished(p, len) : 0;
	append(printer, p, len - keep);
	if (keep > 0)
		memcpy(printer->held, p + len - keep, keep);
	printer->held_len += keep;
	return printer->len < SUP_PRINTER_HIGH;
}

bool
sup_printer_step(struct sup_printer *printer)
{
	size_t len = printer->len < PIECE ? printer->len : PIECE;
	ssize_t n =
	    sup_sys_write(printer->fd, printer->queue + printer->start, len);

	if (n == -EAGAIN)
		return false;
	if (n < 0) {
		printer->error = (int)-n;
		printer->len = 0;
		return true;
	}
	printer->start += (size_t)n;
	printer->len -= (size_t)n;
	if (printer->len == 0)
		printer->start = 0;
	return printer->len < SUP_PRINTER_HIGH;
}

bool
sup_printer_is_empty(const struct sup_printer *printer)
{
	return printer->len == 0;
}

void
sup_printer_give_up(struct sup_printer *printer)
{
	printer->error = ETIMEDOUT;
	printer->len = 0;
}

void
sup_printer_flush_held(struct sup_printer *printer)
{
	size_t len = printer->held_len;

	printer->held_len = 0;
	if (len > 0 && printer->error == 0)
		append(printer, printer->held, len);
}
