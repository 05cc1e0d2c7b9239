/* The words after -o: our own, and those that mount(8) passes to every file system. */
#pragma once

#include <stdbool.h>

#include "session.h"
#include "settings_options.h"

struct command;

/* Our own documented words. */
#define MOUNT_OPTION_WORDS                                                                         \
	"allow_other, private, header, noheader, nosandbox, nolandlock, noseccomp, debug, "        \
	"noexec, nosymfollow, "                                                                    \
	"over_system"

struct mount_options {
	enum header_choice header; /* by the last of the words "header" and "noheader" */
	bool is_shared;            /* all users have access; the default if root mounts */
	bool has_norealtime;       /* no effect; a word of older versions of plyfs */
	struct sandbox_switches switches;
	struct mount_flags flags;
	/* of mkdir(2) for a missing mountpoint, as X-mount.mkdir of mount(8); 0: it is not made */
	unsigned mkdir_mode;
};

/** A command_option.take (command.h). Reads the words into `context`, a struct mount_options. */
int mount_options_take(const struct command *command, void *context, const char *text);
