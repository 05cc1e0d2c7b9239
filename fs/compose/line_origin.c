#include "line_origin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "strategy.h"

bool source_line_next(struct span *rest, struct span *ret)
{
	if (rest->len == 0)
		return false;
	const char *newline = memchr(rest->data, '\n', rest->len);
	size_t len = newline ? (size_t)(newline - rest->data) : rest->len;
	size_t step = newline ? len + 1 : len;

	*ret = (struct span){rest->data, len};
	if (newline && len > 0 && rest->data[len - 1] == '\r')
		ret->len--;
	rest->data += step;
	rest->len -= step;
	return true;
}

size_t source_lines_count(struct span text)
{
	const char *at = text.data, *end = span_end(text);
	size_t count = 0;

	for (; at < end; count++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		at = newline ? newline + 1 : end;
	}
	return count;
}

static int split(struct source_lines *lines, struct arena *arena)
{
	struct span rest = lines->text;

	lines->count = source_lines_count(rest);
	lines->lines = arena_zalloc(arena, lines->count + 1, sizeof(*lines->lines));
	if (!lines->lines)
		return -ENOMEM;
	for (size_t i = 0; i < lines->count; i++)
		source_line_next(&rest, &lines->lines[i]);
	return 0;
}

int source_lines_get(
	struct source_lines *lines, size_t number, struct arena *arena, struct span *ret)
{
	int r = lines->lines ? 0 : split(lines, arena);

	if (r < 0)
		return r;
	if (number == 0 || number > lines->count)
		return -ENOENT;
	*ret = lines->lines[number - 1];
	return 0;
}

struct source_lines *source_lines_of(struct source_lines *texts,
	const struct merge_request *request, const struct source *source)
{
	for (size_t i = 0; i < request->count; i++) {
		const struct merge_input *input = &request->inputs[i];

		if (input->source.rank != source->rank || !input->text.data ||
			strcmp(input->source.name, source->name) != 0)
			continue;
		texts[i].text = input->text;
		return &texts[i];
	}
	return NULL;
}

/* A walk through the result's tree, and the tree of its text. */
struct line_finder {
	struct line_origins *to;
	const struct merge_request *request;
	const struct origins *origins;
	struct source_lines *texts; /* one for each of the request's inputs, in the same order */
	uint32_t capacity;          /* entries of to->values */
	size_t document_count;      /* of the result */
	size_t line;                /* in which the latest value begins; 0: none yet */
	const struct node *open;    /* that value or key of the result … */
	uint8_t open_style;         /* … and its style in the text */
	int failure;                /* 0 or -ENOMEM */
};

const struct node *line_origin_place(const struct origins *origins, const struct node *value)
{
	const struct origin *origin = value->source ? NULL : origin_of(origins, value);
	const struct node *found = value->source ? value : NULL;

	for (const struct origin_step *step = NULL; origin && (step = origin_next(origin, step));)
		if (step->fate == ORIGIN_PART && step->value->source)
			found = step->value;
	return found;
}

static void set_place(struct line *line, const struct node *place)
{
	if (!place)
		return;
	line->source = place->source;
	line->source_line = place->line;
	line->source_column = place->column;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* A dialect of INI that reads values of several lines ignores blanks at both ends of each line. */
static struct span without_blanks(struct span line)
{
	for (; line.len > 0 && is_blank(*line.data); line.len--)
		line.data++;
	while (line.len > 0 && is_blank(line.data[line.len - 1]))
		line.len--;
	return line;
}

/*
 * Returns whether lines [from, to) of the text, numbered from 0, are lines of the source that
 * continue `place`, and sets their `source_line`. They continue what begins in the line before
 * them. In the source, comments of INI may stand between them.
 */
static bool are_source_lines(
	struct line_finder *finder, const struct node *place, size_t from, size_t to)
{
	struct source_lines *text = source_lines_of(finder->texts, finder->request, place->source);
	struct line *lines = finder->to->lines;
	size_t number = place->line;

	/* Without its text: a literal block keeps the source's lines, a folded one may not. */
	for (size_t i = from; !text && i < to; i++)
		lines[i].source_line = (uint32_t)++number;
	if (!text)
		return finder->open_style == NODE_LITERAL;
	for (size_t i = from; i < to;) {
		struct span line;
		int r = source_lines_get(text, ++number, finder->to->arena, &line);

		if (r == -ENOMEM)
			finder->failure = r;
		if (r < 0)
			return false;
		line = without_blanks(line);
		if (span_equal(line, without_blanks(lines[i].text)))
			lines[i++].source_line = (uint32_t)number;
		else if (line.len == 0 || (*line.data != '#' && *line.data != ';'))
			return false;
	}
	return true;
}

/* Returns the line breaks that the open value has in the text, if they stand as they are. */
static size_t count_breaks(const struct node *open)
{
	size_t count = 0;

	for (size_t i = 0; node_is_scalar(open) && i < open->text.len; i++)
		count += open->text.data[i] == '\n';
	return count;
}

/* Assigns the lines between finder->line and `next`, numbered from 1, to the open value. */
static void end_value(struct line_finder *finder, size_t next)
{
	const struct node *place =
		finder->open ? line_origin_place(finder->origins, finder->open) : NULL;
	bool is_block = finder->open_style == NODE_LITERAL || finder->open_style == NODE_FOLDED;

	if (!finder->open || next <= finder->line + 1)
		return;
	for (size_t i = finder->line; finder->document_count > 1 && i < next - 1; i++)
		if (span_begins(finder->to->lines[i].text, "---"))
			next = i + 1;
	if (!is_block && next > finder->line + 1 + count_breaks(finder->open))
		next = finder->line + 1 + count_breaks(finder->open);
	if (next <= finder->line + 1)
		return;
	bool is_same_style = place == finder->open && place->style == finder->open_style;
	size_t end = next - 1;
	bool is_counted = is_same_style && are_source_lines(finder, place, finder->line, end);
	/* The last line may be an empty one before the next value. */
	if (is_same_style && !is_counted && finder->to->lines[end - 1].text.len == 0)
		is_counted = are_source_lines(finder, place, finder->line, --end);
	for (size_t i = finder->line; i < end; i++) {
		struct line *line = &finder->to->lines[i];
		uint32_t number = line->source_line;

		line->kind = LINE_INSIDE;
		set_place(line, place);
		if (is_counted) {
			line->source_line = number;
			line->source_column = 1;
		}
	}
}

/* Begins `node` of the result, which is `again` in the text. Returns its line, or NULL. */
static struct line *begin(
	struct line_finder *finder, const struct node *node, const struct node *again)
{
	if (again->line < finder->line || again->line == 0 || again->line > finder->to->count)
		return NULL;
	if (again->line > finder->line)
		end_value(finder, again->line);
	finder->line = again->line;
	finder->open = node;
	finder->open_style = node_is_scalar(again) ? again->style : NODE_BLOCK;
	return &finder->to->lines[again->line - 1];
}

/* Describes the line by the most specific thing that begins in it; of several, by the first. */
static void describe_by(struct line *line, enum line_kind kind, const struct node *place)
{
	if (line->kind >= kind)
		return;
	line->kind = kind;
	set_place(line, place);
}

/* Adds the value to the line in which it, or its key, begins. */
static uint32_t add_value(struct line_finder *finder, const struct line_value *value,
	const struct node *again_key, const struct node *again)
{
	const struct node *start = again_key ? again_key : again;
	struct line_origins *to = finder->to;

	if (start->line == 0 || start->line > finder->line || to->value_count == finder->capacity)
		return LINE_VALUE_NONE;
	struct line *line = &to->lines[start->line - 1];
	if (again_key && line->key_column == 0) {
		line->key_column = again_key->column;
		line->value_column = again->line == again_key->line ? again->column : 0;
	}
	if (line->count++ == 0)
		line->first = to->value_count;
	to->values[to->value_count] = *value;
	to->values[to->value_count].column = start->column;
	return to->value_count++;
}

/* Returns whether the text's node can be `node`, by kind and value. */
static bool is_alike(const struct node *node, const struct node *again)
{
	if (node->kind != again->kind)
		return false;
	return node_is_scalar(node) || node_count(node) == node_count(again);
}

static bool is_in_line(const struct node *again)
{
	if (node_is_scalar(again) || node_count(again) == 0)
		return true;
	return again->style == NODE_FLOW;
}

static void walk(struct line_finder *finder, struct line_value *value, const struct node *again_key,
	const struct node *again);

/* Returns the pair of `map` that was written as pair `i` of the text. A format may write values
 * before tables, and a key as a string. */
static const struct pair *pair_of(const struct node *map, const struct node *again, uint32_t i)
{
	const struct pair *pair = &map->map.pairs[i], *found;
	const struct node *key = again->map.pairs[i].key;

	if (!node_is_scalar(key) || !node_is_scalar(pair->key) ||
		span_equal(pair->key->text, key->text))
		return pair;
	found = node_find(map, key);
	return found ? found : pair;
}

static void walk_entries(struct line_finder *finder, const struct node *node,
	const struct node *again, uint32_t number)
{
	for (uint32_t i = 0; i < node_count(node); i++) {
		struct line_value inner = {.parent = number, .index = i};

		if (node_is_map(node)) {
			const struct pair *pair = pair_of(node, again, i);

			inner.key = pair->key;
			inner.value = pair->value;
			walk(finder, &inner, again->map.pairs[i].key, again->map.pairs[i].value);
		} else {
			inner.value = node->seq.items[i];
			walk(finder, &inner, NULL, again->seq.items[i]);
		}
	}
}

/* Walks a key that is a map or a list: its values begin in lines, but have no path. */
static void walk_key(struct line_finder *finder, const struct node *key, const struct node *again)
{
	struct line *line = is_alike(key, again) ? begin(finder, key, again) : NULL;

	if (!line)
		return;
	describe_by(line, LINE_KEY, line_origin_place(finder->origins, key));
	for (uint32_t i = 0; i < node_count(key); i++) {
		if (node_is_map(key))
			walk_key(finder, key->map.pairs[i].key, again->map.pairs[i].key);
		walk_key(finder, *node_entry(key, i), *node_entry(again, i));
	}
}

static void walk(struct line_finder *finder, struct line_value *value, const struct node *again_key,
	const struct node *again)
{
	const struct node *node = value->value;

	if (again_key)
		walk_key(finder, value->key, again_key);
	if (!is_alike(node, again))
		return;
	struct line *line = begin(finder, node, again);
	if (!line)
		return;
	const struct node *place = line_origin_place(finder->origins, node);
	/* A value that the merge made, such as a count, has the place of its key. */
	if (!place && value->key)
		place = line_origin_place(finder->origins, value->key);
	value->is_in_line = is_in_line(again);
	describe_by(line, value->is_in_line ? LINE_VALUE : LINE_OPENS, place);

	uint32_t number = add_value(finder, value, again_key, again);
	if (!node_is_scalar(node))
		walk_entries(finder, node, again, number);
}

static int new_origins(struct span text, struct line_origins **ret)
{
	CLEANUP(line_origins_freep) struct line_origins *origins = calloc(1, sizeof(*origins));
	struct span rest = text;

	if (!origins)
		return -ENOMEM;
	int r = arena_new(&origins->arena);
	if (r < 0)
		return r;
	origins->count = source_lines_count(text);
	origins->lines = arena_zalloc(origins->arena, origins->count + 1, sizeof(*origins->lines));
	if (!origins->lines)
		return -ENOMEM;
	for (size_t i = 0; i < origins->count; i++)
		source_line_next(&rest, &origins->lines[i].text);
	*ret = take_ptr(origins);
	return 0;
}

/* Reads the result's text again. PROBLEM: that failed, so no line can be described. */
static int read_again(const struct merge_request *request, const struct merge_result *result,
	struct document **ret)
{
	const struct source source = {.name = "", .layer = ""};
	struct read_options options = read_options_for(request, request->to);
	struct problem problem;

	options.keep_duplicates = true;
	options.limits = (struct limits){.source_bytes = SIZE_MAX,
		.result_bytes = SIZE_MAX,
		.depth = UINT32_MAX,
		.nodes = UINT32_MAX - 1};
	return document_read(&source, result->text, &options, ret, &problem);
}

static int find_in_trees(const struct merge_request *request, const struct merge_result *result,
	struct line_origins *to)
{
	CLEANUP(document_freep) struct document *again = NULL;
	size_t count;
	const struct node *const *roots = node_documents(&result->root, &count);

	int r = read_again(request, result, &again);
	if (r == PROBLEM || (r == 0 && again->count != count))
		return 0;
	if (r < 0)
		return r;
	struct line_finder finder = {
		.to = to,
		.request = request,
		.origins = result->origins,
		.texts = arena_zalloc(to->arena, request->count, sizeof(*finder.texts)),
		.document_count = count,
	};
	for (size_t i = 0; i < count; i++)
		finder.capacity += again->roots[i]->weight;
	to->values = arena_alloc(to->arena, finder.capacity * sizeof(*to->values));
	if (!finder.texts || !to->values)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct line_value root = {
			.value = roots[i], .parent = LINE_VALUE_NONE, .index = (uint32_t)i};

		walk(&finder, &root, NULL, again->roots[i]);
	}
	end_value(&finder, to->count + 1);
	return finder.failure;
}

/* Describes the lines that begin in the pieces of text that are copies of a source. */
static void count_in_pieces(
	struct line_origins *to, struct span text, const struct origin_piece *piece)
{
	uint32_t number = 0;

	for (size_t i = 0; i < to->count; i++) {
		size_t offset = (size_t)(to->lines[i].text.data - text.data);

		while (piece && offset >= piece->offset + piece->len) {
			piece = piece->next;
			number = 0;
		}
		if (!piece || offset < piece->offset)
			continue;
		to->lines[i].kind = LINE_VALUE;
		to->lines[i].source = piece->source;
		to->lines[i].source_line = piece->line + number++;
		to->lines[i].source_column = 1;
	}
}

int line_origins_read(const struct merge_request *request, const struct merge_result *result,
	struct line_origins **ret)
{
	CLEANUP(line_origins_freep) struct line_origins *origins = NULL;
	const struct origin_piece *pieces = origin_pieces(result->origins);

	int r = new_origins(result->text, &origins);
	if (r == 0 && pieces)
		count_in_pieces(origins, result->text, pieces);
	else if (r == 0 && result->root)
		r = find_in_trees(request, result, origins);
	if (r == 0)
		*ret = take_ptr(origins);
	return r;
}

int line_origins_copy(struct span text, const struct source *source, struct line_origins **ret)
{
	const struct origin_piece piece = {.len = text.len, .source = source, .line = 1};
	int r = new_origins(text, ret);

	if (r == 0)
		count_in_pieces(*ret, text, &piece);
	return r;
}

void line_origins_freep(struct line_origins **place)
{
	struct line_origins *origins = *place;

	if (!origins)
		return;
	arena_free(origins->arena);
	free(origins);
}
