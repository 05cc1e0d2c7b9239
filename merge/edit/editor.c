#include "editor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

int edit_splice(struct edit *edit, struct range range, struct span text)
{
	return arena_push(edit->arena, edit->splices, edit->count, edit->capacity,
		(struct splice){range.begin, range.end - range.begin, text});
}

int edit_problem(const struct edit *edit, size_t offset, const char *format, ...)
{
	char message[PROBLEM_MESSAGE_MAX];
	unsigned line = 1, column = 1;
	va_list arguments;

	for (size_t i = 0; i < offset && i < edit->text.len; i++) {
		char c = edit->text.data[i];

		if (c == '\n') {
			line++;
			column = 1;
		} else if (!utf8_is_tail((unsigned char)c)) {
			column++;
		}
	}
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return problem_set(edit->problem, edit->document->source.name, line, column, "%s", message);
}

/* Returns how many steps the entry's keys match; 0: the entry is not on the path. */
static size_t steps_of(
	const struct extent *entry, uint32_t i, const struct edit_step *steps, size_t count)
{
	if (!entry->keys)
		return count && !steps->key && steps->index == i;
	if (entry->key_count > count || entry->is_merge_key)
		return 0;
	for (uint32_t k = 0; k < entry->key_count; k++)
		if (!steps[k].key || !node_equal(entry->keys[k], steps[k].key))
			return 0;
	return entry->key_count;
}

/*
 * In a format with sections, a part of the path may be written in several places: a table and
 * another header with its name. In other formats, only the last of several equal keys counts.
 */
static const struct extent *follow(const struct edit *edit, const struct extent *in,
	const struct edit_step *steps, size_t count)
{
	const struct extent *found = NULL;
	uint32_t i = 0;

	if (!count)
		return in;
	if (in->is_alias)
		return NULL;
	for (const struct extent *entry = in->first; entry; entry = entry->next, i++) {
		size_t gone = steps_of(entry, i, steps, count);
		const struct extent *there =
			gone ? follow(edit, entry, steps + gone, count - gone) : NULL;

		if (there || (gone && !edit->options->format->has_sections))
			found = there;
	}
	return found;
}

const struct extent *edit_follow(const struct edit *edit, const struct edit_op *op, size_t count)
{
	const struct document *document = edit->document;

	if (!document->extents || op->document >= document->count)
		return NULL;
	return follow(edit, document->extents[op->document], op->steps, count);
}

struct span edit_line_end(const struct edit *edit)
{
	return span_of(edit->document->has_crlf ? "\r\n" : "\n");
}

size_t edit_text_begin(const struct edit *edit)
{
	return span_begins(edit->text, "\xEF\xBB\xBF") ? 3 : 0;
}

size_t edit_line_begin(const struct edit *edit, size_t offset)
{
	while (offset > 0 && edit->text.data[offset - 1] != '\n')
		offset--;
	return offset ? offset : edit_text_begin(edit);
}

size_t edit_line_after(const struct edit *edit, size_t offset)
{
	const char *p = edit->text.data + offset;
	const char *end = memchr(p, '\n', edit->text.len - offset);

	return end ? (size_t)(end + 1 - edit->text.data) : edit->text.len;
}

int edit_sample(
	struct edit *edit, const struct node *tree, struct span *text, struct document **ret)
{
	struct read_options options = *edit->options;

	if (!tree)
		return -ENOMEM;
	options.wants_extents = true;
	options.warn = NULL;
	int r = document_write(
		tree, options.format, &options.limits, edit->arena, text, edit->problem);
	return r ? r : document_read(&edit->document->source, *text, &options, ret, edit->problem);
}

/* The ops for the entries of a map or list. */
struct split {
	int (*apply)(const void *context, const struct edit_op *op);
	const void *context;
	struct edit_op op;
	struct edit_step *last; /* its last step */
};

static int split_one(
	struct split *split, enum edit_kind kind, struct edit_step step, const struct node *value)
{
	*split->last = step;
	split->op.kind = kind;
	split->op.value = value;
	return split->apply(split->context, &split->op);
}

static int split_map(struct split *split, const struct node *old, const struct node *new)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < old->map.count; i++) {
		const struct node *key = old->map.pairs[i].key;

		if (!node_find(new, key))
			r = split_one(split, EDIT_REMOVE, (struct edit_step){key, 0}, NULL);
	}
	for (uint32_t i = 0; r == 0 && i < new->map.count; i++) {
		const struct pair *pair = &new->map.pairs[i], *found = node_find(old, pair->key);

		if (!found || !edit_same(found->value, pair->value, false))
			r = split_one(
				split, EDIT_SET, (struct edit_step){pair->key, 0}, pair->value);
	}
	return r;
}

/* Items that have no old counterpart are inserted by one op: each op searches the whole text. */
static int split_list(
	struct split *split, struct arena *arena, const struct node *old, const struct node *new)
{
	const struct edit_stretch stretch = edit_find_stretch(old, new);
	struct node *rest = node_new_sequence(arena, NULL);
	uint32_t i = stretch.first;
	int r = rest ? 0 : -ENOMEM;

	for (; r == 0 && i < stretch.old_end; i++)
		r = i < stretch.new_end
			    ? split_one(split, EDIT_SET, (struct edit_step){NULL, i},
				      new->seq.items[i])
			    : split_one(split, EDIT_REMOVE, (struct edit_step){NULL, i}, NULL);
	for (; r == 0 && i < stretch.new_end; i++)
		r = node_push(arena, rest, new->seq.items[i]);
	return r == 0 && rest->seq.count ? split_one(split, EDIT_INSERT,
						   (struct edit_step){NULL, stretch.old_end}, rest)
					 : r;
}

int edit_split(const struct edit *edit, const struct edit_op *op, const struct node *old,
	int (*apply)(const void *context, const struct edit_op *op), const void *context)
{
	struct edit_step *steps = arena_zalloc(edit->arena, op->count + 1, sizeof(*steps));
	struct split split = {apply, context, *op, NULL};

	if (!steps)
		return -ENOMEM;
	if (op->count)
		memcpy(steps, op->steps, op->count * sizeof(*steps));
	split.last = &steps[op->count];
	split.op.steps = steps;
	split.op.count++;
	return node_is_map(old) ? split_map(&split, old, op->value)
				: split_list(&split, edit->arena, old, op->value);
}
