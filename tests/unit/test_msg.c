#include "wire_help.h"

#include "wire/msg.h"

static struct wire_json_scratch scratch;
static uint8_t buf[WIRE_MIB];
static struct wire_msg msg;

static int
setup(void **state)
{
	(void)state;
	scratch_new(&scratch, 4096);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	scratch_free(&scratch);
	return 0;
}

static enum wire_err
decode(struct wire_span line, struct wire_errinfo *info)
{
	static struct wire_span copy;
	struct wire_errinfo ignored;
	enum wire_err err;

	/* The block of the last accepted message lives until the next. */
	drop(copy);
	copy = exact(line);
	err = wire_msg_decode(
	    copy, &scratch, &msg, info != NULL ? info : &ignored);
	assert_true(scratch_is_clear(&scratch));
	return err;
}

static enum wire_err
decode_text(const char *line)
{
	return decode(span_of(line), NULL);
}

static void
expect(const char *line, enum wire_err err, const char *site, size_t offset)
{
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err got = decode(span_of(line), &info);

	if (got != err || strcmp(info.site, site) != 0 || info.offset != offset)
		fail_msg("%s: %s at %zu in %s, not %s at %zu in %s", line,
		    wire_err_word(got), info.offset, info.site,
		    wire_err_word(err), offset, site);
}

static bool
is(struct wire_span span, const char *text)
{
	return wire_span_equal(span, span_of(text));
}

/* What stands in the buffer, without its newline, which must be the only. */
static struct wire_span
frame_of(struct wire_out *out)
{
	size_t len = 0;

	assert_int_equal(wire_out_finish(out, &len), WIRE_OK);
	assert_true(len > 0);
	assert_ptr_equal(memchr(buf, '\n', len), buf + len - 1);
	return (struct wire_span){buf, len - 1};
}

/* --- ready --------------------------------------------------------------- */

static const char ready_line[] =
    "{\"type\":\"ready\",\"protocol\":1,\"python\":\"3.11.2\",\"pid\":2,"
    "\"uid\":1000,\"gid\":1001,\"no_new_privs\":1,\"dumpable\":0,"
    "\"seccomp\":2,\"landlock\":{\"abi\":7,\"errno\":0},"
    "\"network\":{\"inet\":1,\"inet6\":97},\"fork\":11,"
    "\"descriptors\":[0,1,2,3],"
    "\"canaries\":{\"before\":[0,2],\"after\":[13,2]},"
    "\"environment\":[\"HOME=/workspace\",\"TZ=UTC\"],"
    "\"limits\":{\"core\":[0,0],\"cpu\":[30,31],"
    "\"address_space\":[4294967296,null],\"file_size\":[16777216,16777216],"
    "\"processes\":[null,null],\"open_files\":[256,256]}}";

static void
t_ready_goes_both_ways(void **state)
{
	struct wire_out out;
	const struct wire_ready *r = &msg.u.ready;

	(void)state;
	assert_int_equal(decode_text(ready_line), WIRE_OK);
	assert_int_equal(msg.type, WIRE_MSG_READY);
	assert_int_equal(r->protocol, 1);
	assert_true(is(r->python, "3.11.2"));
	assert_int_equal(r->pid, 2);
	assert_int_equal(r->uid, 1000);
	assert_int_equal(r->gid, 1001);
	assert_int_equal(r->no_new_privs, 1);
	assert_int_equal(r->dumpable, 0);
	assert_int_equal(r->seccomp, 2);
	assert_int_equal(r->landlock_abi, 7);
	assert_int_equal(r->landlock_errno, 0);
	assert_int_equal(r->inet_errno, 1);
	assert_int_equal(r->inet6_errno, 97);
	assert_int_equal(r->fork_errno, 11);
	assert_int_equal(r->fd_count, 4);
	assert_int_equal(r->fds[3], 3);
	assert_int_equal(r->canary_count, 2);
	assert_int_equal(r->canary_before[1], 2);
	assert_int_equal(r->canary_after[0], 13);
	assert_int_equal(r->environment_count, 2);
	assert_true(is(r->environment[1], "TZ=UTC"));
	assert_int_equal(r->soft[WIRE_LIMIT_CPU], 30);
	assert_int_equal(r->hard[WIRE_LIMIT_CPU], 31);
	assert_true(r->soft[WIRE_LIMIT_AS] == 4294967296);
	assert_true(r->hard[WIRE_LIMIT_AS] == WIRE_LIMIT_INFINITY);
	assert_true(r->soft[WIRE_LIMIT_NPROC] == WIRE_LIMIT_INFINITY);
	assert_int_equal(r->hard[WIRE_LIMIT_NOFILE], 256);

	wire_out_init(&out, buf, sizeof(buf));
	wire_msg_encode_ready(&out, r);
	assert_true(wire_span_equal(frame_of(&out), span_of(ready_line)));
}

/* The line with one member replaced ("" takes it away). */
static void
ready_with(struct growing *g, const char *member, const char *instead)
{
	const char *at = strstr(ready_line, member);

	assert_non_null(at);
	g->len = 0;
	grow_bytes(g, ready_line, (size_t)(at - ready_line));
	grow(g, "%s", instead);
	at += strlen(member);
	grow_bytes(g, at, strlen(at) + 1);
}

static void
t_ready_needs_every_field(void **state)
{
	static const struct {
		const char *member, *site;
	} fields[] = {
	    {"\"protocol\":1,", "protocol"},
	    {"\"python\":\"3.11.2\",", "python"},
	    {"\"pid\":2,", "pid"},
	    {"\"uid\":1000,", "uid"},
	    {"\"gid\":1001,", "gid"},
	    {"\"no_new_privs\":1,", "no_new_privs"},
	    {"\"dumpable\":0,", "dumpable"},
	    {"\"seccomp\":2,", "seccomp"},
	    {"\"landlock\":{\"abi\":7,\"errno\":0},", "landlock"},
	    {"\"abi\":7,", "abi"},
	    {",\"errno\":0", "errno"},
	    {"\"network\":{\"inet\":1,\"inet6\":97},", "network"},
	    {"\"inet\":1,", "inet"},
	    {",\"inet6\":97", "inet6"},
	    {"\"fork\":11,", "fork"},
	    {"\"descriptors\":[0,1,2,3],", "descriptors"},
	    {"\"canaries\":{\"before\":[0,2],\"after\":[13,2]},", "canaries"},
	    {"\"before\":[0,2],", "before"},
	    {",\"after\":[13,2]", "after"},
	    {"\"environment\":[\"HOME=/workspace\",\"TZ=UTC\"],",
		"environment"},
	    {"\"core\":[0,0],", "core"},
	    {"\"cpu\":[30,31],", "cpu"},
	    {"\"address_space\":[4294967296,null],", "address_space"},
	    {"\"file_size\":[16777216,16777216],", "file_size"},
	    {"\"processes\":[null,null],", "processes"},
	    {",\"open_files\":[256,256]", "open_files"},
	};
	struct growing g = {NULL, 0, 0};
	struct wire_errinfo info;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		ready_with(&g, fields[i].member, "");
		assert_int_equal(
		    decode(span_of(g.p), &info), WIRE_ERR_MISSING_FIELD);
		assert_string_equal(info.site, fields[i].site);
	}
	free(g.p);
}

static void
t_ready_checks_every_field(void **state)
{
	static const struct {
		const char *member, *instead, *site;
	} fields[] = {
	    {"\"protocol\":1", "\"protocol\":2", "protocol"},
	    {"\"protocol\":1", "\"protocol\":\"1\"", "protocol"},
	    {"\"python\":\"3.11.2\"", "\"python\":3", "python"},
	    {"\"pid\":2", "\"pid\":2.0", "pid"},
	    {"\"pid\":2", "\"pid\":-2", "pid"},
	    {"\"pid\":2", "\"pid\":4294967296", "pid"},
	    {"\"uid\":1000", "\"uid\":1e3", "uid"},
	    {"\"gid\":1001", "\"gid\":null", "gid"},
	    {"\"no_new_privs\":1", "\"no_new_privs\":true", "no_new_privs"},
	    {"{\"abi\":7,\"errno\":0}", "7", "landlock"},
	    {"\"abi\":7", "\"abi\":{}", "abi"},
	    {"{\"inet\":1,\"inet6\":97}", "[1,97]", "network"},
	    {"[0,1,2,3]", "[0,1,1,3]", "descriptors"},
	    {"[0,1,2,3]", "[0,2,1,3]", "descriptors"},
	    {"[0,1,2,3]", "[0,1,[2],3]", "descriptors"},
	    {"[0,1,2,3]", "[0,1,{\"a\":2},3]", "descriptors"},
	    {"[0,1,2,3]", "[0,\"1\"]", "descriptors"},
	    {"[0,1,2,3]", "{}", "descriptors"},
	    {"\"before\":[0,2]", "\"before\":[0]", "canaries"},
	    {"\"after\":[13,2]", "\"after\":[13,2,1]", "canaries"},
	    {"\"TZ=UTC\"", "7", "environment"},
	    {"\"TZ=UTC\"", "[\"TZ=UTC\"]", "environment"},
	    {"\"cpu\":[30,31]", "\"cpu\":[30]", "cpu"},
	    {"\"cpu\":[30,31]", "\"cpu\":[]", "cpu"},
	    {"\"cpu\":[30,31]", "\"cpu\":[30,31,32]", "cpu"},
	    {"\"cpu\":[30,31]", "\"cpu\":[30,\"31\"]", "cpu"},
	    {"\"cpu\":[30,31]", "\"cpu\":[-1,31]", "cpu"},
	    {"\"cpu\":[30,31]", "\"cpu\":[[30,31]]", "cpu"},
	    {"\"cpu\":[30,31]", "\"cpu\":[30,18446744073709551615]", "cpu"},
	    {"\"cpu\":[30,31]", "\"cpu\":30", "cpu"},
	};
	struct growing g = {NULL, 0, 0};
	struct wire_errinfo info;
	enum wire_err err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		ready_with(&g, fields[i].member, fields[i].instead);
		err = decode(span_of(g.p), &info);
		if (err != WIRE_ERR_BAD_FIELD ||
		    strcmp(info.site, fields[i].site) != 0)
			fail_msg("%s: %s in %s", fields[i].instead,
			    wire_err_word(err), info.site);
	}
	ready_with(&g, "[30,31]", "[30,18446744073709551614]");
	assert_int_equal(decode(span_of(g.p), NULL), WIRE_OK);
	free(g.p);
}

static void
t_ready_counts(void **state)
{
	struct growing g = {NULL, 0, 0}, list = {NULL, 0, 0};
	unsigned n, i;

	(void)state;
	for (n = WIRE_READY_MAX_FDS; n <= WIRE_READY_MAX_FDS + 1; n++) {
		list.len = 0;
		for (i = 0; i < n; i++)
			grow(&list, "%s%u", i == 0 ? "[" : ",", i);
		grow(&list, "]%c", '\0');
		ready_with(&g, "[0,1,2,3]", list.p);
		assert_int_equal(decode(span_of(g.p), NULL),
		    n > WIRE_READY_MAX_FDS ? WIRE_ERR_BAD_FIELD : WIRE_OK);
	}
	for (n = WIRE_READY_MAX_ENV; n <= WIRE_READY_MAX_ENV + 1; n++) {
		list.len = 0;
		for (i = 0; i < n; i++)
			grow(&list, "%s\"A=\"", i == 0 ? "[" : ",");
		grow(&list, "]%c", '\0');
		ready_with(&g, "[\"HOME=/workspace\",\"TZ=UTC\"]", list.p);
		assert_int_equal(decode(span_of(g.p), NULL),
		    n > WIRE_READY_MAX_ENV ? WIRE_ERR_BAD_FIELD : WIRE_OK);
	}
	for (n = WIRE_READY_MAX_CANARIES; n <= WIRE_READY_MAX_CANARIES + 1;
	     n++) {
		list.len = 0;
		grow(&list, "{\"before\":[0");
		grow_repeat(&list, ",1", n - 1);
		grow(&list, "],\"after\":[0");
		grow_repeat(&list, ",1", n - 1);
		grow(&list, "]}%c", '\0');
		ready_with(&g, "{\"before\":[0,2],\"after\":[13,2]}", list.p);
		assert_int_equal(decode(span_of(g.p), NULL),
		    n > WIRE_READY_MAX_CANARIES ? WIRE_ERR_BAD_FIELD : WIRE_OK);
	}
	free(g.p);
	free(list.p);
}

/* --- call ---------------------------------------------------------------- */

static void
t_call_goes_both_ways(void **state)
{
	struct wire_out out;

	(void)state;
	wire_out_init(&out, buf, sizeof(buf));
	wire_msg_encode_call(&out, WIRE_MAX_ID, WIRE_LIT("e\"ch\xc3\xb6"),
	    WIRE_LIT("{\"a\":[1,\n2.50],\"b\":\"\\n\"}"));
	assert_true(is(frame_of(&out),
	    "{\"type\":\"call\",\"id\":9007199254740991,"
	    "\"name\":\"e\\\"ch\xc3\xb6\","
	    "\"arguments\":{\"a\":[1, 2.50],\"b\":\"\\n\"}}"));
	assert_int_equal(decode(frame_of(&out), NULL), WIRE_OK);
	assert_int_equal(msg.type, WIRE_MSG_CALL);
	assert_true(msg.u.call.id == WIRE_MAX_ID);
	assert_int_equal(msg.u.call.name_len, 6);
	assert_memory_equal(msg.u.call.name, "e\"ch\xc3\xb6", 6);
	assert_true(
	    is(msg.u.call.arguments, "{\"a\":[1, 2.50],\"b\":\"\\n\"}"));
}

static void
t_call_is_checked(void **state)
{
	static const char *const ids[] = {"0.0", "1e0", "-0", "-1", "\"0\"",
	    "null", "true", "[]", "{}", "1e999", "9007199254740992",
	    "18446744073709551616"};
	struct growing g = {NULL, 0, 0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		g.len = 0;
		grow(&g,
		    "{\"type\":\"call\",\"id\":%s,\"name\":\"x\","
		    "\"arguments\":{}}%c",
		    ids[i], '\0');
		expect(g.p, WIRE_ERR_BAD_ID, "id", 20);
	}
	free(g.p);
	expect("{\"type\":\"call\",\"name\":\"x\",\"arguments\":{}}",
	    WIRE_ERR_MISSING_FIELD, "id", 0);
	expect("  {\"type\":\"call\",\"id\":0,\"arguments\":{}}",
	    WIRE_ERR_MISSING_FIELD, "name", 0);
	expect("{\"type\":\"call\",\"id\":0,\"name\":7,\"arguments\":{}}",
	    WIRE_ERR_BAD_FIELD, "name", 29);
	expect("{\"type\":\"call\",\"id\":0,\"name\":\"\",\"arguments\":{}}",
	    WIRE_ERR_BAD_FIELD, "name", 29);
	expect("{\"type\":\"call\",\"id\":0,\"name\":\"x\"}",
	    WIRE_ERR_MISSING_FIELD, "arguments", 0);
	expect("{\"type\":\"call\",\"id\":0,\"name\":\"x\",\"arguments\":[]}",
	    WIRE_ERR_BAD_FIELD, "arguments", 45);
	expect("{\"type\":\"call\",\"id\":0,\"name\":\"x\",\"arguments\":null}",
	    WIRE_ERR_BAD_FIELD, "arguments", 45);
}

static void
t_call_name_at_and_past_the_limit(void **state)
{
	static const char *const units[] = {"x", "\\u0041", "\xc3\xa9",
	    "\\u00e9", "\xf0\x9f\x98\x80", "\\ud83d\\ude00"};
	static const size_t sizes[] = {1, 1, 2, 2, 4, 4};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		struct growing g = {NULL, 0, 0};
		size_t keep;

		grow(&g,
		    "{\"type\":\"call\",\"id\":0,\"arguments\":{},"
		    "\"name\":\"");
		grow_repeat(&g, units[i], WIRE_MAX_TOOL_NAME / sizes[i]);
		keep = g.len;
		grow(&g, "\"}");
		assert_int_equal(decode(grown(&g), NULL), WIRE_OK);
		assert_int_equal(msg.u.call.name_len, WIRE_MAX_TOOL_NAME);
		g.len = keep;
		grow(&g, "y\"}");
		assert_int_equal(decode(grown(&g), NULL), WIRE_ERR_BAD_FIELD);
		free(g.p);
	}
}

/* --- done ---------------------------------------------------------------- */

static void
t_done_goes_both_ways(void **state)
{
	static const char *const lines[] = {
	    "{\"type\":\"done\",\"value\":[1, {\"a\":null}]}",
	    "{\"type\":\"done\",\"value\":null,\"returned\":false,"
	    "\"warnings\":[\"a\",\"\\u00e9\"]}",
	    "{\"type\":\"done\",\"oversize\":300000}",
	    "{\"type\":\"done\",\"error\":{\"kind\":\"exception\","
	    "\"message\":\"\",\"traceback\":\"a\\nb\",\"line\":3}}",
	    "{\"type\":\"done\",\"error\":{\"kind\":\"worker_exit\","
	    "\"message\":\"exit\",\"status\":124},\"warnings\":[\"w\"]}",
	    "{\"type\":\"done\",\"error\":{\"kind\":\"step_budget\","
	    "\"message\":\"m\"}}",
	};
	struct wire_out out;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(decode_text(lines[i]), WIRE_OK);
		assert_int_equal(msg.type, WIRE_MSG_DONE);
		wire_out_init(&out, buf, sizeof(buf));
		wire_msg_encode_done(&out, &msg.u.done);
		assert_true(is(frame_of(&out), lines[i]));
	}
}

static void
t_done_means(void **state)
{
	const struct wire_done *d = &msg.u.done;

	(void)state;
	assert_int_equal(
	    decode_text("{\"value\":7,\"type\":\"done\"}"), WIRE_OK);
	assert_true(d->has_value && d->returned);
	assert_true(is(d->value, "7"));
	assert_int_equal(d->kind, WIRE_CLAIM_NONE);
	assert_int_equal(
	    decode_text(
		"{\"type\":\"done\",\"oversize\":9,\"value\\u0020\":1}"),
	    WIRE_OK);
	assert_true(!d->has_value && d->returned);
	assert_int_equal(d->oversize, 9);
	assert_int_equal(
	    decode_text("{\"type\":\"done\",\"returned\":true,\"error\":{"
			"\"kind\":\"except\\u0069on\",\"message\":\"m\"}}"),
	    WIRE_OK);
	assert_true(!d->has_value && !d->returned);
	assert_int_equal(d->kind, WIRE_CLAIM_EXCEPTION);
	assert_true(is(d->message, "m"));
	assert_int_equal(d->traceback.len, 0);
	assert_int_equal(d->line, 0);
}

static void
t_done_is_checked(void **state)
{
	(void)state;
	expect("{\"type\":\"done\"}", WIRE_ERR_MISSING_FIELD, "value", 0);
	expect("{\"type\":\"done\",\"value\":1,\"oversize\":2}",
	    WIRE_ERR_BAD_FIELD, "oversize", 36);
	expect("{\"type\":\"done\",\"error\":{\"kind\":\"exception\","
	       "\"message\":\"\"},\"value\":1}",
	    WIRE_ERR_BAD_FIELD, "value", 65);
	expect("{\"type\":\"done\",\"oversize\":-1}", WIRE_ERR_BAD_FIELD,
	    "oversize", 26);
	expect("{\"type\":\"done\",\"oversize\":1.5}", WIRE_ERR_BAD_FIELD,
	    "oversize", 26);
	expect("{\"type\":\"done\",\"error\":\"x\"}", WIRE_ERR_BAD_FIELD,
	    "error", 23);
	expect("{\"type\":\"done\",\"error\":{\"message\":\"\"}}",
	    WIRE_ERR_MISSING_FIELD, "kind", 23);
	expect("{\"type\":\"done\",\"error\":{\"kind\":\"timeout\","
	       "\"message\":\"\"}}",
	    WIRE_ERR_BAD_FIELD, "kind", 31);
	expect("{\"type\":\"done\",\"error\":{\"kind\":\"\",\"message\":\"\"}}",
	    WIRE_ERR_BAD_FIELD, "kind", 31);
	expect("{\"type\":\"done\",\"error\":{\"kind\":\"exception\"}}",
	    WIRE_ERR_MISSING_FIELD, "message", 23);
	expect("{\"type\":\"done\",\"error\":{\"kind\":\"exception\","
	       "\"message\":\"\",\"line\":0}}",
	    WIRE_ERR_BAD_FIELD, "line", 63);
	expect("{\"type\":\"done\",\"error\":{\"kind\":\"exception\","
	       "\"message\":\"\",\"traceback\":null}}",
	    WIRE_ERR_BAD_FIELD, "traceback", 68);
	expect("{\"type\":\"done\",\"error\":{\"kind\":\"worker_exit\","
	       "\"message\":\"\",\"status\":-9}}",
	    WIRE_ERR_BAD_FIELD, "status", 67);
	expect("{\"type\":\"done\",\"value\":1,\"returned\":1}",
	    WIRE_ERR_BAD_FIELD, "returned", 36);
	expect("{\"type\":\"done\",\"value\":1,\"warnings\":\"w\"}",
	    WIRE_ERR_BAD_FIELD, "warnings", 36);
	expect("{\"type\":\"done\",\"value\":1,\"warnings\":[1]}",
	    WIRE_ERR_BAD_FIELD, "warnings", 36);
}

/* prefix, n times x, suffix. */
static enum wire_err
decode_long(const char *prefix, size_t n, const char *suffix)
{
	struct growing g = {NULL, 0, 0};
	enum wire_err err;

	grow(&g, "%s", prefix);
	grow_repeat(&g, "x", n);
	grow(&g, "%s", suffix);
	err = decode(grown(&g), NULL);
	free(g.p);
	return err;
}

static void
t_texts_at_and_past_their_limits(void **state)
{
	static const struct {
		const char *prefix, *suffix;
		size_t max;
	} texts[] = {
	    {"{\"type\":\"done\",\"error\":{\"kind\":\"exception\","
	     "\"message\":\"",
		"\"}}", WIRE_MAX_MESSAGE},
	    {"{\"type\":\"done\",\"error\":{\"kind\":\"exception\","
	     "\"message\":\"\",\"traceback\":\"",
		"\"}}", WIRE_MAX_TRACEBACK},
	    {"{\"type\":\"done\",\"value\":1,\"warnings\":[\"", "\"]}",
		WIRE_MAX_WARNING},
	    {"{\"type\":\"abort\",\"reason\":\"", "\"}", WIRE_MAX_MESSAGE},
	    {"{\"type\":\"reply\",\"id\":0,\"error\":{\"kind\":\"failed\","
	     "\"hard\":false,\"message\":\"",
		"\"}}", WIRE_MAX_MESSAGE},
	    {"{\"type\":\"reply\",\"id\":0,\"handle\":{\"size\":1,"
	     "\"token\":\"",
		"\"}}", WIRE_MAX_HANDLE},
	};
	struct growing g = {NULL, 0, 0};
	unsigned n, i;
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
		assert_int_equal(
		    decode_long(texts[k].prefix, texts[k].max, texts[k].suffix),
		    WIRE_OK);
		assert_int_equal(decode_long(texts[k].prefix, texts[k].max + 1,
				     texts[k].suffix),
		    WIRE_ERR_BAD_FIELD);
	}
	for (n = WIRE_MAX_WARNINGS; n <= WIRE_MAX_WARNINGS + 1; n++) {
		g.len = 0;
		grow(&g, "{\"type\":\"done\",\"value\":1,\"warnings\":[");
		for (i = 0; i < n; i++)
			grow(&g, i == 0 ? "\"\"" : ",\"\"");
		grow(&g, "]}");
		assert_int_equal(decode(grown(&g), NULL),
		    n > WIRE_MAX_WARNINGS ? WIRE_ERR_BAD_FIELD : WIRE_OK);
	}
	free(g.p);
}

/* --- what is left -------------------------------------------------------- */

static const uint64_t some_left[WIRE_LEFTS] = {1, 0, 3, WIRE_MAX_ID, 5};

#define LEFT(text) "{\"type\":\"reply\",\"id\":0,\"value\":1,\"left\":" text "}"

static void
t_left_is_checked(void **state)
{
	static const char *const bad[] = {"[1,2,3,4]", "[1,2,3,4,5,6]", "[]",
	    "[1,2,3,4,-5]", "[1,2,3,4,5.0]", "[1,2,3,4,05]", "[1,2,3,4,\"5\"]",
	    "[1,2,3,4,[5]]", "[1,2,3,4,null]", "[1,2,3,4,9007199254740992]",
	    "{\"calls\":1}", "null", "5", "\"12345\""};
	char line[128];

	(void)state;
	expect(LEFT("[0,0,0,0,9007199254740991]"), WIRE_OK, "", 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		enum wire_err err = strcmp(bad[i], "[1,2,3,4,05]") == 0
		    ? WIRE_ERR_BAD_NUMBER
		    : WIRE_ERR_BAD_FIELD;

		(void)snprintf(line, sizeof(line), LEFT("%s"), bad[i]);
		assert_int_equal(
		    decode((struct wire_span){(uint8_t *)line, strlen(line)},
			NULL),
		    err);
	}
	/* Its place is behind what was said before it. */
	expect("{\"left\":1,\"type\":\"reply\",\"id\":0}",
	    WIRE_ERR_MISSING_FIELD, "value", 0);
	expect("{\"left\":1,\"type\":\"reply\",\"id\":0,\"value\":1}",
	    WIRE_ERR_BAD_FIELD, "left", 8);
}

static void
t_left_has_the_names_of_limits(void **state)
{
	(void)state;
	assert_string_equal(wire_left_word(WIRE_LEFT_CALLS), "calls");
	assert_string_equal(wire_left_word(WIRE_LEFT_BYTES), "total_bytes");
	assert_string_equal(
	    wire_left_word(WIRE_LEFT_PRODUCED), "produced_bytes");
	assert_string_equal(wire_left_word(WIRE_LEFT_KEPT), "kept_bytes");
	assert_string_equal(wire_left_word(WIRE_LEFT_TIME), "total_tool_time");
}

/* --- run and abort ------------------------------------------------------- */

static void
t_run_goes_both_ways(void **state)
{
	struct wire_span names[] = {
	    WIRE_LIT("read"), WIRE_LIT("sch\xc3\xb6n"), WIRE_LIT("a\"b")};
	static const char program[] = "print('\xe2\x82\xac\\n')\n\treturn\x01";
	uint8_t back[64];
	struct wire_out out;
	size_t len;

	(void)state;
	wire_out_init(&out, buf, sizeof(buf));
	wire_msg_encode_run(
	    &out, WIRE_LIT(program), names, 3, 100000, 2000, 300, some_left);
	assert_int_equal(decode(frame_of(&out), NULL), WIRE_OK);
	assert_int_equal(msg.type, WIRE_MSG_RUN);
	assert_int_equal(msg.u.run.tool_count, 3);
	assert_true(
	    is(msg.u.run.tools, "[\"read\",\"sch\xc3\xb6n\",\"a\\\"b\"]"));
	assert_int_equal(msg.u.run.frame_max, 100000);
	assert_int_equal(msg.u.run.value_max, 2000);
	assert_int_equal(msg.u.run.arguments_max, 300);
	assert_true(msg.u.run.has_left);
	assert_memory_equal(msg.u.run.left, some_left, sizeof(some_left));
	assert_int_equal(
	    wire_json_unescape(msg.u.run.program, back, sizeof(back), &len),
	    WIRE_OK);
	assert_int_equal(len, sizeof(program) - 1);
	assert_memory_equal(back, program, len);
	/* A program that is no text is the caller's to refuse. */
	wire_out_init(&out, buf, sizeof(buf));
	wire_msg_encode_run(&out, WIRE_LIT("\xff"), names, 0, 1, 1, 1, NULL);
	assert_int_equal(wire_out_finish(&out, &len), WIRE_ERR_BAD_UTF8);
}

static void
t_run_with_thousands_of_tools(void **state)
{
	struct growing g = {NULL, 0, 0};
	size_t i, keep;

	(void)state;
	grow(&g,
	    "{\"type\":\"run\",\"program\":\"\",\"limits\":{\"frame\":1,"
	    "\"value\":1,\"arguments\":1},\"tools\":[\"t\"");
	for (i = 0; i < 4000; i++)
		grow(&g, ",\"tool_%zu\"", i);
	keep = g.len;
	grow(&g, "]}");
	assert_int_equal(decode(grown(&g), NULL), WIRE_OK);
	assert_int_equal(msg.u.run.tool_count, 4001);
	g.len = keep;
	grow(&g, ",\"tool\\u005f77\"]}");
	assert_int_equal(decode(grown(&g), NULL), WIRE_ERR_BAD_FIELD);
	/* One more than the table holds: the caller is asked for more. */
	g.len = keep;
	for (i = 0; i < 96; i++)
		grow(&g, ",\"more_%zu\"", i);
	grow(&g, "]}");
	assert_int_equal(decode(grown(&g), NULL), WIRE_ERR_NEED_SCRATCH);
	free(g.p);
}

#define RUN(program, tools, limits)                                            \
	"{\"type\":\"run\",\"program\":" program ",\"tools\":" tools           \
	",\"limits\":" limits "}"
#define RUN_LIMITS "{\"frame\":1,\"value\":2,\"arguments\":3}"

static void
t_run_is_checked(void **state)
{
	(void)state;
	expect(RUN("\"\"", "[]", RUN_LIMITS), WIRE_OK, "", 0);
	expect(RUN("7", "[]", RUN_LIMITS), WIRE_ERR_BAD_FIELD, "program", 24);
	expect(RUN("\"\"", "{}", RUN_LIMITS), WIRE_ERR_BAD_FIELD, "tools", 35);
	expect(RUN("\"\"", "[1]", RUN_LIMITS), WIRE_ERR_BAD_FIELD, "tools", 35);
	expect(
	    RUN("\"\"", "[\"\"]", RUN_LIMITS), WIRE_ERR_BAD_FIELD, "tools", 35);
	expect(RUN("\"\"", "[[\"a\"]]", RUN_LIMITS), WIRE_ERR_BAD_FIELD,
	    "tools", 35);
	expect(RUN("\"\"", "[\"a\",\"b\",\"a\"]", RUN_LIMITS),
	    WIRE_ERR_BAD_FIELD, "tools", 35);
	expect(RUN("\"\"", "[]", "{}"), WIRE_ERR_MISSING_FIELD, "frame", 47);
	expect(RUN("\"\"", "[]", "[]"), WIRE_ERR_BAD_FIELD, "limits", 47);
	expect(RUN("\"\"", "[]", "{\"frame\":75497473}"), WIRE_ERR_BAD_FIELD,
	    "frame", 56);
	expect("{\"type\":\"run\",\"tools\":[],\"limits\":" RUN_LIMITS "}",
	    WIRE_ERR_MISSING_FIELD, "program", 0);
	expect("{\"type\":\"run\",\"program\":\"\",\"limits\":" RUN_LIMITS "}",
	    WIRE_ERR_MISSING_FIELD, "tools", 0);
	expect("{\"type\":\"run\",\"program\":\"\",\"tools\":[]}",
	    WIRE_ERR_MISSING_FIELD, "limits", 0);
	expect("{\"type\":\"abort\"}", WIRE_ERR_MISSING_FIELD, "reason", 0);
	expect("{\"type\":\"abort\",\"reason\":1}", WIRE_ERR_BAD_FIELD,
	    "reason", 25);
}

static void
t_abort_goes_both_ways(void **state)
{
	struct wire_out out;

	(void)state;
	wire_out_init(&out, buf, sizeof(buf));
	wire_msg_encode_abort(&out, WIRE_LIT("uid is 0\n"));
	assert_true(is(
	    frame_of(&out), "{\"type\":\"abort\",\"reason\":\"uid is 0\\n\"}"));
	assert_int_equal(decode(frame_of(&out), NULL), WIRE_OK);
	assert_true(is(msg.u.abort.reason, "uid is 0\\n"));
}

/* --- reply --------------------------------------------------------------- */

static void
t_reply_goes_both_ways(void **state)
{
	struct wire_out out;

	(void)state;
	wire_out_init(&out, buf, sizeof(buf));
	wire_msg_encode_reply_value(&out, 5, WIRE_LIT("{\"a\":\n1}"), NULL);
	assert_true(is(frame_of(&out),
	    "{\"type\":\"reply\",\"id\":5,\"value\":{\"a\": 1}}"));
	assert_int_equal(decode(frame_of(&out), NULL), WIRE_OK);
	assert_int_equal(msg.u.reply.id, 5);
	assert_int_equal(msg.u.reply.kind, WIRE_REPLY_VALUE);
	assert_true(is(msg.u.reply.value, "{\"a\": 1}"));
	assert_false(msg.u.reply.has_left);

	wire_out_init(&out, buf, sizeof(buf));
	wire_msg_encode_reply_handle(&out, 6, WIRE_LIT("h-1"), 9000000,
	    (struct wire_span){NULL, 0}, some_left);
	assert_true(is(frame_of(&out),
	    "{\"type\":\"reply\",\"id\":6,\"handle\":{\"token\":\"h-1\","
	    "\"size\":9000000},\"left\":[1,0,3,9007199254740991,5]}"));
	assert_int_equal(decode(frame_of(&out), NULL), WIRE_OK);
	assert_int_equal(msg.u.reply.kind, WIRE_REPLY_HANDLE);
	assert_true(is(msg.u.reply.handle, "h-1"));
	assert_int_equal(msg.u.reply.handle_size, 9000000);
	assert_true(msg.u.reply.has_left);
	assert_memory_equal(msg.u.reply.left, some_left, sizeof(some_left));

	wire_out_init(&out, buf, sizeof(buf));
	wire_msg_encode_reply_error(
	    &out, 7, WIRE_TOOL_NOT_OFFERED, WIRE_LIT("no\xff"), true, NULL);
	assert_true(is(frame_of(&out),
	    "{\"type\":\"reply\",\"id\":7,\"error\":{\"kind\":\"not_offered\","
	    "\"message\":\"no\xef\xbf\xbd\",\"hard\":true}}"));
	assert_int_equal(decode(frame_of(&out), NULL), WIRE_OK);
	assert_int_equal(msg.u.reply.kind, WIRE_REPLY_ERROR);
	assert_int_equal(msg.u.reply.error, WIRE_TOOL_NOT_OFFERED);
	assert_true(is(msg.u.reply.message, "no\xef\xbf\xbd"));
	assert_true(msg.u.reply.hard);
}

static void
t_reply_is_checked(void **state)
{
	(void)state;
	expect("{\"type\":\"reply\",\"value\":1}", WIRE_ERR_MISSING_FIELD, "id",
	    0);
	expect("{\"type\":\"reply\",\"id\":\"0\",\"value\":1}", WIRE_ERR_BAD_ID,
	    "id", 21);
	expect("{\"type\":\"reply\",\"id\":0}", WIRE_ERR_MISSING_FIELD, "value",
	    0);
	expect("{\"type\":\"reply\",\"id\":0,\"value\":1,\"handle\":{}}",
	    WIRE_ERR_BAD_FIELD, "handle", 42);
	expect("{\"type\":\"reply\",\"id\":0,\"handle\":{}}",
	    WIRE_ERR_MISSING_FIELD, "token", 32);
	expect("{\"type\":\"reply\",\"id\":0,\"handle\":{\"token\":\"\"}}",
	    WIRE_ERR_BAD_FIELD, "token", 41);
	expect("{\"type\":\"reply\",\"id\":0,\"handle\":{\"token\":\"h\"}}",
	    WIRE_ERR_MISSING_FIELD, "size", 32);
	expect("{\"type\":\"reply\",\"id\":0,\"handle\":\"h\"}",
	    WIRE_ERR_BAD_FIELD, "handle", 32);
	expect("{\"type\":\"reply\",\"id\":0,\"error\":{\"kind\":\"oops\"}}",
	    WIRE_ERR_BAD_FIELD, "kind", 39);
	expect("{\"type\":\"reply\",\"id\":0,\"error\":{\"kind\":\"failed\","
	       "\"message\":\"\"}}",
	    WIRE_ERR_MISSING_FIELD, "hard", 31);
	expect("{\"type\":\"reply\",\"id\":0,\"error\":{\"kind\":\"failed\","
	       "\"message\":\"\",\"hard\":0}}",
	    WIRE_ERR_BAD_FIELD, "hard", 68);
}

/* A message of any length still makes a frame that the other side takes. */
static void
t_long_messages_are_cut(void **state)
{
	static uint8_t text[WIRE_MAX_MESSAGE + 100];
	static const uint8_t fills[] = {'x', '\n', 0x01, 0xff};
	struct wire_out out;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(fills); i++) {
		memset(text, fills[i], sizeof(text));
		wire_out_init(&out, buf, sizeof(buf));
		wire_msg_encode_reply_error(&out, 0, WIRE_TOOL_FAILED,
		    (struct wire_span){text, sizeof(text)}, false, NULL);
		assert_int_equal(decode(frame_of(&out), NULL), WIRE_OK);
		assert_in_range(msg.u.reply.message.len, WIRE_MAX_MESSAGE - 5,
		    WIRE_MAX_MESSAGE);
		wire_out_init(&out, buf, sizeof(buf));
		wire_msg_encode_abort(
		    &out, (struct wire_span){text, sizeof(text)});
		assert_int_equal(decode(frame_of(&out), NULL), WIRE_OK);
	}
}

/* --- any frame ----------------------------------------------------------- */

static void
t_the_type_decides(void **state)
{
	(void)state;
	expect("{}", WIRE_ERR_MISSING_FIELD, "type", 0);
	expect("{\"Type\":\"call\"}", WIRE_ERR_MISSING_FIELD, "type", 0);
	expect("{\"type\":1}", WIRE_ERR_BAD_FIELD, "type", 8);
	expect("{\"type\":null}", WIRE_ERR_BAD_FIELD, "type", 8);
	expect("{\"type\":\"\"}", WIRE_ERR_UNKNOWN_TYPE, "type", 8);
	expect("{\"type\":\"Call\"}", WIRE_ERR_UNKNOWN_TYPE, "type", 8);
	expect("{\"type\":\"calls\"}", WIRE_ERR_UNKNOWN_TYPE, "type", 8);
	expect(
	    "{\"id\":0,\"type\":\"log\"}", WIRE_ERR_UNKNOWN_TYPE, "type", 15);
	expect("[]", WIRE_ERR_NOT_OBJECT, "frame", 0);
	expect(" 17", WIRE_ERR_NOT_OBJECT, "frame", 1);
	expect(
	    "{\"type\":\"done\",\"value\":}", WIRE_ERR_BAD_SYNTAX, "frame", 23);
	/* Spelled with escapes it is the same word. */
	assert_int_equal(
	    decode_text("{\"val\\u0075e\":1,\"\\u0074ype\":\"\\u0064one\"}"),
	    WIRE_OK);
	assert_int_equal(msg.type, WIRE_MSG_DONE);
}

static void
t_extra_members_are_dropped(void **state)
{
	struct growing g = {NULL, 0, 0};
	unsigned n, i;

	(void)state;
	assert_int_equal(
	    decode_text("{\"usage\":{\"cpu\":1e9},\"type\":\"done\","
			"\"status\":0,\"value\":1,\"isolation\":[\"none\"]}"),
	    WIRE_OK);
	assert_true(is(msg.u.done.value, "1"));
	assert_int_equal(msg.u.done.status, 0);
	for (n = WIRE_MAX_FRAME_MEMBERS; n <= WIRE_MAX_FRAME_MEMBERS + 1; n++) {
		g.len = 0;
		grow(&g, "{\"type\":\"done\",\"value\":1");
		for (i = 2; i < n; i++)
			grow(&g, ",\"extra%u\":{}", i);
		grow(&g, "}");
		assert_int_equal(decode(grown(&g), NULL),
		    n > WIRE_MAX_FRAME_MEMBERS ? WIRE_ERR_TOO_MANY_MEMBERS
					       : WIRE_OK);
	}
	free(g.p);
}

static void
t_depth_counts_the_frame(void **state)
{
	unsigned n;

	(void)state;
	for (n = WIRE_MAX_DEPTH - 1; n <= WIRE_MAX_DEPTH; n++) {
		struct growing g = {NULL, 0, 0};

		grow(&g, "{\"type\":\"done\",\"value\":");
		grow_repeat(&g, "[", n);
		grow_repeat(&g, "]", n);
		grow(&g, "}");
		assert_int_equal(decode(grown(&g), NULL),
		    n < WIRE_MAX_DEPTH ? WIRE_OK : WIRE_ERR_TOO_DEEP);
		free(g.p);
	}
}

static void
t_words(void **state)
{
	static const char *const limits[] = {"core", "cpu", "address_space",
	    "file_size", "processes", "open_files"};
	unsigned i;

	(void)state;
	for (i = 0; i < WIRE_LIMITS; i++)
		assert_string_equal(
		    wire_limit_word((enum wire_limit)i), limits[i]);
	assert_string_equal(wire_limit_word(WIRE_LIMITS), "unknown");
	assert_string_equal(wire_msg_type_word(WIRE_MSG_TYPES), "unknown");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_ready_goes_both_ways),
	    cmocka_unit_test(t_ready_needs_every_field),
	    cmocka_unit_test(t_ready_checks_every_field),
	    cmocka_unit_test(t_ready_counts),
	    cmocka_unit_test(t_call_goes_both_ways),
	    cmocka_unit_test(t_call_is_checked),
	    cmocka_unit_test(t_call_name_at_and_past_the_limit),
	    cmocka_unit_test(t_done_goes_both_ways),
	    cmocka_unit_test(t_done_means),
	    cmocka_unit_test(t_done_is_checked),
	    cmocka_unit_test(t_texts_at_and_past_their_limits),
	    cmocka_unit_test(t_left_is_checked),
	    cmocka_unit_test(t_left_has_the_names_of_limits),
	    cmocka_unit_test(t_run_goes_both_ways),
	    cmocka_unit_test(t_run_with_thousands_of_tools),
	    cmocka_unit_test(t_run_is_checked),
	    cmocka_unit_test(t_abort_goes_both_ways),
	    cmocka_unit_test(t_reply_goes_both_ways),
	    cmocka_unit_test(t_reply_is_checked),
	    cmocka_unit_test(t_long_messages_are_cut),
	    cmocka_unit_test(t_the_type_decides),
	    cmocka_unit_test(t_extra_members_are_dropped),
	    cmocka_unit_test(t_depth_counts_the_frame),
	    cmocka_unit_test(t_words),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
