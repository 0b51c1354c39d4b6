/*
 * A collection of hostile streams, made by others, that may stand beside the
 * tree: each has the one outcome written here.
 */
#include "wire_stream.h"

static const struct {
	const char *number, *word, *twice;
	uint64_t calls;
} collection[] = {
    {"001", "done", "done", 1},
    {"002", "done", "done", 1},
    {"003", "stream_blank_lines", "stream_blank_lines", 0},
    {"004", "partial_frame", "bad_syntax", 0},
    {"005", "partial_frame", "bad_syntax", 1},
    {"006", "partial_frame", "bad_utf8", 0},
    {"007", "trailing_bytes", "trailing_bytes", 0},
    {"008", "trailing_bytes", "trailing_bytes", 0},
    {"009", "truncated", "truncated", 0},
    {"010", "not_object", "not_object", 0},
    {"011", "open", "open", 0},
    {"012", "bad_syntax", "bad_syntax", 0},
    {"013", "nul_byte", "nul_byte", 0},
    {"014", "bad_utf8", "bad_utf8", 0},
    {"015", "lone_surrogate", "lone_surrogate", 0},
    {"016", "bad_utf8", "bad_utf8", 0},
    {"017", "nul_byte", "nul_byte", 0},
    {"018", "control_character", "control_character", 0},
    {"019", "wrong_id", "wrong_id", 1},
    {"020", "wrong_id", "wrong_id", 2},
    {"021", "bad_id", "bad_id", 0},
    {"022", "bad_id", "bad_id", 0},
    {"023", "bad_id", "bad_id", 0},
    {"024", "bad_id", "bad_id", 0},
    {"025", "bad_syntax", "bad_syntax", 0},
    {"026", "missing_field", "missing_field", 0},
    {"027", "bad_number", "bad_number", 0},
    {"028", "duplicate_member", "duplicate_member", 0},
    {"029", "duplicate_member", "duplicate_member", 0},
    {"030", "open", "out_of_turn", 1},
    {"031", "too_deep", "too_deep", 0},
    {"032", "bad_field", "bad_field", 0},
    {"033", "open", "out_of_turn", 1},
    {"034", "open", "out_of_turn", 1},
    {"035", "open", "out_of_turn", 1},
    {"036", "unknown_type", "unknown_type", 0},
    {"037", "not_object", "not_object", 0},
    {"038", "bad_field", "bad_field", 0},
    {"039", "open", "out_of_turn", 1},
    {"040", "out_of_turn", "out_of_turn", 0},
    {"041", "done", "done", 0},
    {"042", "done", "done", 0},
    {"043", "out_of_turn", "out_of_turn", 0},
    {"044", "open", "out_of_turn", 10000},
};

/* What the collection's placeholders stand for in this protocol. */
static const struct {
	const char *token, *text;
} tokens[] = {
    {"PREAMBLE", READY},
    {"K_TYPE", "type"},
    {"K_ID", "id"},
    {"K_TOOL", "name"},
    {"K_ARGS", "arguments"},
    {"K_VALUE", "value"},
    {"CALL", "call"},
    {"RESULT", "done"},
    {"LOG", "log"},
    {"READY", "ready"},
    {"REPLY", "reply"},
    {"ERROR", "error"},
    {"INIT", "run"},
    {"SHUTDOWN", "abort"},
    {"TOOL", "echo"},
    {"OTHER_TOOL", "delete_everything"},
    {"FIRST_ID", "0"},
    {"NEXT_ID", "1"},
    {"SKIP_ID", "2"},
    {"BEFORE_FIRST_ID", "-1"},
    {"WRAP64_ID", "18446744073709551616"},
    {"WRAP32_ID", "4294967296"},
    {"K_TOOL_HEX0", "006e"},
    {"K_TOOL_REST", "ame"},
};

/*
 * A placeholder at p, each of its characters taking `wide` bytes (2 in
 * UTF-16): its text is added in the same width. Its length, or 0.
 */
static size_t
fill(struct growing *g, const uint8_t *p, size_t left, size_t wide)
{
	char name[24];
	size_t len = 0, i;
	const char *text = NULL;

	while ((len + 2) * wide <= left && len < sizeof(name) - 1 &&
	    p[(len + 1) * wide] != '}') {
		name[len] = (char)p[(len + 1) * wide];
		len++;
	}
	name[len] = '\0';
	if ((len + 2) * wide > left || p[(len + 1) * wide] != '}')
		return 0;
	if (strncmp(name, "ID+", 3) == 0)
		text = name + 3;
	for (i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
		if (strcmp(tokens[i].token, name) == 0)
			text = tokens[i].text;
	}
	if (text == NULL)
		return 0;
	for (; *text != '\0'; text++)
		grow_bytes(g, (const char[2]){*text, '\0'}, wide);
	return (len + 2) * wide;
}

static void
substitute(struct growing *g, struct wire_span from)
{
	size_t at = 0, used;

	while (at < from.len) {
		used = 0;
		if (from.p[at] == '{') {
			used = fill(g, from.p + at, from.len - at, 1);
			if (used == 0 && at + 1 < from.len &&
			    from.p[at + 1] == '\0')
				used = fill(g, from.p + at, from.len - at, 2);
		}
		if (used == 0) {
			grow_bytes(g, from.p + at, 1);
			used = 1;
		}
		at += used;
	}
}

static void
t_the_collection_beside_the_tree(void **state)
{
	char directory[1024], path[1300];
	size_t count, i, k, replayed = 0;
	char **names;

	(void)state;
	snprintf(directory, sizeof(directory), "%s/frames", shared_path());
	names = list_directory(directory, &count);
	if (names == NULL) {
		print_message(
		    "the collection is not there: own streams only\n");
		return;
	}
	for (i = 0; i < count; i++) {
		struct growing g = {NULL, 0, 0};
		struct wire_span text = {NULL, 0};

		for (k = 0; k < sizeof(collection) / sizeof(collection[0]);
		     k++) {
			if (strncmp(names[i], collection[k].number, 3) == 0)
				break;
		}
		if (k == sizeof(collection) / sizeof(collection[0])) {
			if (strstr(names[i], ".bin") != NULL)
				fail_msg("%s has no row", names[i]);
			continue;
		}
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		assert_true(read_file(path, &text));
		substitute(&g, text);
		expect(names[i], grown(&g), collection[k].word,
		    collection[k].twice, collection[k].calls);
		drop(text);
		free(g.p);
		replayed++;
	}
	free_list(names, count);
	assert_int_equal(replayed, sizeof(collection) / sizeof(collection[0]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_the_collection_beside_the_tree),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
