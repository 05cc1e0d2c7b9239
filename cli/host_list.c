#include "host_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "message.h"
#include "text.h"

/* Maximum size, in bytes. A hundred thousand hosts take a tenth of it. */
#define LIST_MAX (16u << 20)

/* Separators of words in a line. */
#define BLANKS " \t\r"

static int read_text(const char *file, struct host_list *list)
{
	bool is_stdin = strcmp(file, "-") == 0;
	CLEANUP(closep)
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			  : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t len = 0;
	int r = fd < 0 ? -errno : text_read(fd, LIST_MAX, &list->text, &len);

	if (r == 0 && strlen(list->text) == len)
		return EXIT_DONE;
	message_at(file, "%s",
		r == -EFBIG ? "is too large for a list of hosts"
		: r < 0     ? text_error(r)
			    : "has a NUL byte in it; give a list of hosts, one a line");
	return EXIT_FAILED;
}

static int take_name(
	const char *file, unsigned line, char *name, struct host_list *list, size_t *capacity)
{
	struct problem problem;

	if (strpbrk(name, BLANKS "/") || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		problem_set(
			&problem, file, line, 0, "'%s' is no host's name; give one a line", name);
		message_problem(&problem);
		return EXIT_FAILED;
	}
	if (array_grow(list->names, list->count, *capacity) < 0)
		return message_result(-ENOMEM, NULL, file);
	list->names[list->count++] = name;
	return EXIT_DONE;
}

static int take_lines(const char *file, struct host_list *list)
{
	char *rest = list->text;
	size_t capacity = 0;
	int code = EXIT_DONE;

	for (unsigned line = 1; code == EXIT_DONE && rest; line++) {
		char *name = strsep(&rest, "\n");

		name[strcspn(name, "#")] = '\0';
		name += strspn(name, BLANKS);
		size_t len = strlen(name);
		while (len > 0 && strchr(BLANKS, name[len - 1]))
			name[--len] = '\0';
		if (len > 0)
			code = take_name(file, line, name, list, &capacity);
	}
	return code;
}

int host_list_read(const char *file, struct host_list *ret)
{
	int code = read_text(file, ret);

	if (code == EXIT_DONE)
		code = take_lines(file, ret);
	if (code == EXIT_DONE && ret->count == 0) {
		message_at(file, "has no host in it; give one a line");
		code = EXIT_FAILED;
	}
	return code;
}

void host_list_fini(struct host_list *list)
{
	free(list->names);
	free(list->text);
	*list = (struct host_list){0};
}
