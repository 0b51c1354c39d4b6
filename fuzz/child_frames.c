/*
 * The frames that a child writes: good ones, and each field in all the ways in
 * which it can be wrong. Two bytes of the input or so choose one.
 */
#include "fuzz/child_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
	uint8_t *buf;
	size_t len;
};

static void
add(struct text *t, const char *text)
{
	size_t len = strlen(text);

	if (len > RIG_FRAME_MAX - t->len)
		return;
	memcpy(t->buf + t->len, text, len);
	t->len += len;
}

static void
repeat(struct text *t, int byte, size_t count)
{
	if (count > RIG_FRAME_MAX - t->len)
		return;
	memset(t->buf + t->len, byte, count);
	t->len += count;
}

static void
number(struct text *t, uint64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	add(t, text);
}

/* One of a list of texts. */
#define ONE_OF(list) (list)[rig_byte() % (sizeof(list) / sizeof((list)[0]))]

/* A size at, above or below a limit, or small. */
static size_t
near_limit(uint64_t limit)
{
	unsigned choice = rig_byte();

	if (limit > RIG_FRAME_MAX - WIRE_KIB)
		limit = RIG_FRAME_MAX - WIRE_KIB;
	switch (choice % 4) {
	case 0:
		return choice / 4;
	case 1:
		return (size_t)limit - (limit > 0);
	case 2:
		return (size_t)limit;
	default:
		return (size_t)limit + 1;
	}
}

/* --- parts ---------------------------------------------------------------- */

static void
add_id(struct text *t, uint64_t next)
{
	static const char *const others[] = {"9007199254740991",
	    "9007199254740992", "18446744073709551616", "-1", "0.0", "1e0",
	    "00", "\"0\"", "null", "[0]", "{}", "true", "-0", "0x0"};
	unsigned choice = rig_byte();

	switch (choice % 8) {
	case 0:
	case 1:
	case 2:
	case 3:
		number(t, next);
		break;
	case 4:
		number(t, next > 0 ? next - 1 : 0);
		break;
	case 5:
		number(t, next + 1 + choice / 8);
		break;
	case 6:
		number(t, choice / 8);
		break;
	default:
		add(t, others[choice / 8 % 14]);
		break;
	}
}

static void
add_name(struct text *t)
{
	static const char *const names[] = {"alpha", "beta", "now",
	    "caf\xc3\xa9 \\\"\\\\", "ask", "late", "\\u0061lpha",
	    "caf\\u00e9 \\u0022\\u005c", "Alpha", "alpha ", "", "alph",
	    "alpha\\u0000", "\\ud83d\\ude00", "\\ud83d", "\xff"};
	unsigned choice = rig_byte();

	if (choice >= 0xf0) {
		add(t, choice & 1 ? "7" : "[\"alpha\"]");
		return;
	}
	add(t, "\"");
	if (choice >= 0xe0) /* around the longest name */
		repeat(t, 'n', 120 + choice % 16);
	else
		add(t, names[choice % 16]);
	add(t, "\"");
}

static void
add_arguments(struct text *t)
{
	static const char *const others[] = {"[]", "null", "\"{}\"", "1",
	    "{\"a\":1,\"\\u0061\":2}", "{\"a\":1e400}", "{\"a\":01}", "{,}",
	    "{\"a\" : [ ] , \"b\":{\"c\":null}}", "{\"a\":\"\\ud800\"}"};
	unsigned choice = rig_byte();
	size_t size;

	if (choice < 0x60) {
		add(t, "{}");
	} else if (choice < 0xc0) {
		size = near_limit(rig.limits[SUP_LIMIT_ARGUMENT_BYTES]);
		/* {"a":"xxx"} of that size */
		add(t, "{\"a\":\"");
		repeat(t, 'x', size > 8 ? size - 8 : 0);
		add(t, "\"}");
	} else if (choice < 0xd0) {
		size = 250 + choice % 16;
		for (size_t i = 0; i < size; i++)
			add(t, "{\"a\":");
		add(t, "0");
		repeat(t, '}', size);
	} else {
		add(t, others[choice % 10]);
	}
}

/* Members that mean nothing, or something twice. */
static void
add_extra(struct text *t)
{
	static const char *const extras[] = {",\"x\":0", ",\"type\":\"call\"",
	    ",\"\\u0074ype\":\"done\"", ",\"Type\":1", ",\"id\":0",
	    ",\"x\":{\"y\":1,\"y\":2}", ",\"x\":[[],{}]", ","};
	unsigned choice = rig_byte();

	if (choice == 0xff)
		for (unsigned i = 0; i < 62; i++) {
			add(t, ",\"m");
			number(t, i);
			add(t, "\":0");
		}
	else if (choice >= 0xc0)
		add(t, extras[choice % 8]);
}

/* --- frames --------------------------------------------------------------- */

size_t
rig_frame_ready(uint8_t *buf)
{
	static const char *const changes[][2] = {{"\"protocol\":1", ""},
	    {"\"protocol\":1", "\"protocol\":2"}, {"\"pid\":2", "\"pid\":3"},
	    {"\"dumpable\":0", "\"dumpable\":1"},
	    {"\"after\":[13,13]", "\"after\":[13,0]"},
	    {"\"after\":[13,13]", "\"after\":[0,13]"},
	    {"\"after\":[13,13]", "\"after\":[13]"},
	    {"\"descriptors\":[0,1,2,3]", "\"descriptors\":[0,1,2,3,7]"},
	    {"\"descriptors\":[0,1,2,3]", "\"descriptors\":[3,2,1,0]"},
	    {"HOME=/workspace", "HOME=/"}, {"\"inet\":1", "\"inet\":0"},
	    {"\"fork\":1", "\"fork\":0"}, {"\"fork\":1", "\"fork\":-1"},
	    {"\"seccomp\":2", "\"seccomp\":null"},
	    {"{\"abi\":7,\"errno\":0}", "{\"abi\":0,\"errno\":38}"},
	    {"\"core\":[0,0]", "\"core\":[0]"}};
	const char *good = child_world_ready(), *at;
	struct text t = {buf, 0};
	unsigned choice = rig_byte();

	add(&t, good);
	if (choice >= 0x80) {
		const char *const *change = changes[choice % 16];

		at = strstr(good, change[0]);
		t.len = (size_t)(at - good);
		add(&t, change[1]);
		add(&t, at + strlen(change[0]));
	}
	add(&t, "\n");
	return t.len;
}

size_t
rig_frame_good_call(uint8_t *buf, uint64_t id, unsigned tool)
{
	static const char *const names[] = {
	    "alpha", "beta", "now", "caf\xc3\xa9 \\\"\\\\"};
	struct text t = {buf, 0};

	add(&t, "{\"type\":\"call\",\"id\":");
	number(&t, id);
	add(&t, ",\"name\":\"");
	add(&t, names[tool % 4]);
	add(&t, "\",\"arguments\":{}}\n");
	return t.len;
}

size_t
rig_frame_call(uint8_t *buf)
{
	struct text t = {buf, 0};
	unsigned order = rig_byte();

	rig_sync();
	add(&t, order & 0x40 ? " { \"arguments\" : " : "{\"type\":\"call\"");
	if ((order & 0x40) != 0) {
		add_arguments(&t);
		add(&t, " , \"type\" : \"call\"");
	}
	if ((order & 0x0f) != 1) {
		add(&t, ",\"id\":");
		add_id(&t, rig.model.call_count);
	}
	if ((order & 0x0f) != 2) {
		add(&t, ",\"name\":");
		add_name(&t);
	}
	if ((order & 0x4f) < 3) {
		add(&t, ",\"arguments\":");
		add_arguments(&t);
	} else if ((order & 0x40) == 0 && (order & 0x0f) != 3) {
		add(&t, ",\"arguments\":{}");
	}
	if ((order & 0x80) != 0)
		add_extra(&t);
	add(&t, (order & 0x20) != 0 ? " } \r\n" : "}\n");
	return t.len;
}

static void
add_value(struct text *t)
{
	static const char *const values[] = {"null", "1", "[1, {\"a\":[]}]",
	    "\"caf\xc3\xa9\"", "1e999", "{\"a\":0,\"a\":0}", "\"\t\"", "nul",
	    "-", "\"\\u0000\""};
	unsigned choice = rig_byte();
	size_t size;

	if (choice < 0x80) {
		add(t, values[choice % 10]);
		return;
	}
	size = near_limit(rig.limits[SUP_LIMIT_VALUE]);
	add(t, "\"");
	repeat(t, 'v', size > 2 ? size - 2 : 0);
	add(t, "\"");
}

static void
add_error(struct text *t)
{
	static const char *const errors[] = {
	    "{\"kind\":\"exception\",\"message\":\"m\"}",
	    ("{\"kind\":\"exception\",\"message\":\"m\\u0000\","
	     "\"traceback\":\"T\\n\",\"line\":3}"),
	    "{\"kind\":\"worker_exit\",\"message\":\"\",\"status\":7}",
	    "{\"kind\":\"timeout\",\"message\":\"m\"}",
	    "{\"kind\":\"exception\"}",
	    "{\"kind\":\"invalid_value\",\"message\":\"m\",\"line\":0}",
	    "{\"kind\":\"step_budget\",\"message\":\"m\",\"status\":-1}",
	    "{\"message\":\"m\"}", "[]",
	    "{\"kind\":\"exception\",\"message\":1}"};

	add(t, ONE_OF(errors));
}

size_t
rig_frame_done(uint8_t *buf)
{
	static const char *const tails[] = {"", "", ",\"returned\":false",
	    ",\"returned\":1", ",\"warnings\":[\"w\",\"caf\\u00e9\"]",
	    ",\"warnings\":[1]", ",\"warnings\":{}", ",\"later\":[]"};
	struct text t = {buf, 0};
	unsigned choice = rig_byte();

	add(&t, "{\"type\":\"done\"");
	if ((choice & 7) < 4 || (choice & 7) == 7) {
		add(&t, ",\"value\":");
		add_value(&t);
	}
	if ((choice & 7) == 4) {
		add(&t, ",\"oversize\":");
		if ((choice & 8) != 0)
			number(&t, near_limit(rig.limits[SUP_LIMIT_VALUE]));
		else
			add_id(&t, rig.limits[SUP_LIMIT_VALUE]);
	}
	if ((choice & 7) == 5 || (choice & 7) == 7) {
		add(&t, ",\"error\":");
		add_error(&t);
	}
	add(&t, tails[choice >> 5]);
	add(&t, "}\n");
	return t.len;
}

size_t
rig_frame_other(uint8_t *buf)
{
	static const char *const lines[] = {
	    ("{\"type\":\"run\",\"program\":\"1\",\"tools\":[],\"limits\":"
	     "{\"frame\":1,\"value\":1,\"arguments\":1}}"),
	    "{\"type\":\"abort\",\"reason\":\"r\"}",
	    "{\"type\":\"reply\",\"id\":0,\"value\":1}", "{\"type\":\"reply\"}",
	    "{\"type\":\"log\",\"text\":\"t\"}", "{\"type\":1}", "{}", "[]",
	    "\"{}\"", "{\"type\":\"call\"", "\xef\xbb\xbf{}",
	    "{\"type\":\"done\",\"value\":1}{}", "{\"type\":\"READY\"}",
	    "null"};
	struct text t = {buf, 0};

	add(&t, ONE_OF(lines));
	add(&t, "\n");
	return t.len;
}
