/*
 * The first steps of a forked process.
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forked.h"
#include "test.h"

/* Returns what the process writes whose output, the end of a pipe, has the number `output`. */
static ssize_t output_of(int output, char *ret, size_t size)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		char byte;
		int kept = fcntl(ends[1], F_DUPFD_CLOEXEC, 40);
		int given = output < 0 ? ends[1] : dup3(kept, output, O_CLOEXEC);
		if (kept < 0 || given < 0 || forked_keep_only(given, (int[]){given, kept}, 2) < 0)
			_exit(1);
		if (write(STDOUT_FILENO, "o", 1) != 1 || write(STDERR_FILENO, "e", 1) != 1 ||
			write(kept, "k", 1) != 1 || read(STDIN_FILENO, &byte, 1) != 0)
			_exit(1);
		/* No other is open, and these stay open for a program. */
		for (int fd = 0; fd < 64; fd++)
			if ((fcntl(fd, F_GETFD) == 0) != (fd <= STDERR_FILENO) && fd != kept)
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	ssize_t n = 0, more;
	while ((more = read(ends[0], ret + n, size - (size_t)n)) > 0)
		n += more;
	close(ends[0]);
	int status = 1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return n;
}

TEST(only_what_is_kept_stays_open)
{
	char text[8];

	for (int output = -1; output < 8; output++) {
		assert_int_equal(output_of(output, text, sizeof(text)), 3);
		assert_memory_equal(text, "oek", 3);
	}
}

/* `dies_with`: the process that it is to die with. */
static bool is_asked_to_end(pid_t dies_with)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(!forked_dies_with(dies_with));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status != 0;
}

TEST(a_process_whose_parent_has_ended_is_asked_to_end)
{
	assert_false(is_asked_to_end(getpid()));
	assert_true(is_asked_to_end(getppid()));
}
