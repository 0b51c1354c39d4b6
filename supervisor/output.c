#include "supervisor/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "supervisor/sys.h"
#include "wire/utf8.h"

/* A byte becomes at most six as JSON (\u001f). */
#define JSON_GROWTH 6
#define MARK_MAX    64
/* pipe(7): where the host does not say. */
#define PIPE_DEFAULT (64 * 1024)

/* Keeps the first bytes up to the cap. Doubling keeps copying linear; when
 * memory is short the rest counts as omitted, which the numbers show. */
static void
capture(struct sup_output *output, const uint8_t *p, size_t len)
{
	size_t room = output->cap - output->captured_len;
	size_t need;

	if (len > room)
		len = room;
	if (len == 0)
		return;
	need = output->captured_len + len;
	if (need > output->captured_size) {
		size_t size = output->captured_size * 2;
		uint8_t *grown;

		if (size < need)
			size = need;
		if (size > output->cap)
			size = output->cap;
		grown = realloc(output->captured, size);
		if (grown == NULL) {
			output->cap = output->captured_len;
			output->is_short = true;
			return;
		}
		output->captured = grown;
		output->captured_size = size;
	}
	memcpy(output->captured + output->captured_len, p, len);
	output->captured_len = need;
}

static void
keep_tail(struct sup_output *output, const uint8_t *p, size_t len)
{
	size_t size = output->preview;

	if (size == 0)
		return;
	if (len > size) {
		p += len - size;
		len = size;
	}
	while (len > 0) {
		size_t part = size - output->tail_at;

		if (part > len)
			part = len;
		memcpy(output->tail + output->tail_at, p, part);
		output->tail_at = (output->tail_at + part) % size;
		p += part;
		len -= part;
	}
}

static bool
take(struct sup_output *output, const uint8_t *p, size_t len)
{
	output->bytes += len;
	capture(output, p, len);
	keep_tail(output, p, len);
	return output->sink == NULL || output->sink(output->sink_arg, p, len);
}

/* One read; -EAGAIN, 0 at the end, or the length. */
static ssize_t
read_once(struct sup_output *output, bool *ret_go_on)
{
	uint8_t buf[SUP_OUTPUT_TURN];
	ssize_t n = sup_sys_read(output->watch.fd, buf, sizeof(buf));

	*ret_go_on = true;
	if (n > 0)
		*ret_go_on = take(output, buf, (size_t)n);
	return n;
}

static void
ready(struct sup_watch *watch, uint32_t events)
{
	struct sup_output *output = watch->owner;
	bool go_on;
	ssize_t n = read_once(output, &go_on);

	(void)events;
	if (n < 0 && n != -EAGAIN)
		output->error = (int)-n;
	if (n == 0 || (n < 0 && n != -EAGAIN))
		sup_output_stop(output);
	else if (!go_on)
		sup_loop_remove(output->loop, watch);
}

enum wire_err
sup_output_open(struct sup_output *output, struct sup_loop *loop, int fd,
    size_t cap, size_t preview, sup_output_sink *sink, void *sink_arg,
    struct wire_errinfo *info)
{
	enum wire_err err;

	memset(output, 0, sizeof(*output));
	output->loop = loop;
	output->cap = cap;
	output->preview = preview < cap ? preview : cap;
	output->sink = sink;
	output->sink_arg = sink_arg;
	output->watch = (struct sup_watch){
	    .fd = fd, .events = EPOLLIN, .ready = ready, .owner = output};
	output->tail = malloc(output->preview + 1);
	err = output->tail == NULL
	    ? wire_fail(info, WIRE_ERR_NO_MEMORY, "output", 0)
	    : sup_loop_add(loop, &output->watch, info);
	if (err != WIRE_OK)
		output->watch.fd = -1; /* still the caller's */
	return err;
}

void
sup_output_stop(struct sup_output *output)
{
	if (output->loop == NULL)
		return;
	sup_loop_remove(output->loop, &output->watch);
	sup_sys_close(&output->watch.fd);
}

void
sup_output_release(struct sup_output *output)
{
	sup_output_stop(output);
	free(output->captured);
	free(output->tail);
	memset(output, 0, sizeof(*output));
	output->watch.fd = -1;
}

void
sup_output_resume(struct sup_output *output)
{
	/* EEXIST when it was not paused. */
	if (output->watch.fd >= 0)
		(void)!sup_loop_add(output->loop, &output->watch, NULL);
}

void
sup_output_drain(struct sup_output *output)
{
	/* What is in the pipe is all that counts: somebody else who has got
	 * hold of its other end, and writes on, is not waited for (S3). */
	int left =
	    output->watch.fd >= 0 ? sup_sys_pipe_size(output->watch.fd) : 0;
	ssize_t n;
	bool go_on;

	if (left < 0)
		left = PIPE_DEFAULT;
	do {
		n = left > 0 ? read_once(output, &go_on) : 0;
		left -= (int)n;
	} while (n > 0);
	sup_output_stop(output);
}

uint64_t
sup_output_omitted(const struct sup_output *output)
{
	return output->bytes - output->captured_len;
}

/* The last len bytes that were written, len <= preview, into buf. */
static void
copy_tail(const struct sup_output *output, uint8_t *buf, size_t len)
{
	size_t size = output->preview;
	size_t at = (output->tail_at + size - len) % size;

	for (size_t i = 0; i < len; i++)
		buf[i] = output->tail[(at + i) % size];
}

size_t
sup_output_preview_max(const struct sup_output *output)
{
	return (output->preview + MARK_MAX) * JSON_GROWTH + 2;
}

void
sup_output_preview(const struct sup_output *output, struct wire_out *out)
{
	size_t head_len, tail_len, cut;
	uint8_t *text, *tail;
	int mark;

	if (output->bytes <= output->preview &&
	    output->bytes == output->captured_len) {
		wire_out_lossy_string(out,
		    (struct wire_span){output->captured, output->captured_len});
		return;
	}
	text = malloc(output->preview + MARK_MAX);
	if (text == NULL || output->preview == 0) {
		free(text);
		wire_out_text(out, "");
		return;
	}
	head_len = output->preview / 10 * 6 + output->preview % 10 * 6 / 10;
	tail_len = output->preview - head_len;
	if (head_len > output->captured_len)
		head_len = output->captured_len;
	head_len = wire_utf8_floor(
	    (struct wire_span){output->captured, output->captured_len},
	    head_len);
	memcpy(text, output->captured, head_len);
	/* The tail is laid behind the longest mark, cut there, moved up. */
	tail = text + head_len + MARK_MAX;
	copy_tail(output, tail, tail_len);
	/* It may begin inside a character. */
	cut = 0;
	while (cut < 3 && cut < tail_len && (tail[cut] & 0xc0) == 0x80)
		cut++;
	mark = snprintf((char *)text + head_len, MARK_MAX,
	    "\n[... %" PRIu64 " bytes omitted ...]\n",
	    output->bytes - head_len - (tail_len - cut));
	memmove(text + head_len + mark, tail + cut, tail_len - cut);
	wire_out_lossy_string(out,
	    (struct wire_span){
		text, head_len + (size_t)mark + (tail_len - cut)});
	free(text);
}
