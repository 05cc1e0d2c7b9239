#include "command.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "colour.h"
#include "message.h"

static void print_synopsis(const struct command *command)
{
	const char *lead = "usage:";

	for (const char *line = command->synopsis; *line;) {
		size_t len = strcspn(line, "\n");

		printf("%s plyfs %s %.*s\n", lead, command->name, (int)len, line);
		line += len + (line[len] == '\n');
		lead = "      ";
	}
}

int command_help(const struct command *command)
{
	print_synopsis(command);
	printf("\n%s", command->help);
	if (command->print_more)
		command->print_more();
	return EXIT_DONE;
}

int command_misuse(const struct command *command, const char *format, ...)
{
	char text[MESSAGE_MAX];
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	message("%s: %s; see 'plyfs %s --help'", command->name, n < 0 ? "wrong use" : text,
		command->name);
	return EXIT_WRONG_USE;
}

int command_colour(const struct command *command, const char *word)
{
	if (colour_set(word) == 0)
		return EXIT_DONE;
	return command_misuse(command, "--color is one of: " COLOUR_WORDS "; not '%s'", word);
}

int command_bad_option(const struct command *command, int result, char **argv)
{
	const char *word = argv[optind - 1];

	if (result == ':') {
		if (strncmp(word, "--", 2) == 0)
			return command_misuse(command, "the option '%s' needs a value", word);
		return command_misuse(command, "the option '-%c' needs a value", optopt);
	}
	/* A long option leaves optopt 0, or the letter it stands for when it has a value too many.
	 */
	if (strncmp(word, "--", 2) == 0)
		return command_misuse(command,
			optopt ? "the option '%s' takes no value" : "there is no option '%s'",
			word);
	return command_misuse(command, "there is no option '-%c'", optopt);
}
