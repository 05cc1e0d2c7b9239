#include "word.h"

#include <stdint.h>

/* Bytes of words that are compared. */
#define WORD_MAX 64

/* Sets *ret to the next word and moves *list behind it. Returns false at the end. */
static bool next_word(const char **list, struct span *ret)
{
	const char *start = *list + strspn(*list, ", ");
	size_t len = strcspn(start, ", ");

	*ret = (struct span){start, len};
	*list = start + len;
	return len > 0;
}

int word_index(const char *list, struct span word)
{
	struct span candidate;

	for (int index = 0; next_word(&list, &candidate); index++)
		if (span_equal(candidate, word))
			return index;
	return -1;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t word_distance(struct span a, struct span b)
{
	size_t rows[WORD_MAX + 1][WORD_MAX + 1];

	if (a.len > WORD_MAX || b.len > WORD_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i <= a.len; i++)
		rows[i][0] = i;
	for (size_t j = 0; j <= b.len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		for (size_t j = 1; j <= b.len; j++) {
			size_t changed = rows[i - 1][j - 1] + (a.data[i - 1] != b.data[j - 1]);
			size_t moved = smaller(rows[i - 1][j], rows[i][j - 1]) + 1;

			rows[i][j] = smaller(changed, moved);
			if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
				a.data[i - 2] == b.data[j - 1])
				rows[i][j] = smaller(rows[i][j], rows[i - 2][j - 2] + 1);
		}
	}

	return rows[a.len][b.len];
}

bool word_nearest(const char *list, struct span word, struct span *ret)
{
	struct span candidate;
	size_t least = 3;

	while (next_word(&list, &candidate)) {
		size_t edits = word_distance(word, candidate);

		if (edits < least && edits * 2 <= candidate.len) {
			least = edits;
			*ret = candidate;
		}
	}
	return least < 3;
}
