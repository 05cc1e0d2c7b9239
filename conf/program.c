#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "value.h"

#define PROGRAM_KEYS "run, user, timeout"
#define CHECK_KEYS PROGRAM_KEYS ", optional"

static const struct value_range timeout_range = {&value_time_ms, 100, 60u * 60 * 1000};

static int read_timeout(const struct node *map, unsigned *ret, struct problem *problem)
{
	uint64_t timeout_ms = *ret;
	int r = value_amount(
		node_get(map, "timeout"), "timeout", &timeout_range, &timeout_ms, problem);

	if (r == 0)
		*ret = (unsigned)timeout_ms;
	return r;
}

int program_read_defaults(const struct node *map, struct program *ret, struct problem *problem)
{
	*ret = (struct program){.timeout_ms = PROGRAM_TIMEOUT_MS};
	int r = value_text(node_get(map, "user"), "user", &ret->user, problem);
	return r == 0 ? read_timeout(map, &ret->timeout_ms, problem) : r;
}

static int check_percents(const struct node *node, const char *word, struct problem *problem)
{
	for (const char *at = strchr(word, '%'); at; at = strchr(at + 2, '%'))
		if (at[1] != 'f' && at[1] != '%')
			return problem_at(problem, node,
				"'%%%.*s' in '%s' means nothing; %%f is the file's path, and %%%% "
				"a percent sign",
				at[1] ? 1 : 0, at + 1, word);
	return 0;
}

static int read_word(
	const struct node *node, const char *name, const char **ret, struct problem *problem)
{
	if (!value_is_given(node))
		return problem_at(problem, node,
			"a word of %s is missing; write the program and its arguments, each as a "
			"word of the list",
			name);
	int r = value_text(node, name, ret, problem);
	return r == 0 ? check_percents(node, *ret, problem) : r;
}

/* Checks that every user finds the program in the same way from every directory. */
static int check_first(const struct node *node, const char *word, struct problem *problem)
{
	if (strchr(word, '%'))
		return problem_at(problem, node,
			"the program '%s' can't have a percent sign in its name; rename it", word);
	if (*word != '/' && strchr(word, '/'))
		return problem_at(problem, node,
			"the program '%s' is neither a name nor an absolute path; write one of "
			"them, as in /usr/local/bin/check",
			word);
	return 0;
}

static int read_words(const struct node *node, const char *name, struct arena *arena,
	struct program *program, struct problem *problem)
{
	const struct node *list = NULL;
	int r = value_list(node, name, &list, problem);

	if (r != 0)
		return r;
	if (!list || list->seq.count == 0 || list->seq.count > PROGRAM_WORDS_MAX)
		return problem_at(problem, node,
			"%s must be a list of 1 to %d words, the program and its arguments", name,
			PROGRAM_WORDS_MAX);
	program->place = list->seq.items[0];
	program->words = arena_zalloc(arena, list->seq.count + 1, sizeof(*program->words));
	if (!program->words)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < list->seq.count; i++)
		r = read_word(list->seq.items[i], name, &program->words[i], problem);
	return r == 0 ? check_first(program->place, program->words[0], problem) : r;
}

static int read_map(const struct node *map, const char *name, struct arena *arena,
	struct program *program, struct problem *problem)
{
	bool is_check = strcmp(name, "check") == 0;
	int r = value_map(map, name, is_check ? CHECK_KEYS : PROGRAM_KEYS, problem);

	if (r == 0 && !value_is_given(node_get(map, "run")))
		r = problem_at(problem, map,
			"%s has no 'run'; give the program and its arguments as a list", name);
	if (r == 0)
		r = read_words(node_get(map, "run"), "run", arena, program, problem);
	if (r == 0)
		r = value_text(node_get(map, "user"), "user", &program->user, problem);
	if (r == 0)
		r = value_bool(
			node_get(map, "optional"), "optional", &program->is_optional, problem);
	return r == 0 ? read_timeout(map, &program->timeout_ms, problem) : r;
}

int program_read(const struct node *node, const char *name, const struct program *defaults,
	struct arena *arena, const struct program **ret, struct problem *problem)
{
	if (!value_is_given(node))
		return 0;
	struct program *program = arena_zalloc(arena, 1, sizeof(*program));
	if (!program)
		return -ENOMEM;
	*program = *defaults;
	int r = node_is_map(node) ? read_map(node, name, arena, program, problem)
				  : read_words(node, name, arena, program, problem);
	if (r == 0)
		*ret = program;
	return r;
}

bool program_names_file(const struct program *program)
{
	for (const char **word = program->words; *word; word++)
		for (const char *at = strchr(*word, '%'); at; at = strchr(at + 2, '%'))
			if (at[1] == 'f')
				return true;
	return false;
}

/* Replaces each %f in `word` by `file`. check_percents() has checked the word. */
static char *expand(const char *word, const char *file, struct arena *arena)
{
	size_t size = 1, len = strlen(file);
	char *text, *end;

	for (const char *at = word; *at; at++)
		size += at[0] == '%' && at[1] == 'f' ? len : 1;
	end = text = arena_alloc(arena, size);
	if (!text)
		return NULL;
	for (const char *at = word; *at; at++) {
		if (*at == '%' && *++at == 'f')
			end = stpcpy(end, file);
		else
			*end++ = *at;
	}
	*end = '\0';
	return text;
}

char **program_words(const struct program *program, const char *file, struct arena *arena)
{
	char **words = arena_zalloc(arena, PROGRAM_WORDS_MAX + 1, sizeof(*words));

	for (size_t i = 0; words && program->words[i]; i++) {
		words[i] = expand(program->words[i], file, arena);
		if (!words[i])
			return NULL;
	}
	return words;
}

/* Returns 0, -ENOENT, or -EACCES for a file that can't be executed. */
static int find_file(const char *path)
{
	struct stat found;

	if (stat(path, &found) < 0)
		return errno == EACCES ? -EACCES : -ENOENT;
	return S_ISREG(found.st_mode) && eaccess(path, X_OK) == 0 ? 0 : -EACCES;
}

int program_find(const char *directories, const char *name, char path[PATH_MAX])
{
	int result = -ENOENT;

	snprintf(path, PATH_MAX, "%s", name);
	if (strchr(name, '/'))
		return find_file(path);
	for (const char *at = directories; at && *at && result != 0;) {
		size_t len = strcspn(at, ":");

		snprintf(path, PATH_MAX, "%.*s/%s", (int)len, at, name);
		int r = find_file(path);
		result = r == -ENOENT ? result : r;
		at += len;
		at += *at == ':';
	}
	return result;
}

char *program_key(const struct program *program)
{
	size_t size;
	char *key = NULL;
	FILE *out = open_memstream(&key, &size);

	if (!out)
		return NULL;
	fprintf(out, "%u%s ", program->timeout_ms, program->is_optional ? "?" : "");
	if (program->user)
		fprintf(out, "%zu:%s", strlen(program->user), program->user);
	else
		fputc('-', out);
	for (const char **word = program->words; *word; word++)
		fprintf(out, " %zu:%s", strlen(*word), *word);
	if (fclose(out) == 0)
		return key;
	free(key);
	return NULL;
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool program_equal(const struct program *a, const struct program *b)
{
	size_t i = 0;

	if (!a || !b || a == b)
		return a == b;
	while (a->words[i] && b->words[i] && strcmp(a->words[i], b->words[i]) == 0)
		i++;
	return !a->words[i] && !b->words[i] && is_same_text(a->user, b->user) &&
	       a->timeout_ms == b->timeout_ms && a->is_optional == b->is_optional;
}
