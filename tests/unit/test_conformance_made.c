/*
 * A million documents made up here, whole and damaged, before three opinions
 * (json_opinions.h). The seed is fixed: a document that fails has a number,
 * and has it again.
 */
#include "json_opinions.h"

#if defined(__SANITIZE_ADDRESS__)
#define SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) ||                                        \
    __has_feature(undefined_behavior_sanitizer)
#define SLOW 1
#endif
#endif

#ifdef SLOW
#define DOCUMENTS 200000
#else
#define DOCUMENTS 1000000
#endif

static uint64_t random_state;

static size_t
below(size_t bound)
{
	return random_below(&random_state, bound);
}

#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))
#define ONE_OF(array) ((array)[below(COUNT(array))])

/* --- documents ----------------------------------------------------------- */

static void
make_space(struct growing *g)
{
	static const char *const spaces[] = {
	    "", "", "", "", "", " ", "\n", "\t", "\r\n", "    "};

	grow(g, "%s", ONE_OF(spaces));
}

static void
make_string(struct growing *g)
{
	static const char *const pieces[] = {"a", "b", "key", "value", " ",
	    "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\u00e9", "\\u20aC",
	    "\\ud83d\\ude00", "\\uDBFF\\uDFFF", "\xc3\xa9", "\xe2\x82\xac",
	    "\xed\x9f\xbf", "\xef\xbf\xbf", "\xf0\x9f\x98\x80",
	    "\xf4\x8f\xbf\xbf", "0123456789abcdefghij", "\x7f", "\\b\\f\\r\\t",
	    "\\u0001", "\\uFFFE", "'", "{}[],:"};
	/* Seldom: what few documents have, or none may have. */
	static const char *const rare[] = {"\\u0000", "\\ud800", "\\udc00",
	    "\\ud800\\ud800", "\\udc00\\ud800", "\\ud83d\\u0041", "\\ud83dx",
	    "\\x41", "\\U0041", "\\u12", "\\u12g4", "\\", "\xc0\x80",
	    "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xff", "\x1f",
	    "\t", "\n"};
	size_t n = below(5);

	grow(g, "\"");
	while (n-- != 0)
		grow(g, "%s", below(150) == 0 ? ONE_OF(rare) : ONE_OF(pieces));
	if (below(2000) == 0)
		grow_bytes(g, "", 1);
	grow(g, "\"");
}

/* A few names in many spellings, so that some meet. */
static void
make_name(struct growing *g)
{
	static const char *const names[] = {"\"a\"", "\"\\u0061\"",
	    "\"\\u0041\"", "\"A\"", "\"\"", "\"\\u0000\"", "\"/\"", "\"\\/\"",
	    "\"\\u002F\"", "\"\xf0\x9f\x98\x80\"", "\"\\ud83d\\ude00\"",
	    "\"\\ud83d\\ude01\"", "\"\xc3\xa9\"", "\"e\xcc\x81\"",
	    "\"\\u00E9\"", "\"\\t\"", "\"\\u0009\""};

	switch (below(4)) {
	case 0:
		grow(g, "%s", ONE_OF(names));
		break;
	case 1:
		make_string(g);
		break;
	default:
		grow(g, "\"%c%zu\"", (int)('a' + below(26)), below(1000));
		break;
	}
}

/* On both sides of where other readers stop. */
static void
make_edge_number(struct growing *g)
{
	static const char *const edges[] = {"9223372036854775807",
	    "9223372036854775808", "-9223372036854775808",
	    "-9223372036854775809", "18446744073709551615",
	    "18446744073709551616", "99999999999999999999999999",
	    "1.7976931348623157e308", "1.7976931348623159e308", "1e308",
	    "1e309", "-1e309", "1E+400", "-1e-400", "4.9e-324", "1e-324",
	    "2.2250738585072014e-308", "0e999999999999", "1e99999999999999",
	    "0.00000000000000000000000000000000000001", "-0.0", "-0e-0",
	    "1000000000000000000000000000000e-30"};
	static const char *const none[] = {"01", "-01", "1.", ".5", "-", "+1",
	    "1e", "1e+", "0x10", "1_0", "--1", "1.e3", "NaN", "Infinity",
	    "-Infinity", "1e5.5", "\xef\xbc\x91", "1a", "2.3.4"};
	size_t n;

	if (below(6) == 0) {
		grow(g, "%s", ONE_OF(none));
	} else if (below(6) == 0) {
		n = 15 + below(10) + (below(20) == 0 ? 300 + below(100) : 0);
		grow(g, below(2) == 0 ? "-1" : "9");
		grow_repeat(g, below(2) == 0 ? "0" : "7", n);
	} else {
		grow(g, "%s", ONE_OF(edges));
	}
}

static void
make_scalar(struct growing *g)
{
	static const char *const scalars[] = {"null", "true", "false", "0",
	    "-0", "1", "-12", "3.25", "1e5", "2.5E-3", "123456789", "1e+0"};

	if (below(40) == 0)
		make_edge_number(g);
	else if (below(3) == 0)
		make_string(g);
	else
		grow(g, "%s", ONE_OF(scalars));
}

/* Where a document is written, without recursion: a stack of brackets. */
struct maker {
	struct growing *g;
	char closers[2400];
	size_t depth;
};

static void
open_bracket(struct maker *maker)
{
	char closer = below(2) == 0 ? ']' : '}';

	grow(maker->g, "%c", closer == ']' ? '[' : '{');
	make_space(maker->g);
	maker->closers[maker->depth++] = closer;
}

static void
close_bracket(struct maker *maker)
{
	make_space(maker->g);
	grow(maker->g, "%c", maker->closers[--maker->depth]);
}

/* What stands before a value beside its comma. */
static void
lead_in(struct maker *maker)
{
	make_space(maker->g);
	if (maker->closers[maker->depth - 1] != '}')
		return;
	make_name(maker->g);
	make_space(maker->g);
	grow(maker->g, ":");
	make_space(maker->g);
}

static void
make_document(struct growing *g)
{
	struct maker maker = {.g = g};
	size_t budget = below(25), levels = 0;

	g->len = 0;
	make_space(g);
	/* Around our limit, seldom around jansson's. */
	if (below(100) == 0)
		levels = 248 + below(16);
	else if (below(20000) == 0)
		levels = 2040 + below(16);
	while (levels-- != 0) {
		open_bracket(&maker);
		lead_in(&maker);
	}
	for (;;) {
		if (maker.depth < sizeof(maker.closers) && below(3) == 0) {
			open_bracket(&maker);
			if (budget != 0 && below(4) != 0) {
				budget--;
				lead_in(&maker);
				continue;
			}
			close_bracket(&maker);
		} else {
			make_scalar(g);
		}
		while (maker.depth != 0 && (budget == 0 || below(4) == 0))
			close_bracket(&maker);
		if (maker.depth == 0)
			break;
		budget--;
		make_space(g);
		grow(g, ",");
		lead_in(&maker);
	}
	make_space(g);
}

/* --- damages ------------------------------------------------------------- */

static void
remove_bytes(struct growing *g, size_t at, size_t n)
{
	memmove(g->p + at, g->p + at + n, g->len - at - n);
	g->len -= n;
}

static void
insert_bytes(struct growing *g, size_t at, const char *p, size_t n)
{
	grow_bytes(g, p, n);
	memmove(g->p + at + n, g->p + at, g->len - n - at);
	memcpy(g->p + at, p, n);
}

/* Two parts of one length change places. */
static void
swap_parts(struct growing *g)
{
	size_t half = g->len / 2, n, a, b, i;
	char byte;

	if (half == 0)
		return;
	n = 1 + below(half < 12 ? half : 12);
	a = below(half - n + 1);
	b = half + below(g->len - half - n + 1);
	for (i = 0; i < n; i++) {
		byte = g->p[a + i];
		g->p[a + i] = g->p[b + i];
		g->p[b + i] = byte;
	}
}

/* The next token of structure from a random place on becomes another one. */
static void
change_structure(struct growing *g)
{
	static const char marks[] = "{}[],:\"";
	size_t at = below(g->len), i;

	for (i = 0; i < g->len; i++, at = (at + 1) % g->len) {
		if (memchr(marks, g->p[at], sizeof(marks) - 1) != NULL) {
			g->p[at] = marks[below(sizeof(marks) - 1)];
			return;
		}
	}
}

static void
damage_once(struct growing *g)
{
	static const char bytes[] = "{}[]\",:\\u0123456789abcdefn-+.eE \n\t\r"
				    "\x00\x01\x1f\x7f\x80\xbf\xc0\xc3\xe2\xed"
				    "\xf0\xf4\xff";
	size_t at = below(g->len), len;
	char copy[64];

	switch (below(9)) {
	case 0: /* another byte */
		g->p[at] = bytes[below(sizeof(bytes) - 1)];
		break;
	case 1: /* one bit */
		g->p[at] = (char)(g->p[at] ^ 1 << below(8));
		break;
	case 2: /* one byte more */
		insert_bytes(g, at, &bytes[below(sizeof(bytes) - 1)], 1);
		break;
	case 3: /* one byte less */
		remove_bytes(g, at, 1);
		break;
	case 4: /* the end cut off */
		g->len = at;
		break;
	case 5: /* a part once more, somewhere */
	case 6:
		len = 1 + below(sizeof(copy));
		if (len > g->len - at)
			len = g->len - at;
		memcpy(copy, g->p + at, len);
		insert_bytes(g, below(g->len + 1), copy, len);
		break;
	case 7:
		swap_parts(g);
		break;
	default:
		change_structure(g);
		break;
	}
}

/* --- the test ------------------------------------------------------------ */

static unsigned long with_word[WIRE_ERR_COUNT];

static void
judge(unsigned number, const struct growing *g)
{
	struct wire_span text = exact(grown(g));
	struct opinions of;
	char name[40];

	snprintf(name, sizeof(name), "document %u", number);
	ask(text, &of);
	compare(name, &of);
	with_word[of.ours]++;
	drop(text);
}

static void
print_what_was_seen(void)
{
	size_t i;

	print_message("%d documents, %lu accepted;", DOCUMENTS, with_word[0]);
	for (i = 1; i < WIRE_ERR_COUNT; i++) {
		if (with_word[i] != 0)
			print_message(" %s %lu",
			    wire_err_word((enum wire_err)i), with_word[i]);
	}
	print_message("\njansson differed:");
	for (i = 0; i < DIFFERENCES; i++)
		print_message(" %s: %lu;", differences[i].what, differed[i]);
	print_message("\n");
}

static void
t_three_opinions_on_made_up_documents(void **state)
{
	/* Every word of the group but the one for a million members. */
	static const enum wire_err words[] = {
#define X(name, word, meaning) WIRE_ERR_##name,
	    WIRE_ERR_JSON(X)
#undef X
	};
	struct growing g = {NULL, 0, 0};
	unsigned i, n;

	(void)state;
	random_state = 20240229;
	for (i = 0; i < DOCUMENTS; i++) {
		make_document(&g);
		if (i % 3 != 0) {
			for (n = 1 + (unsigned)below(3); n != 0 && g.len != 0;
			     n--)
				damage_once(&g);
		}
		judge(i, &g);
	}
	free(g.p);
	print_what_was_seen();
	/* Both verdicts come up often, each word and each difference at all. */
	assert_in_range(with_word[WIRE_OK], DOCUMENTS / 5, DOCUMENTS * 4L / 5);
	for (i = 0; i < COUNT(words); i++)
		assert_true(words[i] == WIRE_ERR_TOO_MANY_MEMBERS ||
		    with_word[words[i]] != 0);
	for (i = 0; i < DIFFERENCES; i++)
		assert_true(differed[i] != 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_three_opinions_on_made_up_documents),
	};

	return cmocka_run_group_tests(tests, opinions_setup, opinions_teardown);
}
