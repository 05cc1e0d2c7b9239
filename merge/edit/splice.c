#include "splice.h"

#include <errno.h>
#include <stdlib.h>

#include "editor.h"

/* A part of the current text. */
struct splice_piece {
	struct span text;
	bool is_new; /* false: a part of the original, where `text` lies */
};

int patched_begin(struct patched *patched, struct arena *arena, struct span text)
{
	struct splice_piece *piece = arena_zalloc(arena, 1, sizeof(*piece));

	if (!piece)
		return -ENOMEM;
	if (!text.len)
		text.data = "";
	piece->text = text;
	*patched = (struct patched){arena, text, text, piece, 1};
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct splice *const *left = a, *const *right = b;

	if ((*left)->offset != (*right)->offset)
		return (*left)->offset < (*right)->offset ? -1 : 1;
	/* Inserted text stands before the text that is removed at the same offset. */
	if (!(*left)->len != !(*right)->len)
		return (*left)->len ? 1 : -1;
	return (*left > *right) - (*left < *right);
}

/*
 * Sorts the splices. They are sorted as pointers, as equal ones are ordered by their addresses.
 * Checks that each lies within the text, behind the one before it. Returns 0, EDIT_CANNOT or
 * -ENOMEM.
 */
static int sort(const struct patched *patched, const struct splice *splices, size_t count,
	const struct splice ***ret)
{
	const struct splice **sorted = arena_zalloc(patched->arena, count + 1, sizeof(*sorted));
	size_t done = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sorted[i] = &splices[i];
	qsort(sorted, count, sizeof(const struct splice *), compare);
	for (size_t i = 0; i < count; i++) {
		if (sorted[i]->offset < done || sorted[i]->offset > patched->text.len ||
			sorted[i]->len > patched->text.len - sorted[i]->offset)
			return EDIT_CANNOT;
		done = sorted[i]->offset + sorted[i]->len;
	}
	*ret = sorted;
	return 0;
}

/* Copies pieces of `from` to `to`. */
struct cutter {
	const struct patched *from;
	struct patched *to;
	size_t piece;  /* the piece of `from` with the next byte … */
	size_t within; /* … and its offset there */
};

static void put(struct patched *to, struct span text, bool is_new)
{
	if (text.len)
		to->pieces[to->count++] = (struct splice_piece){text, is_new};
}

/* Consumes `len` bytes, and copies or drops them. */
static void cut(struct cutter *cutter, size_t len, bool is_kept)
{
	while (len) {
		const struct splice_piece *piece = &cutter->from->pieces[cutter->piece];
		size_t part = piece->text.len - cutter->within;

		if (part > len)
			part = len;
		if (is_kept)
			put(cutter->to, (struct span){piece->text.data + cutter->within, part},
				piece->is_new);
		cutter->within += part;
		len -= part;
		if (cutter->within == piece->text.len) {
			cutter->piece++;
			cutter->within = 0;
		}
	}
}

static int join_pieces(struct patched *patched)
{
	size_t len = 0;
	char *out;

	for (size_t i = 0; i < patched->count; i++)
		len += patched->pieces[i].text.len;
	patched->text.data = out = arena_alloc(patched->arena, len + 1);
	patched->text.len = len;
	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < patched->count; i++) {
		memcpy(out, patched->pieces[i].text.data, patched->pieces[i].text.len);
		out += patched->pieces[i].text.len;
	}
	*out = '\0';
	return 0;
}

int patched_splice(const struct patched *patched, const struct splice *splices, size_t count,
	struct patched *ret)
{
	struct cutter cutter = {.from = patched, .to = ret};
	const struct splice **sorted;
	size_t done = 0;
	int r = sort(patched, splices, count, &sorted);

	if (r != 0)
		return r;
	*ret = *patched;
	ret->count = 0;
	/* Each splice may cut one piece in two, and adds its own. */
	ret->pieces =
		arena_zalloc(patched->arena, patched->count + 2 * count + 1, sizeof(*ret->pieces));
	if (!ret->pieces)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		cut(&cutter, sorted[i]->offset - done, true);
		cut(&cutter, sorted[i]->len, false);
		put(ret, sorted[i]->text, true);
		done = sorted[i]->offset + sorted[i]->len;
	}
	cut(&cutter, patched->text.len - done, true);
	return join_pieces(ret);
}

/* Ends a splice at `end`, where the original continues, and adds it unless it changes nothing. */
static void end_splice(const struct patched *patched, struct splice *splice, size_t end,
	struct splice *splices, size_t *count)
{
	struct span old = {patched->original.data + splice->offset, end - splice->offset};

	splice->len = old.len;
	if (!span_equal(old, splice->text))
		splices[(*count)++] = *splice;
}

/* Joins the text of the new pieces from `first` up to `end`. Returns 0 or -ENOMEM. */
static int join_new(const struct patched *patched, size_t first, size_t end, struct span *ret)
{
	struct patched part = *patched;

	*ret = (struct span){"", 0};
	if (first == end)
		return 0;
	part.pieces += first;
	part.count = end - first;
	int r = part.count > 1 ? join_pieces(&part) : 0;
	*ret = part.count > 1 ? part.text : part.pieces[0].text;
	return r;
}

int patched_splices(const struct patched *patched, struct splice **ret, size_t *count)
{
	struct splice *splices = arena_zalloc(patched->arena, patched->count + 1, sizeof(*splices));
	const struct splice_piece *pieces = patched->pieces;
	size_t offset = 0, first = 0;

	if (!splices)
		return -ENOMEM;
	*count = 0;
	for (size_t i = 0; i <= patched->count; i++) {
		bool is_end = i == patched->count;
		struct splice splice = {.offset = offset};

		if (!is_end && pieces[i].is_new)
			continue;
		int r = join_new(patched, first, i, &splice.text);
		if (r < 0)
			return r;
		size_t begin = is_end ? patched->original.len
				      : (size_t)(pieces[i].text.data - patched->original.data);
		end_splice(patched, &splice, begin, splices, count);
		offset = begin + (is_end ? 0 : pieces[i].text.len);
		first = i + 1;
	}
	*ret = splices;
	return 0;
}
