/*
 * Prints blame as a page for a browser: one file without scripts, that loads nothing. A line's
 * overridden values are shown, by style alone, when the pointer is on it or its button has the
 * focus.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "blame.h"
#include "cleanup.h"
#include "column.h"
#include "excerpt.h"
#include "key.h"
#include "shown.h"
#include "utf8.h"

/* Maximum number of an origin's steps that are shown; the latest ones. */
#define STEPS_MAX 20

/* Number of a value's bytes that are shown. */
#define EXCERPT_SIZE 240

/* Number of a KEY's bytes that are shown, from its end; and maximum length of one key in it. */
#define KEY_SIZE 400
#define KEY_NAME_MAX 200

/* Maximum width of a column, in characters; longer text is wrapped. */
#define LAYER_WIDTH_MAX 24
#define PLACE_WIDTH_MAX 44

/* Maximum indent of a line, in blanks, by which its wrapped part is indented, too. */
#define INDENT_MAX 24

/* Number of layers' colours; then they repeat. */
#define COLOURS 8

static const char style[] =
#include "blame_page.inc"
	;

/* The lines of each layer, and at [layer_count] those without a source. */
struct tally {
	size_t lines;
	size_t first; /* number of the first line; 0: there is none */
};

struct blame_page {
	const struct blame *blame;
	FILE *out;
	struct tally *tallies;
	struct key_text key;
	const struct source *source; /* the last one asked for */
	size_t layer;                /* its layer */
};

static const char *markup_of(char c)
{
	static const char *const markups[UCHAR_MAX + 1] = {
		['&'] = "&amp;",
		['<'] = "&lt;",
		['>'] = "&gt;",
		['"'] = "&quot;",
		['\''] = "&#39;",
		['\t'] = "\t",
	};

	return markups[(unsigned char)c];
}

/* Writes any bytes as text of the page, with control characters escaped, except tabs. */
static void page_put_text(FILE *out, struct span text)
{
	const char *p = text.data, *end = span_end(text);

	while (p < end) {
		const char *markup = markup_of(*p);
		size_t plain = 0;
		char shown[SHOWN_MAX + 1];

		while (p + plain < end && shown_is_plain(p[plain]) && !markup_of(p[plain]))
			plain++;
		if (markup) {
			fputs(markup, out);
			p++;
		} else if (plain) {
			fwrite(p, 1, plain, out);
			p += plain;
		} else {
			/* cppcheck-suppress uninitvar ; shown_put() fills it */
			fwrite(shown, 1, shown_put(&p, end, shown), out);
		}
	}
}

static void page_put(FILE *out, const char *before, const char *text, const char *after)
{
	fputs(before, out);
	page_put_text(out, span_of(text));
	fputs(after, out);
}

/* Returns the byte offset of the character with that number, starting at 1; at most the length. */
static size_t page_offset(struct span text, size_t column)
{
	size_t i = 0;

	for (size_t passed = 0; i < text.len; i++) {
		passed += !utf8_is_tail((unsigned char)text.data[i]);
		if (passed >= column)
			break;
	}
	return i;
}

static size_t layer_of(struct blame_page *page, const struct source *source)
{
	if (!source)
		return page->blame->settings->layer_count;
	if (page->source != source) {
		page->source = source;
		page->layer = blame_layer(page->blame, source);
	}
	return page->layer;
}

/* Writes "c3", the class with a layer's colour; nothing for a text without a layer. */
static void put_colour(struct blame_page *page, size_t layer)
{
	if (layer < page->blame->settings->layer_count)
		fprintf(page->out, "c%zu", layer % COLOURS);
}

static void put_excerpt(struct blame_page *page, const struct node *value, const char *element)
{
	char text[EXCERPT_SIZE];

	excerpt(value, text, sizeof(text));
	if (!*text) {
		fputs("<span>empty</span>", page->out);
		return;
	}
	fprintf(page->out, "<%s>", element);
	page_put(page->out, "", text, "</");
	fprintf(page->out, "%s>", element);
}

static void put_place(
	struct blame_page *page, const char *before, const struct node *node, const char *after)
{
	page_put(page->out, before, node->source->layer, " · ");
	page_put(page->out, "", store_places_name(page->blame->places, node->source), "");
	fprintf(page->out, ":%" PRIu32 ":%" PRIu32 "%s", node->line, node->column, after);
}

static const struct node *short_key(const struct node *key)
{
	static const struct node long_key = {.kind = NODE_SCALAR, .text = {"…", sizeof("…") - 1}};

	return node_is_scalar(key) && key->text.len > KEY_NAME_MAX ? &long_key : key;
}

/* Sets page->key to the KEY of a value in the text. */
static void set_key(struct blame_page *page, uint32_t number)
{
	const struct line_value *value = &page->blame->lines->values[number];

	if (value->parent == LINE_VALUE_NONE) {
		key_text_cut(&page->key, 0);
		return;
	}
	set_key(page, value->parent);
	if (value->key)
		key_text_put(&page->key, short_key(value->key));
	else
		key_text_put_index(&page->key, value->index);
}

static void put_key(struct blame_page *page)
{
	char text[KEY_SIZE];

	shown_tail(text, sizeof(text), key_text_span(&page->key).data);
	page_put(page->out, "<h3>", text, "</h3>");
}

/* Writes a step. `later` is the step written before it, or NULL. */
static void put_step(
	struct blame_page *page, const struct origin_step *step, const struct origin_step *later)
{
	static const char *const words[] = {
		[ORIGIN_LOST] = "", [ORIGIN_PART] = "part ", [ORIGIN_REMOVED] = "removed by "};
	static const char *const classes[] = {
		[ORIGIN_LOST] = "lost ", [ORIGIN_PART] = "part ", [ORIGIN_REMOVED] = "lost "};
	const struct node *value = step->value, *by = step->why.by;

	fprintf(page->out, "<li class=\"%s", classes[step->fate]);
	put_colour(page, layer_of(page, value->source));
	fprintf(page->out, "\"><span class=dot></span><p>%s", words[step->fate]);
	put_excerpt(page, value, step->fate == ORIGIN_LOST ? "s" : "b");
	put_place(page, " <span>", value, "</span>");
	if (!later || later->fate != ORIGIN_REMOVED || later->value != by) {
		page_put(page->out, " <span class=why>", step->why.rule, "");
		if (by && by->source && by != value)
			put_place(page, ", by ", by, "");
		fputs("</span>", page->out);
	}
	fputs("</p></li>", page->out);
}

struct latest_steps {
	const struct origin_step *kept[STEPS_MAX]; /* the step with number i at i % STEPS_MAX */
	size_t count;
	size_t lost; /* number of those that are no part of the value */
};

static void steps_add(struct latest_steps *steps, const struct origin_step *step)
{
	steps->kept[steps->count++ % STEPS_MAX] = step;
	steps->lost += step->fate != ORIGIN_PART;
}

static void put_steps(struct blame_page *page, const struct latest_steps *steps)
{
	size_t shown = steps->count < STEPS_MAX ? steps->count : STEPS_MAX;
	const struct origin_step *later = NULL;

	for (size_t i = 1; i <= shown; i++) {
		const struct origin_step *step = steps->kept[(steps->count - i) % STEPS_MAX];

		put_step(page, step, later);
		later = step;
	}
	if (steps->count > shown)
		fprintf(page->out, "<li><span></span><p>and %zu more</p></li>",
			steps->count - shown);
}

/* Collects the steps of the value's origin that the lines do not show already. */
static struct latest_steps steps_of(const struct blame_page *page, const struct line_value *value)
{
	const struct origin *origin = origin_of(page->blame->origins, value->value);
	struct latest_steps steps = {.count = 0};

	for (const struct origin_step *step = NULL; origin && (step = origin_next(origin, step));)
		if (step->fate != ORIGIN_PART || value->is_in_line)
			steps_add(&steps, step);
	return steps;
}

static void put_value(struct blame_page *page, uint32_t number, const struct latest_steps *steps)
{
	const struct line_value *value = &page->blame->lines->values[number];
	const struct node *place = line_origin_place(page->blame->origins, value->value);

	set_key(page, number);
	put_key(page);
	fputs("<ul><li class=\"now ", page->out);
	put_colour(page, layer_of(page, place ? place->source : NULL));
	fputs("\"><span class=dot></span><p>", page->out);
	put_excerpt(page, value->value, "b");
	if (place)
		put_place(page, " <span>", place, "</span>");
	fputs("</p></li>", page->out);
	put_steps(page, steps);
	fputs("</ul>", page->out);
}

/* Writes the origins of the line's values, behind a button with their number. */
static void put_tooltip(struct blame_page *page, size_t i)
{
	const struct line *line = &page->blame->lines->lines[i];
	size_t count = 0, lost = 0;

	for (uint32_t j = line->first; j < line->first + line->count; j++) {
		struct latest_steps steps = steps_of(page, &page->blame->lines->values[j]);

		count += steps.count;
		lost += steps.lost;
	}
	if (count == 0)
		return;
	fprintf(page->out,
		"<button type=button class=more aria-describedby=t%zu><span class=w>%zu "
		"%s</span><span class=t>+%zu</span></button><div class=told role=tooltip "
		"id=t%zu>",
		i + 1, lost > 0 ? lost : count, lost > 0 ? "overridden" : "merged", count, i + 1);
	for (uint32_t j = line->first; j < line->first + line->count; j++) {
		struct latest_steps steps = steps_of(page, &page->blame->lines->values[j]);

		if (steps.count > 0)
			put_value(page, j, &steps);
	}
	fputs("</div>", page->out);
}

/* Returns the layer of a value without entries, such as one in [] or {}; `other` if it has none. */
static size_t layer_of_leaf(struct blame_page *page, const struct line_value *value, size_t other)
{
	const struct node *place;

	if (node_count(value->value) > 0)
		return other;
	place = line_origin_place(page->blame->origins, value->value);
	size_t layer = layer_of(page, place ? place->source : NULL);
	return layer < page->blame->settings->layer_count ? layer : other;
}

struct page_cursor {
	uint32_t column; /* starting at 1 */
	size_t offset;
};

static size_t cursor_move(struct page_cursor *cursor, struct span text, uint32_t column)
{
	const struct span rest = {text.data + cursor->offset, text.len - cursor->offset};

	if (column > cursor->column) {
		cursor->offset += page_offset(rest, column - cursor->column + 1);
		cursor->column = column;
	}
	return cursor->offset;
}

static void put_values(struct blame_page *page, const struct line *line, size_t from)
{
	const struct line_value *values = page->blame->lines->values + line->first;
	const struct span text = line->text;
	size_t own = layer_of(page, line->source);
	struct page_cursor cursor = {1, 0};

	for (uint32_t i = 0; i < line->count; i++) {
		size_t start = cursor_move(&cursor, text, values[i].column), end = text.len;
		size_t layer = layer_of_leaf(page, &values[i], own);

		if (layer == own || start < from)
			continue;
		if (i + 1 < line->count)
			end = cursor_move(&cursor, text, values[i + 1].column);
		while (end > start && text.data[end - 1] && strchr(" ,]}", text.data[end - 1]))
			end--;
		page_put_text(page->out, (struct span){text.data + from, start - from});
		fputs("<span class=\"v ", page->out);
		put_colour(page, layer);
		page_put(page->out, "\" title=\"", page->blame->settings->layers[layer]->name,
			"\">");
		page_put_text(page->out, (struct span){text.data + start, end - start});
		fputs("</span>", page->out);
		from = end;
	}
	page_put_text(page->out, (struct span){text.data + from, text.len - from});
}

static void put_text(struct blame_page *page, const struct line *line)
{
	struct span text = line->text;
	size_t start = page_offset(text, line->key_column);
	size_t end = line->value_column ? page_offset(text, line->value_column) : text.len;

	if (line->key_column == 0 || end < start) {
		put_values(page, line, 0);
		return;
	}
	while (end > start && (text.data[end - 1] == ' ' || text.data[end - 1] == ':'))
		end--;
	page_put_text(page->out, (struct span){text.data, start});
	fputs("<i>", page->out);
	page_put_text(page->out, (struct span){text.data + start, end - start});
	fputs("</i>", page->out);
	put_values(page, line, end);
}

/* Writes the line's code; its wrapped part is indented further than its beginning. */
static void put_code(struct blame_page *page, const struct line *line)
{
	size_t indent = 0;

	while (indent < line->text.len && indent < INDENT_MAX && line->text.data[indent] == ' ')
		indent++;
	if (indent > 0)
		fprintf(page->out, "<code style=--i:%zuch>", indent);
	else
		fputs("<code>", page->out);
	put_text(page, line);
	fputs("</code>", page->out);
}

static void put_source(struct blame_page *page, const struct line *line)
{
	if (!line->source) {
		fputs("<span class=none>–</span>", page->out);
		return;
	}
	const struct line_author *author = blame_author(page->blame->authors, line);

	page_put(page->out, "<span class=\"from l\">", line->source->layer,
		"</span><span class=\"from p\"");
	if (author) {
		fprintf(page->out, " title=\"%.*s ", BLAME_COMMIT_WIDTH, author->commit);
		page_put(page->out, "", author->name, ": ");
		page_put(page->out, "", author->summary, "\"");
	}
	fputs("><span class=f>", page->out);
	page_put(page->out, "", blame_place(page->blame, line->source), "");
	fprintf(page->out, "</span><span class=s>:%" PRIu32 "</span></span>", line->source_line);
}

static void put_line(struct blame_page *page, size_t i)
{
	const struct line *line = &page->blame->lines->lines[i];
	bool is_first = i == 0 || line[-1].source != line->source;

	fputs("<li class=\"", page->out);
	put_colour(page, layer_of(page, line->source));
	fputs(line->source ? (is_first ? " first" : "") : "made", page->out);
	fprintf(page->out, "\" id=L%zu>", i + 1);
	put_source(page, line);
	fprintf(page->out, "<a class=n href=#L%zu tabindex=-1>%zu</a>", i + 1, i + 1);
	put_code(page, line);
	put_tooltip(page, i);
	fputs("</li>\n", page->out);
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t at_most(size_t size, size_t limit)
{
	return size < limit ? size : limit;
}

static void put_lines(struct blame_page *page)
{
	const struct line_origins *lines = page->blame->lines;
	const struct source *last = NULL;
	size_t layer = 1, place = 1, number = 1;

	for (size_t i = 0; i < lines->count; i++) {
		const struct source *source = lines->lines[i].source;

		number = larger(number, lines->lines[i].source_line);
		if (source && source != last) {
			layer = larger(layer, column_put(NULL, span_of(source->layer)));
			place = larger(
				place, column_put(NULL, span_of(blame_place(page->blame, source))));
		}
		last = source ? source : last;
	}
	place += 1 + column_digits(number);
	fprintf(page->out,
		"<main>\n<ol class=file style=\"--l:%zuch;--p:%zuch;--s:%zuch;--n:%zuch\">\n",
		at_most(layer, LAYER_WIDTH_MAX), at_most(place, PLACE_WIDTH_MAX),
		1 + column_digits(number), column_digits(lines->count));
	for (size_t i = 0; i < lines->count; i++)
		put_line(page, i);
	fputs("</ol>\n", page->out);
}

static void put_removed(
	struct blame_page *page, uint32_t number, const struct origin_removed *removed)
{
	const struct node *in = page->blame->lines->values[number].value;
	const struct origin_step *step = origin_removed_next(removed, NULL);
	struct latest_steps steps = {.count = 0};

	set_key(page, number);
	if (node_is_map(in))
		key_text_put(&page->key, short_key(removed->key));
	else if (step)
		key_text_put_item(&page->key, short_key(removed->key), step->value);
	for (; step; step = origin_removed_next(removed, step))
		steps_add(&steps, step);
	fputs("<li>", page->out);
	put_key(page);
	fputs("<ul>", page->out);
	put_steps(page, &steps);
	fputs("</ul></li>\n", page->out);
}

/* Writes the values that are in no line, as another source has removed them. */
static void put_all_removed(struct blame_page *page)
{
	const struct line_origins *lines = page->blame->lines;
	bool is_any = false;

	for (uint32_t i = 0; i < lines->value_count; i++) {
		const struct origin *origin =
			origin_of(page->blame->origins, lines->values[i].value);
		const struct origin_removed *removed = origin ? origin->removed : NULL;

		for (; removed; removed = removed->next) {
			fputs(is_any ? "" : "<h2>Removed</h2>\n<ol class=gone>\n", page->out);
			put_removed(page, i, removed);
			is_any = true;
		}
	}
	fputs(is_any ? "</ol>\n</main>\n" : "</main>\n", page->out);
}

static void put_head(struct blame_page *page)
{
	fputs("<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n"
	      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
	      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n<title>",
		page->out);
	page_put(page->out, "", page->blame->path, " – plyfs blame</title>\n");
	fprintf(page->out, "<style>\n%s", style);
	/* Pointing at a layer in the legend, or focusing it, dims the other layers' lines. */
	for (unsigned i = 0; i < COLOURS && i < page->blame->settings->layer_count; i++)
		fprintf(page->out,
			"body:has(.layers a.c%u:is(:hover,:focus)) .file > li:not(.c%u) { opacity: "
			".28; }\n",
			i, i);
	fputs("</style>\n", page->out);
}

static void put_layer(struct blame_page *page, size_t i)
{
	const struct tally *tally = &page->tallies[i];

	if (tally->lines > 0)
		fputs("<li><a class=\"layer ", page->out);
	else
		fputs("<li><span class=\"layer ", page->out);
	put_colour(page, i);
	if (tally->lines > 0)
		fprintf(page->out, "\" href=#L%zu><b>", tally->first);
	else
		fputs("\"><b>", page->out);
	page_put(page->out, "", page->blame->settings->layers[i]->name, "");
	fprintf(page->out, "</b><span>%zu line%s</span></%s></li>\n", tally->lines,
		tally->lines == 1 ? "" : "s", tally->lines > 0 ? "a" : "span");
}

static void put_header(struct blame_page *page)
{
	const struct blame *blame = page->blame;
	size_t layers = 0;

	for (size_t i = 0; i < blame->settings->layer_count; i++)
		layers += page->tallies[i].lines > 0;
	page_put(page->out, "<header>\n<h1>", blame->path, "");
	fprintf(page->out,
		"</h1>\n<p>%zu line%s from %zu layer%s, merged by the strategy <b>%s</b></p>\n"
		"</header>\n<nav aria-label=Layers>\n<ol class=layers>\n",
		blame->lines->count, blame->lines->count == 1 ? "" : "s", layers,
		layers == 1 ? "" : "s", blame->strategy);
	bool has_ends = blame->settings->layer_count > 1;
	fputs(has_ends ? "<li class=end>lowest</li>\n" : "", page->out);
	for (size_t i = 0; i < blame->settings->layer_count; i++)
		put_layer(page, i);
	fputs(has_ends ? "<li class=end>highest</li>\n" : "", page->out);
	fputs("</ol>\n</nav>\n", page->out);
}

int blame_print_page(const struct blame *blame, FILE *out)
{
	CLEANUP(freep)
	struct tally *tallies = calloc(blame->settings->layer_count + 1, sizeof(*tallies));
	struct blame_page page = {.blame = blame, .out = out, .tallies = tallies};

	if (!tallies)
		return -ENOMEM;
	for (size_t i = 0; i < blame->lines->count; i++) {
		struct tally *tally = &tallies[layer_of(&page, blame->lines->lines[i].source)];

		if (tally->lines++ == 0)
			tally->first = i + 1;
	}
	put_head(&page);
	put_header(&page);
	put_lines(&page);
	put_all_removed(&page);
	fputs("<footer>Made by plyfs blame.</footer>\n</html>\n", out);
	bool has_failed = page.key.has_failed;
	key_text_fini(&page.key);
	return has_failed ? -ENOMEM : 0;
}
