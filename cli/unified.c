#include "unified.h"

#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "colour.h"
#include "column.h"
#include "json_put.h"
#include "layer.h"
#include "line_diff.h"
#include "message.h"

/* A position in both texts, as indexes of lines. */
struct hunk_place {
	size_t old;
	size_t new;
};

static void put_coloured(
	const struct unified *how, const char *colour, const char *sign, struct span line)
{
	if (how->is_coloured && colour)
		fputs(colour, how->out);
	fputs(sign, how->out);
	if (how->is_shown)
		column_put(how->out, line);
	else if (line.len > 0)
		fwrite(line.data, 1, line.len, how->out);
	if (how->is_coloured && colour)
		fputs(COLOUR_NORMAL, how->out);
	fputc('\n', how->out);
}

static void put_line(const struct unified *how, const char *sign, struct span line)
{
	const char *colour = *sign == '-' ? COLOUR_RED : *sign == '+' ? COLOUR_GREEN : NULL;
	bool has_end = line.len && line.data[line.len - 1] == '\n';

	line.len -= has_end;
	put_coloured(how, colour, sign, line);
	if (!has_end)
		fputs("\\ No newline at end of file\n", how->out);
}

/*
 * Formats "12,3": the first line, starting at 1, and the number of lines; for 0, the line before.
 */
static int format_range(char *text, size_t size, size_t start, size_t count)
{
	if (count == 1)
		return snprintf(text, size, "%zu", start + 1);
	return snprintf(text, size, "%zu,%zu", start + (count > 0), count);
}

static void put_hunk(const struct unified *how, const struct line_diff *diff,
	struct hunk_place start, struct hunk_place end)
{
	char ranges[2][48], head[128];

	format_range(ranges[0], sizeof(ranges[0]), start.old, end.old - start.old);
	format_range(ranges[1], sizeof(ranges[1]), start.new, end.new - start.new);
	snprintf(head, sizeof(head), "@@ -%s +%s @@", ranges[0], ranges[1]);
	put_coloured(how, COLOUR_CYAN, "", span_of(head));
	for (struct hunk_place at = start; at.old < end.old || at.new < end.new;) {
		if (diff->old.changed[at.old]) {
			put_line(how, "-", diff->old.lines[at.old++]);
		} else if (diff->new.changed[at.new]) {
			put_line(how, "+", diff->new.lines[at.new ++]);
		} else {
			put_line(how, " ", diff->old.lines[at.old++]);
			at.new ++;
		}
	}
}

static struct hunk_place skip_changed(const struct line_diff *diff, struct hunk_place at)
{
	while (diff->old.changed[at.old])
		at.old++;
	while (diff->new.changed[at.new])
		at.new ++;
	return at;
}

static size_t count_unchanged(const struct line_diff *diff, struct hunk_place at, size_t most)
{
	size_t count = 0;

	while (count < most && at.old + count < diff->old.count &&
		!diff->old.changed[at.old + count] && !diff->new.changed[at.new + count])
		count++;
	return count;
}

static bool is_at_end(const struct line_diff *diff, struct hunk_place at)
{
	return at.old == diff->old.count && at.new == diff->new.count;
}

/* Prints the hunks. Changes whose contexts touch are one hunk. */
static void put_hunks(const struct unified *how, const struct line_diff *diff)
{
	struct hunk_place at = {0};

	while (!is_at_end(diff, at)) {
		size_t before = count_unchanged(diff, at, SIZE_MAX);
		size_t lead = before < how->context ? before : how->context;

		at = (struct hunk_place){at.old + before, at.new + before};
		if (is_at_end(diff, at))
			return;
		struct hunk_place start = {at.old - lead, at.new - lead};
		for (;;) {
			at = skip_changed(diff, at);
			/*
			 * Do not compute 2 * context + 1: it could overflow, as `context` comes
			 * from the command line.
			 */
			size_t gap = count_unchanged(diff, at, SIZE_MAX);
			struct hunk_place next = {at.old + gap, at.new + gap};
			if (gap / 2 + gap % 2 > how->context || is_at_end(diff, next))
				break;
			at = next;
		}
		size_t tail = count_unchanged(diff, at, how->context);
		struct hunk_place end = {at.old + tail, at.new + tail};
		put_hunk(how, diff, start, end);
		at = end;
	}
}

static bool is_binary(const struct unified_side *side)
{
	return side->text.len > 0 && memchr(side->text.data, '\0', side->text.len);
}

static bool is_absent(const struct unified_side *side)
{
	return strcmp(side->label, UNIFIED_ABSENT) == 0;
}

static int print_text(
	const struct unified *how, const struct unified_side *old, const struct unified_side *new)
{
	CLEANUP(line_diff_fini) struct line_diff diff = {0};
	bool is_same = span_equal(old->text, new->text);

	if (is_same && is_absent(old) == is_absent(new))
		return 0;
	if (is_binary(old) || is_binary(new)) {
		fprintf(how->out, "Binary files %s and %s differ\n", old->label, new->label);
		return 1;
	}
	int r = line_diff_make(old->text, new->text, &diff);
	if (r < 0)
		return r;
	/* An empty file that was added or removed has no lines to show. */
	put_coloured(how, COLOUR_BOLD, "--- ", span_of(old->label));
	put_coloured(how, COLOUR_BOLD, "+++ ", span_of(new->label));
	if (!is_same)
		put_hunks(how, &diff);
	return 1;
}

int unified_text(
	const struct unified_side *old, const struct unified_side *new, size_t context, char **ret)
{
	size_t size;
	FILE *out = open_memstream(ret, &size);

	if (!out)
		return -ENOMEM;
	int r = print_text(&(struct unified){.out = out, .context = context}, old, new);
	return fclose(out) == 0 ? r : -ENOMEM;
}

static void put_item(const struct unified *how, const struct unified_item *item,
	const struct unified_side *old, const struct unified_side *new, const char *diff)
{
	struct json *out = JSON(how->out);

	json_put(out, how->count ? ",\n    " : "{\n  'differences': [\n    ");
	json_put(out, "{'path': %s", item->path);
	for (size_t i = 0; i < item->layer_count; i++)
		json_put(out, i ? ", %s" : ", 'layers': [%s", item->layers[i]->name);
	if (item->layer_count)
		json_put(out, "]");
	if (item->change)
		json_put(out, ", 'change': %s", item->change);
	json_put(out, ", 'old': %s, 'new': %s, 'diff': %s}", is_absent(old) ? NULL : old->label,
		is_absent(new) ? NULL : new->label, diff);
}

static int print_json(const struct unified *how, const struct unified_item *item,
	const struct unified_side *old, const struct unified_side *new)
{
	CLEANUP(freep) char *text = NULL;
	int r = unified_text(old, new, how->context, &text);

	if (r > 0 || (r == 0 && item->change))
		put_item(how, item, old, new, text);
	return r;
}

int unified_print(struct unified *how, const struct unified_item *item,
	const struct unified_side *old, const struct unified_side *new)
{
	int r = message_is_json() ? print_json(how, item, old, new) : print_text(how, old, new);

	how->count += r > 0 || (r == 0 && item && item->change);
	return r;
}

void unified_end(const struct unified *how, bool has_failed)
{
	if (!message_is_json() || (has_failed && !how->count))
		return;
	json_put(JSON(how->out), how->count ? "\n  ]\n}\n" : "{\n  'differences': []\n}\n");
}
