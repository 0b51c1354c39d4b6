#include "fuzz/make_line.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/model_json.h"

#define CHANGES_MAX 8

static const char ready[] =
    "{\"type\":\"ready\",\"protocol\":1,\"python\":\"3.11.2\",\"pid\":2,"
    "\"uid\":1000,\"gid\":1001,\"no_new_privs\":1,\"dumpable\":0,"
    "\"seccomp\":2,\"landlock\":{\"abi\":3,\"errno\":0},"
    "\"network\":{\"inet\":5,\"inet6\":97},\"fork\":11,"
    "\"descriptors\":[0,1,2,3],\"canaries\":{\"before\":[0,2],"
    "\"after\":[13,2]},\"environment\":[\"HOME=/workspace\"],"
    "\"limits\":{\"core\":[0,0],\"cpu\":[30,null],"
    "\"address_space\":[4294967296,4294967296],"
    "\"file_size\":[16777216,16777216],\"processes\":[258,258],"
    "\"open_files\":[256,256]}}";

static const char *const frames[] = {ready,
    "{\"type\":\"call\",\"id\":0,\"name\":\"read\",\"arguments\":{\"a\":[]}}",
    "{\"type\":\"done\",\"value\":[1,\"x\"],\"returned\":false,"
    "\"warnings\":[\"w\",\"v\"]}",
    "{\"type\":\"done\",\"oversize\":300000,\"returned\":true}",
    "{\"type\":\"done\",\"error\":{\"kind\":\"worker_exit\","
    "\"message\":\"m\",\"traceback\":\"t\",\"line\":3,\"status\":4},"
    "\"returned\":true,\"warnings\":[]}",
    "{\"type\":\"run\",\"program\":\"1\",\"tools\":[\"a\",\"b\"],"
    "\"limits\":{\"frame\":1114112,\"value\":262144,\"arguments\":1048576}}",
    "{\"type\":\"abort\",\"reason\":\"r\"}",
    "{\"type\":\"reply\",\"id\":0,\"value\":{\"type\":1}}",
    "{\"type\":\"reply\",\"id\":0,\"handle\":{\"token\":\"h\",\"size\":9}}",
    "{\"type\":\"reply\",\"id\":0,\"handle\":{\"token\":\"h\",\"size\":9,"
    "\"preview\":\"p\"}}",
    "{\"type\":\"reply\",\"id\":0,\"error\":{\"kind\":\"failed\","
    "\"message\":\"m\",\"hard\":true}}"};

/* What stands in place of a token. */
static const char *const pieces[] = {"0", "1", "-1", "1.0", "1e2", "null",
    "true", "false", "\"\"", "{}", "[]", "[[]]", "[{}]", "4294967295",
    "4294967296", "9007199254740991", "9007199254740992",
    "18446744073709551614", "18446744073709551615", "18446744073709551616",
    "75497472", "75497473", "[0,1]", "[1,1]", "[null,null]", "[null,\"\"]",
    "\"worker_exit\"", "\"exception\"", "\"egress_denied\"", "\"\\u0072eply\"",
    "\"\\u0000\"", "\"a\\ud83d\\ude00\"", "\n0", " 1 ", "\"value\":0,\"error\"",
    "\"handle\":0,\"value\"", "\"oversize\":0,\"value\"",
    "\"error\":0,\"handle\"", "\"z\"", "\"type\"", "\"value\"", "\"id\"",
    "[\"a\",\"a\"]", "[\"a\",\"\\u0061\"]"};

#define PIECES (sizeof(pieces) / sizeof(pieces[0]))

struct text {
	char *p;
	size_t len, max;
};

static void
put(struct text *t, const void *p, size_t len)
{
	if (len == 0)
		return;
	if (len > t->max - t->len) {
		t->max = 2 * (t->len + len);
		t->p = realloc(t->p, t->max);
		FUZZ_REQUIRE(t->p != NULL);
	}
	memcpy(t->p + t->len, p, len);
	t->len += len;
}

static void
put_text(struct text *t, const char *text)
{
	put(t, text, strlen(text));
}

/* A string of so many bytes, a list or an object of so many members. */
static void
put_many(struct text *t, unsigned kind, size_t amount)
{
	char part[64];
	size_t i;

	/* The model compares every name with every other. */
	if (kind != 0)
		amount %= 150;
	put_text(t, kind == 0 ? "\"" : kind == 3 ? "{" : "[");
	for (i = 0; i < amount; i++) {
		const char *comma = i == 0 ? "" : ",";

		if (kind == 0)
			(void)snprintf(part, sizeof(part), "x");
		else if (kind == 1)
			(void)snprintf(part, sizeof(part), "%s%zu", comma, i);
		else if (kind == 2)
			(void)snprintf(
			    part, sizeof(part), "%s\"%zu\"", comma, i);
		else
			(void)snprintf(
			    part, sizeof(part), "%s\"%zu\":%zu", comma, i, i);
		put_text(t, part);
	}
	put_text(t, kind == 0 ? "\"" : kind == 3 ? "}" : "]");
}

static void
put_piece(struct text *t, uint8_t how, size_t amount)
{
	size_t kind = how % (PIECES + 4);

	if (kind < PIECES)
		put_text(t, pieces[kind]);
	else
		put_many(t, (unsigned)(kind - PIECES), amount);
}

/* The line with one token exchanged: a name, or a value with all of it. */
static struct text
change(struct text line, struct wire_span *in)
{
	struct wire_span span = {(const uint8_t *)line.p, line.len};
	struct text out = {NULL, 0, 0};
	size_t which = fuzz_byte(in), amount, end;
	const struct model_token *token;
	struct model_json model;
	uint8_t how = fuzz_byte(in);

	/* Up to the longest string that has a limit, and some more. */
	amount = fuzz_uint(in, 2) % 33000;
	model_json(span, WIRE_MAX_DEPTH, false, 0, &model);
	if (model.err == WIRE_OK) {
		token = &model.tokens[which % model.count];
		end = token->whole_begin + token->whole_len;
		put(&out, line.p, token->whole_begin);
		put_piece(&out, how, amount);
		put(&out, line.p + end, line.len - end);
	} else {
		put(&out, line.p, line.len);
	}
	model_json_release(&model);
	free(line.p);
	return out;
}

struct wire_span
make_line(struct wire_span *in)
{
	const char *frame =
	    frames[fuzz_byte(in) % (sizeof(frames) / sizeof(frames[0]))];
	struct text line = {NULL, 0, 0};
	struct wire_span made;
	uint8_t *exact;
	size_t i;

	put_text(&line, frame);
	for (i = 0; i < CHANGES_MAX && in->len >= 2; i++)
		line = change(line, in);
	/* In a block of its size, so that a read past its end shows. */
	exact = malloc(line.len);
	FUZZ_REQUIRE(exact != NULL || line.len == 0);
	memcpy(exact, line.p, line.len);
	made = (struct wire_span){exact, line.len};
	free(line.p);
	return made;
}
