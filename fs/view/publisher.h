/*
 * The publisher: the coroutine that shows the changes of the layers, one after the other.
 *
 *      inotify, wake-up ──▶ take events ──▶ next change ──▶ begin ──▶ operation ──▶ end
 *           ▲                    ▲                 │                                 │
 *           │                    └─────────────────│─────────────────────────────────┘
 *           └────── wait ◀── end of the batch ◀────┘ none
 *
 * The operations carry a change to the readers of the tree. If plyfs.yaml is edited, or another
 * directory takes a layer's place, the publisher reads the settings again.
 */
#pragma once

#include "change.h"
#include "fault.h"

/* Positive result of an operation: another file system is mounted on the path, and must stay. */
#define PUBLISHER_COVERED 1

/* The publisher calls the operations, which may wait. */
struct publisher_ops {
	/*
	 * Carries out a change. Returns 0, PUBLISHER_COVERED or -errno. After 0, the publisher
	 * calls view_apply_change(). After another result, the tree stays as it is, and the path is
	 * queued again later.
	 */
	int (*publish)(void *context, const struct change *change);

	/* Announces a change that is already shown: CHANGE_ATTRIBUTES, _LISTING or _TIME. */
	void (*announce)(void *context, const struct change *change);

	/* Called when no change of a batch is left, or a change hook has ended. May be NULL. */
	void (*batch_end)(void *context);
};

/* A descriptor that the publisher polls, in addition to its own descriptors. */
struct publisher_hook {
	int fd;       /* -1: not polled */
	short events; /* of poll(2) */
	/* Called on an event. Returns whether to read the settings again. NULL: an unused hook. */
	bool (*handle)(void *context, struct publisher_hook *hook);
};

#define PUBLISHER_HOOKS 4

struct publisher_options {
	const struct publisher_ops *ops;
	struct publisher_hook hooks[PUBLISHER_HOOKS];
	void (*reload)(void *context); /* called before the settings are read again; may be NULL */
	/*
	 * Called after plyfs.yaml was read again, even if a layer can't be opened. `outline` has
	 * the new settings, but none of its layers is open. May be NULL.
	 */
	void (*take_outline)(void *context, struct settings *outline);
	void *context; /* of the operations and hooks */
	dev_t dev;     /* st_dev of the mount; 0: none */
};

struct publisher;

/** Makes the publisher of the view. Returns 0 with *ret for publisher_freep(), or -errno. */
int publisher_new(
	struct view *view, const struct publisher_options *options, struct publisher **ret);
void publisher_freep(struct publisher **place); /* *place NULL: does nothing */

/** Publishes and waits, until publisher_stop(). */
void publisher_run(struct publisher *publisher);

/** Makes publisher_run() return, after the change under way. A signal handler may call it. */
void publisher_stop(struct publisher *publisher);

/** Publishes all changes. Returns the ms until a change may be due; -1: wait for an event. */
int publisher_publish(struct publisher *publisher);

/** Carries out the change, then calls view_end_change(). */
void publisher_carry_out(struct publisher *publisher, struct change *change);

/** Returns whether new settings are being read, or were read and are not in force yet. */
bool publisher_is_reading(const struct publisher *publisher);

/** Returns whether the settings have a fault. If so, copies the fault to *ret. */
bool publisher_settings_fault(struct publisher *publisher, struct fault *ret);
