/*
 * A command: what comes behind "plyfs" on the command line. Each is one file and one entry in the
 * table in main.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
extern const struct command command_edit;
extern const struct command command_explain;
extern const struct command command_get;
extern const struct command command_hide;
extern const struct command command_merge;
extern const struct command command_mirror;
extern const struct command command_mount;
extern const struct command command_presets;
extern const struct command command_render;
extern const struct command command_reset;
extern const struct command command_set;
extern const struct command command_status;
extern const struct command command_umount;
extern const struct command command_unset;

/** All commands, ending with NULL, in the order of the help text. */
const struct command *const *command_all(void);

/** Prints the command's help to standard output. Returns EXIT_DONE. */
int command_help(const struct command *command);

/**
 * Complains that the command was called wrongly and says where to read how. Returns EXIT_WRONG_USE.
 */
__attribute__((format(printf, 2, 3))) int command_misuse(
	const struct command *command, const char *format, ...);

/* An option, and what it sets; an array of them ends with {0}. */
struct command_option {
	char letter;       /* '\0': it is a word only */
	const char *word;  /* behind "--" */
	bool *flag;        /* it has no value; else it has one, and of these one is given: */
	const char **text; /* becomes the value */
	int (*take)(const struct command *command, void *context, const char *value);
	void *context;
};

/* Options of a command, at most; --help, which all have, is not among them. */
#define COMMAND_OPTIONS_MAX 24

/**
 * Takes the options, up to argv[optind]. `take` returns EXIT_DONE, or another exit code when it has
 * complained. Returns an exit code, or -1: go on.
 */
int command_options(
	const struct command *command, const struct command_option *options, int argc, char **argv);

/** For command_option.take: the value of --color. */
int command_colour(const struct command *command, void *context, const char *word);

/** Writes to standard output. Returns EXIT_DONE, or EXIT_FAILED when it has complained. */
int command_print(const char *text, size_t len);
