/*
 * What the files of a rendering share.
 *
 *      populate.c        all that is in a directory is listed, looked up, and put
 *      shown_directory.c the directories that the view knows to be shown; what somebody does in them
 *      failure.c         what could not be done
 *      render.c          the publisher's operations; what is due is done; the beginning and the end
 */
#pragma once

#include <pthread.h>

#include "agenda.h"
#include "inotify.h"
#include "lock.h"
#include "render.h"

struct render {
	struct rendered *rendered;
	struct runner *runner; /* NULL: no plyfs.yaml names programs */
	struct view *view;
	struct publisher *publisher;
	struct agenda *agenda;
	struct rendered_options options;
	struct sandbox_state sandbox; /* what is in force */
	int commit_failure;
	unsigned failed; /* paths that could not be made, in this walk */
	int64_t retry_ms;

	/* NULL: drift is not looked for while it happens. */
	struct inotify *inotify;
	struct subscription beside; /* of the directory that generations stand in */

	struct lock looks;
	pthread_cond_t answered;
	const struct populate_lookup *awaited; /* looks; by the one thread that walks; NULL: none */

	struct lock files;     /* of all that follows: rights are taken away from any thread */
	void *directories;     /* a tsearch(3) tree of struct shown_directory, by number */
	size_t incomplete;     /* of them */
	bool is_removal_due;   /* what another run has made is to be removed when there are none */
};

/* What could not be made is tried again after this time, and then after ever longer ones. */
#define RETRY_MS 500

/* A generation is what has changed until nothing did for so long. */
#define GENERATION_QUIET_MS 20
