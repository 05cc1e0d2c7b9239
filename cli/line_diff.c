#include "line_diff.h"

#include <errno.h>
#include <string.h>

#include "table.h"

/*
 * Maximum number of differences on one path through the texts; then the path that got furthest is
 * taken, and the search begins anew at its end. It makes the time linear, and matters only for
 * texts that have little in common.
 */
#define COST_MAX 512

/* The lines of a text that the other text has, too, and their positions. */
struct shared_side {
	struct shared_line {
		const void *line; /* equal lines have equal addresses */
		uint32_t at;
	} * lines;
	int32_t count;
	struct line_diff_side *side;
};

struct diff_search {
	struct shared_side old;
	struct shared_side new;
	/*
	 * A row for each number of differences: the furthest position in `old` that a path with so
	 * many reaches on each diagonal (old - new); -1: none does.
	 */
	int32_t *rows;
};

/* The lines between the first and the last difference. */
struct box {
	size_t start; /* in both texts */
	size_t old_end;
	size_t new_end;
};

static int split_lines(struct span text, struct arena *arena, struct line_diff_side *side)
{
	size_t capacity = 1;

	for (size_t i = 0; i < text.len; i++)
		capacity += text.data[i] == '\n';
	side->lines = arena_alloc(arena, capacity * sizeof(*side->lines));
	side->changed = arena_zalloc(arena, capacity + 1, sizeof(*side->changed));
	if (!side->lines || !side->changed)
		return -ENOMEM;
	for (size_t at = 0; at < text.len;) {
		const char *start = text.data + at, *newline = memchr(start, '\n', text.len - at);
		size_t len = newline ? (size_t)(newline + 1 - start) : text.len - at;
		side->lines[side->count++] = (struct span){start, len};
		at += len;
	}
	return 0;
}

static bool is_same_line(const struct line_diff *diff, size_t old, size_t new)
{
	return span_equal(diff->old.lines[old], diff->new.lines[new]);
}

/* Excludes the equal lines at the start and at the end. */
static struct box trim(const struct line_diff *diff)
{
	size_t start = 0, old = diff->old.count, new = diff->new.count;

	while (start < old && start < new &&is_same_line(diff, start, start))
		start++;
	while (old > start && new > start && is_same_line(diff, old - 1, new - 1)) {
		old--;
		new --;
	}
	return (struct box){start, old, new};
}

enum { IN_OLD = 1, IN_NEW = 2 };

/* Notes in `seen` that a text (IN_OLD or IN_NEW) has the lines. Returns 0 or -ENOMEM. */
static int note_lines(struct table *seen, struct arena *arena, const struct line_diff_side *side,
	const size_t ends[2], unsigned text)
{
	for (size_t i = ends[0]; i < ends[1]; i++) {
		void **place = table_place(seen, arena, side->lines[i]);

		if (place && !*place)
			*place = arena_zalloc(arena, 1, sizeof(unsigned));
		if (!place || !*place)
			return -ENOMEM;
		*(unsigned *)*place |= text;
	}
	return 0;
}

/* Takes the lines that both texts have. Any other line is marked as changed, and not compared. */
static int take_lines(const struct table *seen, struct arena *arena, struct line_diff_side *side,
	const size_t ends[2], struct shared_side *ret)
{
	ret->side = side;
	ret->lines = arena_alloc(arena, (ends[1] - ends[0] + 1) * sizeof(*ret->lines));
	if (!ret->lines)
		return -ENOMEM;
	for (size_t i = ends[0]; i < ends[1]; i++) {
		const unsigned *texts = table_get(seen, side->lines[i]);

		if (*texts == (IN_OLD | IN_NEW))
			ret->lines[ret->count++] = (struct shared_line){texts, (uint32_t)i};
		else
			side->changed[i] = true;
	}
	return 0;
}

static int share_lines(struct line_diff *diff, const struct box *box, struct diff_search *search)
{
	const size_t old[] = {box->start, box->old_end}, new[] = {box->start, box->new_end};
	struct table seen = {0};

	int r = note_lines(&seen, diff->arena, &diff->old, old, IN_OLD);
	if (r == 0)
		r = note_lines(&seen, diff->arena, &diff->new, new, IN_NEW);
	if (r == 0)
		r = take_lines(&seen, diff->arena, &diff->old, old, &search->old);
	return r == 0 ? take_lines(&seen, diff->arena, &diff->new, new, &search->new) : r;
}

/* Returns the row of that cost, indexed by diagonals. One more at each side is -1. */
static int32_t *row_of(const struct diff_search *search, int32_t cost)
{
	return search->rows + cost * cost + 4 * cost + cost + 2;
}

/*
 * Returns the furthest position in `old` that one more difference than those of `row` reaches on
 * the diagonal; -1: none does. *is_removal: the difference is a line of `old`.
 */
static int32_t next_place(
	const struct diff_search *search, const int32_t *row, int32_t diagonal, bool *is_removal)
{
	int32_t removal = row[diagonal - 1], addition = row[diagonal + 1];

	removal = removal >= 0 && removal < search->old.count ? removal + 1 : -1;
	if (addition - diagonal > search->new.count)
		addition = -1;
	*is_removal = removal > addition;
	return *is_removal ? removal : addition;
}

static int32_t skip_equal(const struct diff_search *search, int32_t old, int32_t diagonal)
{
	while (old < search->old.count && old - diagonal < search->new.count &&
		search->old.lines[old].line == search->new.lines[old - diagonal].line)
		old++;
	return old;
}

/*
 * Fills the row of that cost. Returns the diagonal on which it gets furthest; *is_end: to the end.
 */
static int32_t fill_row(struct diff_search *search, int32_t cost, bool *is_end)
{
	int32_t *row = row_of(search, cost), best = 0, furthest = -1;
	bool is_removal;

	row[-cost - 2] = row[cost + 2] = -1;
	for (int32_t d = -cost; d <= cost; d += 2) {
		row[d] = cost ? next_place(search, row_of(search, cost - 1), d, &is_removal) : 0;
		if (row[d] < 0)
			continue;
		row[d] = skip_equal(search, row[d], d);
		if (2 * row[d] - d > furthest) {
			furthest = 2 * row[d] - d;
			best = d;
		}
	}
	*is_end = furthest == search->old.count + search->new.count;
	return best;
}

/* Marks the differences of the path that ends on the diagonal with that cost. */
static void mark_path(struct diff_search *search, int32_t cost, int32_t diagonal)
{
	for (; cost > 0; cost--) {
		bool is_removal;
		int32_t old = next_place(search, row_of(search, cost - 1), diagonal, &is_removal);

		if (is_removal)
			search->old.side->changed[search->old.lines[old - 1].at] = true;
		else
			search->new.side->changed[search->new.lines[old - diagonal - 1].at] = true;
		diagonal += is_removal ? -1 : 1;
	}
}

/* Takes the lines away that were compared. */
static void advance(struct shared_side *side, int32_t count)
{
	side->lines += count;
	side->count -= count;
}

static int compare(struct diff_search *search, struct arena *arena)
{
	bool is_end = false;

	search->rows = arena_alloc(arena, (COST_MAX + 3) * (COST_MAX + 3) * sizeof(int32_t));
	if (!search->rows)
		return -ENOMEM;
	while (!is_end) {
		int32_t cost = 0, diagonal = fill_row(search, cost, &is_end);

		while (!is_end && cost < COST_MAX)
			diagonal = fill_row(search, ++cost, &is_end);
		int32_t old = row_of(search, cost)[diagonal];
		mark_path(search, cost, diagonal);
		advance(&search->old, old);
		advance(&search->new, old - diagonal);
	}
	return 0;
}

/*
 * Moves runs of changed lines down as far as possible, as other programs do. A run can move one
 * line down if its first line equals the line behind it, and one line up if its last line equals
 * the line before it. Runs that meet are merged. Lines that replace other lines do not move.
 */
static void slide(struct line_diff_side *side, const struct line_diff_side *other)
{
	size_t at = 0, across = 0;

	while (at < side->count) {
		/*
		 * Unchanged lines come in pairs; a changed line of the other text has no partner
		 * here.
		 */
		bool is_replaced = other->changed[across];
		while (other->changed[across])
			across++;
		if (!side->changed[at]) {
			at++;
			across++;
			continue;
		}
		size_t start = at;
		while (side->changed[at])
			at++;
		while (!is_replaced && at < side->count && !other->changed[across] &&
			span_equal(side->lines[start], side->lines[at])) {
			side->changed[start++] = false;
			side->changed[at++] = true;
			across++;
			while (side->changed[at])
				at++;
		}
	}
}

int line_diff_make(struct span old, struct span new, struct line_diff *ret)
{
	struct diff_search search = {0};

	*ret = (struct line_diff){0};
	int r = arena_new(&ret->arena);
	if (r == 0)
		r = split_lines(old, ret->arena, &ret->old);
	if (r == 0)
		r = split_lines(new, ret->arena, &ret->new);
	if (r < 0)
		return r;
	const struct box box = trim(ret);
	if (box.old_end + box.new_end - 2 * box.start > LINE_DIFF_LINES_MAX) {
		memset(ret->old.changed + box.start, true, box.old_end - box.start);
		memset(ret->new.changed + box.start, true, box.new_end - box.start);
		return 0;
	}
	r = share_lines(ret, &box, &search);
	if (r == 0)
		r = compare(&search, ret->arena);
	if (r < 0)
		return r;
	slide(&ret->old, &ret->new);
	slide(&ret->new, &ret->old);
	return 0;
}

void line_diff_fini(struct line_diff *diff)
{
	arena_free(diff->arena);
	*diff = (struct line_diff){0};
}
