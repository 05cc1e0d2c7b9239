/*
 * A command: what comes behind "plyfs" on the command line. Each is one file and one entry in the
 * table in main.c.
 */
#pragma once

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,    /* a merge, a check or the system */
	EXIT_WRONG_USE = 2, /* of the command line */
};

struct command {
	const char *name;
	const char *synopsis;     /* what comes behind the name; a line each way to call it */
	const char *summary;      /* a phrase without a full stop, for the list of commands */
	const char *help;         /* lines below the synopsis */
	void (*print_more)(void); /* what is drawn from tables; NULL: nothing */

	/* argv[0] is the command's name. Returns an exit code. */
	int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command command_blame;
extern const struct command command_cat;
extern const struct command command_check;
extern const struct command command_diff;
extern const struct command command_explain;
extern const struct command command_merge;
extern const struct command command_mount;
extern const struct command command_status;

/** All commands, ending with NULL, in the order of the help text. */
const struct command *const *command_all(void);

/** Prints the command's help to standard output. Returns EXIT_DONE. */
int command_help(const struct command *command);

/**
 * Complains that the command was called wrongly and says where to read how. Returns EXIT_WRONG_USE.
 */
__attribute__((format(printf, 2, 3))) int command_misuse(
	const struct command *command, const char *format, ...);

/** Takes the value of --color. Returns EXIT_DONE, or EXIT_WRONG_USE when it has complained. */
int command_colour(const struct command *command, const char *word);

/**
 * command_misuse() for what getopt_long(3) has returned: '?' or, with an option string that begins
 * with a colon, ':'.
 */
int command_bad_option(const struct command *command, int result, char **argv);
