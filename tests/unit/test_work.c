/*
 * Work, counted instead of timed: the splitter looks at each byte and moves
 * each byte a bounded number of times, however a stream is cut up, and the
 * table of names has no long rows, whatever the names are.
 *
 * The splitter is compiled into this program a second time, with the two
 * functions that it does its work with counted.
 */
#include "wire_help.h"

#include "wire/json_keys.h"

static uint64_t looked_at, moved;

static void *
counted_memchr(const void *p, int byte, size_t n)
{
	void *found = memchr(p, byte, n);

	looked_at += found == NULL
	    ? n
	    : (size_t)((uint8_t *)found - (const uint8_t *)p) + 1;
	return found;
}

static void *
counted_memmove(void *to, const void *from, size_t n)
{
	moved += n;
	return memmove(to, from, n);
}

#define memchr(p, byte, n)   counted_memchr(p, byte, n)
#define memmove(to, from, n) counted_memmove(to, from, n)
#include "../../wire/frame.c"
#undef memchr
#undef memmove

/* --- the splitter -------------------------------------------------------- */

#define LINE_MAX_HERE (256 * WIRE_KIB)

/* Splits a stream that arrives in pieces of n bytes; the buffer grows. */
static void
split(struct wire_span stream, size_t n)
{
	static const struct wire_frame_limits limits = {
	    LINE_MAX_HERE, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	size_t len = 64, at = 0, room;
	struct wire_frame frame;
	struct wire_span line;
	enum wire_err err;
	uint64_t offset;
	uint8_t *p, *old;

	wire_frame_init(&frame, &limits, must_alloc(len), len);
	while (at < stream.len) {
		wire_frame_space(&frame, &p, &room);
		if (room == 0) {
			old = frame.buf;
			len *= 2;
			wire_frame_move(&frame, must_alloc(len), len);
			free(old);
			continue;
		}
		if (room > n)
			room = n;
		if (room > stream.len - at)
			room = stream.len - at;
		memcpy(p, stream.p + at, room);
		wire_frame_commit(&frame, room);
		at += room;
		while (wire_frame_next(&frame, &line, &offset, &err))
			;
		assert_int_equal(err, WIRE_OK);
	}
	free(frame.buf);
}

/* A line of `line` bytes again and again, in pieces of many sizes. */
static void
expect_linear(size_t line, size_t total)
{
	static const size_t pieces[] = {1, 2, 63, 64, 65, 4096, 65536, 1 << 20};
	struct growing g = {NULL, 0, 0};
	size_t i;

	while (g.len < total) {
		grow_repeat(&g, "x", line);
		grow(&g, "\n");
	}
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		looked_at = moved = 0;
		split(grown(&g), pieces[i]);
		/* Each byte once; moved for the front and for each doubling */
		if (looked_at > g.len || moved > 3 * g.len)
			fail_msg("lines of %zu in pieces of %zu: %zu bytes, "
				 "%llu looked at, %llu moved",
			    line, pieces[i], g.len,
			    (unsigned long long)looked_at,
			    (unsigned long long)moved);
	}
	free(g.p);
}

static void
t_splitting_is_linear(void **state)
{
	static const size_t lines[] = {
	    0, 1, 2, 40, 62, 63, 64, 65, 100, 1000, 4095, 65536, 250000};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		expect_linear(lines[i], 1 << 20);
}

/* --- the table of names -------------------------------------------------- */

/*
 * Steps that the look-ups of all names take, at most: in a row of n slots the
 * names are at most n steps from where they belong.
 */
static uint64_t
steps(const struct wire_json_scratch *table)
{
	uint64_t sum = 0, row = 0;
	size_t i;

	for (i = 0; i <= table->slot_count; i++) {
		if (i < table->slot_count && table->slots[i] != 0) {
			row++;
			continue;
		}
		sum += row * (row + 1) / 2;
		row = 0;
	}
	return sum;
}

/* Writes the n-th name of a kind; its length. */
typedef int name_fn(char *out, size_t max, unsigned n);

static int
name_counted(char *out, size_t max, unsigned n)
{
	return snprintf(out, max, "%u", n);
}

static int
name_with_long_prefix(char *out, size_t max, unsigned n)
{
	return snprintf(out, max, "%060u%u", 0, n);
}

static int
name_of_equal_blocks(char *out, size_t max, unsigned n)
{
	return snprintf(out, max, "%07u%07u%07u", n % 97, n / 97, n % 97);
}

/* All of one value for hash = hash * 31 + byte. */
static int
name_for_times_31(char *out, size_t max, unsigned n)
{
	int bit;

	for (bit = 0; bit < 15; bit++)
		snprintf(out + 2 * bit, max - 2 * (size_t)bit, "%s",
		    (n >> bit & 1) != 0 ? "Ba" : "CB");
	return 30;
}

/* Alike but for one bit, high in a block. */
static int
name_of_one_bit(char *out, size_t max, unsigned n)
{
	int len = snprintf(out, max, "%*s", 64, "");

	out[n % 64] = (char)('!' + n / 64 % 90);
	out[(n + 7) % 64] = (char)('!' + n / 5760 % 90);
	return len;
}

static void
fill(struct wire_json_scratch *table, name_fn *name, unsigned count)
{
	struct wire_json_keys keys;
	struct wire_json_names names;
	char *all = must_alloc((size_t)count * 80), *at = all;
	enum wire_err err = WIRE_OK;
	uint64_t taken;
	unsigned n;
	int len;

	wire_json_keys_init(&keys, table);
	wire_json_keys_open(&keys, &names);
	for (n = 0; n < count; n++) {
		len = name(at, 80, n);
		err = wire_json_keys_add(&keys, &names,
		    (struct wire_span){(uint8_t *)at, (size_t)len}, false,
		    (uint8_t *)all + (size_t)count * 80);
		assert_int_equal(err, WIRE_OK);
		at += len;
	}
	taken = steps(table);
	wire_json_keys_close(&keys, &names);
	assert_true(scratch_is_clear(table));
	free(all);
	/* A table that is half full and random takes some 1.5 a name. */
	if (taken > 4ULL * count)
		fail_msg("%llu steps for %u names", (unsigned long long)taken,
		    count);
}

static void
t_names_make_no_rows(void **state)
{
	static name_fn *const kinds[] = {name_counted, name_with_long_prefix,
	    name_of_equal_blocks, name_for_times_31, name_of_one_bit};
	static const uint64_t seeds[] = {
	    0, 1, 0x243f6a8885a308d3ULL, UINT64_MAX, 0x123456789abcdefULL};
	struct wire_json_scratch table;
	unsigned count;
	size_t i, k;

	(void)state;
	for (count = 1024; count <= 32768; count *= 2) {
		for (i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
			wire_json_scratch_init(&table,
			    must_alloc(wire_json_scratch_size(count)), count,
			    seeds[i]);
			for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
				fill(&table, kinds[k], count);
			scratch_free(&table);
		}
	}
}

/* The same names in each of many open objects: no common rows. */
static void
t_nested_objects_make_no_rows(void **state)
{
	struct wire_json_names names[WIRE_MAX_DEPTH];
	struct wire_json_scratch table;
	struct wire_json_keys keys;
	char text[128][8];
	unsigned level, n;
	int len;

	(void)state;
	scratch_new(&table, 32768);
	wire_json_keys_init(&keys, &table);
	for (level = 0; level < WIRE_MAX_DEPTH; level++) {
		wire_json_keys_open(&keys, &names[level]);
		for (n = 0; n < 128; n++) {
			len = snprintf(text[n], sizeof(text[n]), "k%u", n);
			assert_int_equal(
			    wire_json_keys_add(&keys, &names[level],
				(struct wire_span){
				    (uint8_t *)text[n], (size_t)len},
				false, (uint8_t *)text[n] + len),
			    WIRE_OK);
		}
	}
	assert_true(steps(&table) <= 4ULL * 32768);
	while (level-- != 0)
		wire_json_keys_close(&keys, &names[level]);
	assert_true(scratch_is_clear(&table));
	scratch_free(&table);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_splitting_is_linear),
	    cmocka_unit_test(t_names_make_no_rows),
	    cmocka_unit_test(t_nested_objects_make_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
