#include "line_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "hash.h"

/*
 * Maximum number of differences on one path through the texts; then the search takes the path that
 * got furthest. It makes the time linear, and matters only for texts that have nothing in common.
 */
#define COST_MAX 256

/* A line that both texts have, as a number, and its position in its text. */
struct numbered {
	uint32_t number; /* equal lines have equal numbers */
	uint32_t at;
};

struct diff_search {
	struct numbered *old;
	struct numbered *new;
	struct line_diff *diff;
	/*
	 * For each diagonal (old - new), the furthest position in `old` that was reached from the
	 * start, and from the end.
	 */
	ptrdiff_t *forward;
	ptrdiff_t *backward;
};

/* The part of both texts that remains to be compared. */
struct box {
	ptrdiff_t old_start;
	ptrdiff_t old_end;
	ptrdiff_t new_start;
	ptrdiff_t new_end;
};

static int split_lines(struct span text, struct line_diff_side *side)
{
	size_t capacity = 1;

	for (size_t i = 0; i < text.len; i++)
		capacity += text.data[i] == '\n';
	side->lines = calloc(capacity, sizeof(*side->lines));
	side->changed = calloc(capacity + 1, sizeof(*side->changed));
	if (!side->lines || !side->changed)
		return -ENOMEM;
	for (const char *at = text.data, *end = at + text.len; text.len && at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline + 1 : end;
		side->lines[side->count++] = (struct span){at, (size_t)(stop - at)};
		at = stop;
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
	return (struct box){(ptrdiff_t)start, (ptrdiff_t)old, (ptrdiff_t)start, (ptrdiff_t) new};
}

/* Bits: the text has the line. */
enum { IN_OLD = 1, IN_NEW = 2 };

/* A hash table of lines, with open addressing. */
struct line_table {
	struct seen_line {
		struct span line;
		uint32_t number; /* 0: the slot is free */
		unsigned sides;  /* an OR of IN_OLD and IN_NEW */
	} * slots;
	size_t size; /* a power of two, more than twice the number of lines */
	uint32_t count;
};

static struct seen_line *look_up(struct line_table *table, struct span line)
{
	size_t at = hash_end(hash_bytes(hash_seed(), line));

	for (;; at++) {
		struct seen_line *slot = &table->slots[at & (table->size - 1)];
		if (slot->number == 0)
			*slot = (struct seen_line){.line = line, .number = ++table->count};
		else if (!span_equal(slot->line, line))
			continue;
		return slot;
	}
}

/*
 * Numbers the lines of one text, and returns how many were numbered. A line that the other text
 * does not have is marked as changed, and is not compared.
 */
static ptrdiff_t number_side(struct line_table *table, struct line_diff_side *side, ptrdiff_t start,
	ptrdiff_t end, struct numbered *ret)
{
	ptrdiff_t count = 0;

	for (ptrdiff_t i = start; i < end; i++) {
		const struct seen_line *seen = look_up(table, side->lines[i]);
		if (seen->sides == (IN_OLD | IN_NEW))
			ret[count++] = (struct numbered){seen->number, (uint32_t)i};
		else
			side->changed[i] = true;
	}
	return count;
}

static int number_lines(struct diff_search *search, struct box *box)
{
	struct line_diff *diff = search->diff;
	size_t old = (size_t)(box->old_end - box->old_start);
	size_t new = (size_t)(box->new_end - box->new_start);
	struct line_table table = {.size = 16};

	while (table.size < 2 * (old + new))
		table.size *= 2;
	CLEANUP(freep) struct seen_line *slots = calloc(table.size, sizeof(*slots));
	table.slots = slots;
	search->old = calloc(old + 1, sizeof(*search->old));
	search->new = calloc(new + 1, sizeof(*search->new));
	if (!slots || !search->old || !search->new)
		return -ENOMEM;
	for (ptrdiff_t i = box->old_start; i < box->old_end; i++)
		look_up(&table, diff->old.lines[i])->sides |= IN_OLD;
	for (ptrdiff_t i = box->new_start; i < box->new_end; i++)
		look_up(&table, diff->new.lines[i])->sides |= IN_NEW;
	box->old_end = number_side(&table, &diff->old, box->old_start, box->old_end, search->old);
	box->new_end = number_side(&table, &diff->new, box->new_start, box->new_end, search->new);
	box->old_start = box->new_start = 0;
	return 0;
}

static bool is_equal(const struct diff_search *search, ptrdiff_t old, ptrdiff_t new)
{
	return search->old[old].number == search->new[new].number;
}

/* The diagonals that are searched, from the start or from the end. */
struct line_range {
	ptrdiff_t least;
	ptrdiff_t most;
};

/* Allows one more difference: adds a diagonal at each side, as far as the box has them. */
static void widen(
	struct line_range *range, struct line_range all, ptrdiff_t *reached, ptrdiff_t beyond)
{
	if (range->least > all.least)
		reached[--range->least - 1] = beyond;
	else
		range->least++;
	if (range->most < all.most)
		reached[++range->most + 1] = beyond;
	else
		range->most--;
}

/* Advances from the start. True: it has met the path from the end, at *ret. */
static bool step_forward(const struct diff_search *search, const struct box *box,
	struct line_range range, const struct line_range *other, ptrdiff_t *ret_old,
	ptrdiff_t *ret_new)
{
	ptrdiff_t *reached = search->forward;

	for (ptrdiff_t d = range.most; d >= range.least; d -= 2) {
		ptrdiff_t old =
			reached[d - 1] >= reached[d + 1] ? reached[d - 1] + 1 : reached[d + 1];
		ptrdiff_t new = old - d;
		while (old < box->old_end && new < box->new_end && is_equal(search, old, new)) {
			old++;
			new ++;
		}
		reached[d] = old;
		if (other && d >= other->least && d <= other->most && search->backward[d] <= old) {
			*ret_old = old;
			*ret_new = new;
			return true;
		}
	}
	return false;
}

static bool step_backward(const struct diff_search *search, const struct box *box,
	struct line_range range, const struct line_range *other, ptrdiff_t *ret_old,
	ptrdiff_t *ret_new)
{
	ptrdiff_t *reached = search->backward;

	for (ptrdiff_t d = range.most; d >= range.least; d -= 2) {
		ptrdiff_t old =
			reached[d - 1] < reached[d + 1] ? reached[d - 1] : reached[d + 1] - 1;
		ptrdiff_t new = old - d;
		while (old > box->old_start && new > box->new_start &&
			is_equal(search, old - 1, new - 1)) {
			old--;
			new --;
		}
		reached[d] = old;
		if (other && d >= other->least && d <= other->most && search->forward[d] >= old) {
			*ret_old = old;
			*ret_new = new;
			return true;
		}
	}
	return false;
}

static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b)
{
	return a < b ? a : b;
}

static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b)
{
	return a > b ? a : b;
}

/*
 * Ends the search after too many differences: splits at the position furthest from the start, or
 * the end.
 */
static void split_at_furthest(const struct diff_search *search, const struct box *box,
	struct line_range from_start, struct line_range from_end, ptrdiff_t *ret_old,
	ptrdiff_t *ret_new)
{
	ptrdiff_t most = -1, least = PTRDIFF_MAX, most_old = 0, least_old = 0;

	for (ptrdiff_t d = from_start.most; d >= from_start.least; d -= 2) {
		ptrdiff_t old =
			smaller(search->forward[d], smaller(box->old_end, box->new_end + d));
		if (2 * old - d > most) {
			most = 2 * old - d;
			most_old = old;
		}
	}
	for (ptrdiff_t d = from_end.most; d >= from_end.least; d -= 2) {
		ptrdiff_t old =
			larger(search->backward[d], larger(box->old_start, box->new_start + d));
		if (2 * old - d < least) {
			least = 2 * old - d;
			least_old = old;
		}
	}
	bool is_start_further =
		box->old_end + box->new_end - least < most - box->old_start - box->new_start;
	*ret_old = is_start_further ? most_old : least_old;
	*ret_new = is_start_further ? most - most_old : least - least_old;
}

/*
 * Finds a position on a path through the box with the fewest differences. Both ends of the box
 * differ.
 */
static void split(const struct diff_search *search, const struct box *box, ptrdiff_t *ret_old,
	ptrdiff_t *ret_new)
{
	const struct line_range all = {
		box->old_start - box->new_end, box->old_end - box->new_start};
	ptrdiff_t start = box->old_start - box->new_start, end = box->old_end - box->new_end;
	struct line_range from_start = {start, start}, from_end = {end, end};
	bool is_odd = (start - end) & 1;

	search->forward[start] = box->old_start;
	search->backward[end] = box->old_end;
	for (unsigned cost = 1; cost < COST_MAX; cost++) {
		widen(&from_start, all, search->forward, -1);
		if (step_forward(
			    search, box, from_start, is_odd ? &from_end : NULL, ret_old, ret_new))
			return;
		widen(&from_end, all, search->backward, PTRDIFF_MAX);
		if (step_backward(
			    search, box, from_end, is_odd ? NULL : &from_start, ret_old, ret_new))
			return;
	}
	split_at_furthest(search, box, from_start, from_end, ret_old, ret_new);
}

static ptrdiff_t box_size(const struct box *box)
{
	return box->old_end - box->old_start + box->new_end - box->new_start;
}

static void mark(
	struct line_diff_side *side, const struct numbered *lines, ptrdiff_t start, ptrdiff_t end)
{
	for (; start < end; start++)
		side->changed[lines[start].at] = true;
}

/* Recursion takes the smaller part, and the loop the larger one, so the depth stays small. */
static void compare(const struct diff_search *search, struct box box)
{
	for (;;) {
		while (box.old_start < box.old_end && box.new_start < box.new_end &&
			is_equal(search, box.old_start, box.new_start)) {
			box.old_start++;
			box.new_start++;
		}
		while (box.old_start < box.old_end && box.new_start < box.new_end &&
			is_equal(search, box.old_end - 1, box.new_end - 1)) {
			box.old_end--;
			box.new_end--;
		}
		if (box.old_start == box.old_end || box.new_start == box.new_end)
			break;

		struct box first = box, second = box;
		split(search, &box, &first.old_end, &first.new_end);
		second.old_start = first.old_end;
		second.new_start = first.new_end;
		bool is_first_smaller = box_size(&first) < box_size(&second);
		compare(search, is_first_smaller ? first : second);
		box = is_first_smaller ? second : first;
	}
	mark(&search->diff->old, search->old, box.old_start, box.old_end);
	mark(&search->diff->new, search->new, box.new_start, box.new_end);
}

/* Allocates all diagonals of the box, from -new - 1 to old + 1, and compares. */
static int search_lines(struct diff_search *search, const struct box *box)
{
	size_t diagonals = (size_t)(box->old_end + box->new_end) + 3;
	CLEANUP(freep) ptrdiff_t *room = calloc(2 * diagonals, sizeof(*room));

	if (!room)
		return -ENOMEM;
	search->forward = room + box->new_end + 1;
	search->backward = search->forward + diagonals;
	compare(search, *box);
	return 0;
}

static void mark_all(struct line_diff_side *side, ptrdiff_t start, ptrdiff_t end)
{
	if (start < end)
		memset(side->changed + start, true, (size_t)(end - start));
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

static size_t count_hunks(const struct line_diff *diff)
{
	size_t hunks = 0;

	for (size_t old = 0, new = 0; old < diff->old.count || new < diff->new.count;
		old++, new ++) {
		bool is_changed = false;
		for (; diff->old.changed[old]; old++)
			is_changed = true;
		for (; diff->new.changed[new]; new ++)
			is_changed = true;
		hunks += is_changed;
	}
	return hunks;
}

static int fill(struct line_diff *diff)
{
	struct diff_search search = {.diff = diff};
	struct box box = trim(diff);

	if ((size_t)box_size(&box) > LINE_DIFF_LINES_MAX) {
		mark_all(&diff->old, box.old_start, box.old_end);
		mark_all(&diff->new, box.new_start, box.new_end);
		return 0;
	}
	int r = number_lines(&search, &box);
	if (r == 0)
		r = search_lines(&search, &box);
	free(search.old);
	free(search.new);
	if (r < 0)
		return r;
	slide(&diff->old, &diff->new);
	slide(&diff->new, &diff->old);
	return 0;
}

int line_diff_make(struct span old, struct span new, struct line_diff *ret)
{
	CLEANUP(line_diff_fini) struct line_diff diff = {0};

	int r = split_lines(old, &diff.old);
	if (r == 0)
		r = split_lines(new, &diff.new);
	if (r == 0)
		r = fill(&diff);
	if (r < 0)
		return r;
	diff.hunks = count_hunks(&diff);
	*ret = diff;
	diff = (struct line_diff){0};
	return 0;
}

void line_diff_fini(struct line_diff *diff)
{
	free(diff->old.lines);
	free(diff->old.changed);
	free(diff->new.lines);
	free(diff->new.changed);
	*diff = (struct line_diff){0};
}
