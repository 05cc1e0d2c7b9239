#include "run_result.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Pauses between tries: the first, and the longest. */
#define PAUSE_MS 1000
#define PAUSE_MAX_MS (5 * 60 * 1000)

/* Bytes of the output in a message, so that the rest of it fits as well. */
#define SHOWN_MAX 700

/* Stands for the end of a line in what is one. */
#define LINE_END " | "

/* The lines of the output as one, with no empty ones. */
static void join_lines(const char *output, char *text, size_t size)
{
	size_t used = 0;

	while (*output) {
		size_t len = strcspn(output, "\r\n");
		size_t room = size - used - 1, gap = used ? strlen(LINE_END) : 0;

		if (len && gap < room) {
			memcpy(text + used, LINE_END, gap);
			used += gap;
			size_t taken = len < room - gap ? len : room - gap;
			memcpy(text + used, output, taken);
			used += taken;
		}
		output += len;
		output += *output != '\0';
	}
	/* Not in the middle of a character. */
	while (used == size - 1 && used && ((unsigned char)text[used - 1] & 0x80))
		used--;
	text[used] = '\0';
}

static const char *remedy_of(int error)
{
	switch (error) {
	case ENOENT:
		return "; install it, or correct plyfs.yaml";
	case EACCES:
		return "; give its user the right to run it";
	case EPERM:
		return "; root, with CAP_SETUID, CAP_SETGID, CAP_CHOWN and CAP_KILL, can";
	default:
		return "";
	}
}

bool run_is_good(const struct run_result *result)
{
	return result->end == RUN_EXITED && result->value == 0;
}

int64_t run_pause_ms(unsigned tries)
{
	int64_t pause_ms = PAUSE_MS;

	for (unsigned i = 0; i < tries && pause_ms < PAUSE_MAX_MS; i++)
		pause_ms *= 2;
	return pause_ms < PAUSE_MAX_MS ? pause_ms : PAUSE_MAX_MS;
}

int run_problem(const struct run_result *result, const char *path, const char *what,
	const struct program *program, struct problem *problem)
{
	const char *name = program ? program->words[0] : what;
	char said[SHOWN_MAX];

	join_lines(result->output, said, sizeof(said));
	const char *colon = *said ? ": " : "";
	switch (result->end) {
	case RUN_EXITED:
		return problem_set(problem, path, 0, 0, "%s '%s' ended with %d%s%s", what, name,
			result->value, colon, *said ? said : " and said nothing");
	case RUN_KILLED:
		return problem_set(problem, path, 0, 0,
			"%s '%s' was killed by signal %d (%s); see what is wrong with the "
			"program%s%s",
			what, name, result->value, strsignal(result->value), colon, said);
	case RUN_TIMED_OUT:
		return problem_set(problem, path, 0, 0,
			"%s '%s' had not ended after %g s, and was killed; give it a longer "
			"'timeout', or see what it waits for%s%s",
			what, name, result->value / 1000.0, colon, said);
	case RUN_UNSTARTED:
		if (result->value == ESRCH) /* which tells all */
			return problem_set(problem, path, 0, 0,
				"%s '%s' can't be run: %s; add it, or correct 'user'", what, name,
				said);
		return problem_set(problem, path, 0, 0, "%s '%s' can't be run: %s: %s%s", what,
			name, said, strerror(result->value), remedy_of(result->value));
	case RUN_UNNAMED:
		return problem_set(problem, path, 0, 0,
			"plyfs.yaml has changed while %s was to be run; save it once more", what);
	case RUN_GONE:
		break;
	}
	return problem_set(problem, path, 0, 0,
		"%s can't be run, as the process plyfs-run has ended; start plyfs again", what);
}
