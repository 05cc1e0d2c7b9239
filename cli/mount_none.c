/* plyfs mount and umount, in a build without libfuse. */
#include "command.h"
#include "message.h"

static int run(const struct command *command, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return message(
		"this plyfs was built without FUSE, so there is no '%s'; 'plyfs render --watch' "
		"keeps the same tree as ordinary files",
		command->name);
}

const struct command command_mount = {
	.name = "mount",
	.synopsis = "LAYER[:LAYER...] MOUNTPOINT",
	.summary = "mount layers as one tree (not in this build)",
	.help = "This plyfs was built without FUSE. 'plyfs render' writes the same tree.\n",
	.run = run,
};

const struct command command_umount = {
	.name = "umount",
	.synopsis = "MOUNTPOINT",
	.summary = "unmount (not in this build)",
	.help = "This plyfs was built without FUSE.\n",
	.run = run,
};
