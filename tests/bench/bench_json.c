/*
 * Speed of the scanner: GB/s of wire_json_scan over generated texts.
 *
 * Usage: bench_json [MiB]. One line a text: name, bytes, best and median of
 * the rounds. Nothing is asserted here.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wire/json.h"

#define ROUNDS 15

struct text {
	char *p;
	size_t len, max;
};

static uint64_t state = 88172645463325252ULL;

static uint64_t
next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void
add(struct text *text, const char *piece)
{
	size_t len = strlen(piece);

	if (len > text->max - text->len) {
		fprintf(stderr, "bench_json: text too long\n");
		exit(1);
	}
	memcpy(text->p + text->len, piece, len);
	text->len += len;
}

/* What an API answers: records of names, texts, numbers, flags and lists. */
static void
add_record(struct text *text, unsigned i, const char *nl, const char *in)
{
	static const char *const words[] = {"amber", "harbour", "quiet",
	    "signal", "meadow", "lantern", "copper", "winter", "parallel",
	    "orchard", "thistle", "granite"};
	char piece[512];
	unsigned k;

	snprintf(piece, sizeof(piece),
	    "%s%s{%s%s  \"id\": %u,%s%s  \"name\": \"%s %s\",%s%s  "
	    "\"created_at\": \"2024-%02u-%02uT%02u:%02u:00Z\",%s%s  "
	    "\"score\": %u.%u,%s%s  \"active\": %s,%s%s  \"parent\": null,",
	    nl, in, nl, in, i, nl, in, words[next_random() % 12],
	    words[next_random() % 12], nl, in, 1 + i % 12, 1 + i % 28, i % 24,
	    i % 60, nl, in, (unsigned)(next_random() % 1000),
	    (unsigned)(next_random() % 100), nl, in, i % 3 ? "true" : "false",
	    nl, in);
	add(text, piece);
	snprintf(piece, sizeof(piece), "%s%s  \"description\": \"", nl, in);
	add(text, piece);
	for (k = 4 + (unsigned)(next_random() % 16); k != 0; k--) {
		add(text, words[next_random() % 12]);
		add(text, k == 1 ? ".\"," : " ");
	}
	snprintf(piece, sizeof(piece),
	    "%s%s  \"url\": \"https://example.org/items/%u/details\",%s%s  "
	    "\"tags\": [\"%s\", \"%s\"],%s%s  \"position\": {\"x\": %d, "
	    "\"y\": %d}%s%s}",
	    nl, in, i, nl, in, words[i % 12], words[(i + 5) % 12], nl, in,
	    (int)(next_random() % 4000) - 2000, (int)(next_random() % 4000), nl,
	    in);
	add(text, piece);
}

static void
make_records(struct text *text, size_t size, bool pretty)
{
	unsigned i = 0;

	add(text, "{\"items\": [");
	do {
		if (i != 0)
			add(text, ",");
		add_record(text, i++, pretty ? "\n" : "", pretty ? "    " : "");
	} while (text->len + 2048 < size);
	add(text, "]}");
}

static void
make_repeated(struct text *text, size_t size, const char *open,
    const char *piece, const char *close)
{
	add(text, open);
	while (text->len + strlen(piece) + strlen(close) < size)
		add(text, piece);
	add(text, close);
}

static void
make_keys(struct text *text, size_t size)
{
	char piece[64];
	unsigned i = 0;

	add(text, "{");
	do {
		snprintf(piece, sizeof(piece), "%s\"key%u\":%u",
		    i != 0 ? "," : "", i, i);
		add(text, piece);
		i++;
	} while (text->len + 128 < size && i < 60000);
	add(text, "}");
}

static int
compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void
measure(const char *name, const struct text *text,
    struct wire_json_scratch *scratch)
{
	double rates[ROUNDS];
	struct timespec before, after;
	enum wire_json_type type;
	enum wire_err err;
	double seconds;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		clock_gettime(CLOCK_MONOTONIC, &before);
		err = wire_json_scan(
		    (struct wire_span){(uint8_t *)text->p, text->len},
		    WIRE_MAX_DEPTH, scratch, &type, NULL);
		clock_gettime(CLOCK_MONOTONIC, &after);
		seconds = (double)(after.tv_sec - before.tv_sec) +
		    (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
		rates[i] = (double)text->len / seconds / 1e9;
	}
	qsort(rates, ROUNDS, sizeof(rates[0]), compare);
	printf("%-16s %9zu bytes  best %.2f GB/s  median %.2f GB/s  (%s)\n",
	    name, text->len, rates[ROUNDS - 1], rates[ROUNDS / 2],
	    wire_err_word(err));
}

int
main(int argc, char **argv)
{
	size_t size = (argc > 1 ? strtoul(argv[1], NULL, 10) : 8) << 20;
	struct text text = {malloc(size), 0, size};
	struct wire_json_scratch scratch;
	void *mem = malloc(wire_json_scratch_size(WIRE_MAX_OPEN_MEMBERS));

	if (text.p == NULL || mem == NULL || size == 0)
		return 1;
	wire_json_scratch_init(
	    &scratch, mem, WIRE_MAX_OPEN_MEMBERS, 0x7a1d3b5f9c2e4680ULL);
	make_records(&text, size, true);
	measure("pretty records", &text, &scratch);
	text.len = 0;
	make_records(&text, size, false);
	measure("compact records", &text, &scratch);
	text.len = 0;
	make_repeated(&text, size, "[0", ",-12.5e3,7,1048576", "]");
	measure("numbers", &text, &scratch);
	text.len = 0;
	make_repeated(&text, size, "[\"\"",
	    ",\"a sentence of ordinary length, as models write\"", "]");
	measure("strings", &text, &scratch);
	text.len = 0;
	make_repeated(&text, size, "[\"",
	    "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xc3\xa9\xf0\x9f\x8c\x8d ",
	    "\"]");
	measure("wide text", &text, &scratch);
	text.len = 0;
	make_repeated(
	    &text, size, "[\"", "\\u00e9\\n\\\"\\ud83c\\udf0d", "\"]");
	measure("escapes", &text, &scratch);
	text.len = 0;
	make_keys(&text, size);
	measure("60,000 keys", &text, &scratch);
	text.len = 0;
	make_repeated(&text, size, "", "[", "");
	measure("brackets", &text, &scratch);
	free(mem);
	free(text.p);
	return 0;
}
