/*
 * A replica: a directory that, at every moment, is the complete state of one revision of a store.
 *
 *      DIRECTORY ─▶ STATE/tree.7/        the present tree: ordinary files
 *                   STATE/draft/         the next one, being made
 *                   STATE/status.json    the revision, and faults (mirror_status.h)
 *                   STATE/lock           locked while a mirror keeps the replica up to date
 *
 * Several changes at once are made in a draft. When it is complete, it gets its number, and
 * rename(2) makes the link DIRECTORY lead to it. A process that has the old tree open reads the old
 * state or nothing, and never a part of the new one. If only one file changes, rename(2) replaces
 * it in the present tree.
 *
 * A command that reads a tree holds it (store_hold()). A held tree stays until the first
 * publication after the end of the command, or until more than REPLICA_HELD_MAX trees are newer.
 *
 * A tree with a number is complete, even after a crash (but see unsynced.h). The tree with the
 * highest number is the present one.
 */
#pragma once

#include <sys/types.h>

#include "problem.h"
#include "tree.h"

/* Maximum number of trees that may be newer than a held tree. */
#define REPLICA_HELD_MAX 8

struct replica;

struct replica_options {
	const char *directory; /* path of DIRECTORY: a new name, an empty directory or our link */
	const char *state;     /* the path of STATE; NULL: ".NAME.mirror" beside the directory */
	bool stands_by;        /* replica_open() waits while another mirror keeps the replica */
};

/* Positive results, besides those of tree.h. */
enum {
	REPLICA_NEEDS_DRAFT = 8, /* no present tree, or a directory must be made or removed */
};

/** Opens the replica. Returns 0 with *ret for replica_freep(), PROBLEM or -errno. */
int replica_open(
	const struct replica_options *options, struct replica **ret, struct problem *problem);
void replica_freep(struct replica **replica);

/** Returns whether there is a present tree. */
bool replica_is_filled(const struct replica *replica);

/** Returns the number of files in the present tree; 0 without one. */
size_t replica_count(const struct replica *replica);

/** Returns the replica's descriptor of the directory STATE, where the caller may store files. */
int replica_state_fd(const struct replica *replica);

/** Returns the absolute path of STATE, which lives as long as `replica`. */
const char *replica_state_path(const struct replica *replica);

/** Returns the absolute path of DIRECTORY, the link. */
const char *replica_directory(const struct replica *replica);

/**
 * Sets the revision (store.h) with which replica_put() and replica_draft_put() mark files, even
 * unchanged ones; "": no mark. Copies the string.
 */
void replica_revise(struct replica *replica, const char *revision);

/** Marks the draft, or, if there is none, the present tree, as the whole state of `revision`. */
void replica_mark(const struct replica *replica, const char *revision);

/**
 * Replaces or makes the file at `path` in the present tree. tree_path_refuse() must return NULL for
 * `path`. Sets *is_changed to whether the file was different or missing before. Returns 0; -errno;
 * or REPLICA_NEEDS_DRAFT, with nothing changed.
 */
int replica_put(struct replica *replica, const char *path, struct span bytes, mode_t mode,
	bool *is_changed);

/** Removes a file of the present tree. *is_changed: there was one. Returns as replica_put(). */
int replica_remove(struct replica *replica, const char *path, bool *is_changed);

/**
 * Makes the link DIRECTORY lead to the present tree; if there is no tree yet, to the path that the
 * first tree will have. Makes the link if it is missing, as another program may have removed it.
 * Returns 0 or -errno.
 */
int replica_turn_link(struct replica *replica);

/**
 * Begins a draft, and drops an older one. If `changes` is NULL, or there is no present tree, the
 * draft is empty. Otherwise it equals the present tree, and the caller may change it only at the
 * paths in `changes`, which this function sorts. Returns 0 or -errno.
 */
int replica_begin(struct replica *replica, struct path_list *changes);

/**
 * Puts a file into the draft; if `mode` is S_IFLNK, a symbolic link. If a file stands where `path`
 * needs a directory, removes that file, and sets *clash to the length of its path; otherwise sets
 * *clash to 0. Returns 0; TREE_CLASH: a directory is at `path`, and stays; or -errno.
 */
int replica_draft_put(
	struct replica *replica, const char *path, struct span bytes, mode_t mode, size_t *clash);

/** Removes a file, which may be missing, from the draft. Returns 0 or -errno. */
int replica_draft_remove(struct replica *replica, const char *path);

/** Compares the draft with the present tree. Returns 0 or -errno. */
int replica_compare(struct replica *replica, struct tree_difference *ret);

/**
 * Makes the draft the present tree. `difference` is that of replica_compare(). Returns 0 or -errno.
 * After an error, DIRECTORY may still lead to the old tree.
 */
int replica_publish(struct replica *replica, const struct tree_difference *difference);

/**
 * Drops the draft. Call it if the draft equals the present tree. If possible, the next draft reuses
 * the files of the dropped one.
 */
void replica_put_back(struct replica *replica);

/** Drops the draft, and the older tree that the next draft would reuse (recycled_tree.h). */
void replica_discard(struct replica *replica);
