/* An output: the text that a writer makes. output_finish() reports failures of earlier calls. */
#pragma once

#include "arena.h"
#include "format.h"
#include "problem.h"
#include "span.h"

struct output {
	char *data;
	size_t len;
	size_t capacity;
	size_t max;   /* bytes */
	size_t guess; /* expected size of the text, in bytes */
	int failure;  /* 0, -ENOMEM, or -E2BIG: over `max` */
};

/* The arguments of a format's write(). */
struct writer {
	struct output *output;
	struct arena *arena; /* for values that are converted before they are written */
	struct problem *problem;
	unsigned depth;              /* greatest allowed nesting of maps and lists */
	const struct format *format; /* the format that is written */
};

/** Reports a map or list that is nested too deeply. Returns PROBLEM. */
int writer_too_deep(const struct writer *writer, const struct node *node);

/* How a key's text is determined. */
enum text_key_kind {
	TEXT_KEY_AS_WRITTEN, /* the key's own text; a map or list as a key is refused */
	TEXT_KEY_OF_JSON,    /* as scalar_json() writes the key; if it can't, the key has no text */
};

/**
 * Checks keys for a format in which all keys are strings: no two keys of the map may have the same
 * text. `format` is the format's name. Returns 0, PROBLEM or -ENOMEM.
 */
int text_key_check(const struct writer *writer, const struct node *map, const char *format,
	enum text_key_kind kind);

/* Makes room for `more` bytes. Returns false if this call, or an earlier one, has failed. */
bool output_grow(struct output *output, size_t more);

void output_fini(struct output *output);

/** Gives `arena` the text, NUL-terminated. Returns 0 with *ret, PROBLEM (over `max`) or -ENOMEM. */
int output_finish(
	struct output *output, struct arena *arena, struct span *ret, struct problem *problem);

static inline void output_put(struct output *output, const char *data, size_t len)
{
	if (output->capacity - output->len < len && !output_grow(output, len))
		return;
	if (len)
		memcpy(output->data + output->len, data, len);
	output->len += len;
}

static inline void output_char(struct output *output, char c)
{
	if (output->capacity == output->len && !output_grow(output, 1))
		return;
	output->data[output->len++] = c;
}

static inline void output_string(struct output *output, const char *string)
{
	output_put(output, string, strlen(string));
}

static inline void output_spaces(struct output *output, size_t count)
{
	if (output->capacity - output->len < count && !output_grow(output, count))
		return;
	if (count)
		memset(output->data + output->len, ' ', count);
	output->len += count;
}
