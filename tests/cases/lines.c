/*
 * Checks blame (line_origin.h) on every golden case. Each line of a merged file has a place in a
 * source, except for lines that the merge itself writes. The place exists, and the value's text
 * stands there as it was written. Prints TAP, one point for each case that merges.
 *
 *      lines CASES
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "case.h"
#include "line_origin.h"
#include "strategy.h"

/*
 * Cases whose values stand in their source in another form: quoted, in base64, with escapes, on
 * several lines, behind the key in one text, or as a key alone. Their place is where that form begins.
 */
static const char *const rewritten[] = {
	"cloud-init-archive-parts-are-merged-in-order",
	"cloud-init-archive-parts-of-other-types-are-left-out",
	"cloud-init-message-part-in-base64-is-decoded",
	"deep-list-before-a-text-above-a-map-becomes-a-map",
	"deep-list-before-a-text-and-a-map-have-one-key-of-one-name",
	"deep-map-above-a-list-before-a-text-makes-it-a-map",
	"env-is-read-as-docker-compose-reads-it",
	"env-is-read-as-docker-compose-reads-it-for-json",
	"env-variables-merge-and-keep-their-quotes",
	"ini-a-key-without-a-value-is-another-than-an-empty-one",
	"ini-a-key-without-a-value-replaces-one-with-a-value",
	"ini-a-line-further-in-goes-on-with-the-value",
	"ini-sections-merge-key-by-key",
	"properties-are-utf-8-or-else-iso-8859-1-and-written-in-ascii",
	"properties-have-three-separators-and-lines-that-go-on",
	"properties-to-yaml",
	"systemd-a-rule-for-a-setting-replaces-it",
	"systemd-assignments-of-higher-sources-stand-behind-those-of-lower-ones",
	"yaml-1-1-that-the-text-says-counts-in-1-2",
	"yaml-a-version-that-the-text-says-counts",
	"yaml-a-version-that-the-text-says-counts-for-json",
};

struct check {
	struct golden *golden;
	const struct origins *origins;
	struct arena *arena;
	const struct merge_request *request;
	const struct line *line;
	size_t number; /* of the line, starting at 1 */
	struct problem *problem;
};

static int fail(const struct check *check, const char *what)
{
	const struct line *line = check->line;

	return problem_set(check->problem, "", (unsigned)check->number, 0,
		"%s: '%.*s' from %s:%u:%u", what, (int)line->text.len, line->text.data,
		line->source ? line->source->name : "-", line->source_line, line->source_column);
}

static const struct case_file *find_file(const struct case_files *files, const char *name)
{
	for (size_t i = 0; i < files->count; i++)
		if (strcmp(files->data[i].name, name) == 0)
			return &files->data[i];
	return NULL;
}

/* Lines that the merge itself writes: closing brackets, comments, an empty result. */
static bool is_made(const struct check *check)
{
	const struct strategy *strategy = check->request->options->strategy;
	struct span text = check->line->text;

	while (text.len > 0 && *text.data == ' ') {
		text.data++;
		text.len--;
	}
	return !strategy_reads_trees(strategy) || text.len == 0 || strchr("]}#/;", *text.data) ||
	       span_is(text, "null");
}

/* Returns the rest of the source's line from the place on. */
static int read_place(const struct check *check, struct span *ret)
{
	const struct line *line = check->line;
	const struct case_file *file = find_file(&check->golden->sources, line->source->name);

	if (!file)
		file = find_file(&check->golden->tree, line->source->name);
	/* An argument of cfengine may itself be a value. */
	if (!file && check->golden->rule.name && strcmp(line->source->name, "rule.yaml") == 0)
		file = &check->golden->rule;
	if (!file)
		return fail(check, "there is no such source");
	struct source_lines lines = {.text = {file->text, file->len}};
	struct span text;
	int r = source_lines_get(&lines, line->source_line, check->arena, &text);
	if (r == -ENOENT)
		return fail(check, "the source has no such line");
	if (r < 0)
		return r;
	for (uint32_t column = 1; column < line->source_column; column++) {
		if (text.len == 0)
			return fail(check, "the source's line has no such column");
		do {
			text.data++;
			text.len--;
		} while (text.len > 0 && ((unsigned char)*text.data & 0xC0) == 0x80);
	}
	*ret = text;
	return 0;
}

static bool begins_with(struct span text, struct span with)
{
	return text.len >= with.len && memcmp(text.data, with.data, with.len) == 0;
}

/* Whether the scalar may have been written as `written`. */
static bool is_scalar_at(struct span written, const struct node *scalar)
{
	static const char *const firsts[] = {[NODE_SINGLE] = "'!&",
		[NODE_DOUBLE] = "\"!&",
		[NODE_LITERAL] = "|!&",
		[NODE_FOLDED] = ">!&"};
	static const char *const firsts_in_toml[] = {[NODE_SINGLE] = "'",
		[NODE_DOUBLE] = "\"",
		[NODE_LITERAL] = "'",
		[NODE_FOLDED] = "\""};
	bool is_toml = scalar->schema == NODE_TOML;

	/* In INI, a value may begin in the next line, and null is a key alone. */
	if (written.len == 0)
		return scalar->text.len == 0 || *scalar->text.data == '\n';
	if (scalar->schema == NODE_JSON && span_is(scalar->text, "null"))
		return true;
	if (scalar->style != NODE_PLAIN)
		return strchr((is_toml ? firsts_in_toml : firsts)[scalar->style], *written.data);
	if (scalar->text.len == 0 || strchr("!&", *written.data))
		return true;
	/* A value that continues in the next line is folded. */
	return begins_with(written, scalar->text) || begins_with(scalar->text, written);
}

/* Returns the value that decides where the line is from. */
static const struct node *value_of(const struct line_origins *origins, const struct line *line)
{
	for (uint32_t i = line->first; i < line->first + line->count; i++)
		if (origins->values[i].is_in_line)
			return origins->values[i].value;
	return NULL;
}

static bool is_rewritten(const struct check *check)
{
	const char *name = strrchr(check->golden->folder, '/') + 1;

	for (size_t i = 0; i < sizeof(rewritten) / sizeof(*rewritten); i++)
		if (strcmp(name, rewritten[i]) == 0)
			return true;
	return false;
}

/*
 * Whether the value's text is that of the node that was read there, and was not joined to another
 * text.
 */
static bool is_as_read(const struct check *check, const struct node *value)
{
	const struct origin *origin = origin_of(check->origins, value);

	for (const struct origin_step *step = NULL; origin && (step = origin_next(origin, step));)
		if (step->fate == ORIGIN_PART)
			return false;
	/* A value inside an argument has the place at which the argument begins. */
	bool is_argument = value->source && strcmp(value->source->name, "rule.yaml") == 0;
	return value->source && node_is_scalar(value) && !is_argument && !is_rewritten(check);
}

/* A merger in Lua may make a value from no source, and a merge of no values is an empty map. */
static bool is_of_nothing(const struct check *check, const struct node *value)
{
	return strcmp(check->request->options->strategy->name, "cloud-init") == 0 &&
	       !value->source && !origin_of(check->origins, value);
}

static int check_line(const struct check *check, const struct line_origins *origins)
{
	const struct line *line = check->line;
	const struct node *value = line->kind == LINE_VALUE ? value_of(origins, line) : NULL;
	struct span written = {NULL, 0};

	/* The merge separates documents, and keeps the place of an empty one. */
	if (!line->source && (span_is(line->text, "---") || span_is(line->text, "null")))
		return 0;
	for (uint32_t i = 0; !line->source && i < line->count; i++)
		if (is_of_nothing(check, origins->values[line->first + i].value))
			return 0;
	if (!line->source)
		return line->kind == LINE_MADE && is_made(check) ? 0 : fail(check, "has no origin");
	int r = read_place(check, &written);
	if (r != 0)
		return r;
	if (!value && line->kind == LINE_VALUE && origins->value_count == 0 &&
		!span_equal(written, line->text))
		return fail(check, "is not the source's line");
	if (value && is_as_read(check, value) && !is_scalar_at(written, value))
		return fail(check, "is not written there");
	return 0;
}

static int look(void *context, const struct merge_request *request,
	const struct merge_result *result, struct problem *problem)
{
	CLEANUP(line_origins_freep) struct line_origins *origins = NULL;
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct golden *golden = context;
	struct span expected = {golden->expect.text, golden->expect.len};

	if (!span_equal(result->text, expected))
		return problem_set(problem, "", 0, 0, "with origins, something else comes out");
	int r = line_origins_read(request, result, &origins);
	if (r == 0)
		r = arena_new(&arena);
	for (size_t i = 0; r == 0 && i < origins->count; i++) {
		const struct check check = {golden, result->origins, arena, request,
			&origins->lines[i], i + 1, problem};

		r = check_line(&check, origins);
	}
	return r;
}

/* Returns 0 if all is well, MERGE_ABSENT for a case that does not merge, PROBLEM or -errno. */
static int run_folder(const char *directory, const char *name, struct problem *problem)
{
	CLEANUP(golden_freep) struct golden *golden = NULL;
	CLEANUP(freep) char *path = NULL;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return -ENOMEM;
	int r = golden_read(path, &golden);
	if (r < 0)
		return r;
	if (!golden->expect.name || strcmp(golden->expect.name, "expect.err") == 0 ||
		golden_read_rule(golden, problem) != 0)
		return MERGE_ABSENT;
	golden->request.wants_origins = true;
	return golden_look(golden, look, golden, problem);
}

static int is_folder(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int count = argc == 2 ? scandir(argv[1], &entries, is_folder, alphasort) : -1;
	unsigned failed = 0, merged = 0;

	if (count < 0) {
		fprintf(stderr, "usage: lines CASES\n");
		return 2;
	}
	for (int i = 0; i < count; i++) {
		struct problem problem = {0};
		int r = run_folder(argv[1], entries[i]->d_name, &problem);

		if (r != MERGE_ABSENT)
			printf("%sok %u - %s\n", r == 0 ? "" : "not ", ++merged,
				entries[i]->d_name);
		if (r == PROBLEM)
			printf("#   line %u: %s\n", problem.line, problem.message);
		else if (r < 0)
			printf("#   %s\n", strerror(-r));
		failed += r != 0 && r != MERGE_ABSENT;
		free(entries[i]);
	}
	free(entries);
	printf("1..%u\n", merged);
	return failed > 0;
}
