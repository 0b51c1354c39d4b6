/*
 * What the tests of wire/ share: a scratch table, exact-size copies (so that
 * a sanitizer sees the first byte too far), files, and deterministic numbers.
 */
#ifndef WIRE_HELP_H
#define WIRE_HELP_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/json.h"

#define HELP __attribute__((unused)) static

HELP void *
must_alloc(size_t len)
{
	void *p = malloc(len != 0 ? len : 1);

	if (p == NULL)
		abort();
	return p;
}

HELP struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* A heap block of exactly these bytes; free((void *)span.p). */
HELP struct wire_span
exact(struct wire_span from)
{
	uint8_t *p = malloc(from.len != 0 ? from.len : 1);

	if (p == NULL)
		abort();
	if (from.len != 0)
		memcpy(p, from.p, from.len);
	return (struct wire_span){p, from.len};
}

HELP void
drop(struct wire_span span)
{
	free((void *)(uintptr_t)span.p);
}

HELP void
scratch_new(struct wire_json_scratch *scratch, size_t keys_max)
{
	wire_json_scratch_init(scratch,
	    must_alloc(wire_json_scratch_size(keys_max)), keys_max,
	    0x243f6a8885a308d3ULL);
}

HELP void
scratch_free(struct wire_json_scratch *scratch)
{
	free(scratch->keys);
}

/* Every scan must leave the slots as it found them. */
HELP bool
scratch_is_clear(const struct wire_json_scratch *scratch)
{
	size_t i;

	for (i = 0; i < scratch->slot_count; i++) {
		if (scratch->slots[i] != 0)
			return false;
	}
	return true;
}

/* Deterministic numbers (xorshift64*). */
HELP uint64_t
next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

HELP size_t
random_below(uint64_t *state, size_t bound)
{
	return (size_t)(next_random(state) >> 33) % bound;
}

/* A text that grows. */
struct growing {
	char *p;
	size_t len, max;
};

HELP void
grow_bytes(struct growing *g, const void *p, size_t len)
{
	if (len > g->max - g->len) {
		g->max = 2 * (g->max + len);
		g->p = realloc(g->p, g->max);
		if (g->p == NULL)
			abort();
	}
	if (len != 0)
		memcpy(g->p + g->len, p, len);
	g->len += len;
}

HELP void __attribute__((format(printf, 2, 3)))
grow(struct growing *g, const char *format, ...)
{
	char piece[4096];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(piece, sizeof(piece), format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(piece))
		abort();
	grow_bytes(g, piece, (size_t)len);
}

HELP void
grow_repeat(struct growing *g, const char *piece, size_t times)
{
	size_t len = strlen(piece);

	while (times-- != 0)
		grow_bytes(g, piece, len);
}

HELP struct wire_span
grown(const struct growing *g)
{
	return (struct wire_span){(const uint8_t *)g->p, g->len};
}

/* A whole file; false when it cannot be read. drop() it. */
HELP bool
read_file(const char *path, struct wire_span *ret)
{
	struct growing g = {NULL, 0, 0};
	char chunk[16384];
	size_t n;
	FILE *file = fopen(path, "rb");

	if (file == NULL)
		return false;
	while ((n = fread(chunk, 1, sizeof(chunk), file)) != 0)
		grow_bytes(&g, chunk, n);
	fclose(file);
	*ret = exact(grown(&g));
	free(g.p);
	return true;
}

/* The names of a directory in order, NULL-terminated, or NULL. */
HELP int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

HELP char **
list_directory(const char *path, size_t *ret_count)
{
	DIR *dir = opendir(path);
	char **names = NULL;
	size_t count = 0;
	struct dirent *entry;

	if (dir == NULL)
		return NULL;
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		names = realloc(names, (count + 2) * sizeof(*names));
		if (names == NULL)
			abort();
		names[count++] = strdup(entry->d_name);
	}
	closedir(dir);
	if (names != NULL) {
		qsort(names, count, sizeof(*names), compare_names);
		names[count] = NULL;
	}
	*ret_count = count;
	return names;
}

HELP void
free_list(char **names, size_t count)
{
	while (count != 0)
		free(names[--count]);
	free(names);
}

/* Where test material outside the tree may stand. */
HELP const char *
shared_path(void)
{
	const char *path = getenv("WEIR_SHARED");

	return path != NULL ? path : "../shared";
}

#endif
