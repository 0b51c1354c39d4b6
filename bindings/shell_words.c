#include "bindings/shell_words.h"

struct splitter {
	struct wire_span text;
	size_t at;
	char *buf;
	size_t max;
	size_t len;
};

static bool
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static enum wire_err
put(struct splitter *s, uint8_t c)
{
	if (s->len >= s->max)
		return WIRE_ERR_NO_SPACE;
	s->buf[s->len++] = (char)c;
	return WIRE_OK;
}

/* After an opening quote: up to the closing one. */
static enum wire_err
single_quoted(struct splitter *s, size_t opened, struct wire_errinfo *info)
{
	while (s->at < s->text.len) {
		uint8_t c = s->text.p[s->at++];

		if (c == '\'')
			return WIRE_OK;
		if (put(s, c) != WIRE_OK)
			return wire_fail(
			    info, WIRE_ERR_NO_SPACE, "quoting", s->at);
	}
	return wire_fail(info, WIRE_ERR_BAD_SYNTAX, "quoting", opened);
}

static enum wire_err
double_quoted(struct splitter *s, size_t opened, struct wire_errinfo *info)
{
	while (s->at < s->text.len) {
		uint8_t c = s->text.p[s->at++];

		if (c == '"')
			return WIRE_OK;
		if (c == '\\' && s->at < s->text.len) {
			uint8_t next = s->text.p[s->at];

			if (next == '\n') {
				s->at++;
				continue;
			}
			if (next == '$' || next == '`' || next == '"' ||
			    next == '\\') {
				c = next;
				s->at++;
			}
		}
		if (put(s, c) != WIRE_OK)
			return wire_fail(
			    info, WIRE_ERR_NO_SPACE, "quoting", s->at);
	}
	return wire_fail(info, WIRE_ERR_BAD_SYNTAX, "quoting", opened);
}

/* One word, its NUL included; the text stands at its first byte. *ret_some is
 * false when there was only a vanished line end. */
static enum wire_err
word(struct splitter *s, bool *ret_some, struct wire_errinfo *info)
{
	enum wire_err err = WIRE_OK;
	bool some = false;

	while (s->at < s->text.len && !is_blank(s->text.p[s->at])) {
		size_t began = s->at;
		uint8_t c = s->text.p[s->at++];

		if (c == '\'') {
			err = single_quoted(s, began, info);
		} else if (c == '"') {
			err = double_quoted(s, began, info);
		} else if (c == '\\') {
			if (s->at == s->text.len)
				return wire_fail(info, WIRE_ERR_BAD_SYNTAX,
				    "quoting", began);
			c = s->text.p[s->at++];
			if (c == '\n')
				continue;
			err = put(s, c);
		} else {
			err = put(s, c);
		}
		if (err != WIRE_OK)
			goto out;
		some = true;
	}
	if (some)
		err = put(s, '\0');
	*ret_some = some;
out:
	if (err == WIRE_ERR_NO_SPACE)
		return wire_fail(info, err, "quoting", s->at);
	return err;
}

enum wire_err
bind_shell_split(struct wire_span text, char *buf, size_t buf_max, char **words,
    size_t words_max, size_t *ret_count, struct wire_errinfo *info)
{
	struct splitter s = {.text = text, .buf = buf, .max = buf_max};
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] == 0)
			return wire_fail(info, WIRE_ERR_NUL_BYTE, "quoting", i);
	}
	for (;;) {
		size_t began = s.len;
		bool some;
		enum wire_err err;

		while (s.at < text.len && is_blank(text.p[s.at]))
			s.at++;
		if (s.at == text.len)
			break;
		err = word(&s, &some, info);
		if (err != WIRE_OK)
			return err;
		if (!some)
			continue;
		if (count + 1 >= words_max)
			return wire_fail(
			    info, WIRE_ERR_NO_SPACE, "quoting", s.at);
		words[count++] = buf + began;
	}
	if (words_max == 0)
		return wire_fail(info, WIRE_ERR_NO_SPACE, "quoting", 0);
	words[count] = NULL;
	*ret_count = count;
	return WIRE_OK;
}
