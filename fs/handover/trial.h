/*
 * A trial: before the daemon becomes the program that now lies at its path, that program says in a
 * process of its own whether it can take the mount over.
 *
 *      daemon ──fork──▶ trial: closes /dev/fuse, runs the program with TRIAL_OPTION
 *          ◀── its end: TRIAL_YES, or its message ──
 *
 * The trial may stop, hang or die: the daemon goes on serving meanwhile, and ends a trial that
 * takes longer than TRIAL_MS.
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

/* An earlier plyfs refuses this option, so that it does not mount. Its value is a question. */
#define TRIAL_OPTION "try-take-over"
#define TRIAL_QUESTION_MAX 64

/* The descriptor on which the trial finds the directory that the mount lies on. */
#define TRIAL_BENEATH_FD 3

/* Bytes of the program's words that are read. */
#define TRIAL_TEXT_MAX 1024

/* How the program is called. Fixed at the start, so that a source can't change it. */
struct program_call {
	char *path;            /* of the program that this process was started from */
	const char *directory; /* the working directory, absolute */
	char **words;        /* its argv: "plyfs", "mount", …, NULL; the place in front is free */
	struct rlimit files; /* the limit of descriptors, as it was at the start */
	uint64_t slice_ns;   /* slice.h, as it was at the start */
	bool is_config;      /* the word in place of the layers is a plyfs.yaml */
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
 * said yes; false: `text` has its last message, or else its first line, or how it ended.
 */
bool trial_take(struct program_trial *trial, char text[TRIAL_TEXT_MAX]);

/** Kills the trial and its children. trial_take() follows when it has ended. */
void trial_kill(const struct program_trial *trial);
