/*
 * A replica: a directory that is at every moment the complete state of one revision of a store.
 *
 *      DIRECTORY ─▶ STATE/tree.7/        the present tree: ordinary files
 *                   STATE/draft/         the next one, being made
 *                   STATE/status.json    what it is a state of (mirror_status.h)
 *                   STATE/lock           held as long as somebody keeps the replica
 *
 * Several changes at once are made in a draft, in which unchanged files are second names of those
 * of the present tree, with the same inode; when it is complete it gets its number and the link is
 * turned, by rename(2). The old tree loses its name, and later its files: who has it open reads the
 * old state or nothing, and never a part of the new one. One file that changes alone is replaced in
 * the present tree, by rename(2): that is whole by itself, and whoever watches the directory is
 * woken for one name.
 *
 * A tree with a number is complete, whoever was killed when; the highest number is the present one.
 * So the last state is served from the moment on in which a replica is opened.
 */
#pragma once

#include <sys/types.h>

#include "problem.h"
#include "tree.h"

struct replica;

struct replica_options {
	const char *directory; /* is made; or an empty directory; or a link of ours */
	const char *state;     /* NULL: ".NAME.mirror" beside the directory */
};

/* Positive results, besides those of tree.h. */
enum {
	REPLICA_NEEDS_DRAFT = 8, /* more than one name would change */
};

/**
 * Returns 0 with *ret, PROBLEM or -errno. What others have left unfinished is removed.
 */
int replica_open(
	const struct replica_options *options, struct replica **ret, struct problem *problem);
void replica_free(struct replica *replica);
void replica_freep(struct replica **replica);

/** Whether there is a state, and how many files it has. */
bool replica_is_filled(const struct replica *replica);
size_t replica_count(const struct replica *replica);

/** The directory STATE, to keep more in; and its absolute path. They belong to the replica. */
int replica_state_fd(const struct replica *replica);
const char *replica_state_path(const struct replica *replica);

/** The absolute path of what is kept equal: a link. */
const char *replica_directory(const struct replica *replica);

/**
 * What is put from now on is of that revision, "": of none that is told (store.h); it is copied. A
 * file that is the same already is said to be of the new one. Where the file system keeps no
 * attributes, nothing is told.
 */
void replica_revise(struct replica *replica, const char *revision);

/** The draft, or without one the present tree, is as a whole the state of that revision. */
void replica_mark(const struct replica *replica, const char *revision);

/**
 * Replaces, makes or removes the one file at `path`, which key_path_refuse() has nothing against.
 * *is_changed: it was not like that already. 0; REPLICA_NEEDS_DRAFT with nothing changed; -errno.
 */
int replica_put(struct replica *replica, const char *path, struct span bytes, mode_t mode,
	bool *is_changed);
int replica_remove(struct replica *replica, const char *path, bool *is_changed);

/**
 * Begins a draft, in the place of one that there was: empty; or with `changes` as the present tree,
 * to be changed at these paths alone. The list is sorted. 0 or -errno.
 */
int replica_begin(struct replica *replica, struct path_list *changes);

/**
 * Sets a file of the draft, a symbolic link where `mode` is S_IFLNK. A directory has precedence
 * over a file of the same path: TREE_CLASH means that the file is left out; *clash is how many
 * bytes of `path` are a file that was taken away, or 0. 0, TREE_CLASH, or -errno.
 */
int replica_draft_put(
	struct replica *replica, const char *path, struct span bytes, mode_t mode, size_t *clash);
int replica_draft_remove(struct replica *replica, const char *path);

/** How the draft differs from the present tree. 0 or -errno. */
int replica_compare(struct replica *replica, struct tree_difference *ret);

/** The draft becomes the present tree; there must be one. 0 or -errno, with the old one in place.
 */
int replica_publish(struct replica *replica, const struct tree_difference *difference);

/** Drops the draft, which is as the present tree; what it has cost is kept for the next one. */
void replica_put_back(struct replica *replica);

/** Drops the draft, if there is one, and all else that takes room on the disk and could be missed.
 */
void replica_discard(struct replica *replica);
