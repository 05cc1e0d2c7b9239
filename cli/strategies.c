#include "strategies.h"

#include <stdio.h>

#include "strategy.h"

/* Columns. */
#define WIDTH 80
#define OPTION_INDENT 4
#define TEXT_INDENT 8

/* Prints words from `text` from column `column` on, and lines after the first from `indent`. */
static void print_wrapped(const char *text, int column, int indent)
{
	bool is_first = true;

	while (*text) {
		int len = (int)strcspn(text, " ");

		if (!is_first && column + 1 + len > WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (!is_first) {
			putchar(' ');
			column++;
		}
		printf("%.*s", len, text);
		column += len;
		text += len;
		text += strspn(text, " ");
		is_first = false;
	}
	putchar('\n');
}

static void print_option(const struct option_spec *spec)
{
	printf("%*s%s=", OPTION_INDENT, "", spec->name);
	if (spec->choices) {
		printf("%s", spec->choices);
	} else {
		printf("%s", spec->type == OPTION_BOOL   ? "true|false"
			     : spec->type == OPTION_TEXT ? "TEXT"
							 : "VALUE");
	}
	if (*spec->fallback)
		printf("  (default: %s)", spec->fallback);
	printf("\n%*s", TEXT_INDENT, "");
	print_wrapped(spec->summary, TEXT_INDENT, TEXT_INDENT);
}

static void print_formats(void)
{
	printf("\nFormats (--to), known by the names of files:\n\n");
	for (const struct format *const *at = format_all(); *at; at++) {
		printf("  %-10s ", (*at)->name);
		print_wrapped((*at)->summary, 13, 13);
	}
}

void strategies_print(void)
{
	print_formats();
	printf("\nStrategies (-s), and what can be set for each (--set):\n");
	for (const struct strategy *const *at = strategy_all(); *at; at++) {
		printf("\n  %-10s ", (*at)->name);
		print_wrapped((*at)->summary, 13, 13);
		for (const struct option_spec *spec = (*at)->options; spec && spec->name; spec++)
			print_option(spec);
	}
}
