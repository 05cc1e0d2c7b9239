/*
 * What an entry shows, and under which numbers: the same content keeps its number and time however
 * long the kernel has forgotten it, another content has others, and time never goes back.
 */
#pragma once

#include "directory.h"

struct view;

/** Counts one kernel reference. */
void inode_hold_locked(struct view *view, struct inode *inode);

/** Gives `count` of them back; with the last the object goes, if nothing else needs it. */
void inode_forget_locked(struct view *view, struct inode *inode, uint64_t count);

/** The directory that has this inode number, or NULL. */
struct directory *inode_directory_locked(struct view *view, uint64_t ino);

/** Whether `version` is the very content that the path showed before the kernel forgot it. */
bool entry_has_forgotten(const struct entry *entry, const struct version *version);

/**
 * Gives a version its number and its times, before anybody sees it. What the path shows first has
 * its newest source's. After that ctime is when the new version was made, and mtime the newest
 * source's, or where that does not tell the change, by 1 ms or more, the same as ctime. The first
 * version that a path shows, or shows again after the kernel forgot it, gets the number and time it
 * had.
 */
void entry_prepare_version_locked(struct view *view, struct entry *entry, struct version *version);
void entry_prepare_first_locked(struct view *view, struct entry *entry, struct version *version);

/**
 * The entry shows the same bytes as `found`, whose only source has got another time: that is the
 * file's time from now on, be it an earlier one, and ctime is now.
 */
void entry_take_time_locked(struct entry *entry, const struct version *found);

/** Whether the path shows a directory, or did when the kernel forgot it. */
bool entry_was_directory_locked(const struct view *view, const struct entry *entry);

/** Gives the entry the number that its first object will have, unless it has one. */
void entry_reserve_ino_locked(struct view *view, struct entry *entry);

/** Lets `entry` show `version` (one reference is taken) in place of what it showed. */
void entry_show_version_locked(struct view *view, struct entry *entry, struct version *version);

/** Lets `entry` show `directory`, which is not shown yet, or NULL for one still to be made. */
void entry_show_directory_locked(
	struct view *view, struct entry *entry, struct directory *directory);

/** The entry shows nothing any more; a directory dies with all that is in it. */
void entry_hide_locked(struct view *view, struct entry *entry);

/** Sets what a name is shown as; who depends on it, or lists it, hears of a change. */
void entry_set_kind_locked(struct view *view, struct entry *entry, enum union_kind kind);

/** Takes note of what a name is now, in a directory that the kernel does not know. */
void entry_note_locked(struct view *view, struct entry *entry, enum union_kind kind);

/**
 * Sets what is wrong with the path, and logs it, if it is news. `shown` is what it shows from now
 * on, NULL: what it showed before, as something is mounted on it; with `is_left_out` that is made
 * without the broken source, else it is the last good version.
 */
void entry_set_trouble_locked(struct view *view, struct entry *entry, const struct problem *problem,
	const struct version *shown, bool is_left_out);

/** Whether a change of the path waits for the end of what is mounted on it. */
static inline bool entry_is_covered(const struct entry *entry)
{
	return entry->trouble && entry->trouble->serves == TROUBLE_SERVES_COVERED;
}

/** Nothing is wrong with the path. */
void entry_clear_trouble_locked(struct view *view, struct entry *entry);

/** Takes the entry, and the directory that it is in, in use; and gives them back. */
void entry_enter_locked(struct view *view, struct entry *entry);
void entry_leave_locked(struct view *view, struct entry *entry);

/** One user less; frees what nothing needs any more, upwards. */
void directory_leave_locked(struct view *view, struct directory *directory);

/** The directory in memory at the first `length` bytes of `path`, or NULL; the entry at `path`. */
struct directory *directory_at_locked(struct view *view, const char *path, size_t length);
struct entry *entry_at_locked(struct view *view, const char *path);
