/*
 * The text of a plyfs.yaml, before it is understood.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "settings_make.h"
#include "text.h"

/* Bytes. Each rule is a line, and there may be 4096 of them. */
#define SETTINGS_TEXT_MAX (1u << 20)

static int read_text(const char *path, const char *place, struct stat *stat, char **ret,
	size_t *len, struct problem *problem)
{
	/* O_NONBLOCK: a pipe in its place must not hang us. */
	CLEANUP(closep) int fd = open(place, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, stat) < 0)
		return problem_set(problem, path, 0, 0, "can't be opened: %s", strerror(errno));
	if (!S_ISREG(stat->st_mode))
		return problem_set(problem, path, 0, 0, "is %s; settings are read from a file",
			S_ISDIR(stat->st_mode) ? "a directory" : "no regular file");

	int r = text_read(fd, SETTINGS_TEXT_MAX, ret, len);
	if (r == -EFBIG)
		return problem_set(problem, path, 0, 0,
			"is larger than %u bytes; is this a plyfs.yaml?", SETTINGS_TEXT_MAX);
	if (r < 0 && r != -ENOMEM)
		return problem_set(problem, path, 0, 0, "can't be read: %s", strerror(-r));
	return r;
}

/* What the reader found suspicious: a mistake, in settings. */
struct warning {
	bool is_set;
	struct problem problem;
};

static void keep_first(void *context, const struct problem *problem)
{
	struct warning *warning = context;

	if (!warning->is_set)
		*warning = (struct warning){true, *problem};
}

int settings_text_read(const char *path, const char *place, struct stat *stat,
	struct document **ret, struct problem *problem)
{
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(freep) char *text = NULL;
	struct warning warning = {0};
	const struct source source = {.name = path, .layer = ""};
	const struct read_options options = {
		.format = &format_yaml, .warn = keep_first, .context = &warning};
	size_t len = 0;
	int r;

	r = read_text(path, place, stat, &text, &len, problem);
	if (r != 0)
		return r;
	r = document_read(&source, (struct span){text, len}, &options, &document, problem);
	if (r != 0)
		return r;
	if (warning.is_set)
		return problem_set(problem, path, warning.problem.line, warning.problem.column,
			"%s; remove one of them", warning.problem.message);

	*ret = take_ptr(document);
	return 0;
}
