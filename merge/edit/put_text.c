#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "format/line.h"
#include "put.h"
#include "strategy.h"

/*
 * The lines of the target, for a merged text that joins the lines of several files. For each
 * difference between the merged text and the wanted one, the smallest change is made:
 *
 *      merged   from      wanted         target
 *      alpha    vendor    alpha          omega ─▶ OMEGA      the target's line is replaced,
 *      beta     vendor                         ─▶ -beta      another file's is taken away,
 *      omega    target    OMEGA                ─▶ psi        and a new one stands beside
 *                         psi            alpha   alpha       the target's nearest line
 *
 * No line of another file is copied. Another merge must check that the target's new text gives the
 * wanted text.
 */
struct put_lines_request {
	const struct merge_result *merged; /* with origins */
	const struct source *target;       /* of the input whose text changes */
	struct span text;                  /* of that input */
	struct span wanted;                /* of the merged file */
	const char *remover;               /* the word of strategy.remover; "": there is none */
};

/*
 * A line of the target that begins with `remover` removes another file's line. These are two ways
 * to bring the removed line back. RESTORE deletes the target's line. ADD adds the removed line to
 * the target.
 */
enum put_lines_way { PUT_LINES_RESTORE, PUT_LINES_ADD, PUT_LINES_WAYS };

struct new_line {
	const struct new_line *next;
	struct span text;
};

/* A line of the target. */
struct own_line {
	struct span text; /* its data NULL: the line goes */
	struct span end;  /* its line break; empty: it has none */
	const struct new_line *behind;
};

struct put_lines {
	const struct put_lines_request *request;
	enum put_lines_way way;
	struct arena *arena;
	const struct node *merged; /* a list: its lines */
	uint32_t *numbers;         /* of the merged lines in the target; 0: they are another's */
	struct own_line *own;      /* [0] is no line, but stands above the first */
	uint32_t count;            /* of them */
};

static const struct node *list_lines(struct span text, struct arena *arena)
{
	struct node *list = node_new_sequence(arena, NULL);
	struct line_reader reader = line_begin(NULL, text);

	while (list && line_next(&reader)) {
		struct span line = reader.line;
		const char *copy = arena_copy(arena, line);
		struct node *node =
			node_new_scalar(arena, (struct span){copy, line.len}, NODE_DOUBLE);

		if (!copy || !node || node_push(arena, list, node) < 0)
			return NULL;
	}
	return list;
}

static struct span break_of(const struct line_reader *reader)
{
	const char *end = span_end(reader->line);

	return (struct span){end, (size_t)(reader->next - end)};
}

static int read_own(struct put_lines *lines)
{
	struct span text = lines->request->text;
	struct line_reader reader = line_begin(NULL, text);

	lines->own = arena_zalloc(lines->arena, 2 + span_count(text, '\n'), sizeof(*lines->own));
	if (!lines->own)
		return -ENOMEM;
	for (lines->count = 1; line_next(&reader); lines->count++)
		lines->own[lines->count] = (struct own_line){reader.line, break_of(&reader), NULL};
	return 0;
}

static int number_lines(struct put_lines *lines)
{
	const struct put_lines_request *request = lines->request;
	const struct origin_piece *piece = origin_pieces(request->merged->origins);
	struct span text = request->merged->text;
	struct line_reader reader = line_begin(NULL, text);

	lines->merged = list_lines(text, lines->arena);
	lines->numbers = lines->merged ? arena_zalloc(lines->arena, lines->merged->seq.count + 1,
						 sizeof(*lines->numbers))
				       : NULL;
	if (!lines->numbers)
		return -ENOMEM;
	for (uint32_t i = 0, number = 0; line_next(&reader); i++) {
		size_t offset = (size_t)(reader.line.data - text.data);

		while (piece && offset >= piece->offset + piece->len)
			piece = piece->next;
		if (piece && offset >= piece->offset) {
			number = offset == piece->offset ? piece->line : number + 1;
			if (strcmp(piece->source->name, request->target->name) == 0 &&
				number < lines->count)
				lines->numbers[i] = number;
		}
	}
	return 0;
}

static struct own_line *find_own(struct put_lines *lines, const char *prefix, struct span text)
{
	size_t len = strlen(prefix);

	for (uint32_t i = 1; i < lines->count; i++) {
		struct own_line *line = &lines->own[i];

		if (line->text.data && line->text.len == len + text.len &&
			memcmp(line->text.data, prefix, len) == 0 &&
			memcmp(line->text.data + len, text.data, text.len) == 0)
			return line;
	}
	return NULL;
}

/* Returns the target's line behind which a line between the merged lines [end - 1] and [begin]
 * belongs. */
static struct own_line *find_place(struct put_lines *lines, uint32_t end, uint32_t begin)
{
	const uint32_t *numbers = lines->numbers, count = lines->merged->seq.count;

	if (!(end && numbers[end - 1]) && begin < count && numbers[begin])
		return &lines->own[numbers[begin] - 1];
	while (end && !numbers[end - 1])
		end--;
	if (end)
		return &lines->own[numbers[end - 1]];
	while (begin < count && !numbers[begin])
		begin++;
	return &lines->own[begin < count ? numbers[begin] - 1 : lines->count - 1];
}

static int add_line(struct put_lines *lines, struct own_line *place, struct span text)
{
	struct new_line *line = arena_alloc(lines->arena, sizeof(*line));

	if (!line)
		return -ENOMEM;
	*line = (struct new_line){.next = place->behind, .text = text};
	place->behind = line;
	return 0;
}

/* Takes away a line of another file, if the strategy can do so. */
static int remove_other(struct put_lines *lines, struct span text)
{
	struct own_line *same = find_own(lines, "", text);
	const char *data;

	if (!*lines->request->remover || !text.len)
		return 0;
	data = arena_printf(
		lines->arena, "%s%.*s", lines->request->remover, (int)text.len, text.data);
	if (!data)
		return -ENOMEM;
	if (!same)
		return add_line(lines, &lines->own[lines->count - 1], span_of(data));
	same->text = span_of(data);
	return 0;
}

static int do_op(struct put_lines *lines, const struct edit_op *op)
{
	uint32_t i = op->steps[0].index, is_old = op->kind != EDIT_INSERT;
	struct own_line *line = is_old && lines->numbers[i] ? &lines->own[lines->numbers[i]] : NULL;
	int r = 0;

	if (line) {
		line->text = op->kind == EDIT_SET ? op->value->text : (struct span){NULL, 0};
		return 0;
	}
	if (is_old)
		r = remove_other(lines, lines->merged->seq.items[i]->text);
	if (r < 0 || op->kind == EDIT_REMOVE)
		return r;
	if (*lines->request->remover && lines->way == PUT_LINES_RESTORE)
		line = find_own(lines, lines->request->remover, op->value->text);
	if (!line)
		return add_line(lines, find_place(lines, i, i + is_old), op->value->text);
	line->text = (struct span){NULL, 0};
	return 0;
}

/* Appends a line and its break. If the text before has no break at its end, one comes first. */
static char *put_line(char *out, const char *begin, struct span text, struct span end)
{
	if (out > begin && out[-1] != '\n')
		out = mempcpy(out, end.data, end.len);
	if (text.len)
		out = mempcpy(out, text.data, text.len);
	return mempcpy(out, end.data, end.len);
}

/* Returns the break of new lines: that of the target's first line, or else of the merged text. */
static struct span usual_end(const struct put_lines *lines)
{
	struct line_reader reader = line_begin(NULL, lines->request->merged->text);

	if (lines->count > 1 && lines->own[1].end.len)
		return lines->own[1].end;
	return line_next(&reader) && break_of(&reader).len ? break_of(&reader)
							   : (struct span){"\n", 1};
}

static int write_own(const struct put_lines *lines, struct span *ret)
{
	const struct own_line *last = &lines->own[lines->count - 1];
	struct span end = usual_end(lines);
	bool has_break = lines->count == 1 || last->end.len;
	size_t size = 1;

	for (const struct own_line *own = lines->own; own <= last; own++) {
		size += own->text.len + 2 * end.len + own->end.len;
		for (const struct new_line *new = own->behind; new; new = new->next)
			size += new->text.len + 2 * end.len;
	}
	char *text = arena_alloc(lines->arena, size), *out = text;
	if (!text)
		return -ENOMEM;
	for (const struct own_line *own = lines->own; own <= last; own++) {
		if (own->text.data)
			out = put_line(out, text, own->text, own->end.len ? own->end : end);
		for (const struct new_line *new = own->behind; new; new = new->next)
			out = put_line(out, text, new->text, end);
	}
	if (!has_break && out > text)
		out -= end.len;
	*out = '\0';
	*ret = (struct span){text, (size_t)(out - text)};
	return 0;
}

/*
 * Makes the target's new text. Returns 0 with *ret in `arena`, NUL-terminated; PROBLEM, without a
 * filled problem, if the texts differ too much; or -ENOMEM.
 */
static int put_lines(const struct put_lines_request *request, enum put_lines_way way,
	struct arena *arena, struct span *ret)
{
	struct put_lines lines = {.request = request, .way = way, .arena = arena};
	const struct node *wanted = list_lines(request->wanted, arena);
	struct edit_op *ops = NULL;
	size_t count = 0;

	int r = wanted ? read_own(&lines) : -ENOMEM;
	if (r == 0)
		r = number_lines(&lines);
	if (r < 0)
		return r;
	const struct stream present = {.roots = &lines.merged, .count = 1};
	const struct stream future = {.roots = &wanted, .count = 1};
	r = put_compare(&present, &future, arena, &ops, &count);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = ops[i].count ? do_op(&lines, &ops[i]) : PROBLEM;
	return r == 0 ? write_own(&lines, ret) : r;
}

struct trial {
	const struct put_request *request;
	struct span wanted;
	struct arena *arena;
	struct problem *problem;
};

/* Merges with that text as the target's. Returns 0 with *ret, PROBLEM or -errno. */
static int merge_with(
	const struct trial *trial, struct span text, bool wants_origins, struct merge_result **ret)
{
	struct merge_request merge = *trial->request->merge;
	struct merge_input *inputs = arena_zalloc(trial->arena, merge.count, sizeof(*inputs));

	if (!inputs)
		return -ENOMEM;
	memcpy(inputs, merge.inputs, merge.count * sizeof(*inputs));
	inputs[trial->request->target].text = text;
	inputs[trial->request->target].document = NULL;
	merge.inputs = inputs;
	merge.wants_header = false;
	merge.wants_origins = wants_origins;
	merge.warn = NULL;
	return merge_run(&merge, ret, trial->problem);
}

/* Returns 0 if the target with that text gives the wanted result; else PROBLEM or -errno. */
static int attempt(const struct trial *trial, struct span text)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	int r = merge_with(trial, text, false, &result);

	return r != 0 || span_equal(result->text, trial->wanted) ? r : PROBLEM;
}

/*
 * Finds the part of the wanted file that replaces `part`, the target's text, in the merged file. An
 * empty part lies at its end, or at its beginning.
 */
static bool cut_middle(struct span merged, struct span part, struct span wanted, struct span *ret)
{
	bool begins = wanted.len >= merged.len && memcmp(wanted.data, merged.data, merged.len) == 0;
	const char *found = part.len ? memmem(merged.data, merged.len, part.data, part.len)
			    : begins ? span_end(merged)
				     : merged.data;

	if (!found || !merged.len)
		return false;
	size_t before = (size_t)(found - merged.data), after = merged.len - before - part.len;
	if (wanted.len < before + after || memcmp(wanted.data, merged.data, before) != 0 ||
		memcmp(span_end(wanted) - after, found + part.len, after) != 0)
		return false;
	*ret = (struct span){wanted.data + before, wanted.len - before - after};
	return true;
}

static int attempt_lines(const struct trial *trial, const struct merge_result *merged,
	const char *remover, struct span *ret)
{
	const struct merge_input *target = &trial->request->merge->inputs[trial->request->target];
	const struct put_lines_request request = {
		.merged = merged,
		.target = &target->source,
		.text = target->text,
		.wanted = trial->wanted,
		.remover = remover,
	};
	int r = PROBLEM;

	for (int way = 0; r == PROBLEM && way < PUT_LINES_WAYS; way++) {
		r = put_lines(&request, (enum put_lines_way)way, trial->arena, ret);
		if (r == 0)
			r = attempt(trial, *ret);
	}
	return r;
}

static bool has_others(const struct trial *trial, const struct merge_result *merged)
{
	const struct merge_request *merge = trial->request->merge;
	const char *name = merge->inputs[trial->request->target].source.name;
	const struct origin_piece *piece = origin_pieces(merged->origins);

	while (piece && strcmp(piece->source->name, name) == 0)
		piece = piece->next;
	return piece;
}

static int refuse(const struct trial *trial)
{
	const struct merge_request *merge = trial->request->merge;
	const struct strategy *strategy = merge->options->strategy;

	return problem_set(trial->problem, merge->inputs[trial->request->target].source.name, 0, 0,
		strategy->remover
			? "no change of this file's own lines makes the requested merged file, "
			  "because '%s' joins the lines of several layers' files; change those of "
			  "the others there"
			: "no text of this file makes the requested merged file, because '%s' "
			  "shows other layers' files, too, or instead; change those",
		strategy->name);
}

int put_text(const struct put_request *request, struct span wanted, struct arena *arena,
	struct span *ret, struct problem *problem)
{
	CLEANUP(merge_result_freep) struct merge_result *merged = NULL;
	const struct trial trial = {request, wanted, arena, problem};
	const struct strategy *strategy = request->merge->options->strategy;
	const char *remover = strategy->remover ? strategy->remover(request->merge->options) : NULL;
	struct span part = request->merge->inputs[request->target].text;
	part.data = part.data ? part.data : "";
	int r = merge_with(&trial, part, remover, &merged);
	if (r != 0)
		return r;
	*ret = part;
	if (span_equal(merged->text, wanted))
		return 0;
	r = PROBLEM;
	if (cut_middle(merged->text, part, wanted, ret))
		r = attempt(&trial, *ret);
	if (r == PROBLEM && remover)
		r = attempt_lines(&trial, merged, remover, ret);
	/* The whole text would have the other files' lines, too, which no longer go with them. */
	if (r == PROBLEM && !(remover && has_others(&trial, merged))) {
		*ret = wanted;
		r = attempt(&trial, wanted);
	}
	return r == PROBLEM ? refuse(&trial) : r;
}
