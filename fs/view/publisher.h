/*
 * The publisher: makes what is shown what the layers say, one change after the other, in a thread
 * of its own.
 *
 *      inotify, wake-up ──▶ take events ──▶ next change ──▶ begin ──▶ operation ──▶ end
 *           ▲                    ▲                 │                                 │
 *           │                    └─────────────────│─────────────────────────────────┘
 *           └────── wait ◀── end of the batch ◀────┘ none
 *
 * How a change reaches those who look at the tree, the operations know. While the publisher waits,
 * it also sees to the settings: when plyfs.yaml is edited, or another directory stands where a
 * layer was found, they are made anew.
 */
#pragma once

#include "change.h"
#include "trouble.h"

/* Positive result of operations: something is mounted on the path, and must stay. */
#define PUBLISHER_COVERED 1

/* Operations are called by the publisher's thread, which holds no lock. */
struct publisher_ops {
	/*
	 * Each carries out a change of its kind. Returns 0, and what the operation did not have
	 * made by view_apply_change() is made by the publisher then; or PUBLISHER_COVERED or
	 * -errno, and what is shown stays: the path is looked at again after a while.
	 */
	int (*replace)(void *context, const struct change *change);
	int (*remove)(void *context, const struct change *change);
	int (*make_directory)(void *context, const struct change *change);
	int (*remove_directory)(void *context, const struct change *change);

	/*
	 * Announces what the view shows already: CHANGE_ATTRIBUTES, CHANGE_LISTING or CHANGE_TIME.
	 */
	void (*set_attributes)(void *context, const struct change *change);

	/* Nothing is left that was to be published. May be NULL. */
	void (*batch_end)(void *context);
};

/* Something else that the publisher's thread waits for. */
struct publisher_hook {
	int fd; /* -1: no more */
	short events;
	/* Returns whether the settings must be made anew. NULL: no such hook. */
	bool (*handle)(void *context, struct publisher_hook *hook);
};

#define PUBLISHER_HOOKS 4

struct publisher_options {
	const struct publisher_ops *ops;
	struct publisher_hook hooks[PUBLISHER_HOOKS];
	void (*reload)(void *context); /* the settings are about to be made anew; or NULL */
	void *context;                 /* of the operations and hooks */
	dev_t dev;                     /* of what is mounted, which may lie over layers */
};

struct publisher;

/** For the view's life. Returns 0 with *ret for publisher_free(), or -errno. */
int publisher_new(
	struct view *view, const struct publisher_options *options, struct publisher **ret);
void publisher_free(struct publisher *publisher); /* NULL: nothing */

/** The thread's body: publishes and waits, until publisher_stop(). */
void publisher_run(struct publisher *publisher);

/** From any thread: no change is begun any more, and publisher_run() returns. */
void publisher_stop(struct publisher *publisher);

/**
 * Publishes all there is. Returns the milliseconds after which there may be more, -1: only when
 * something happens.
 */
int publisher_publish(struct publisher *publisher);

/** Carries out and frees the change. */
void publisher_carry_out(struct publisher *publisher, struct change *change);

/** From any thread: why the settings can't be made anew, or not all is as they say; if so. */
bool publisher_settings_trouble(struct publisher *publisher, struct trouble *ret);
