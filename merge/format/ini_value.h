/* How a program reads a key's value in an INI file: its quotes, backslashes, comments and lines. */
#pragma once

#include <stdbool.h>

#include "span.h"

/* Which further lines continue a value. */
enum ini_goes_on {
	INI_ONE_LINE,  /* none: a value is one line */
	INI_INDENT,    /* the lines that are indented deeper than the key */
	INI_BACKSLASH, /* the line after a line that ends with a backslash */
};

/* Where a quote begins a quoted text, and whether a second quote must end the text. */
enum ini_quoting {
	INI_QUOTE_OPEN,  /* anywhere; the second quote may be missing */
	INI_QUOTE_ENDS,  /* anywhere; the second quote must be there */
	INI_QUOTE_LEADS, /* at the beginning of a value; the second quote must be there */
};

struct ini_value {
	const char *comments; /* the characters that begin a comment behind a value */
	const char *quotes;   /* the quotes in which no comment begins */
	const char *escaping; /* the quotes in which a backslash escapes */
	const char *quote;    /* the quote for a value that needs quotes; NULL: no quote helps */
	/* Not NULL: a backslash escapes outside of quotes, too, and only these characters may
	 * follow a backslash. NULL: outside of quotes a backslash escapes nothing, and any
	 * character may follow it. */
	const char *escapes;
	/* operators, which the program evaluates outside of quotes; NULL: none */
	const char *operators;
	const char *ends; /* "\r": ends a line, too, outside of quotes; NULL: only "\n" does */
	enum ini_quoting quoting;
	enum ini_goes_on goes_on;
};

/* How the program reads a line. */
struct ini_scan {
	size_t len;   /* length without a trailing comment and trailing blanks, in bytes */
	char quote;   /* the quote that is still open at the line's end; '\0': none */
	bool goes_on; /* the next line continues this one */
};

/**
 * Scans a line. `begin` is the value's offset in the line, for INI_QUOTE_LEADS. `before` is the
 * scan of the line that this line continues; NULL: the line continues none.
 */
struct ini_scan ini_value_scan(const struct ini_value *value, struct span line, size_t begin,
	const struct ini_scan *before);

/* A fault in a value. Both texts are static. */
struct ini_fault {
	const char *what; /* "a '=' outside of quotes" */
	const char *remedy;
};

/** Returns whether the program refuses a file with this value, for the reason *ret. */
bool ini_value_has_fault(const struct ini_value *value, struct span text, struct ini_fault *ret);

/**
 * Returns whether the program would evaluate operators in the text. An expression of constants,
 * such as E_ALL & ~E_NOTICE, does not count.
 */
bool ini_value_is_computed(const struct ini_value *value, struct span text);

/** Returns the first "\r" at which the program ends the line; NULL: there is none. */
const char *ini_value_find_return(const struct ini_value *value, struct span line);

/** Returns why `line` can't be a value in one line without quotes around it; NULL: it can. */
const char *ini_value_line_fault(const struct ini_value *value, struct span line);

/**
 * As ini_value_line_fault(), for a text that is written in several lines. All lines but the last
 * end with a backslash.
 */
const char *ini_value_joined_fault(const struct ini_value *value, struct span text);

/** Returns whether the text can stand in the quotes value->quote (NULL: false). */
bool ini_value_can_be_quoted(const struct ini_value *value, struct span text);
