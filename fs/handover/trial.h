/*
 * A trial: before the daemon execs the program that now lies at program_call.path, a separate
 * process runs the program. The program reports whether it can take the mount over.
 *
 *      daemon ──fork──▶ trial: closes /dev/fuse, runs the program with TRIAL_OPTION
 *          ◀── its end: TRIAL_YES, or its message ──
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Milliseconds after which the daemon kills a trial. */
#define TRIAL_MS 10000

/* The exit status of a trial whose program can take the mount over. */
#define TRIAL_YES 85

/*
 * The option for a trial. Its value, the question, names the format of our state (handover.h). A
 * plyfs that is too old for a trial refuses the option.
 */
#define TRIAL_OPTION "try-take-over"
#define TRIAL_QUESTION_MAX 64

/* The number of the descriptor by which the trial finds the directory that the mount lies on. */
#define TRIAL_BENEATH_FD 3

/* Size of the text of trial_take(), in bytes, with its NUL. */
#define TRIAL_TEXT_MAX 1024

/* How the new program is started. Fixed when the daemon starts. */
struct program_call {
	char *path;            /* of the program that this process was started from */
	const char *directory; /* the working directory, absolute */
	/*
	 * The program's argv: "plyfs", "mount", …, NULL. words[-1] is free: a trial moves
	 * "plyfs" and "mount" one place to the front, and puts its option behind them.
	 */
	char **words;
	struct rlimit files; /* the limit of descriptors that the daemon began with */
	uint64_t slice_ns;   /* the time slice (slice.h) that the daemon began with */
	bool is_config;      /* `words` has the path of a plyfs.yaml in place of the layers */
};

struct program_trial {
	pid_t pid;  /* 0: none */
	int pidfd;  /* becomes readable when the trial has ended */
	int output; /* the read end of a pipe to which the program writes */
};

/**
 * Begins a trial of the program with `question` as the option's value. `beneath_fd` is the
 * directory that the mount lies on. Returns 0 with *ret for trial_take(); or -errno.
 */
int trial_begin(const struct program_call *call, const char *question, int beneath_fd,
	struct program_trial *ret);

/**
 * Reaps a trial that has ended (`pidfd` is readable), and closes its descriptors. Returns whether
 * the program ended with TRIAL_YES. If not, `text` gets the program's last message ("plyfs: …",
 * without the prefix); without a message, its first line of output; without output, how it ended.
 */
bool trial_take(struct program_trial *trial, char text[TRIAL_TEXT_MAX]);

/** Kills the trial and its children. Call trial_take() when the trial has ended. */
void trial_kill(const struct program_trial *trial);
