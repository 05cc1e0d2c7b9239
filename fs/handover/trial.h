/*
 * A trial: the program that now lies at the daemon's path says if it can take the mount over.
 * It does so in a process of its own, before the daemon execs it.
 *
 *      daemon ──fork──▶ trial: closes /dev/fuse, runs the program with TRIAL_OPTION
 *          ◀── its end: TRIAL_YES, or its message ──
 *
 * The trial may stop, hang or die, as the daemon goes on serving meanwhile. The daemon kills a
 * trial that takes longer than TRIAL_MS.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* How long a trial may take, in ms. */
#define TRIAL_MS 10000

/* The exit status that says yes. Other programs do not use it, except by accident. */
#define TRIAL_YES 85

/* The option's value is a question. An earlier plyfs refuses the option, and so does not mount. */
#define TRIAL_OPTION "try-take-over"
#define TRIAL_QUESTION_MAX 64

/* The descriptor on which the trial finds the directory that the mount lies on. */
#define TRIAL_BENEATH_FD 3

/* Size of the text of trial_take(), in bytes, with its NUL. */
#define TRIAL_TEXT_MAX 1024

/* The call of the program. Fixed at the start, so that no source can change it. */
struct program_call {
	char *path;            /* of the program that this process was started from */
	const char *directory; /* the working directory, absolute */
	char **words;          /* its argv: "plyfs", "mount", …, NULL; words[-1] is unused room */
	struct rlimit files;   /* the limit of descriptors at the start */
	uint64_t slice_ns;     /* the time slice (slice.h) at the start */
	bool is_config;        /* the word in place of the layers is a plyfs.yaml */
};

struct program_trial {
	pid_t pid;  /* 0: none */
	int pidfd;  /* becomes readable when the trial has ended */
	int output; /* what the program writes */
};

/**
 * Begins a trial of the program with `question` as the option's value. Returns 0 with *ret for
 * trial_take() or trial_kill(); or -errno.
 */
int trial_begin(const struct program_call *call, const char *question, int beneath_fd,
	struct program_trial *ret);

/**
 * Reaps a trial that has ended (pidfd), and closes its descriptors. Returns whether the program
 * said yes. If not, `text` has its last message, or else its first line of output, or else how it
 * ended.
 */
bool trial_take(struct program_trial *trial, char text[TRIAL_TEXT_MAX]);

/** Kills the trial and its children. trial_take() follows when it has ended. */
void trial_kill(const struct program_trial *trial);
