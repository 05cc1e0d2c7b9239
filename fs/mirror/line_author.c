#include "line_author.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "array.h"
#include "cleanup.h"
#include "repository.h"
#include "text.h"

/* Size of a line of git's output, in bytes. A longer one is cut. */
#define LINE_SIZE 4096

/* Maximum number of lines of a file; the authors of further lines are unknown. */
#define LINES_MAX 4000000

/* Consecutive lines that one commit has changed. */
struct commit_lines {
	char commit[REPOSITORY_ID_MAX];
	uint32_t first;
	uint32_t count;
};

struct line_authors {
	struct arena *arena;
	struct line_author *commits; /* finally sorted by their names */
	size_t commit_count;
	size_t commit_capacity;
	struct commit_lines *stretches;
	size_t stretch_count;
	size_t stretch_capacity;
	const struct line_author **lines;
	uint32_t line_count;
};

void line_authors_freep(struct line_authors **place)
{
	struct line_authors *authors = *place;

	if (!authors)
		return;
	free(authors->commits);
	free(authors->stretches);
	free(authors->lines);
	arena_free(authors->arena);
	free(authors);
}

const struct line_author *line_authors_get(const struct line_authors *authors, uint32_t line)
{
	return line > 0 && line <= authors->line_count ? authors->lines[line - 1] : NULL;
}

/* Parses "COMMIT LINE-THERE LINE COUNT". Returns whether the line has that form. */
static bool read_stretch(const char *line, struct commit_lines *ret)
{
	size_t len = strspn(line, "0123456789abcdef");
	unsigned long there, first, count;

	if (len < 40 || len >= REPOSITORY_ID_MAX || line[len] != ' ' ||
		sscanf(line + len, " %lu %lu %lu", &there, &first, &count) != 3 || first < 1 ||
		first > LINES_MAX || count > LINES_MAX - first)
		return false;
	memcpy(ret->commit, line, len);
	ret->commit[len] = '\0';
	ret->first = (uint32_t)first;
	ret->count = (uint32_t)count;
	return true;
}

static int add_stretch(struct line_authors *authors, const struct commit_lines *stretch)
{
	if (array_push(authors->stretches, authors->stretch_count, authors->stretch_capacity,
		    *stretch) < 0)
		return -ENOMEM;
	if (stretch->first + stretch->count - 1 > authors->line_count)
		authors->line_count = stretch->first + stretch->count - 1;
	return 0;
}

/* Adds a commit. git describes it before its first stretch. */
static int add_commit(struct line_authors *authors, const char *name)
{
	const char *copy = arena_copy(authors->arena, span_of(name));

	if (!copy)
		return -ENOMEM;
	return array_push(authors->commits, authors->commit_count, authors->commit_capacity,
		(struct line_author){.commit = copy, .name = "", .summary = ""});
}

/* Parses "author NAME" and other fields of the commit that was added last. */
static int take_field(struct line_authors *authors, const char *line)
{
	struct line_author *commit = &authors->commits[authors->commit_count - 1];
	const char **text = NULL;

	if (strncmp(line, "author ", 7) == 0)
		text = &commit->name;
	else if (strncmp(line, "summary ", 8) == 0)
		text = &commit->summary;
	else if (strncmp(line, "author-time ", 12) == 0)
		commit->time = strtoll(line + 12, NULL, 10);
	if (!text)
		return 0;
	*text = arena_copy(authors->arena, span_of(strchr(line, ' ') + 1));
	return *text ? 0 : -ENOMEM;
}

/* Reads stretches, each with its commit's description if it is the first, and "filename". */
static int read_all(struct line_authors *authors, struct subprocess *child)
{
	bool is_in_stretch = false, is_new = true;
	struct commit_lines stretch;
	char line[LINE_SIZE];
	int r;

	while ((r = subprocess_read_cut(child, '\n', line, sizeof(line))) == 0) {
		if (!is_in_stretch) {
			if (!read_stretch(line, &stretch))
				return -EBADMSG;
			r = add_stretch(authors, &stretch);
			is_in_stretch = is_new = true;
		} else if (strncmp(line, "filename ", 9) == 0) {
			is_in_stretch = false;
		} else if (is_new) {
			r = add_commit(authors, stretch.commit);
			is_new = false;
			r = r ? r : take_field(authors, line);
		} else {
			r = take_field(authors, line);
		}
		if (r < 0)
			return r;
	}
	return r == -ENODATA && !is_in_stretch ? 0 : r;
}

static int compare(const void *a, const void *b)
{
	return strcmp(
		((const struct line_author *)a)->commit, ((const struct line_author *)b)->commit);
}

/* Each line belongs to one stretch. If a broken git reports more, the work stays bounded. */
static int fill_lines(struct line_authors *authors)
{
	size_t left = authors->line_count;

	authors->lines = calloc(authors->line_count + 1, sizeof(*authors->lines));
	if (!authors->lines)
		return -ENOMEM;
	if (authors->commit_count)
		qsort(authors->commits, authors->commit_count, sizeof(*authors->commits), compare);
	for (size_t i = 0; i < authors->stretch_count; i++) {
		const struct commit_lines *stretch = &authors->stretches[i];
		const struct line_author key = {.commit = stretch->commit};
		const struct line_author *commit =
			authors->commit_count ? bsearch(&key, authors->commits,
							authors->commit_count, sizeof(key), compare)
					      : NULL;

		for (uint32_t n = 0; n < stretch->count && left > 0; n++, left--)
			authors->lines[stretch->first + n - 1] = commit;
	}
	return 0;
}

/* Chooses the credentials with which the repository may be read. Returns 0 or PROBLEM. */
static int choose_credentials(
	const struct store *store, struct credentials *ret, struct problem *problem)
{
	*ret = (struct credentials){0};
	if (store->is_shared || (geteuid() != 0 && store->owner != geteuid() && store->owner != 0))
		return problem_set(problem, store->state, 0, 0,
			"belongs to the user %u; only that user and root can ask its repository "
			"for the author of a line",
			(unsigned)store->owner);
	if (geteuid() == 0 && store->owner != 0)
		credentials_init(ret, store->owner, store->group);
	return 0;
}

static int run(struct line_authors *authors, struct repository *repository, const char *commit,
	const char *path, struct problem *problem)
{
	CLEANUP(freep) struct subprocess *child = malloc(sizeof(*child));

	int r = child ? repository_blame(repository, commit, path, child) : -ENOMEM;
	if (r < 0)
		return r;
	r = read_all(authors, child);
	int status = subprocess_end(child);
	if (r == -ENOMEM || (r == 0 && status == 0))
		return r;
	return problem_set(problem, path, 0, 0, "the author of a line can't be found: %s",
		child->error_len ? child->error : text_error(r < 0 ? r : -EIO));
}

int line_authors_read(const struct store *store, const char *commit, const char *path,
	struct line_authors **ret, struct problem *problem)
{
	CLEANUP(line_authors_freep) struct line_authors *authors = calloc(1, sizeof(*authors));
	CLEANUP(repository_freep) struct repository *repository = NULL;
	struct credentials as;

	int r = authors ? arena_new(&authors->arena) : -ENOMEM;
	if (r == 0)
		r = choose_credentials(store, &as, problem);
	if (r == 0)
		r = repository_borrow(store->state, &as, &repository);
	if (r == 0)
		r = run(authors, repository, commit, path, problem);
	if (r == 0)
		r = fill_lines(authors);
	if (r == 0)
		*ret = take_ptr(authors);
	return r;
}
