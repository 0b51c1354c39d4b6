#include "bindings/catalogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

static struct bind_catalogue *catalogue;
static int released;

static void
release(void *data)
{
	(void)data;
	released++;
}

static const struct bind_provider provider = {
    .name = "test", .release = release};

static int
set_up(void **state)
{
	(void)state;
	released = 0;
	return bind_catalogue_new(&catalogue) == WIRE_OK ? 0 : -1;
}

static int
tear_down(void **state)
{
	(void)state;
	bind_catalogue_free(catalogue);
	return 0;
}

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

static void
add(const char *name, unsigned marks)
{
	assert_int_equal(bind_catalogue_add(catalogue, span_of(name), &provider,
			     NULL, marks, NULL),
	    WIRE_OK);
}

static void
check_refused(struct wire_span name, const char *site)
{
	struct wire_errinfo info = {"", 0, 0};

	assert_int_equal(
	    bind_catalogue_add(catalogue, name, &provider, NULL, 0, &info),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(info.site, site);
}

static void
t_thousands_of_names_are_found(void **state)
{
	char name[32];
	const struct bind_tool *tool;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "server.tool%d", i);
		assert_int_equal(bind_catalogue_add(catalogue, span_of(name),
				     &provider, &released + i, 0, NULL),
		    WIRE_OK);
	}
	assert_int_equal(bind_catalogue_count(catalogue), 10000);
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "server.tool%d", i);
		tool = bind_catalogue_find(catalogue, span_of(name));
		assert_non_null(tool);
		assert_int_equal(tool->index, i);
		assert_ptr_equal(tool->data, &released + i);
		assert_ptr_equal(bind_catalogue_at(catalogue, (size_t)i), tool);
	}
	assert_null(bind_catalogue_find(catalogue, span_of("server.tool")));
	assert_null(
	    bind_catalogue_find(catalogue, span_of("server.tool10000")));
	bind_catalogue_free(catalogue);
	catalogue = NULL;
	assert_int_equal(released, 10000);
}

static void
t_names_of_1_to_128_bytes(void **state)
{
	uint8_t name[WIRE_MAX_TOOL_NAME + 1];

	(void)state;
	memset(name, 'a', sizeof(name));
	check_refused((struct wire_span){name, 0}, "name");
	check_refused((struct wire_span){name, sizeof(name)}, "name");
	assert_int_equal(
	    bind_catalogue_add(catalogue, (struct wire_span){name, 1},
		&provider, NULL, 0, NULL),
	    WIRE_OK);
	assert_int_equal(bind_catalogue_add(catalogue,
			     (struct wire_span){name, WIRE_MAX_TOOL_NAME},
			     &provider, NULL, 0, NULL),
	    WIRE_OK);
	assert_int_equal(bind_catalogue_count(catalogue), 2);
}

static void
t_names_are_utf8_without_controls(void **state)
{
	(void)state;
	check_refused(WIRE_LIT("a\xff"), "name");
	check_refused(WIRE_LIT("\xed\xa0\x80"), "name");
	check_refused(WIRE_LIT("a\nb"), "name");
	check_refused(WIRE_LIT("a\x00"
			       "b"),
	    "name");
	check_refused(WIRE_LIT("a\x7f"), "name");
	check_refused(WIRE_LIT("a\x1f"), "name");
	add("fetch résumé ✓", 0);
	assert_non_null(
	    bind_catalogue_find(catalogue, span_of("fetch résumé ✓")));
}

static void
t_a_name_is_there_once(void **state)
{
	(void)state;
	add("one", 0);
	check_refused(span_of("one"), "duplicate");
	/* Withdrawn names are not free again. */
	assert_true(bind_catalogue_withdraw(catalogue, span_of("one")));
	check_refused(span_of("one"), "duplicate");
	add("One", 0);
	assert_int_equal(bind_catalogue_count(catalogue), 2);
}

static void
t_refused_data_stays_with_the_caller(void **state)
{
	(void)state;
	add("one", 0);
	check_refused(span_of("one"), "duplicate");
	bind_catalogue_free(catalogue);
	catalogue = NULL;
	assert_int_equal(released, 1);
}

static enum wire_tool_kind
admit(const char *name, size_t offered)
{
	const struct bind_tool *tool = NULL;
	enum wire_tool_kind kind =
	    bind_catalogue_admit(catalogue, offered, span_of(name), &tool);

	assert_int_equal(tool != NULL, kind == WIRE_TOOL_NONE);
	return kind;
}

static void
t_admission(void **state)
{
	(void)state;
	add("plain", 0);
	add("approve", BIND_TOOL_NEEDS_APPROVAL);
	add("ask", BIND_TOOL_NEEDS_INPUT);
	add("both", BIND_TOOL_NEEDS_INPUT | BIND_TOOL_NEEDS_APPROVAL);
	add("late", 0);
	assert_int_equal(admit("plain", 4), WIRE_TOOL_NONE);
	assert_int_equal(admit("approve", 4), WIRE_TOOL_APPROVAL_REQUIRED);
	assert_int_equal(admit("ask", 4), WIRE_TOOL_INPUT_REQUIRED);
	assert_int_equal(admit("both", 4), WIRE_TOOL_APPROVAL_REQUIRED);
	assert_int_equal(admit("late", 4), WIRE_TOOL_NOT_OFFERED);
	assert_int_equal(admit("late", 5), WIRE_TOOL_NONE);
	assert_int_equal(admit("none", 5), WIRE_TOOL_NOT_OFFERED);
	assert_int_equal(admit("", 5), WIRE_TOOL_NOT_OFFERED);
	assert_true(bind_catalogue_withdraw(catalogue, span_of("plain")));
	assert_int_equal(admit("plain", 4), WIRE_TOOL_NOT_OFFERED);
	assert_true(bind_catalogue_withdraw(catalogue, span_of("ask")));
	assert_int_equal(admit("ask", 4), WIRE_TOOL_NOT_OFFERED);
	assert_false(bind_catalogue_withdraw(catalogue, span_of("none")));
}

static void
t_no_more_tools_than_the_ceiling(void **state)
{
	char name[32];

	(void)state;
	for (int i = 0; i < BIND_MAX_TOOLS; i++) {
		snprintf(name, sizeof(name), "%d", i);
		add(name, 0);
	}
	check_refused(span_of("more"), "count");
}

/* What is borrowed stays the base's, its withdrawal included; what is added
 * is the new one's alone. */
static void
t_extended(void **state)
{
	static const struct bind_tool_about about = {
	    {(const uint8_t *)"\"d\"", 3}, {NULL, 0}};
	struct bind_catalogue *more = NULL;
	const struct bind_tool *tool = NULL;

	(void)state;
	for (char c = 'a'; c <= 'z'; c++)
		add((char[]){c, '\0'}, 0);
	assert_int_equal(bind_catalogue_extend(catalogue, &more), WIRE_OK);
	assert_int_equal(bind_catalogue_count(more), 26);
	for (int i = 0; i < 100; i++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "n%d", i);
		assert_int_equal(bind_catalogue_add(more, span_of(name),
				     &provider, NULL, 0, NULL),
		    WIRE_OK);
	}
	assert_int_equal(
	    bind_catalogue_add(more, span_of("c"), &provider, NULL, 0, NULL),
	    WIRE_ERR_BAD_ARGUMENT);
	bind_catalogue_describe(more, span_of("n7"), &about);
	assert_ptr_equal(
	    bind_catalogue_find(more, span_of("n7"))->about, &about);
	assert_null(bind_catalogue_find(catalogue, span_of("n7")));
	add("later", 0);
	assert_null(bind_catalogue_find(more, span_of("later")));
	assert_true(bind_catalogue_withdraw(catalogue, span_of("c")));
	assert_int_equal(bind_catalogue_admit(more, 126, span_of("c"), &tool),
	    WIRE_TOOL_NOT_OFFERED);
	assert_int_equal(bind_catalogue_admit(more, 126, span_of("n99"), &tool),
	    WIRE_TOOL_NONE);
	bind_catalogue_free(more);
	assert_int_equal(released, 100);
}

int
main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(t_extended),
	    TEST(t_thousands_of_names_are_found),
	    TEST(t_names_of_1_to_128_bytes),
	    TEST(t_names_are_utf8_without_controls),
	    TEST(t_a_name_is_there_once),
	    TEST(t_refused_data_stays_with_the_caller),
	    TEST(t_admission),
	    TEST(t_no_more_tools_than_the_ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
