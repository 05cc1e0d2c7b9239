#include "excerpt.h"

#include <string.h>

#include "scalar.h"
#include "shown.h"

#define ELLIPSIS "…"
#define ELLIPSIS_LEN (sizeof(ELLIPSIS) - 1)

struct cut {
	char *out; /* NULL: it is full */
	size_t size;
	size_t used;
	size_t fits; /* an ellipsis fits behind this many bytes */
};

static void put(struct cut *cut, const char *shown, size_t len)
{
	if (!cut->out)
		return;
	if (cut->used + len >= cut->size) {
		memcpy(cut->out + cut->fits, ELLIPSIS, ELLIPSIS_LEN);
		cut->used = cut->fits + ELLIPSIS_LEN;
		cut->out = NULL;
		return;
	}
	memcpy(cut->out + cut->used, shown, len);
	cut->used += len;
	if (cut->used + ELLIPSIS_LEN < cut->size)
		cut->fits = cut->used;
}

static void put_word(struct cut *cut, const char *word)
{
	put(cut, word, strlen(word));
}

static void put_text(struct cut *cut, struct span text, char quote)
{
	const char *p = text.data, *end = span_end(text);

	while (p < end && cut->out) {
		char shown[SHOWN_MAX + 1];

		if (quote == '"' && (*p == '\n' || *p == '"' || *p == '\\')) {
			const char escape[] = {'\\', *p == '\n' ? 'n' : *p};

			put(cut, escape, sizeof(escape));
			p++;
		} else if (quote == '\'' && *p == '\'') {
			put_word(cut, "''");
			p++;
		} else {
			put(cut, shown, shown_put(&p, end, shown));
		}
	}
}

static void put_scalar(struct cut *cut, const struct node *scalar)
{
	bool is_plain =
		scalar->style == NODE_PLAIN && !memchr(scalar->text.data, '\n', scalar->text.len);
	char quote = is_plain ? '\0' : scalar->style == NODE_SINGLE ? '\'' : '"';

	if (quote)
		put(cut, &quote, 1);
	put_text(cut, scalar->text, quote);
	if (quote)
		put(cut, &quote, 1);
}

/* Puts the tag as YAML writes it: a core tag short. */
static void put_tag(struct cut *cut, const char *tag)
{
	const char *core = scalar_core_name(tag);

	put_word(cut, core ? "!!" : "");
	put_text(cut, span_of(core ? core : tag), '\0');
}

static void put_value(struct cut *cut, const struct node *value)
{
	bool is_blank = node_is_scalar(value) && value->style == NODE_PLAIN && !value->text.len;

	if (value->tag) {
		put_tag(cut, value->tag);
		put_word(cut, is_blank ? "" : " ");
	}
	if (node_is_scalar(value)) {
		put_scalar(cut, value);
		return;
	}
	put_word(cut, node_is_map(value) ? "{" : "[");
	for (uint32_t i = 0; i < node_count(value) && cut->out; i++) {
		put_word(cut, i ? ", " : "");
		if (node_is_map(value)) {
			put_value(cut, value->map.pairs[i].key);
			put_word(cut, ": ");
		}
		put_value(cut, *node_entry(value, i));
	}
	put_word(cut, node_is_map(value) ? "}" : "]");
}

void excerpt(const struct node *value, char *out, size_t size)
{
	struct cut cut = {.out = out, .size = size};

	put_value(&cut, value);
	out[cut.used] = '\0';
}
