/*
 * Edits of the pairs of a section, or of the root, and of the sections themselves. A key may have
 * several pairs, one for each of its values. The pairs before the first value that changes, and
 * those after the last one, keep every byte.
 */
#include "cleanup.h"
#include "edit_tree.h"
#include "format/builder.h"
#include "format/line.h"
#include "line_new.h"

/*
 * Replaces a range by a text. Comment lines between its continued lines stay.
 */
static int replace(const struct line_editor *editor, struct range range, struct span text)
{
	enum line_more more = editor->lines.dialect->more;
	size_t end = text_lines_end(&editor->lines, range.begin), next;

	if (end >= range.end || (more != LINE_MORE_INDENTED && more != LINE_MORE_UNIT))
		return edit_splice(editor->edit, range, text);
	int r = edit_splice(editor->edit, (struct range){range.begin, end}, text);
	while (r == 0 && (next = text_lines_after(&editor->lines, end)) < range.end) {
		size_t next_end = text_lines_end(&editor->lines, next);

		if (!text_lines_is_comment(&editor->lines, next))
			r = text_lines_take_out(&editor->lines, end, next_end);
		end = next_end;
	}
	return r;
}

static const struct extent *section_of(const struct line_editor *editor, const struct extent *pair)
{
	const struct extent *ret = editor->root;

	for (const struct extent *at = ret->first; at; at = at->next)
		if (line_place_is_section(at) && at->member.begin < pair->member.begin &&
			pair->member.begin <= at->member.end)
			ret = at;
	return ret;
}

static int remove_lines(const struct line_editor *editor, const struct extent *pair, size_t own)
{
	return text_lines_take(&editor->lines, own, text_lines_behind(&editor->lines, pair));
}

static int remove_pair(const struct line_editor *editor, const struct extent *pair)
{
	const struct extent *in = section_of(editor, pair);

	return remove_lines(
		editor, pair, text_lines_own(&editor->lines, in, pair, in == editor->root));
}

static int replace_value(const struct line_editor *editor, const struct extent *old,
	const struct line_sample *sample, const struct extent *pair)
{
	struct span value = line_place_text(sample->text, pair->value.begin, pair->value.end);
	struct line_separator own = line_separator_of(sample->text, pair);
	struct line_separator there = line_separator_of(editor->edit->text, old);
	struct output output = {.max = SIZE_MAX};
	struct range range = old->value;
	struct line_manner manner = {0};
	struct span text = line_place_text(editor->edit->text, range.begin, range.end);
	bool stays = value.len && text.len && line_begins_below(value) == line_begins_below(text);

	line_manner_set(editor, old, &manner);
	if (!own.c || !stays || there.c != '=')
		range.begin = old->key.end;
	if (own.c && range.begin == old->key.end) {
		struct line_separator separator = there.c ? there : own;

		line_separator_check(editor, (struct span){"", 0}, value, &separator);
		if (separator.c == there.c && stays)
			range.begin = old->value.begin;
		else
			line_separator_put(&output, separator, value);
	}
	if (own.c)
		line_new_put_value(editor, &output, value, &manner);
	int r = text_lines_finish(&editor->lines, &output, &text);
	return r == 0 ? replace(editor, range, text) : r;
}

/* Returns where the first section begins, with the comments directly above it. */
static size_t top_of(const struct line_editor *editor)
{
	const struct extent *first = editor->root ? editor->root->first : NULL;

	return first ? text_lines_above(&editor->lines, first, 0) : editor->edit->text.len;
}

/* Returns where new pairs go. *is_top: the root has no pair, and they go above all sections. */
static size_t find_end(
	const struct line_editor *editor, const struct line_section *section, bool *is_top)
{
	const struct extent *part = NULL, *next, *last = NULL;

	while ((next = line_place_next_part(editor, section, part)))
		part = next;
	for (const struct extent *at = part ? part->first : NULL; at; at = at->next)
		if (!line_place_is_section(at))
			last = at;
	*is_top = !last && !section->name;
	if (*is_top)
		return top_of(editor);
	return text_lines_after(&editor->lines, last ? last->member.end : part->key.end);
}

static int put_pairs(const struct line_editor *editor, const struct line_manner *manner,
	const struct line_sample *sample, struct span *ret)
{
	struct output output = {.max = SIZE_MAX};

	for (uint32_t i = 0; i < sample->pairs.count; i++)
		line_new_put_pair(editor, &output, sample, sample->pairs.items[i], manner);
	return text_lines_finish(&editor->lines, &output, ret);
}

/* Indents a new key at least as deep as the following line: a deeper line would continue its
 * value. */
static void go_in(const struct line_editor *editor, size_t offset, struct line_manner *manner)
{
	const struct ini_dialect *ini = line_editor_ini(editor);
	const struct text_lines *lines = &editor->lines;
	size_t end = offset;

	if (!ini || ini->value.goes_on != INI_INDENT)
		return;
	while (offset < editor->edit->text.len &&
		(text_lines_is_blank(lines, offset) || text_lines_is_comment(lines, offset)))
		offset = text_lines_after(lines, offset);
	for (end = offset;
		end < editor->edit->text.len && line_is_blank(editor->edit->text.data[end]);)
		end++;
	if (end - offset > manner->prefix.len)
		manner->prefix = line_place_text(editor->edit->text, offset, end);
}

static int add_pairs(const struct line_editor *editor, const struct line_section *section,
	const struct line_sample *sample)
{
	struct line_manner manner = line_manner_of(editor, section);
	struct edit *edit = editor->edit;
	struct span lines;
	bool is_top;
	size_t offset = find_end(editor, section, &is_top);

	go_in(editor, offset, &manner);
	int r = put_pairs(editor, &manner, sample, &lines);
	if (r == 0)
		r = is_top ? text_lines_insert_apart(&editor->lines, offset, lines)
			   : text_lines_insert(&editor->lines, offset, lines);
	/* A blank line separates the first pair from the sections. */
	if (r == 0 && is_top && offset < edit->text.len &&
		!text_lines_is_blank(&editor->lines, offset))
		r = edit_splice(edit, (struct range){offset, offset}, edit_line_end(edit));
	return r;
}

/* Returns where a pair before another is inserted: above the comments of that one, unless they
 * begin the text. */
static size_t before_pair(const struct line_editor *editor, const struct extent *pair)
{
	const struct extent *in = section_of(editor, pair);
	size_t own = text_lines_own(&editor->lines, in, pair, in == editor->root);

	return own > text_lines_begin(&editor->lines, 0) ? own
							 : text_lines_at(&editor->lines, pair);
}

/* Inserts the pairs behind another, or, if that is NULL, before another. */
static int insert_pairs(const struct line_editor *editor, const struct line_section *section,
	const struct line_sample *sample, const struct extent *behind, const struct extent *before)
{
	struct line_manner manner = line_manner_of(editor, section);
	struct span lines;
	int r = put_pairs(editor, &manner, sample, &lines);

	if (r != 0)
		return r;
	return behind ? text_lines_insert(
				&editor->lines, text_lines_behind(&editor->lines, behind), lines)
		      : text_lines_insert_apart(&editor->lines, before_pair(editor, before), lines);
}

/* Changes the key's pairs to those of the sample. Equal pairs at both ends stay untouched. */
static int change_pairs(const struct line_editor *editor, const struct line_section *section,
	struct line_places there, struct line_sample *sample)
{
	struct line_places *wanted = &sample->pairs;
	const struct extent *behind = NULL, *before = NULL;
	int r = 0;

	while (there.count && wanted->count &&
		edit_same((*there.items)->node, (*wanted->items)->node, false)) {
		behind = *there.items++;
		there.count--;
		wanted->items++;
		wanted->count--;
	}
	while (there.count && wanted->count &&
		edit_same(there.items[there.count - 1]->node,
			wanted->items[wanted->count - 1]->node, false)) {
		before = there.items[--there.count];
		wanted->count--;
	}
	for (; r == 0 && there.count && wanted->count; there.count--, wanted->count--) {
		behind = *there.items++;
		r = replace_value(editor, behind, sample, *wanted->items++);
	}
	/* The key stays, and so do the comments above it. */
	for (; r == 0 && there.count; there.count--, there.items++)
		r = remove_lines(editor, *there.items, text_lines_at(&editor->lines, *there.items));
	if (r != 0 || !wanted->count)
		return r;
	return insert_pairs(editor, section, sample, behind, before);
}

static bool is_reset(const struct extent *pair)
{
	return !pair->node->text.len;
}

/* Returns whether the key is a list of INI: all of its pairs count, and none resets the earlier
 * ones. */
static bool is_ini_list(const struct line_editor *editor, const struct node *key)
{
	const struct ini_dialect *ini = line_editor_ini(editor);

	return ini && ini_is_list(ini, key->text);
}

/* Returns those of a key's pairs that count: an empty one resets the earlier ones. */
static struct line_places effective(
	const struct line_editor *editor, const struct node *key, struct line_places pairs)
{
	bool repeats = !line_editor_ini(editor) && editor->edit->options->format->repeats;
	uint32_t first = 0;

	if (is_ini_list(editor, key))
		return pairs;
	if (!repeats)
		first = pairs.count ? pairs.count - 1 : 0;
	else
		for (uint32_t i = 0; i < pairs.count; i++)
			if (is_reset(pairs.items[i]))
				first = i;
	return (struct line_places){pairs.items + first, pairs.count - first, pairs.count - first};
}

/*
 * Replaces all pairs of the key by those that the format writes for `value`, or adds pairs if the
 * key has none. There are two exceptions:
 *
 *   - In a format, or INI dialect, where only the key's last pair counts, the others stay.
 *   - In a unit of systemd, an empty value drops the values before it. If the new values begin with
 *     an empty one, the old pairs before the last empty old pair stay.
 */
static int set_pairs(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, const struct node *value)
{
	CLEANUP(line_sample_fini) struct line_sample sample = {0};
	struct line_places there;

	int r = line_place_find_pairs(editor, section, key, &there);
	if (r == 0)
		r = line_sample_pair(editor, section, key, value, &sample);
	if (r != 0)
		return r;
	if (!sample.pairs.count)
		return EDIT_CANNOT;
	if (!there.count)
		return add_pairs(editor, section, &sample);
	/* If the new values begin with a reset, or only the last pair counts, the pairs before that
	 * have no effect and stay untouched. */
	if (line_editor_ini(editor) || !editor->edit->options->format->repeats ||
		is_reset(*sample.pairs.items))
		there = effective(editor, key, there);
	return change_pairs(editor, section, there, &sample);
}

static int remove_pairs(const struct line_editor *editor, const struct line_section *section,
	const struct node *key)
{
	struct line_places there;

	int r = line_place_find_pairs(editor, section, key, &there);
	for (uint32_t i = 0; r == 0 && i < there.count; i++)
		r = remove_pair(editor, there.items[i]);
	return r;
}

/* Edits one of a key's assignments, in systemd's sense. */
static int edit_assignment(const struct line_editor *editor, const struct line_section *section,
	const struct edit_step *steps, const struct edit_op *op)
{
	CLEANUP(line_sample_fini) struct line_sample sample = {0};
	struct line_places there;
	uint32_t i = steps[1].index;

	int r = line_place_find_pairs(editor, section, steps->key, &there);
	if (r != 0)
		return r;
	there = effective(editor, steps->key, there);
	if (!there.count || i > there.count || (i == there.count && op->kind != EDIT_INSERT))
		return EDIT_CANNOT;
	if (op->kind == EDIT_REMOVE)
		return remove_pair(editor, there.items[i]);
	r = line_sample_pair(editor, section, steps->key, op->value, &sample);
	if (r != 0)
		return r;
	if (sample.pairs.count != 1)
		return EDIT_CANNOT;
	if (op->kind == EDIT_SET)
		return replace_value(editor, there.items[i], &sample, *sample.pairs.items);
	return insert_pairs(editor, section, &sample, i == there.count ? there.items[i - 1] : NULL,
		there.items[i % there.count]);
}

/*
 * Applies the op, whose first `done` steps lead to the section. The next step is a key, which means
 * all its pairs. An index after the key means one pair; it counts only pairs that have an effect.
 */
static int edit_pair(const struct line_editor *editor, const struct line_section *section,
	size_t done, const struct edit_op *op)
{
	const struct edit_step *steps = op->steps + done;

	if (!steps->key)
		return EDIT_CANNOT;
	if (op->count == done + 2 && !steps[1].key)
		return edit_assignment(editor, section, steps, op);
	if (op->count != done + 1)
		return EDIT_CANNOT;
	return op->kind == EDIT_REMOVE ? remove_pairs(editor, section, steps->key)
				       : set_pairs(editor, section, steps->key, op->value);
}

static int remove_section(const struct line_editor *editor, const struct extent *section)
{
	size_t begin = text_lines_own(&editor->lines, editor->root, section, true);

	return text_lines_take(&editor->lines, begin, text_lines_behind(&editor->lines, section));
}

/* Returns whether sections have no blank line before them. */
static bool is_dense(const struct line_editor *editor)
{
	const struct extent *last = NULL;

	for (const struct extent *at = editor->root ? editor->root->first : NULL; at; at = at->next)
		if (line_place_is_section(at) && at != editor->root->first)
			last = at;
	if (!last)
		return false;
	size_t begin = text_lines_above(&editor->lines, last, 0);
	return !text_lines_is_blank(&editor->lines, text_lines_begin(&editor->lines, begin - 1));
}

static int put_sections(
	const struct line_editor *editor, const struct line_sample *sample, struct span *ret)
{
	struct output output = {.max = SIZE_MAX};
	struct span end = edit_line_end(editor->edit);
	const struct extent *root = sample->document->extents[0];
	bool is_tight = is_dense(editor);

	for (const struct extent *at = root->first; at; at = at->next) {
		const struct line_section section = {.name = at->keys[0]};
		struct line_manner manner = line_manner_of(editor, &section);
		struct span header =
			line_place_text(sample->text, at->member.begin, at->key.end + 1);

		if (at != root->first && !is_tight)
			output_put(&output, end.data, end.len);
		output_put(&output, header.data, header.len);
		output_put(&output, end.data, end.len);
		for (const struct extent *pair = at->first; pair; pair = pair->next)
			line_new_put_pair(editor, &output, sample, pair, &manner);
	}
	return text_lines_finish(&editor->lines, &output, ret);
}

/* Finds the end of the sections with that name. If there are none, it is the end of the text, or
 * the place above MySQL's `!includedir`, which must stand behind all sections. */
static size_t end_of_sections(const struct line_editor *editor, const struct node *name)
{
	const struct line_section section = {.name = name};
	const struct extent *last = NULL, *next;

	while ((next = line_place_next_part(editor, &section, last)))
		last = next;
	if (last)
		return text_lines_behind(&editor->lines, last);
	for (const struct extent *at = editor->root ? editor->root->first : NULL; at; at = at->next)
		if (line_place_is_include(at))
			return text_lines_above(&editor->lines, at, 0);
	return editor->edit->text.len;
}

/*
 * Inserts the sections that the format writes for `value` before the section `before`. If `before`
 * is NULL, they go after all sections named `name`, or, if there are none, to the end of the text.
 */
static int line_section_add(const struct line_editor *editor, const struct node *name,
	const struct node *value, const struct extent *before)
{
	CLEANUP(line_sample_fini) struct line_sample sample = {0};
	const struct node *tree =
		edit_tree_wrap(&(struct edit_step){.key = name}, 1, value, editor->edit->arena);
	struct span text;

	int r = edit_sample(editor->edit, tree, &sample.text, &sample.document);
	if (r != 0)
		return r;
	if (!sample.document->count)
		return EDIT_CANNOT;
	size_t offset = before ? text_lines_above(&editor->lines, before, 0)
			       : end_of_sections(editor, name);
	r = put_sections(editor, &sample, &text);
	return r ? r : text_lines_insert_sections(&editor->lines, offset, text, is_dense(editor));
}

static int line_section_remove(const struct line_editor *editor, const struct node *name)
{
	const struct line_section section = {.name = name};
	const struct extent *at = NULL;
	int r = 0;

	while (r == 0 && (at = line_place_next_part(editor, &section, at)))
		r = remove_section(editor, at);
	return r;
}

static int apply(const void *context, const struct edit_op *op);

/*
 * Applies the op to an item of `list`, or to a value in that item. The op's first two steps lead to
 * the item.
 */
static int line_section_edit_item(
	const struct line_editor *editor, const struct node *list, const struct edit_op *op)
{
	const struct node *name = op->steps->key;
	uint32_t i = op->steps[1].index;
	struct line_section section = {.name = name};
	uint32_t count = line_place_find_item(editor, name, i, &section.only);

	if (op->steps[1].key || count != list->seq.count || i > count)
		return EDIT_CANNOT;
	if (op->count == 2 && op->kind == EDIT_INSERT)
		return line_section_add(editor, name, op->value, section.only);
	if (i == count)
		return EDIT_CANNOT;
	if (op->count > 2)
		return edit_pair(editor, &section, 2, op);
	if (op->kind == EDIT_REMOVE)
		return remove_section(editor, section.only);
	return node_is_map(op->value)
		       ? edit_split(editor->edit, op, list->seq.items[i], apply, editor)
		       : EDIT_CANNOT;
}

static int set_root_key(
	const struct line_editor *editor, const struct edit_op *op, const struct node *there)
{
	const struct node *key = op->steps->key, *value = op->value;
	const struct line_section root = {0};
	bool was_sections = there && builder_is_sections(there),
	     is_now = builder_is_sections(value);
	int r = 0;

	if (was_sections && is_now && there->kind == value->kind)
		return edit_split(editor->edit, op, there, apply, editor);
	if (was_sections)
		r = line_section_remove(editor, key);
	else if (there && is_now)
		r = remove_pairs(editor, &root, key);
	if (r != 0)
		return r;
	return is_now ? line_section_add(editor, key, value, NULL)
		      : set_pairs(editor, &root, key, value);
}

static int remove_root_key(
	const struct line_editor *editor, const struct node *key, const struct node *there)
{
	const struct line_section root = {0};

	return builder_is_sections(there) ? line_section_remove(editor, key)
					  : remove_pairs(editor, &root, key);
}

static int apply(const void *context, const struct edit_op *op)
{
	static const struct node nothing = {.kind = NODE_MAP};
	const struct line_editor *editor = context;
	const struct document *document = editor->edit->document;
	const struct node *tree = document->count ? document->roots[0] : &nothing, *there;
	const struct line_section root = {0};

	if (!op->count)
		return op->kind == EDIT_SET && node_is_map(op->value)
			       ? edit_split(editor->edit, op, tree, apply, editor)
			       : EDIT_CANNOT;
	if (!op->steps->key)
		return EDIT_CANNOT;
	there = edit_tree_entry(tree, op->steps);
	if (op->count == 1 && op->kind == EDIT_SET)
		return set_root_key(editor, op, there);
	if (!there)
		return EDIT_CANNOT;
	if (op->count == 1)
		return op->kind == EDIT_REMOVE ? remove_root_key(editor, op->steps->key, there)
					       : EDIT_CANNOT;
	if (node_is_map(there)) {
		const struct line_section section = {.name = op->steps->key};

		return edit_pair(editor, &section, 1, op);
	}
	return builder_is_sections(there) ? line_section_edit_item(editor, there, op)
					  : edit_pair(editor, &root, 0, op);
}

int line_edit(struct edit *edit, const struct edit_op *op, const struct line_dialect *dialect)
{
	const struct document *document = edit->document;
	const struct line_editor editor = {
		edit, {edit, dialect}, document->count ? document->extents[0] : NULL};

	return apply(&editor, op);
}
