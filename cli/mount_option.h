/*
 * The words behind -o: ours, and those that mount(8) and /etc/fstab pass to every file system.
 */
#pragma once

#include <stdbool.h>

#include "problem.h"
#include "mountpoint.h"
#include "sandbox.h"

/* Whether merged files begin with a comment that names their sources. */
enum header_choice { HEADER_AS_SET, HEADER_ON, HEADER_OFF };

struct mount_options {
	enum header_choice header; /* as the settings say, or whatever they say; the last word counts */
	bool is_private;     /* only the user who mounts may look */
	bool is_shared;      /* all users may look; with neither, root shares and others don't */
	bool has_norealtime; /* of older versions; does nothing */
	struct sandbox_switches switches;
	struct mount_flags flags;
	bool makes_mountpoint; /* if it is not there, as X-mount.mkdir of mount(8) */
	bool is_debugging;   /* every request is printed */
	bool may_be_system;  /* mounted over what the system lives in */
	bool is_unpublished; /* changes wake nobody; for tests, and therefore not in the help text
			      */
};

/**
 * Takes "WORD,WORD=VALUE,…". Returns 0, or PROBLEM for a word that is not known, with what is
 * allowed.
 */
int mount_options_read(const char *text, struct mount_options *options, struct problem *problem);

/** "allow_other, private, header …": our own words that people are told of. Static. */
const char *mount_options_names(void);
