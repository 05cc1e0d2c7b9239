#include "layer_edit_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cleanup.h"
#include "colour.h"
#include "dropin_name.h"
#include "excerpt.h"
#include "json_put.h"
#include "key.h"
#include "message.h"
#include "report_print.h"
#include "run_result.h"
#include "scalar.h"
#include "shown.h"
#include "unified.h"

/* Number of a value's bytes that are shown. */
#define SHOWN_VALUE 60

struct report {
	const struct layer_edit *edit;
	const struct layer_edit_output *output;
	size_t lines;        /* number of values that differ */
	struct key_text key; /* to the place where the two trees differ */
	struct arena *arena; /* of JSON */
	struct secrets secrets;
};

/* Returns whether the source's difference is shown: not where it may have secrets. */
static bool has_diff(const struct report *report)
{
	return report->output->mode == LAYER_EDIT_DRY && !schema_has_secrets(report->edit->schema);
}

/* Returns whether the value is a secret, or has one in it. */
static bool has_secret(const struct report *report, const struct node *value)
{
	bool is_found = secrets_have(&report->secrets, value);

	for (uint32_t i = 0; !is_found && !node_is_scalar(value) && i < node_count(value); i++)
		is_found = has_secret(report, *node_entry(value, i));
	return is_found;
}

static const char *show(
	const struct report *report, const struct node *value, char out[SHOWN_VALUE])
{
	if (secrets_have(&report->secrets, value))
		return "a secret";
	if (!node_is_scalar(value))
		return node_count(value) ? node_kind_name(value) : node_is_map(value) ? "{}" : "[]";
	if (scalar_is_null(value))
		return "null";
	if (!value->text.len && !value->tag)
		return "\"\"";
	if (value->tag)
		excerpt(value, out, SHOWN_VALUE);
	else
		shown_head(out, SHOWN_VALUE, value->text.data);
	return out;
}

/* Prints the value. `is_typed`: with quotes if it is a text, so that its type shows. */
static void print_value(const struct report *report, const struct node *value, bool is_typed)
{
	char shown[SHOWN_VALUE];
	const char *text = show(report, value, shown);
	bool is_quoted = is_typed && text == shown && value->text.len && !value->tag &&
			 scalar_type(value) == SCALAR_STRING;

	printf(is_quoted ? "\"%s\"" : "%s", text);
}

/* Returns whether the values differ, or may seem to, in their type or tag alone: 1 and "1". */
static bool is_same_text(const struct node *a, const struct node *b)
{
	return node_is_scalar(a) && node_is_scalar(b) &&
	       (span_equal(a->text, b->text) || a->tag || b->tag);
}

static bool is_from_target(const struct report *report, const struct node *node)
{
	return node->source && strcmp(node->source->name, report->edit->file) == 0;
}

/* Returns the value's line in the source after the edit; 0: it is not there. */
static unsigned line_in_target(const struct report *report, const struct node *after)
{
	bool is_there = after && (report->edit->copies || is_from_target(report, after));

	return is_there ? (unsigned)after->line : 0;
}

/* Prints the file, or the key with its revision after the edit. */
static void print_file(const struct layer_edit *edit)
{
	report_print(edit->file);
	if (edit->revision)
		printf("@%" PRIu64, edit->revision);
}

/*
 * Finds the value that is overridden or hidden. For a value that was reset, it is the value that
 * shows again. For one that was removed, it may also be the one that the layer's own value had
 * overridden. NULL: there is none.
 */
static const struct node *find_other(const struct report *report, const struct node *before,
	const struct node *after, const struct node *below, const char **verb)
{
	const struct node *other = before && !is_from_target(report, before) ? before : NULL;

	*verb = after ? "overrides" : "hides";
	if (!after && !other)
		other = below;
	if (after && (!other || report->output->resets) && !report->edit->copies &&
		!is_from_target(report, after)) {
		*verb = "shows";
		other = after;
	}
	return other && other->source && other->line ? other : NULL;
}

static int put_json_value(struct report *report, const struct node *before,
	const struct node *after, const struct node *below)
{
	const char *verb;
	const struct node *other = find_other(report, before, after, below, &verb);
	int r = 0;

	json_put(JSON(stdout), report->lines ? ", {'key': " : "{'key': ");
	report->lines++;
	json_put_span(JSON(stdout), key_text_span(&report->key));
	if (line_in_target(report, after))
		json_put(JSON(stdout), ", 'line': %u", line_in_target(report, after));
	bool is_secret =
		(before && has_secret(report, before)) || (after && has_secret(report, after));
	if (is_secret)
		json_put(JSON(stdout), ", 'secret': true");
	if (before && !is_secret) {
		json_put(JSON(stdout), ", 'before': ");
		r = json_put_value(JSON(stdout), before, report->edit->format, report->arena);
	}
	if (r == 0 && after && !is_secret) {
		json_put(JSON(stdout), ", 'after': ");
		r = json_put_value(JSON(stdout), after, report->edit->format, report->arena);
	}
	if (other) {
		json_put(JSON(stdout), ", %s: {'layer': %s, 'file': %s, 'line': %u}", verb,
			other->source->layer, source_shown(other->source), (unsigned)other->line);
	}
	putchar('}');
	return r;
}

static void print_line(struct report *report, const struct node *before, const struct node *after,
	const struct node *below)
{
	struct span key = key_text_span(&report->key);
	char shown[SHOWN_VALUE];
	const char *verb;
	const struct node *other = find_other(report, before, after, below, &verb);

	report->lines++;
	if (has_diff(report) && !after && other)
		message("%.*s: removed, and %s %s:%u", (int)key.len, key.data, verb,
			source_shown(other->source), (unsigned)other->line);
	if (has_diff(report))
		return;
	print_file(report->edit);
	if (line_in_target(report, after))
		printf(":%u", line_in_target(report, after));
	printf(": %.*s: ", (int)key.len, key.data);
	if (before && after) {
		bool is_typed = is_same_text(before, after);
		print_value(report, before, is_typed);
		fputs(" -> ", stdout);
		print_value(report, after, is_typed);
	} else if (after) {
		printf("%s%s", show(report, after, shown), other ? "" : " (new)");
	} else {
		printf("removed (was %s)", show(report, before, shown));
	}
	if (other) {
		printf(" (%s ", verb);
		report_print(source_shown(other->source));
		printf(":%u)", (unsigned)other->line);
	}
	putchar('\n');
}

static int report_change(struct report *report, const struct node *before, const struct node *after,
	const struct node *below);

static const struct node *find_value(const struct node *map, const struct pair *like)
{
	const struct pair *found =
		map && node_is_map(map) ? node_find_hashed(map, like->key, like->hash) : NULL;

	return found ? found->value : NULL;
}

static int report_maps(struct report *report, const struct node *before, const struct node *after,
	const struct node *below)
{
	size_t len = report->key.len;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < after->map.count; i++) {
		const struct pair *pair = &after->map.pairs[i];

		key_text_put(&report->key, pair->key);
		r = report_change(
			report, find_value(before, pair), pair->value, find_value(below, pair));
		key_text_cut(&report->key, len);
	}
	for (uint32_t i = 0; r == 0 && i < before->map.count; i++) {
		const struct pair *pair = &before->map.pairs[i];

		if (find_value(after, pair))
			continue;
		key_text_put(&report->key, pair->key);
		r = report_change(report, pair->value, NULL, find_value(below, pair));
		key_text_cut(&report->key, len);
	}
	return r;
}

static const struct node *find_item(const struct node *list, const struct node *like)
{
	for (uint32_t i = 0; list && like && node_is_sequence(list) && i < list->seq.count; i++)
		if (edit_same(list->seq.items[i], like, false))
			return list->seq.items[i];
	return NULL;
}

/*
 * Compares lists: of equal length, item by item; else the items that were added or removed between
 * the equal ones. A list in the layer itself had already overridden all lower ones.
 */
static int report_lists(struct report *report, const struct node *before, const struct node *after,
	const struct node *below)
{
	const struct edit_stretch stretch = edit_find_stretch(before, after);
	const struct node *hidden = is_from_target(report, before) ? NULL : below;
	size_t len = report->key.len;
	int r = 0;

	for (uint32_t i = stretch.first; r == 0 && (i < stretch.old_end || i < stretch.new_end);
		i++) {
		const struct node *old = i < stretch.old_end ? before->seq.items[i] : NULL;

		key_text_put_index(&report->key, i);
		r = report_change(report, old, i < stretch.new_end ? after->seq.items[i] : NULL,
			find_item(hidden, old));
		key_text_cut(&report->key, len);
	}
	return r;
}

/*
 * A key that comes once is a text, and one that comes again a list. Makes *as_list a list of the
 * text, if `list` is a list that has it. Returns whether it does.
 */
static bool is_item_of(const struct node *text, const struct node *list, struct node *as_list,
	const struct node **item)
{
	if (!text || !list || !node_is_scalar(text) || text->schema != NODE_TEXT ||
		!node_is_sequence(list) || !find_item(list, text))
		return false;
	*item = text;
	*as_list = *text;
	as_list->kind = NODE_SEQUENCE;
	as_list->seq.items = item;
	as_list->seq.count = 1;
	return true;
}

/* Returns whether the edit has made the map and its values, which are reported one by one. */
static bool is_new_map(const struct report *report, const struct node *map)
{
	return map && node_is_map(map) && node_count(map) && !map->tag &&
	       is_from_target(report, map) && !report->edit->copies;
}

static int report_change(struct report *report, const struct node *before, const struct node *after,
	const struct node *below)
{
	static const struct node NOTHING = {.kind = NODE_MAP};
	struct node list;
	const struct node *item;

	if (report->key.has_failed)
		return -ENOMEM;
	if (edit_same(before, after, false))
		return 0;
	if (is_item_of(before, after, &list, &item))
		return report_lists(report, &list, after, below);
	if (is_item_of(after, before, &list, &item))
		return report_lists(report, before, &list, below);
	if (!before && is_new_map(report, after))
		return report_maps(report, &NOTHING, after, below);
	if (!after && !report->key.len && node_is_map(before) && node_count(before))
		return report_maps(report, before, &NOTHING, below);
	if (before && after && before->kind == after->kind && !node_is_scalar(after))
		return node_is_map(after) ? report_maps(report, before, after, below)
					  : report_lists(report, before, after, below);
	if (message_is_json())
		return put_json_value(report, before, after, below);
	print_line(report, before, after, below);
	return 0;
}

static int print_diff(const struct layer_edit *edit)
{
	const struct unified_side old = {edit->is_new ? UNIFIED_ABSENT : edit->file, edit->old};
	const struct unified_side new = {
		edit->effect == PUT_EMPTIED ? UNIFIED_ABSENT : edit->file, edit->new};
	struct unified how = {
		.out = stdout,
		.context = UNIFIED_CONTEXT,
		.is_coloured = colour_use(STDOUT_FILENO),
		.is_shown = isatty(STDOUT_FILENO),
	};
	CLEANUP(freep) char *text = NULL;

	if (!message_is_json()) {
		int r = unified_print(&how, NULL, &old, &new);
		return r < 0 ? r : 0;
	}
	int r = unified_text(&old, &new, UNIFIED_CONTEXT, &text);
	if (r < 0)
		return r;
	json_put(JSON(stdout), ", 'diff': %s", text);
	return 0;
}

static const char *change_name(const struct layer_edit *edit)
{
	return edit->effect == PUT_EMPTIED ? "removed" : edit->is_new ? "made" : "changed";
}

/* Returns the document that `stream` has at `i` as `in` has it; NULL: it does not. */
static const struct node *find_document(
	const struct stream *stream, size_t i, const struct stream *in)
{
	const struct node *name = stream->names ? stream->names[i] : NULL;
	bool is_only = stream->count == 1 && in->count == 1;
	size_t found = name && !is_only ? stream_find_named(in, name) : i;

	return found < in->count ? in->roots[found] : NULL;
}

/* Reports document `i` of `stream`. `is_after`: the stream is the one after the change. */
static int report_document(
	struct report *report, const struct stream *stream, size_t i, bool is_after)
{
	const struct layer_edit *edit = report->edit;
	const struct node *root = stream->roots[i];
	const struct node *before = find_document(stream, i, &edit->before);

	if (!is_after && find_document(stream, i, &edit->after))
		return 0;
	/* A document that is the only one needs no name, unless there were others. */
	key_text_cut(&report->key, 0);
	if (edit->before.count > 1 && stream->count == 1 && stream->names && stream->names[i])
		stream_put_name(stream->names[i], &report->key);
	else
		stream_put(stream, i, &report->key);
	return report_change(report, is_after ? before : root, is_after ? root : NULL,
		find_document(stream, i, &edit->below));
}

static int report_values(struct report *report)
{
	const struct layer_edit *edit = report->edit;
	const struct stream *before = &edit->before, *after = &edit->after;
	int r = 0;

	for (size_t i = 0; r == 0 && i < after->count; i++)
		r = report_document(report, after, i, true);
	for (size_t i = 0; r == 0 && i < before->count; i++)
		r = report_document(report, before, i, false);
	key_text_fini(&report->key);
	return r;
}

static void put_json_head(const struct layer_edit_output *output)
{
	json_put(JSON(stdout), "{\n  'path': %s,\n  'dry_run': %hhd,\n  'changes': [", output->path,
		(bool)(output->mode == LAYER_EDIT_DRY));
}

static int put_json(struct report *report)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const struct layer_edit *edit = report->edit;
	int r = arena_new(&arena);

	if (r < 0)
		return r;
	report->arena = arena;
	json_put(JSON(stdout), "{'file': %s", edit->file);
	if (edit->layer)
		json_put(JSON(stdout), ", 'layer': %s", edit->layer->name);
	json_put(JSON(stdout), ", 'change': %s", change_name(edit));
	if (edit->revision)
		json_put(JSON(stdout), ", 'revision': %" PRIu64, edit->revision);
	if (edit->hides)
		json_put(JSON(stdout), ", 'hides': %s", edit->hides);
	if (edit->shown_by)
		json_put(JSON(stdout), ", 'shown_by': %s", edit->shown_by);
	if (edit->copies)
		json_put(JSON(stdout), ", 'copies': %s", edit->copies);
	if (edit->unchecked)
		json_put(JSON(stdout), ", 'not_checked': %s", edit->unchecked);
	if (edit->unseen)
		json_put(JSON(stdout), ", 'not_shown_yet': %s", edit->unseen);
	json_put(JSON(stdout), ", 'values': [");
	r = report_values(report);
	putchar(']');
	if (r == 0 && has_diff(report))
		r = print_diff(edit);
	putchar('}');
	return r;
}

static int print_text(struct report *report)
{
	const struct layer_edit *edit = report->edit;
	struct problem unchecked;
	bool is_dry = report->output->mode == LAYER_EDIT_DRY;
	bool is_diff = has_diff(report) && (edit->old.len || edit->new.len);
	int r = is_diff ? print_diff(edit) : 0;

	if (r == 0)
		r = report_values(report);
	if (r == 0 && (edit->effect == PUT_EMPTIED || !report->lines) && !is_diff) {
		print_file(edit);
		printf(": %s%s%s", is_dry ? "would be " : "", change_name(edit),
			edit->hides ? "; hides " : "");
		report_print(edit->hides ? edit->hides : "");
		putchar('\n');
	}
	if (edit->copies)
		message("%s: %s a copy of the whole file, because this file is not merged: later "
			"changes of %s will not show",
			edit->file, is_dry ? "would be" : "is", edit->copies);
	if (edit->shown_by)
		message("%s: drop-ins such as %s are still shown as this file; to hide them, hide "
			"%s" DROPIN_SUFFIX,
			report->output->path, edit->shown_by, report->output->path);
	if (edit->unchecked) {
		problem_set(&unchecked, report->output->path, 0, 0, "not checked: %s; %s",
			edit->unchecked, run_missing_remedy(edit->unchecked));
		message_warning(&unchecked);
	}
	if (edit->unseen)
		message("it is written, but the layer '%s' does not show it yet: %s; 'plyfs mirror "
			"status' has the details",
			edit->layer->name, edit->unseen);
	return r;
}

int layer_edit_report(struct layer_edit_output *output, const struct layer_edit *edit)
{
	struct report report = {.edit = edit, .output = output};
	int r = 0;

	if (edit->effect < PUT_CHANGED)
		return 0;
	for (size_t i = 0; r == 0 && edit->schema && i < edit->before.count; i++)
		r = schema_secrets(edit->schema, edit->before.roots[i], &report.secrets);
	for (size_t i = 0; r == 0 && edit->schema && i < edit->after.count; i++)
		r = schema_secrets(edit->schema, edit->after.roots[i], &report.secrets);
	if (message_is_json() && output->count == 0)
		put_json_head(output);
	if (message_is_json())
		fputs(output->count ? ",\n    " : "\n    ", stdout);
	output->count++;
	if (r == 0)
		r = message_is_json() ? put_json(&report) : print_text(&report);
	free(report.secrets.items);
	return r;
}

void layer_edit_report_end(const struct layer_edit_output *output, const char *nothing)
{
	bool is_empty = output->count == 0;

	if (is_empty && nothing && !message_is_json())
		puts(nothing);
	if (message_is_json() && is_empty && nothing)
		put_json_head(output);
	if (message_is_json() && (!is_empty || nothing))
		fputs(is_empty ? "]\n}\n" : "\n  ]\n}\n", stdout);
	/* A script that repeats a failed command must not add an item twice. */
	if (!is_empty && output->mode == LAYER_EDIT_WRITES &&
		(fflush(stdout) != 0 || ferror(stdout)))
		message("%s: is changed; only the report of it can't be written", output->path);
}
