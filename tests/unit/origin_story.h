/*
 * The origin of one value of a merge, as text. The first line is the place that the value was read
 * from, or "made". Then comes a line for each contributor, "FATE PLACE RULE", with "(PLACE)" behind
 * it for what decided, if there is such a place. The last lines are the keys that a map no longer
 * has, each as "-KEY" with its contributors.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "merge.h"
#include "test.h"

static inline void show_place(FILE *out, const struct node *node)
{
	if (node->source)
		fprintf(out, "%s:%u:%u", node->source->name, (unsigned)node->line,
			(unsigned)node->column);
	else
		fprintf(out, "made");
}

static inline void show_step(FILE *out, const struct origin_step *step)
{
	static const char *const fates[] = {
		[ORIGIN_LOST] = "LOST", [ORIGIN_PART] = "PART", [ORIGIN_REMOVED] = "REMOVED"};

	fprintf(out, "\n%s ", fates[step->fate]);
	show_place(out, step->value);
	fprintf(out, " %s", step->why.rule);
	if (step->why.by) {
		fprintf(out, " (");
		show_place(out, step->why.by);
		fprintf(out, ")");
	}
}

static inline void show_value(
	FILE *out, const struct origins *origins, const struct node *value, const char *gone)
{
	const struct origin *origin = origin_of(origins, value);
	const struct origin_step *step = NULL;

	if (!gone)
		show_place(out, value);
	while (!gone && origin && (step = origin_next(origin, step)))
		show_step(out, step);
	for (const struct origin_removed *removed = origin ? origin->removed : NULL; removed;
		removed = removed->next) {
		if (gone && !span_is(removed->key->text, gone))
			continue;
		fprintf(out, gone ? "-%s" : "\n-%s", removed->key->text.data);
		while ((step = origin_removed_next(removed, step)))
			show_step(out, step);
	}
}

static inline const struct node *step_to(const struct node *node, const char *name)
{
	if (node_is_sequence(node))
		return node->seq.items[strtoul(name, NULL, 10)];
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++)
		if (span_is(node->map.pairs[i].key->text, name))
			return node->map.pairs[i].value;
	return NULL;
}

/*
 * Returns the origin of the value at `path`: keys and numbers of items with "/" between them. If a
 * map no longer has the last key, that is "-KEY" with its contributors.
 */
static inline char *story(const struct merge_result *result, const char *path)
{
	const struct node *at = result->root, *in = NULL;
	char words[64], *word, *rest = NULL, *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	snprintf(words, sizeof(words), "%s", path);
	for (word = strtok_r(words, "/", &rest); at && word; word = strtok_r(NULL, "/", &rest)) {
		in = at;
		at = step_to(in, word);
		if (!at)
			show_value(out, result->origins, in, word);
	}
	if (at)
		show_value(out, result->origins, at, NULL);
	assert_int_equal(fclose(out), 0);
	return text;
}
