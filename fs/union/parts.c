#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "dropin.h"
#include "path.h"

void parts_fini(struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		free((char *)(uintptr_t)parts->items[i].contributor.path);
	free(parts->items);
	for (size_t i = 0; i < parts->left_out_count; i++)
		free((char *)(uintptr_t)parts->left_out[i].path);
	free(parts->left_out);
	union_lookup_freep(&parts->scratch);
}

int parts_add(struct parts *parts, const struct contributor *found, const char *path)
{
	/* A source that two patterns match is taken once, with the first pattern. */
	for (size_t i = parts->first; i < parts->count; i++)
		if (parts->items[i].contributor.layer == found->layer &&
			strcmp(parts->items[i].contributor.path, path) == 0)
			return 0;
	char *copy = strdup(path);
	struct part part = {*found, parts->number};
	part.contributor.path = copy;
	int r = copy ? array_push(parts->items, parts->count, parts->capacity, part) : -ENOMEM;
	if (r < 0)
		free(copy);
	return r;
}

static int leave_out(
	struct parts *parts, const struct contributor *found, const char *path, const char *why)
{
	char *copy = strdup(path);
	const struct contributor left_out = {
		.layer = found->layer, .stat = found->stat, .path = copy, .why = why};
	int r = copy ? array_push(parts->left_out, parts->left_out_count, parts->left_out_capacity,
			       left_out)
		     : -ENOMEM;

	if (r < 0)
		free(copy);
	return r;
}

int parts_take(
	struct parts *parts, const struct union_lookup *lookup, const char *path, const char *why)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && lookup->kind == UNION_FILE && i < lookup->count; i++)
		r = why ? leave_out(parts, &lookup->found[i], path, why)
			: parts_add(parts, &lookup->found[i], path);
	return r;
}

int parts_add_link(struct parts *parts, layer_mask layers, unsigned layer, const char *path)
{
	struct contributor part = {.layer = layer, .why = DROPIN_LINK_MASKS};
	int r = parts_add(parts, &part, path);

	for (part.why = NULL; r == 0 && part.layer-- > 0;)
		if (layers >> part.layer & 1 &&
			layer_stat(parts->settings->layers[part.layer], path, &part.stat) == 0 &&
			S_ISREG(part.stat.st_mode))
			r = parts_add(parts, &part, path);
	return r;
}

/* Orders by precedence, highest first: a layer's last pattern and name stand above its first. */
static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a;
	const struct part *y = b;

	if (x->contributor.layer != y->contributor.layer)
		return x->contributor.layer < y->contributor.layer ? 1 : -1;
	if (x->number != y->number)
		return x->number < y->number ? 1 : -1;
	return strcmp(y->contributor.path, x->contributor.path);
}

static const char *name_of(const struct part *part)
{
	return path_name(part->contributor.path);
}

/* The same for `dropins: uapi`: names decide before layers. */
static int compare_by_name(const void *a, const void *b)
{
	const struct part *x = a;
	const struct part *y = b;
	int order = strcmp(name_of(y), name_of(x));

	if (x->number != y->number)
		return x->number < y->number ? 1 : -1;
	return order != 0 ? order : compare_parts(a, b);
}

int parts_mask(struct parts *parts, const char *replaced)
{
	size_t kept = parts->first;
	const char *rule = NULL;
	struct part last = {0};
	int r = 0;

	if (parts->count > kept)
		qsort(parts->items + kept, parts->count - kept, sizeof(*parts->items),
			compare_by_name);
	for (size_t i = kept; i < parts->count; i++) {
		const struct part part = parts->items[i];
		struct contributor found = part.contributor;
		bool is_empty = !found.error && found.stat.st_size == 0;
		bool is_first = i == parts->first || last.number != part.number ||
				strcmp(name_of(&last), name_of(&part)) != 0;

		if (is_first)
			rule = found.why  ? DROPIN_LINK_MASKED
			       : is_empty ? "masked by an empty file (dropins: uapi)"
					  : replaced;
		if (is_first && is_empty && !found.why)
			found.why = "an empty file masks (dropins: uapi)";
		else if (!is_first)
			found.why = rule;
		last = part;
		if (found.why && r == 0)
			r = array_push(parts->left_out, parts->left_out_count,
				parts->left_out_capacity, found);
		/* Without memory, the rest stays where it is freed. */
		if (!found.why || r < 0)
			parts->items[kept++] = part;
	}
	parts->count = kept;
	return r;
}

int parts_hand_over(struct parts *parts, bool by_name, struct union_lookup *ret)
{
	struct contributor *found = calloc(parts->count + parts->left_out_count, sizeof(*found));
	if (!found)
		return -ENOMEM;

	qsort(parts->items, parts->count, sizeof(*parts->items),
		by_name ? compare_by_name : compare_parts);
	union_lookup_reset(ret);
	ret->kind = UNION_FILE;
	for (size_t i = 0; i < parts->count; i++) {
		found[i] = parts->items[i].contributor;
		ret->layers |= (layer_mask)1 << found[i].layer;
	}
	ret->found = ret->expanded = found;
	ret->count = (unsigned)parts->count;
	if (parts->left_out_count)
		memcpy(found + parts->count, parts->left_out,
			parts->left_out_count * sizeof(*found));
	ret->left_out_count = (unsigned)parts->left_out_count;
	parts->count = parts->left_out_count = 0;
	return 0;
}
