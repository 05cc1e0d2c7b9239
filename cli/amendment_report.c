#include "amendment_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "colour.h"
#include "key.h"
#include "message.h"
#include "report.h"
#include "scalar.h"
#include "shown.h"
#include "unified.h"

/* Bytes of a value that are shown. */
#define SHOWN_VALUE 60

struct report {
	const struct amendment *amendment;
	struct key_text key; /* to the place where the two trees differ */
};

/* As it is shown in a line. */
static const char *show(const struct node *value, char out[SHOWN_VALUE])
{
	if (!node_is_scalar(value))
		return node_count(value) ? node_kind_name(value) : node_is_map(value) ? "{}" : "[]";
	if (scalar_is_null(value))
		return "null";
	if (!value->text.len)
		return "\"\"";
	shown_head(out, SHOWN_VALUE, value->text.data);
	return out;
}

static bool is_from_target(const struct report *report, const struct node *node)
{
	return node->source && strcmp(node->source->name, report->amendment->file) == 0;
}

/* The file, or the key with the revision that it has now. */
static void print_file(const struct amendment *amendment)
{
	report_print(amendment->file);
	if (amendment->revision)
		printf("@%" PRIu64, amendment->revision);
}

static void print_place(const struct report *report, const struct node *after)
{
	print_file(report->amendment);
	if (after && is_from_target(report, after) && after->line)
		printf(":%u", (unsigned)after->line);
	fputs(": ", stdout);
}

static void print_line(
	const struct report *report, const struct node *before, const struct node *after)
{
	struct span key = key_text_span(&report->key);
	char old[SHOWN_VALUE], new[SHOWN_VALUE];

	print_place(report, after);
	printf("%.*s: ", (int)key.len, key.data);
	if (before && after)
		printf("%s -> %s", show(before, old), show(after, new));
	else if (after)
		printf("%s (new)", show(after, new));
	else
		printf("removed (was %s)", show(before, old));
	if (before && before->source && before->line && !is_from_target(report, before))
		printf(" (%s %s:%u)", after ? "overrides" : "hides", source_shown(before->source),
			(unsigned)before->line);
	putchar('\n');
}

static int tell(struct report *report, const struct node *before, const struct node *after);

static int tell_maps(struct report *report, const struct node *before, const struct node *after)
{
	size_t len = report->key.len;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < after->map.count; i++) {
		const struct pair *pair = &after->map.pairs[i];
		const struct pair *old = node_find_hashed(before, pair->key, pair->hash);

		key_text_put(&report->key, pair->key);
		r = tell(report, old ? old->value : NULL, pair->value);
		key_text_cut(&report->key, len);
	}
	for (uint32_t i = 0; r == 0 && i < before->map.count; i++) {
		const struct pair *pair = &before->map.pairs[i];

		if (node_find_hashed(after, pair->key, pair->hash))
			continue;
		key_text_put(&report->key, pair->key);
		r = tell(report, pair->value, NULL);
		key_text_cut(&report->key, len);
	}
	return r;
}

/* Of equal length, item by item; else what was put in or taken out between what is the same. */
static int tell_lists(struct report *report, const struct node *before, const struct node *after)
{
	const struct edit_stretch stretch = edit_find_stretch(before, after, false);
	size_t len = report->key.len;
	int r = 0;

	for (uint32_t i = stretch.first; r == 0 && (i < stretch.old_end || i < stretch.new_end);
		i++) {
		key_text_put_index(&report->key, i);
		r = tell(report, i < stretch.old_end ? before->seq.items[i] : NULL,
			i < stretch.new_end ? after->seq.items[i] : NULL);
		key_text_cut(&report->key, len);
	}
	return r;
}

static int tell(struct report *report, const struct node *before, const struct node *after)
{
	if (report->key.has_failed)
		return -ENOMEM;
	if (edit_same(before, after, false))
		return 0;
	if (before && after && before->kind == after->kind && !node_is_scalar(after))
		return node_is_map(after) ? tell_maps(report, before, after)
					  : tell_lists(report, before, after);
	print_line(report, before, after);
	return 0;
}

static int print_diff(const struct amendment *amendment)
{
	const struct unified how = {
		.out = stdout,
		.context = UNIFIED_CONTEXT,
		.is_coloured = colour_use(STDOUT_FILENO),
		.is_shown = isatty(STDOUT_FILENO),
	};
	const struct unified_side old = {
		amendment->is_new ? "/dev/null" : amendment->file, amendment->old};
	const struct unified_side new = {amendment->file, amendment->new};

	int r = unified_print(&how, &old, &new);
	return r < 0 ? r : 0;
}

int amendment_report(const struct amendment *amendment, bool is_dry)
{
	struct report report = {.amendment = amendment};
	int r = 0;

	if (!amendment->is_changed) {
		puts("nothing changes: it is so already");
		return 0;
	}
	if (is_dry)
		return print_diff(amendment);
	if (!amendment->before && !amendment->after) {
		print_file(amendment);
		puts(amendment->is_new ? ": made" : ": changed");
	} else {
		r = tell(&report, amendment->before, amendment->after);
		key_text_fini(&report.key);
	}
	if (amendment->unseen)
		message("it is written, but the layer '%s' does not show it yet: %s; 'plyfs mirror "
			"status' tells more",
			amendment->layer->name, amendment->unseen);
	return r;
}
