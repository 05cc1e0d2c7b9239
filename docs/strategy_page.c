/*
 * Writes the page on strategies. It copies the given template. Where the template has a line
 *
 *     @strategy NAME@
 *
 * it puts the strategy's summary and options, from the table of strategies. In place of the line
 *
 *     @formats@
 *
 * it puts the table of formats. A strategy that the template leaves out or that does not exist, or
 * any other line that begins with "@", stops the build.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strategy.h"

/* Bytes of a line of the template. */
#define LINE_SIZE 1024

/* More than there will ever be. */
#define STRATEGIES_MAX 64

#define MARK "@strategy "

/* Writes text so that nothing in it has a meaning to scdoc. */
static void put_text(const char *text)
{
	for (; *text; text++) {
		if (strchr("\\*_+[]|#~<>`", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void put_sentence(const char *phrase)
{
	if (*phrase >= 'a' && *phrase <= 'z') {
		putchar(*phrase - 'a' + 'A');
		phrase++;
	}
	put_text(phrase);
	putchar('.');
}

static void put_choices(const char *choices)
{
	while (*choices) {
		size_t len = strcspn(choices, "|");

		printf("*%.*s*", (int)len, choices);
		choices += len;
		if (*choices) {
			putchar('|');
			choices++;
		}
	}
}

static void put_option(const struct option_spec *spec)
{
	putchar('*');
	put_text(spec->name);
	fputs("*: ", stdout);
	switch (spec->type) {
	case OPTION_BOOL:
		put_choices("true|false");
		break;
	case OPTION_TEXT:
		fputs("_TEXT_", stdout);
		break;
	case OPTION_CHOICE:
		put_choices(spec->choices);
		break;
	case OPTION_VALUE:
		fputs("_VALUE_", stdout);
		break;
	}
	fputs("\n\t", stdout);
	put_sentence(spec->summary);
	if (*spec->fallback) {
		fputs(" Default: *", stdout);
		put_text(spec->fallback);
		fputs("*.", stdout);
	}
	fputs("\n\n", stdout);
}

static void put_strategy(const struct strategy *strategy)
{
	put_sentence(strategy->summary);
	fputs("\n\n", stdout);
	for (const struct option_spec *spec = strategy->options; spec && spec->name; spec++)
		put_option(spec);
	if (!strategy->options || !strategy->options->name)
		fputs("The strategy has no options.\n\n", stdout);
}

static void put_formats(void)
{
	for (const struct format *const *at = format_all(); *at; at++) {
		printf("*%s*: ", (*at)->name);
		for (const char *suffix = (*at)->suffixes; *suffix; suffix += strspn(suffix, ",")) {
			size_t len = strcspn(suffix, ",");

			printf("%s_\\*.%.*s_", suffix == (*at)->suffixes ? "" : ", ", (int)len,
				suffix);
			suffix += len;
		}
		for (const char *name = (*at)->names; name && *name; name += strspn(name, ",")) {
			size_t len = strcspn(name, ",");

			printf(", _%.*s_", (int)len, name);
			name += len;
		}
		fputs("\n\t", stdout);
		put_sentence((*at)->summary);
		fputs("\n\n", stdout);
	}
}

/* Writes the text behind the mark's "@": the first line of a paragraph; or nothing. */
static void put_rest(const char *end)
{
	end += strspn(end, "@ ");
	if (*end != '\n')
		fputs(end, stdout);
}

/* Writes the text in place of a line. False: there is no such strategy. */
static bool put_line(const char *line, bool *is_described)
{
	if (strcmp(line, "@formats@\n") == 0) {
		put_formats();
		return true;
	}
	if (line[0] != '@') {
		fputs(line, stdout);
		return true;
	}
	if (strncmp(line, MARK, strlen(MARK)) != 0) {
		fprintf(stderr, "this is no mark: %s", line);
		return false;
	}

	const struct span name = {line + strlen(MARK), strcspn(line + strlen(MARK), "@\n")};
	for (size_t i = 0; strategy_all()[i] && i < STRATEGIES_MAX; i++) {
		if (span_is(name, strategy_all()[i]->name)) {
			put_strategy(strategy_all()[i]);
			put_rest(span_end(name));
			is_described[i] = true;
			return true;
		}
	}
	fprintf(stderr, "there is no strategy '%.*s'\n", (int)name.len, name.data);
	return false;
}

int main(int argc, char **argv)
{
	bool is_described[STRATEGIES_MAX] = {false};
	char line[LINE_SIZE];
	bool is_good = true;

	if (argc != 2 || !freopen(argv[1], "re", stdin)) {
		fprintf(stderr, "usage: strategy_page TEMPLATE\n");
		return EXIT_FAILURE;
	}
	while (fgets(line, sizeof(line), stdin))
		is_good &= put_line(line, is_described);
	for (size_t i = 0; strategy_all()[i] && i < STRATEGIES_MAX; i++) {
		if (is_described[i])
			continue;
		fprintf(stderr, "%s does not describe the strategy '%s'\n", argv[1],
			strategy_all()[i]->name);
		is_good = false;
	}
	return is_good && !ferror(stdin) && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
