#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forked.h"
#include "helper.h"
#include "text.h"

/* The exit code of a process that can't run the program. */
#define NOT_RUN 127

/* Bytes that a pipe holds: a program that writes more waits for the reader, and is killed. */
#define OUTPUT_MAX (64 << 10)

/* In the trial: of the daemon's descriptors, /dev/fuse above all, nothing else is left. */
__attribute__((noreturn)) static void run(
	const struct program_call *call, char *option, int output, int beneath_fd)
{
	/* Beyond its place, so that dup2(2) opens it there for the program. */
	int beneath = fcntl(beneath_fd, F_DUPFD_CLOEXEC, TRIAL_BENEATH_FD + 1);
	char **words = call->words - 1;

	/* Not behind a "--". */
	words[0] = words[1];
	words[1] = words[2];
	words[2] = option;
	if (forked_keep_only(output, (int[]){output, beneath}, 2) == 0 &&
		dup2(beneath, TRIAL_BENEATH_FD) >= 0) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		helper_reset_signals();
		bool is_there = chdir(call->directory) == 0;
		if (is_there)
			execv(call->path, words);
		dprintf(STDERR_FILENO, "%s: %s\n", is_there ? call->path : call->directory,
			text_error(-errno));
	}
	_exit(NOT_RUN);
}

int trial_begin(const struct program_call *call, const char *question, int beneath_fd,
	struct program_trial *ret)
{
	char option[sizeof("--" TRIAL_OPTION "=") + TRIAL_QUESTION_MAX];
	int ends[2];

	snprintf(option, sizeof(option), "--" TRIAL_OPTION "=%s", question);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid_t pid = fork();
	if (pid == 0)
		run(call, option, ends[1], beneath_fd);
	close(ends[1]);
	int pidfd = pid > 0 ? pidfd_open(pid, 0) : -1;
	if (pidfd < 0) {
		int r = -errno;
		if (pid > 0) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
		close(ends[0]);
		return r;
	}
	*ret = (struct program_trial){pid, pidfd, ends[0]};
	return 0;
}

/*
 * Leaves the last message that the program wrote, without its name in front; or else the first
 * line. Notes and warnings come before an error.
 */
static void read_text(int output, char text[TRIAL_TEXT_MAX])
{
	static const char name[] = "plyfs: ";
	static char all[OUTPUT_MAX + 1];
	const char *last = all;

	(void)fcntl(output, F_SETFL, O_NONBLOCK);
	ssize_t n = read(output, all, OUTPUT_MAX);
	all[n > 0 ? n : 0] = '\0';
	for (const char *at = all; at; at = (at = strchr(at, '\n')) ? at + 1 : NULL)
		if (strncmp(at, name, strlen(name)) == 0)
			last = at + strlen(name);
	snprintf(text, TRIAL_TEXT_MAX, "%.*s", (int)strcspn(last, "\n"), last);
}

bool trial_take(struct program_trial *trial, char text[TRIAL_TEXT_MAX])
{
	int status = 0;

	/* Its children end, too. */
	trial_kill(trial);
	waitpid(trial->pid, &status, 0);
	read_text(trial->output, text);
	close(trial->output);
	close(trial->pidfd);
	*trial = (struct program_trial){0};
	if (WIFEXITED(status) && WEXITSTATUS(status) == TRIAL_YES)
		return true;
	if (!*text && WIFEXITED(status))
		snprintf(text, TRIAL_TEXT_MAX, "the new program ended with the exit code %d",
			WEXITSTATUS(status));
	else if (!*text)
		snprintf(text, TRIAL_TEXT_MAX, "the new program was ended by a signal: %s",
			strsignal(WTERMSIG(status)));
	return false;
}

void trial_kill(const struct program_trial *trial)
{
	/* It may not have its group yet. */
	kill(trial->pid, SIGKILL);
	kill(-trial->pid, SIGKILL);
}
