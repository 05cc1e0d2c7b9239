#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cleanup.h"
#include "text.h"

static void close_unless_stdin(int *fd)
{
	if (*fd > STDIN_FILENO)
		close(*fd);
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
