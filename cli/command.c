#include "command.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "colour.h"
#include "message.h"
#include "plyfs_mount.h"
#include "text.h"
#include "word.h"

/* Size of an option's word in a list, with its separator, in characters. */
#define WORD_LEN_MAX 32

/* Width of the help text, in characters. */
#define HELP_WIDTH 80

/* Returns the length up to the next space that is not in brackets. */
static size_t synopsis_word(const char *text)
{
	size_t depth = 0, len = 0;

	for (; text[len] && text[len] != '\n' && (depth || text[len] != ' '); len++) {
		depth += text[len] == '[' || text[len] == '(';
		depth -= text[len] == ']' || text[len] == ')';
	}
	return len;
}

static void print_synopsis(const struct command *command)
{
	const char *lead = "usage:", *at = command->synopsis;

	while (*at) {
		int indent = printf("%s plyfs %s", lead, command->name), column = indent;

		for (size_t len; *at && *at != '\n'; at += len, at += *at == ' ') {
			len = synopsis_word(at);
			if (column + 1 + (int)len > HELP_WIDTH)
				column = printf("\n%*s", indent, "") - 1;
			column += printf(" %.*s", (int)len, at);
		}
		putchar('\n');
		at += *at == '\n';
		lead = "      ";
	}
}

/* Returns the column where an option's description begins, to which its next lines are indented. */
static size_t indent_of(const char *line, size_t len)
{
	size_t at = strspn(line, " ");

	for (size_t i = at; at > 0 && at < 16 && i + 2 < len; i++)
		if (line[i] == ' ' && line[i + 1] == ' ')
			return i + strspn(line + i, " ");
	return at;
}

size_t command_print_words(const char *text, size_t len, size_t indent, size_t column)
{
	for (size_t word; len > 0; text += word, len -= word) {
		size_t space = strspn(text, " ");

		space = space < len ? space : len;
		text += space;
		len -= space;
		word = strcspn(text, " \n");
		if (column > indent && column + 1 + word > HELP_WIDTH) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		}
		column += (size_t)printf("%s%.*s", column > indent ? " " : "", (int)word, text);
	}
	return column;
}

/* Prints the help. Text is filled, and a long description is wrapped. */
static void print_help(const char *line)
{
	bool was_text = false;
	size_t column = 0;

	while (*line) {
		size_t len = strcspn(line, "\n"), indent = indent_of(line, len);
		bool is_text = len > 0 && *line != ' ';

		if (was_text && !is_text)
			putchar('\n');
		if (is_text) {
			column = command_print_words(line, len, 0, was_text ? column : 0);
		} else if (len <= HELP_WIDTH) {
			printf("%.*s\n", (int)len, line);
		} else {
			printf("%.*s", (int)indent, line);
			command_print_words(line + indent, len - indent, indent, indent);
			putchar('\n');
		}
		was_text = is_text;
		line += len + (line[len] == '\n');
	}
	if (was_text)
		putchar('\n');
}

int command_help(const struct command *command)
{
	print_synopsis(command);
	putchar('\n');
	print_help(command->help);
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

int command_once(const struct command *command, void *context, const char *value)
{
	const char **text = context;

	if (*text)
		return command_misuse(command,
			"'%s' and '%s' are values of one option; give it once", *text, value);
	*text = value;
	return EXIT_DONE;
}

int command_colour(const struct command *command, void *context, const char *word)
{
	(void)context;
	if (colour_set(word) == 0)
		return EXIT_DONE;
	return command_misuse(command, "--color is one of: " COLOUR_WORDS "; not '%s'", word);
}

int command_print(const char *text, size_t len)
{
	int r = text_write(STDOUT_FILENO, text, len);

	if (r == 0)
		return EXIT_DONE;
	return message("can't write to standard output: %s", text_error(r));
}

/* Former options, and those for other programs, are not in the help: nobody is to use them. */
static bool is_in_help(const struct command *command, const char *word)
{
	char option[WORD_LEN_MAX];

	snprintf(option, sizeof(option), "--%s", word);
	return strstr(command->help, option);
}

static int unknown_option(
	const struct command *command, const struct command_option *options, const char *typed)
{
	char list[COMMAND_OPTIONS_MAX * WORD_LEN_MAX + sizeof("help")] = "help";
	struct span word = {typed, strcspn(typed, "=")}, nearest;

	for (size_t len = strlen(list); options->word; options++)
		if (is_in_help(command, options->word))
			len += (size_t)snprintf(list + len, sizeof(list) - len, ", %.*s",
				WORD_LEN_MAX - 3, options->word);
	struct span bare = {word.data + 2, word.len - 2};
	if (!word_nearest(list, bare, &nearest))
		return command_misuse(
			command, "there is no option '%.*s'", (int)word.len, word.data);
	return command_misuse(command, "there is no option '%.*s'; did you mean '--%.*s'?",
		(int)word.len, word.data, (int)nearest.len, nearest.data);
}

/* Returns whether getopt_long(3) gives `number` for one of the options. */
static bool has_option(const struct command_option *options, int number)
{
	bool is_found = number == 'h';

	for (int i = 0; !is_found && options[i].word; i++)
		is_found = number == (options[i].letter ? options[i].letter : i + 1);
	return is_found;
}

/* Reports an error in an option. `result` is getopt_long(3)'s: '?' or ':'. */
static int complain_of_option(const struct command *command, const struct command_option *options,
	int result, char **argv)
{
	const char *word = argv[optind - 1];

	if (result == ':') {
		if (strncmp(word, "--", 2) == 0)
			return command_misuse(command, "the option '%s' needs a value", word);
		return command_misuse(command, "the option '-%c' needs a value", optopt);
	}
	/*
	 * For an unknown long option, optopt is 0. For one with a value too many, it is the
	 * option's letter. For an unknown letter that another follows, `word` is the word before.
	 */
	if (strncmp(word, "--", 2) == 0 && (!optopt || has_option(options, optopt)))
		return optopt ? command_misuse(command, "the option '%s' takes no value", word)
			      : unknown_option(command, options, word);
	if (optopt >= '0' && optopt <= '9')
		return command_misuse(command,
			"there is no option '-%c'; put a number below zero behind '--'", optopt);
	return command_misuse(command,
		command == &command_set
			? "there is no option '-%c'; put a VALUE that begins with '-' behind '--'"
			: "there is no option '-%c'",
		optopt);
}

static int take_option(
	const struct command *command, const struct command_option *option, const char *value)
{
	if (option->path && plyfs_mount_await(value) != EXIT_DONE)
		return EXIT_FAILED;
	if (option->take)
		return option->take(command, option->context, value);
	if (option->flag)
		*option->flag = true;
	else if (option->path)
		*option->path = value;
	else if (option->text)
		*option->text = value;
	return EXIT_DONE;
}

bool command_asks_for_json(const char *word)
{
	return strncmp(word, "--json", strlen(word)) == 0 && strlen(word) > 2;
}

/* Makes messages JSON if --json is an option, even of a command that has none, and not a value. */
static void heed_json(int argc, char **argv, const char *letters, const struct option *words)
{
	/* getopt_long() moves the options: then the value of one might follow that had none. */
	CLEANUP(freep) char **copy = calloc((size_t)argc + 1, sizeof(*copy));
	int result, index = -1;
	bool is_json = false;

	if (!copy)
		return;
	memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	for (; (result = getopt_long(argc, copy, letters, words, &index)) != -1; index = -1)
		is_json |= index >= 0 ? strcmp(words[index].name, "json") == 0
				      : result == '?' && !optopt &&
						command_asks_for_json(copy[optind - 1]);
	message_use_json(is_json);
	optind = 0;
}

int command_options(
	const struct command *command, const struct command_option *options, int argc, char **argv)
{
	struct option words[COMMAND_OPTIONS_MAX + 2] = {{"help", no_argument, NULL, 'h'}};
	const struct command_option *by_result[UCHAR_MAX + 1] = {NULL};
	char letters[2 * COMMAND_OPTIONS_MAX + sizeof(":h")] = ":h";
	int code = EXIT_DONE, result;

	for (int i = 0; options[i].word; i++) {
		const struct command_option *option = &options[i];
		bool has_value = option->text || option->path || option->take;
		/* An option without a letter has a number below all letters. */
		int known_as = option->letter ? option->letter : i + 1;

		words[i + 1] = (struct option){
			option->word, has_value ? required_argument : no_argument, NULL, known_as};
		by_result[known_as] = option;
		if (option->letter)
			sprintf(letters + strlen(letters), "%c%s", option->letter,
				has_value ? ":" : "");
	}
	heed_json(argc, argv, letters, words);
	while (code == EXIT_DONE &&
		(result = getopt_long(argc, argv, letters, words, NULL)) != -1) {
		if (result == 'h')
			return command_help(command);
		code = by_result[result] ? take_option(command, by_result[result], optarg)
					 : complain_of_option(command, options, result, argv);
	}
	return code == EXIT_DONE ? -1 : code;
}
