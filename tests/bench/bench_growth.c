/*
 * How long scanning and splitting take: bench_growth KIND SIZE prints the
 * nanoseconds of processor time of the fastest round. Nothing is asserted here;
 * bench.py makes growth exponents of it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wire/frame.h"
#include "wire/json.h"

#define ROUNDS 9

struct text {
	uint8_t *p;
	size_t len, max;
};

static void
add_bytes(struct text *text, const void *p, size_t len)
{
	if (len > text->max - text->len) {
		text->max = 2 * (text->max + len);
		text->p = realloc(text->p, text->max);
		if (text->p == NULL)
			exit(1);
	}
	memcpy(text->p + text->len, p, len);
	text->len += len;
}

static void
add(struct text *text, const char *piece)
{
	add_bytes(text, piece, strlen(piece));
}

/* --- texts of about size bytes ------------------------------------------- */

typedef void make_fn(struct text *text, size_t size);

static void
make_wide(struct text *text, size_t size)
{
	char piece[64];
	unsigned i;

	add(text, "{\"\":0");
	for (i = 0; text->len < size; i++) {
		snprintf(piece, sizeof(piece), ",\"%u\":%u", i, i);
		add(text, piece);
	}
	add(text, "}");
}

/* The name that stands first stands last, too. */
static void
make_duplicate(struct text *text, size_t size)
{
	make_wide(text, size);
	text->len--;
	add(text, ",\"\":0}");
}

static void
make_prefix(struct text *text, size_t size)
{
	char piece[128];
	unsigned i;

	add(text, "{\"\":0");
	for (i = 0; text->len < size; i++) {
		snprintf(piece, sizeof(piece), ",\"%070u%u\":0", 0, i);
		add(text, piece);
	}
	add(text, "}");
}

/* Names of one value for hash = hash * 31 + byte. */
static void
make_times_31(struct text *text, size_t size)
{
	unsigned i, bit;

	add(text, "{\"\":0");
	for (i = 0; text->len < size; i++) {
		add(text, ",\"");
		for (bit = 0; bit < 20; bit++)
			add(text, (i >> bit & 1) != 0 ? "Ba" : "CB");
		add(text, "\":0");
	}
	add(text, "}");
}

/* All objects open at once, each with the same names. */
static void
make_nested(struct text *text, size_t size)
{
	size_t names = size / 200 / 12, i, level;
	char piece[64];

	for (level = 0; level < 200; level++) {
		add(text, "{");
		for (i = 0; i < names; i++) {
			snprintf(piece, sizeof(piece), "\"%08zu\":0,", i);
			add(text, piece);
		}
		add(text, "\"in\":");
	}
	add(text, "0");
	for (level = 0; level < 200; level++)
		add(text, "}");
}

static void
make_repeated(struct text *text, size_t size, const char *open,
    const char *piece, const char *close)
{
	add(text, open);
	while (text->len < size)
		add(text, piece);
	add(text, close);
}

static void
make_deep(struct text *text, size_t size)
{
	char piece[513];

	memset(piece, '[', 250);
	memset(piece + 250, ']', 250);
	memcpy(piece + 500, ",", 2);
	make_repeated(text, size, "[", piece, "0]");
}

static void
make_escapes(struct text *text, size_t size)
{
	make_repeated(text, size, "[\"", "\\u00e9\\n\\\"\\ud83c\\udf0d", "\"]");
}

static void
make_numbers(struct text *text, size_t size)
{
	make_repeated(text, size, "[0", ",-12.5e3,7,1048576", "]");
}

static void
make_long_numbers(struct text *text, size_t size)
{
	char piece[4400];

	memset(piece, '7', 4301);
	piece[0] = ',';
	piece[4301] = '\0';
	make_repeated(text, size, "[0", piece, "]");
}

static void
make_tiny_lines(struct text *text, size_t size)
{
	make_repeated(text, size, "", "{}\n", "");
}

static void
make_blank_lines(struct text *text, size_t size)
{
	make_repeated(text, size, "", "\r\n", "");
}

static void
make_one_line(struct text *text, size_t size)
{
	make_repeated(text, size, "", "0123456789", "\n");
}

/* --- what is done with them ---------------------------------------------- */

static struct wire_json_scratch scratch;

static void
scan(struct wire_span text)
{
	enum wire_json_type type;

	if (wire_json_scan(text, WIRE_MAX_DEPTH, &scratch, &type, NULL) ==
	    WIRE_ERR_BAD_ARGUMENT)
		exit(1);
}

/* As a host does: the buffer doubles; pieces of n bytes. */
static void
split(struct wire_span text, size_t n)
{
	static const struct wire_frame_limits limits = {
	    SIZE_MAX / 4, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	size_t len = 16384, at = 0, room;
	struct wire_frame frame;
	struct wire_span line;
	uint8_t *p, *old;
	enum wire_err err;
	uint64_t offset;

	wire_frame_init(&frame, &limits, malloc(len), len);
	while (at < text.len) {
		wire_frame_space(&frame, &p, &room);
		if (room == 0) {
			old = frame.buf;
			len *= 2;
			wire_frame_move(&frame, malloc(len), len);
			free(old);
			continue;
		}
		if (room > n)
			room = n;
		if (room > text.len - at)
			room = text.len - at;
		memcpy(p, text.p + at, room);
		wire_frame_commit(&frame, room);
		at += room;
		while (wire_frame_next(&frame, &line, &offset, &err))
			;
	}
	free(frame.buf);
}

static void
split_whole(struct wire_span text)
{
	split(text, 65536);
}

static void
split_bytes(struct wire_span text)
{
	split(text, 1);
}

static const struct {
	const char *name;
	make_fn *make;
	void (*work)(struct wire_span text);
} kinds[] = {
    {"scan-wide", make_wide, scan},
    {"scan-duplicate", make_duplicate, scan},
    {"scan-prefix", make_prefix, scan},
    {"scan-times-31", make_times_31, scan},
    {"scan-nested", make_nested, scan},
    {"scan-deep", make_deep, scan},
    {"scan-escapes", make_escapes, scan},
    {"scan-numbers", make_numbers, scan},
    {"scan-long-numbers", make_long_numbers, scan},
    {"split-tiny-lines", make_tiny_lines, split_whole},
    {"split-tiny-lines-bytewise", make_tiny_lines, split_bytes},
    {"split-blank-lines", make_blank_lines, split_whole},
    {"split-one-line-bytewise", make_one_line, split_bytes},
};

/* Empties the caches: a small table that stays in one would make the large
 * ones look worse than linear. */
static void
chill(void)
{
	static uint8_t other[64 << 20];
	static uint8_t with;

	memset(other, ++with, sizeof(other));
	__asm__ volatile("" : : "r"(other) : "memory");
}

static uint64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int
main(int argc, char **argv)
{
	size_t i, size = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t best = UINT64_MAX, before, took;
	struct text text = {NULL, 0, 0};
	int round;

	for (i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[1], kinds[i].name) != 0)
			continue;
		wire_json_scratch_init(&scratch,
		    malloc(wire_json_scratch_size(WIRE_MAX_OPEN_MEMBERS)),
		    WIRE_MAX_OPEN_MEMBERS, 0x7a1d3b5f9c2e4680ULL);
		kinds[i].make(&text, size);
		for (round = 0; round < ROUNDS; round++) {
			chill();
			before = now_ns();
			kinds[i].work((struct wire_span){text.p, text.len});
			took = now_ns() - before;
			if (took < best)
				best = took;
		}
		printf("%llu\n", (unsigned long long)best);
		return 0;
	}
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		printf("%s\n", kinds[i].name);
	return 0;
}
