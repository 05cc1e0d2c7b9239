#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "path.h"
#include "text.h"

static void close_unless_stdin(int *fd)
{
	if (*fd > STDIN_FILENO)
		close(*fd);
}

/* Returns the layer's name: "site" for "a/site.yaml". */
static char *layer_of(const char *file)
{
	const char *start = path_name(file), *dot = strrchr(start, '.');

	return dot && dot > start ? strndup(start, (size_t)(dot - start)) : strdup(start);
}

/* Returns the FILE of NAME=FILE, or NULL. A NAME has no slash, so "./a=b.yaml" is a file. */
static char *behind_name(char *argument)
{
	size_t len = strcspn(argument, "=/");

	return len > 0 && argument[len] == '=' ? argument + len + 1 : NULL;
}

const char *input_file(char *argument)
{
	char *named = behind_name(argument);

	return named ? named : argument;
}

int input_read(const char *file, size_t limit, char **ret, size_t *len, struct problem *problem)
{
	const char *name = file ? file : INPUT_STDIN;
	CLEANUP(close_unless_stdin)
	int fd = file ? open(file, O_RDONLY | O_NOCTTY | O_CLOEXEC) : STDIN_FILENO;

	if (fd < 0)
		return problem_set(problem, name, 0, 0, "can't be opened: %s", text_error(-errno));
	int r = text_read(fd, limit, ret, len);
	if (r < 0 && r != -ENOMEM && r != -EFBIG)
		return problem_set(problem, name, 0, 0, "can't be read: %s", text_error(r));
	return r;
}

int inputs_add(struct inputs *inputs, char *argument, size_t limit, struct problem *problem)
{
	const char *named = behind_name(argument), *file = input_file(argument);
	bool is_stdin = strcmp(file, "-") == 0;
	CLEANUP(freep) char *layer = NULL, *text = NULL;
	size_t len = 0;

	if (array_grow(inputs->data, inputs->count, inputs->capacity) < 0)
		return -ENOMEM;
	if (named)
		layer = strndup(argument, (size_t)(named - argument) - 1);
	else
		layer = is_stdin ? strdup("stdin") : layer_of(file);
	if (!layer)
		return -ENOMEM;
	int r = input_read(is_stdin ? NULL : file, limit, &text, &len, problem);
	if (r == -EFBIG)
		return problem_set(problem, is_stdin ? INPUT_STDIN : file, 0, 0,
			"is larger than the limit of %zu bytes; raise it with '--limit source=64M'",
			limit);
	if (r != 0)
		return r;

	unsigned rank = (unsigned)inputs->count;
	const struct format *format = is_stdin ? &format_yaml : format_of_name(file);
	inputs->data[inputs->count++] = (struct merge_input){
		.source = {.name = is_stdin ? INPUT_STDIN : file,
			.layer = take_ptr(layer),
			.rank = rank},
		.format = format,
		.text = {take_ptr(text), len},
	};
	return 0;
}

struct span inputs_text(const struct inputs *inputs, const char *name)
{
	for (size_t i = 0; i < inputs->count; i++)
		if (strcmp(inputs->data[i].source.name, name) == 0)
			return inputs->data[i].text;
	return (struct span){NULL, 0};
}

void inputs_fini(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		free((char *)inputs->data[i].text.data);
		free((char *)inputs->data[i].source.layer);
	}
	free(inputs->data);
}
