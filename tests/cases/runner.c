/*
 * Runs the golden cases: every folder in the given directory is one (case.h). Prints TAP.
 *
 *      runner [--accept] [--have=WORD,…] CASES [FOLDER…]
 *
 * --accept writes the results as the expected files. A case that `needs` a word that --have does
 * not name is skipped.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "case.h"

struct runner {
	const char *directory;
	const char *have;
	bool accept;
	unsigned number; /* of cases begun */
	unsigned failed;
};

/* The result of a merge: the ending of the file to compare with, and its bytes. */
struct outcome {
	const char *ending;
	char *text;
	size_t len;
};

static int give_message(const struct problem *problem, struct outcome *ret)
{
	char message[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64];

	problem_format(problem, message, sizeof(message));
	int len = asprintf(&ret->text, "%s\n", message);
	if (len < 0)
		return -ENOMEM;
	ret->len = (size_t)len;
	ret->ending = "err";
	return 0;
}

/* An error in the rule is a legitimate result as well. */
static int run_case(struct golden *golden, struct outcome *ret)
{
	struct problem problem = {0};

	int r = golden->sources.count > 0 ? golden_read_rule(golden, &problem) : -ENOENT;
	if (r == 0)
		r = golden_merge(golden, &ret->text, &ret->len, &problem);
	if (r == PROBLEM)
		return give_message(&problem, ret);
	if (r == 0)
		ret->ending = golden_ending(golden);
	return r;
}

/* Prints the lines of `text` from `at` to `end`, each behind "# " and a sign. */
static void print_lines(char sign, const char *at, const char *end)
{
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		printf("#   %c%.*s\n", sign, (int)(stop - at), at);
		if (!newline)
			printf("#    (no newline at the end)\n");
		at = stop + 1;
	}
}

/* Returns the start of the line that `at` is in. */
static const char *line_start(const char *text, const char *at)
{
	while (at > text && at[-1] != '\n')
		at--;
	return at;
}

/* Prints the first line that differs up to the last, with one equal line before. */
static void print_difference(const struct case_file *expected, const struct outcome *got)
{
	size_t shorter = expected->len < got->len ? expected->len : got->len;
	size_t same = 0, tail = 0;

	while (same < shorter && expected->text[same] == got->text[same])
		same++;
	const char *from = line_start(got->text, got->text + same);
	same = (size_t)(from - got->text);
	while (tail < shorter - same &&
		expected->text[expected->len - 1 - tail] == got->text[got->len - 1 - tail])
		tail++;
	/* Whole lines only. */
	while (tail > 0 && tail < got->len && got->text[got->len - tail - 1] != '\n')
		tail--;
	while (tail > 0 && tail < expected->len && expected->text[expected->len - tail - 1] != '\n')
		tail--;

	printf("#   --- %s\n#   +++ got (expect.%s)\n", expected->name, got->ending);
	if (same > 0)
		print_lines(' ', line_start(got->text, from - 1), from);
	print_lines('-', expected->text + same, expected->text + expected->len - tail);
	print_lines('+', got->text + same, got->text + got->len - tail);
}

static int accept(const struct golden *golden, const struct outcome *outcome)
{
	CLEANUP(freep) char *path = NULL, *old = NULL;

	if (golden->expect.name) {
		if (asprintf(&old, "%s/%s", golden->folder, golden->expect.name) < 0)
			return -ENOMEM;
		unlink(old);
	}
	if (asprintf(&path, "%s/expect.%s", golden->folder, outcome->ending) < 0)
		return -ENOMEM;
	FILE *stream = fopen(path, "w");
	if (!stream)
		return -errno;
	fwrite(outcome->text, 1, outcome->len, stream);
	return fclose(stream) == 0 ? 0 : -errno;
}

static bool is_expected(const struct golden *golden, const struct outcome *outcome)
{
	const struct case_file *expect = &golden->expect;

	return strcmp(expect->name + strlen("expect."), outcome->ending) == 0 &&
	       expect->len == outcome->len &&
	       memcmp(expect->text, outcome->text, outcome->len) == 0;
}

static bool has(const struct runner *runner, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = runner->have; *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == len && strncmp(at, word, len) == 0)
			return true;
	return false;
}

static bool judge(const struct runner *runner, const struct golden *golden, int r,
	const struct outcome *outcome)
{
	if (r < 0) {
		printf("#   %s\n", r == -ENOENT ? "there are no sources" : strerror(-r));
		return false;
	}
	if (golden->expect.name && !golden->has_second_expect && is_expected(golden, outcome))
		return true;
	if (runner->accept) {
		r = accept(golden, outcome);
		printf("#   %s\n", r < 0 ? strerror(-r) : "accepted");
		return r == 0;
	}
	if (golden->expect.name && !golden->has_second_expect) {
		print_difference(&golden->expect, outcome);
		return false;
	}
	printf("#   there must be one file expect.yaml, .json, .txt or .err\n");
	print_lines('+', outcome->text, outcome->text + outcome->len);
	return false;
}

static void run_golden(struct runner *runner, struct golden *golden, const char *name)
{
	struct outcome outcome = {0};
	int r = run_case(golden, &outcome);

	if (golden->needs && !has(runner, golden->needs)) {
		printf("ok %u - %s # SKIP built without %s\n", runner->number, name, golden->needs);
	} else {
		bool is_ok = judge(runner, golden, r, &outcome);
		printf("%sok %u - %s\n", is_ok ? "" : "not ", runner->number, name);
		runner->failed += !is_ok;
	}
	free(outcome.text);
}

static void run_folder(struct runner *runner, const char *name)
{
	CLEANUP(golden_freep) struct golden *golden = NULL;
	CLEANUP(freep) char *path = NULL;

	runner->number++;
	if (asprintf(&path, "%s/%s", runner->directory, name) < 0)
		abort();
	int r = golden_read(path, &golden);
	if (r < 0) {
		printf("not ok %u - %s # %s\n", runner->number, name, strerror(-r));
		runner->failed++;
		return;
	}
	run_golden(runner, golden, name);
	fflush(stdout);
}

static int is_folder(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int run_all(struct runner *runner)
{
	struct dirent **entries;
	int count = scandir(runner->directory, &entries, is_folder, by_bytes);

	if (count < 0) {
		fprintf(stderr, "%s: %s\n", runner->directory, strerror(errno));
		return 2;
	}
	printf("1..%d\n", count);
	for (int i = 0; i < count; i++) {
		run_folder(runner, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return runner->failed > 0;
}

int main(int argc, char **argv)
{
	struct runner runner = {.have = ""};
	int i = 1;

	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		if (strcmp(argv[i], "--accept") == 0)
			runner.accept = true;
		else if (strncmp(argv[i], "--have=", strlen("--have=")) == 0)
			runner.have = argv[i] + strlen("--have=");
		else
			argc = 0;
	}
	if (i >= argc) {
		fprintf(stderr, "usage: runner [--accept] [--have=WORD,...] CASES [FOLDER...]\n");
		return 2;
	}
	runner.directory = argv[i++];
	if (i == argc)
		return run_all(&runner);

	printf("1..%d\n", argc - i);
	for (; i < argc; i++)
		run_folder(&runner, argv[i]);
	return runner.failed > 0;
}
