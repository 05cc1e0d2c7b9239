/*
 * The origin of one value of a merge, as text: the place that it was read from, then a line for
 * each contributor: fate, place, rule, and the place of what decided.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "merge.h"
#include "test.h"

struct story {
	char data[2000];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static inline void print(
	struct story *story, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	story->len += (size_t)vsnprintf(
		story->data + story->len, sizeof(story->data) - story->len, format, arguments);
	va_end(arguments);
	assert_true(story->len < sizeof(story->data));
}

static inline void print_place(struct story *story, const struct node *node)
{
	if (node->source)
		print(story, "%s:%u:%u", node->source->name, (unsigned)node->line,
			(unsigned)node->column);
	else
		print(story, "made");
}

static inline void print_step(struct story *story, const struct origin_step *step)
{
	static const char *const fates[] = {
		[ORIGIN_LOST] = "lost", [ORIGIN_PART] = "part", [ORIGIN_REMOVED] = "removed"};

	print(story, "\n%s ", fates[step->fate]);
	print_place(story, step->value);
	print(story, " %s", step->why.rule);
	if (step->why.by) {
		print(story, " by ");
		print_place(story, step->why.by);
	}
}

static inline const struct origin_removed *find_removed(
	const struct origins *origins, const struct node *in, const char *key)
{
	const struct origin *origin = origin_of(origins, in);
	const struct origin_removed *removed = origin ? origin->removed : NULL;

	while (removed && !(node_is_scalar(removed->key) && span_is(removed->key->text, key)))
		removed = removed->next;
	return removed;
}

static inline void print_removed(struct story *story, const struct origin_removed *removed)
{
	const struct origin_step *step = NULL;

	print(story, removed ? "gone" : "nothing");
	while (removed && (step = origin_removed_next(removed, step)))
		print_step(story, step);
}

static inline void print_value(
	struct story *story, const struct origins *origins, const struct node *value)
{
	const struct origin *origin = origin_of(origins, value);
	const struct origin_step *step = NULL;

	print_place(story, value);
	while (origin && (step = origin_next(origin, step)))
		print_step(story, step);
}

/*
 * Returns the origin of the value at `path`: keys and numbers of items with "/" between them.
 * Static.
 */
static inline const char *story(const struct merge_result *result, const char *path)
{
	static struct story told;
	char words[200], *rest = NULL;
	const struct node *at = result->root;

	told = (struct story){0};
	snprintf(words, sizeof(words), "%s", path);
	for (char *word = strtok_r(words, "/", &rest); word; word = strtok_r(NULL, "/", &rest)) {
		const struct node *in = at;

		at = node_is_map(in) ? node_get(in, word) : in->seq.items[atoi(word)];
		if (!at) {
			print_removed(&told, find_removed(result->origins, in, word));
			return told.data;
		}
	}
	print_value(&told, result->origins, at);
	return told.data;
}
