/* plyfs: the command, with the table of its subcommands and its own help. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "message.h"
#include "overseer.h"
#include "path.h"
#include "plyfs_mount.h"
#include "text.h"
#include "word.h"

#define UMOUNT_HELPER "umount.fuse.plyfs"

/* The commands, in the order of the help text. */
/* clang-format off */
#define COMMANDS(X) \
	X(mount) X(umount) X(render) X(merge) X(ls) X(cat) X(get) X(explain) X(blame) X(diff) \
	X(check) X(set) X(unset) X(reset) X(hide) X(edit) X(mirror) X(status) X(doctor) X(presets)
/* clang-format on */

#define ENTRY(name) &command_##name,
static const struct command *const commands[] = {COMMANDS(ENTRY) NULL};
#undef ENTRY

/* Their names: ", mount, merge …, help". */
#define NAME(name) ", " #name
static const char command_names[] = COMMANDS(NAME) ", help";
#undef NAME

const struct command *const *command_all(void)
{
	return commands;
}

static const struct command *find_command(const char *name)
{
	for (const struct command *const *at = commands; *at; at++)
		if (strcmp((*at)->name, name) == 0)
			return *at;
	return NULL;
}

static void print_help(FILE *out)
{
	fputs("usage: plyfs COMMAND [ARGUMENT...]\n\n"
	      "Mounts layered configuration directories as one tree. Each file in it is the\n"
	      "live, deep merge of the layers' files of that name.\n\n",
		out);
	for (const struct command *const *at = commands; *at; at++)
		fprintf(out, "  %-8s %s\n", (*at)->name, (*at)->summary);
	fputs("\n"
	      "For more, see 'plyfs help COMMAND' and plyfs(1).\n"
	      "'plyfs CONFIG MOUNTPOINT -o OPTION,...', as mount(8) calls it, mounts, too.\n",
		out);
}

/*
 * If --json, or a beginning of it, seems to be among the options, messages are JSON, also before a
 * command has read its options. Then command_options() decides.
 */
static void heed_json(char **words)
{
	for (; *words && strcmp(*words, "--") != 0; words++)
		if (command_asks_for_json(*words))
			message_use_json(true);
}

static int unknown_command(const char *name)
{
	struct span nearest;

	if (word_nearest(command_names, span_of(name), &nearest))
		message("there is no command '%s'; did you mean '%.*s'?", name, (int)nearest.len,
			nearest.data);
	else
		message("there is no command '%s'; there are: %s", name, command_names + 2);
	return EXIT_WRONG_USE;
}

static int help(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stdout);
		return EXIT_DONE;
	}
	const struct command *command = find_command(argv[1]);
	bool is_of_help = strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
			  strcmp(argv[1], "-h") == 0;
	if ((command || is_of_help) && argc > 2) {
		message("help: give one command; '%s' is one too many", argv[2]);
		return EXIT_WRONG_USE;
	}
	if (is_of_help) {
		puts("usage: plyfs help [COMMAND]\n"
		     "\n"
		     "Lists the commands, or prints the usage and the options of one.");
		return EXIT_DONE;
	}
	return command ? command_help(command) : unknown_command(argv[1]);
}

/*
 * Returns whether this is CONFIG MOUNTPOINT …, as mount(8) calls us through mount.fuse3, with -o. A
 * word that is neither a path nor a name in this directory is else a misspelt command.
 */
static bool is_mount_call(int argc, char **argv)
{
	struct stat stat;

	return argc > 2 && (strpbrk(argv[1], "/:") || lstat(argv[1], &stat) == 0 ||
				   (argc > 3 && strcmp(argv[3], "-o") == 0));
}

/* Returns whether the command may go on until it is stopped. A render that ends has an overseer. */
static bool goes_on(const struct command *command)
{
	return command == &command_mount || command == &command_umount ||
	       command == &command_mirror || command == &command_render;
}

static void end_by_signal(int number)
{
	_exit(128 + number);
}

/*
 * In a container, the kernel gives process 1 no signal that it has no handler for. A mount has its
 * own, which libfuse sets only in the place of the default.
 */
static void heed_signals(void)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};

	for (size_t i = 0; getpid() == 1 && i < sizeof(numbers) / sizeof(*numbers); i++)
		if (signal(numbers[i], end_by_signal) == SIG_IGN)
			signal(numbers[i], SIG_IGN);
}

static int run(int argc, char **argv)
{
	/* umount(8) calls plyfs by this name. */
	if (argc > 0 && strcmp(path_name(argv[0]), UMOUNT_HELPER) == 0)
		return command_umount.run(&command_umount, argc, argv);
	if (argc < 2) {
		print_help(stderr);
		return EXIT_WRONG_USE;
	}
	heed_json(argv + 1);
	const char *word = argv[1];
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		print_help(stdout);
		return EXIT_DONE;
	}
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		printf("plyfs %s\n", PLYFS_VERSION);
		return EXIT_DONE;
	}
	if (strcmp(word, "help") == 0)
		return help(argc - 1, argv + 1);
	/* Only for the shells' completion, so it is not in the help text. */
	if (strcmp(word, "__complete") == 0) {
		plyfs_mount_guard();
		overseer_begin();
		return command_complete(argc - 2, argv + 2);
	}

	const struct command *command = find_command(word);
	/* The guard is for commands that end soon; the daemon of a mount does not. */
	if (command && command != &command_mount) {
		heed_signals();
		plyfs_mount_guard();
	}
	if (command && !goes_on(command))
		overseer_begin();
	if (command)
		return command->run(command, argc - 1, argv + 1);
	if (argc > 2 && plyfs_mount_await(word) != EXIT_DONE)
		return EXIT_FAILED;
	if (is_mount_call(argc, argv))
		return command_mount.run(&command_mount, argc, argv);
	return unknown_command(word);
}

/* With a handler, a limit of file sizes makes write(2) fail. SIG_IGN would outlive an exec. */
static void note_limit(int number)
{
	(void)number;
}

int main(int argc, char **argv)
{
	signal(SIGXFSZ, note_limit);
	int code = run(argc, argv);

	/* A failed write must not look like success: "No space left on device". */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		message("can't write to standard output: %s", text_error(-errno));
		return code == EXIT_DONE ? EXIT_FAILED : code;
	}
	return code;
}
