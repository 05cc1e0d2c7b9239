#include "run_result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "run_output.h"

const struct backoff run_pause_ms = {1000, 5 * 60 * 1000};

/* Statuses of a shell or env(1) whose program is not installed, or can't be executed. */
#define RUN_STATUS_ABSENT 127
#define RUN_STATUS_CLOSED 126

static const char *remedy_of(int error, const char *step)
{
	if (strcmp(step, RUN_PLACING) == 0)
		return "; give plyfs a /tmp that it can write to, as a tmpfs";
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

struct run_result run_unstarted(int error)
{
	return (struct run_result){.end = RUN_UNSTARTED, .value = -error, .output = "preparing it"};
}

bool run_is_good(const struct run_result *result)
{
	return result->end == RUN_EXITED && result->value == 0;
}

/* Returns whether the quote ’ or ‘, in UTF-8, stands directly before `end`. */
static bool is_behind_quote(const char *text, const char *end)
{
	return end - text >= 3 && memcmp(end - 3, "\u2018", 2) == 0 && strchr("\x98\x99", end[-1]);
}

/* Copies the last word in front of `end`: "sh: 1: promtool" -> "promtool". */
static void copy_word_before(const char *text, const char *end, char name[PROGRAM_NAME_MAX])
{
	const char *from;

	while (end > text && (strchr(" \t'\"`", end[-1]) || is_behind_quote(text, end)))
		end -= is_behind_quote(text, end) ? 3 : 1;
	for (from = end;
		from > text && !strchr(" \t\n/'\"`", from[-1]) && !is_behind_quote(text, from);
		from--)
		;
	if (end > from && end - from < PROGRAM_NAME_MAX)
		snprintf(name, PROGRAM_NAME_MAX, "%.*s", (int)(end - from), from);
}

/* Finds the program or library that a shell, env(1), timeout(1) or ld.so(8) says is missing. */
static void find_missing(const char *output, char name[PROGRAM_NAME_MAX])
{
	static const char *const phrases[] = {": command not found", ": not found",
		": No such file or directory", ": Permission denied"};
	static const char loading[] = "error while loading shared libraries: ";
	const char *end = output + strlen(output);
	const char *library = strstr(output, loading);

	if (library) {
		library += sizeof(loading) - 1;
		copy_word_before(library, library + strcspn(library, ":\n"), name);
		return;
	}
	while (end > output && end[-1] == '\n')
		end--;
	for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++) {
		const char *start = end - strlen(phrases[i]);

		if (end - output < (ptrdiff_t)strlen(phrases[i]) ||
			strncmp(start, phrases[i], strlen(phrases[i])) != 0)
			continue;
		copy_word_before(output, start, name);
		return;
	}
}

/* Returns whether exec(3) failed because of the program, and not for want of memory or the like. */
static bool is_of_program(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES || error == ENOEXEC;
}

bool run_is_missing(const struct run_result *result, const struct program *program,
	char name[PROGRAM_NAME_MAX], const char **why)
{
	bool is_unstarted = result->end == RUN_UNSTARTED && is_of_program(result->value) &&
			    strcmp(result->output, RUN_STARTING) == 0;
	int status = result->end == RUN_EXITED ? result->value : 0;
	bool is_absent = is_unstarted && result->value == ENOENT;

	if (!program ||
		(!is_unstarted && status != RUN_STATUS_ABSENT && status != RUN_STATUS_CLOSED))
		return false;
	*why = is_absent || status == RUN_STATUS_ABSENT ? "is not installed" : "can't be executed";
	program_name(program, name);
	if (is_unstarted) /* exec(3) has failed for the first word itself */
		program_name(&(struct program){.words = (const char *[]){program->words[0], NULL}},
			name);
	else
		find_missing(result->output, name);
	return true;
}

const char *run_missing_remedy(const char *why)
{
	return strstr(why, "is not installed") ? "install it, or check where it is"
					       : "give its user the right to run it";
}

int run_problem(
	const struct run_result *result, const struct run_subject *subject, struct problem *problem)
{
	const struct program *program = subject->program;
	const char *path = subject->path, *what = subject->what;
	char name[PROGRAM_NAME_MAX];
	struct problem said;

	if (program)
		program_name(program, name);
	else
		snprintf(name, sizeof(name), "%s", what);
	bool is_located = run_output_read(result, path ? path : "", name, subject->map, &said);
	const char *colon = said.message[0] ? ": " : "";
	switch (result->end) {
	case RUN_EXITED:
		if (is_located && path) {
			*problem = said;
			return PROBLEM;
		}
		return problem_set(problem, path, 0, 0, "%s '%s' ended with %d%s%s", what, name,
			result->value, colon,
			*colon ? said.message : " and said nothing; run it by hand");
	case RUN_KILLED:
		return problem_set(problem, path, 0, 0,
			"%s '%s' was killed by signal %d (%s); check the program%s%s", what, name,
			result->value, strsignal(result->value), colon, said.message);
	case RUN_TIMED_OUT:
		return problem_set(problem, path, 0, 0,
			"%s '%s' had not ended after %g s, and was killed; give it a longer "
			"'timeout', or find out why it waits%s%s",
			what, name, result->value / 1000.0, colon, said.message);
	case RUN_UNSTARTED:
		if (result->value == ESRCH) /* the output is the whole reason */
			return problem_set(problem, path, 0, 0,
				"%s '%s' can't be run: %s; add it, or correct 'user'", what, name,
				said.message);
		return problem_set(problem, path, 0, 0, "%s '%s' can't be run: %s: %s%s", what,
			name, said.message, strerror(result->value),
			remedy_of(result->value, result->output));
	case RUN_GONE:
		break;
	}
	return problem_set(problem, path, 0, 0,
		"%s '%s' was not run to its end, as its process plyfs-guard was killed; find out "
		"what killed it",
		what, name);
}
