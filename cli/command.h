/* A command: the word after "plyfs" on the command line. The table of commands is in main.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,    /* a merge, a check or a system call has failed */
	EXIT_WRONG_USE = 2, /* the command line is wrong */
};

struct command {
	const char *name;
	const char *synopsis; /* the arguments after the name; one line for each form */
	const char *summary;  /* a phrase without a full stop, for the list of commands */
	const char *help;     /* lines below the synopsis */
	/* prints the parts of the help that come from tables; NULL: none */
	void (*print_more)(void);

	/* Runs the command; argv[0] is its name. Returns an exit code. */
	int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command command_blame;
extern const struct command command_cat;
extern const struct command command_check;
extern const struct command command_diff;
extern const struct command command_doctor;
extern const struct command command_edit;
extern const struct command command_explain;
extern const struct command command_get;
extern const struct command command_hide;
extern const struct command command_ls;
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

/** Returns all commands, ending with NULL, in the order of the help text. */
const struct command *const *command_all(void);

/**
 * Runs "plyfs __complete WORD...", a command for shells. `words` are the user's words after
 * "plyfs". Prints the possible completions of the last word. Returns an exit code.
 */
int command_complete(int count, char **words);

/** Prints the command's help to standard output. Returns EXIT_DONE. */
int command_help(const struct command *command);

/**
 * Prints the words of `text`, wrapped. The present line already has `column` characters. Each
 * further line begins with `indent` spaces. Returns the column after the last word.
 */
size_t command_print_words(const char *text, size_t len, size_t indent, size_t column);

/** Prints a message about a wrong command line, and how to get help. Returns EXIT_WRONG_USE. */
__attribute__((format(printf, 2, 3))) int command_misuse(
	const struct command *command, const char *format, ...);

/*
 * An option, with one of `flag`, `text`, `path` and `take`; --json has none of them, as the command
 * asks message_is_json() (message.h). An array of options ends with {0}.
 */
struct command_option {
	char letter;       /* '\0': the option has no letter */
	const char *word;  /* after "--" */
	bool *flag;        /* set to true */
	const char **text; /* gets the value, which lies in `argv` */
	/*
	 * As `text`, for a path that the command will read. If a mount does not answer there
	 * (plyfs_mount_await(), plyfs_mount.h), command_options() returns EXIT_FAILED.
	 */
	const char **path;
	/* gets the value; returns EXIT_DONE, or another exit code after an error message */
	int (*take)(const struct command *command, void *context, const char *value);
	void *context;
};

/* Maximum number of a command's options, without --help. */
#define COMMAND_OPTIONS_MAX 24

/**
 * Reads the options. Afterwards argv[optind] is the first argument that is not an option. Returns
 * -1 if the command goes on, or the exit code with which the command ends.
 */
int command_options(
	const struct command *command, const struct command_option *options, int argc, char **argv);

/** Returns whether the word is --json, or an abbreviation of it. */
bool command_asks_for_json(const char *word);

/** For command_option.take: sets the text at `context` (const char **); refuses a second value. */
int command_once(const struct command *command, void *context, const char *value);

/** For command_option.take: reads the value of --color. */
int command_colour(const struct command *command, void *context, const char *word);

/** Writes to standard output. Returns EXIT_DONE, or EXIT_FAILED after an error message. */
int command_print(const char *text, size_t len);
