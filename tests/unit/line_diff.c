/*
 * The line difference. Unmarked lines are common to both texts, in order. As few lines as possible
 * are marked (by a naive oracle). No input takes long.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "line_diff.h"
#include "test.h"

#define LINES 24

static void difference(const char *old, const char *new, struct line_diff *ret)
{
	assert_int_equal(line_diff_make(span_of(old), span_of(new), ret), 0);
}

/* "-a +b =c ": in the order of a unified diff. */
static void tell(const struct line_diff *diff, char *text)
{
	size_t old = 0, new = 0;

	*text = '\0';
	while (old < diff->old.count || new < diff->new.count) {
		char sign = '=';
		struct span line = new < diff->new.count ? diff->new.lines[new] : (struct span){0};
		if (diff->old.changed[old]) {
			sign = '-';
			line = diff->old.lines[old++];
		} else if (diff->new.changed[new]) {
			sign = '+';
			new ++;
		} else {
			assert_true(span_equal(line, diff->old.lines[old]));
			old++;
			new ++;
		}
		text += sprintf(text, "%c%.*s ", sign, (int)strcspn(line.data, "\n"), line.data);
	}
}

static void check(const char *old, const char *new, const char *expected)
{
	struct line_diff diff;
	char text[1024];

	difference(old, new, &diff);
	tell(&diff, text);
	assert_string_equal(text, expected);
	line_diff_fini(&diff);
}

TEST(lines_are_kept_added_and_removed)
{
	check("", "", "");
	check("", "a\nb\n", "+a +b ");
	check("a\nb\n", "", "-a -b ");
	check("a\nb\n", "a\nb\n", "=a =b ");
	check("a\nb\nc\nd\n", "a\nX\nc\nd\ne\n", "=a -b +X =c =d +e ");
	check("a\nb\nc\n", "c\na\nb\n", "+c =a =b -c ");
	check("\n\n", "\n", "=\x20-\x20");
}

TEST(missing_newline_at_the_end_is_a_difference)
{
	check("a\nb", "a\nb", "=a =b ");
	check("a\nb", "a\nb\n", "=a -b +b ");
	check("a\nb", "a\nb\nc\n", "=a -b +b +c ");
	check("b\na\nb", "b\n", "=b -a -b ");
}

TEST(runs_stand_as_low_as_they_can)
{
	check("a:\n  x\nb:\n  x\n", "a:\n  x\nc:\n  x\nb:\n  x\n", "=a: =  x +c: +  x =b: =  x ");
	check("x\ny\n", "x\nx\ny\n", "=x +x =y ");
	check("p\nx\nx\ny\nq\n", "P\nx\ny\nQ\n", "-p +P =x -x =y -q +Q ");
	check("p\nx\ny\nq\n", "P\nx\nx\ny\nQ\n", "-p +P =x +x =y -q +Q ");
	check("c\nb\nb\n", "a\nc\nb\n", "+a =c =b -b ");
	/* A replaced line stays beside its replacement. */
	check("x\nx\nz\n", "y\nx\nz\n", "-x +y =x =z ");
}

TEST(bytes_of_all_kinds_are_compared)
{
	const char old[] = "a\0b\n\xff\r\n", new[] = "a\0c\n\xff\r\n";
	struct line_diff diff;

	assert_int_equal(line_diff_make((struct span){old, sizeof(old) - 1},
				 (struct span){new, sizeof(new) - 1}, &diff),
		0);
	assert_true(diff.old.changed[0] && diff.new.changed[0]);
	assert_false(diff.old.changed[1] || diff.new.changed[1]);
	line_diff_fini(&diff);
}

static void assert_all_changed(const struct line_diff *diff)
{
	assert_null(memchr(diff->old.changed, false, diff->old.count));
	assert_null(memchr(diff->new.changed, false, diff->new.count));
}

/* The length of the longest common subsequence, by the book. */
static size_t common_naively(const char *old, size_t old_count, const char *new, size_t new_count)
{
	size_t best[LINES + 1][LINES + 1] = {0};

	for (size_t i = 1; i <= old_count; i++)
		for (size_t j = 1; j <= new_count; j++) {
			best[i][j] =
				best[i - 1][j] > best[i][j - 1] ? best[i - 1][j] : best[i][j - 1];
			if (old[i - 1] == new[j - 1] && best[i - 1][j - 1] + 1 > best[i][j])
				best[i][j] = best[i - 1][j - 1] + 1;
		}
	return best[old_count][new_count];
}

static size_t random_text(char letters[LINES], char text[2 * LINES + 1], unsigned kinds)
{
	size_t count = (size_t)rand() % (LINES + 1);

	for (size_t i = 0; i < count; i++) {
		letters[i] = (char)('a' + (unsigned)rand() % kinds);
		text[2 * i] = letters[i];
		text[2 * i + 1] = '\n';
	}
	text[2 * count] = '\0';
	return count;
}

TEST(as_few_lines_as_can_be_are_marked)
{
	char old[LINES], new[LINES], old_text[2 * LINES + 1], new_text[2 * LINES + 1];
	char told[1024];

	srand(1);
	for (unsigned round = 0; round < 20000; round++) {
		struct line_diff diff;
		size_t kept = 0;
		size_t old_count = random_text(old, old_text, 1 + round % 6);
		size_t new_count = random_text(new, new_text, 1 + round % 6);
		difference(old_text, new_text, &diff);
		tell(&diff, told);
		for (const char *at = told; (at = strchr(at, '=')); at++)
			kept++;
		assert_int_equal(kept, common_naively(old, old_count, new, new_count));
		line_diff_fini(&diff);
	}
}

/* Lines of few kinds in no order: a quadratic search would take minutes. */
TEST(hostile_texts_take_no_time)
{
	const size_t size = 400000;
	char *old = malloc(size), *new = malloc(size);
	struct timespec start, end;
	struct line_diff diff;

	assert_true(old && new);
	srand(2);
	for (size_t i = 0; i < size; i += 2) {
		old[i] = (char)('a' + rand() % 9);
		new[i] = (char)('a' + rand() % 9);
		old[i + 1] = new[i + 1] = '\n';
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	assert_int_equal(
		line_diff_make((struct span){old, size}, (struct span){new, size}, &diff), 0);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	assert_true(end.tv_sec - start.tv_sec < 20);
	assert_non_null(memchr(diff.old.changed, true, diff.old.count));
	line_diff_fini(&diff);

	/* Nothing in common, and more lines than are searched. */
	memset(old, '\n', size);
	assert_int_equal(
		line_diff_make((struct span){old, size}, (struct span){new, size}, &diff), 0);
	assert_all_changed(&diff);
	line_diff_fini(&diff);
	free(old);
	free(new);
}

TEST(more_lines_than_are_searched_are_one_change)
{
	const size_t size = LINE_DIFF_LINES_MAX;
	char *old = malloc(size + 2), *new = malloc(size + 2);
	struct line_diff diff;

	assert_true(old && new);
	memset(old, '\n', size + 2);
	memset(new, '\n', size + 2);
	memcpy(old, "a", 1);
	memcpy(new, "b", 1);
	old[size] = 'a';
	new[size] = 'b';
	assert_int_equal(
		line_diff_make((struct span){old, size + 2}, (struct span){new, size + 2}, &diff),
		0);
	assert_all_changed(&diff);
	line_diff_fini(&diff);
	free(old);
	free(new);
}
