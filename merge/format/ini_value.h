/*
 * How a program reads the value of a key in an INI file: its quotes, backslashes, comments and
 * lines.
 */
#pragma once

#include <stdbool.h>

#include "span.h"

/* Where a value that is longer than its line goes on. */
enum ini_goes_on {
	INI_ONE_LINE,  /* nowhere: a value is one line */
	INI_INDENT,    /* in lines indented deeper than the key */
	INI_BACKSLASH, /* after a backslash at the end of the line */
};

/* Where a quote counts. */
enum ini_quoting {
	INI_QUOTE_OPEN,  /* anywhere; it need not end */
	INI_QUOTE_ENDS,  /* anywhere; it must end */
	INI_QUOTE_LEADS, /* only at the beginning of a value; it must end */
};

struct ini_value {
	/* the characters that begin a comment behind a value; "": none */
	const char *comments;
	const char *quotes;   /* the quotes in which no comment begins */
	const char *escaping; /* those of them in which a backslash escapes */
	const char *quote;    /* the quote for a value that needs one; NULL: no quote helps */
	/* the characters that a backslash may stand before; NULL: any */
	const char *escapes;
	/* operators, which the program evaluates outside of quotes; NULL: none */
	const char *operators;
	enum ini_quoting quoting;
	enum ini_goes_on goes_on;
	bool escapes_outside; /* a backslash escapes outside of quotes, too */
};

/* How the program reads a line. */
struct ini_scan {
	size_t len;   /* without a trailing comment and trailing blanks */
	char quote;   /* the quote that is still open; '\0': none */
	bool goes_on; /* the next line continues this one */
};

/**
 * Scans a line. Its value begins after `begin` bytes, which matters only with INI_QUOTE_LEADS.
 * `before` is the scan of the line that this one continues; NULL: it continues none.
 */
struct ini_scan ini_value_scan(const struct ini_value *value, struct span line, size_t begin,
	const struct ini_scan *before);

/* A fault in a value. */
struct ini_fault {
	const char *what;   /* static: "a '=' outside of quotes" */
	const char *remedy; /* static */
};

/** Returns whether the program can't read the text at all; if so, *ret says why. */
bool ini_value_has_fault(const struct ini_value *value, struct span text, struct ini_fault *ret);

/**
 * Returns whether the program would evaluate operators in the text. An expression of constants,
 * such as E_ALL & ~E_NOTICE, does not count.
 */
bool ini_value_is_computed(const struct ini_value *value, struct span text);

/** Returns why the program could not read the text in one line, unquoted; NULL: it could. */
const char *ini_value_line_fault(const struct ini_value *value, struct span line);

/**
 * Returns why the program could not read the text in several lines that end with a backslash,
 * except the last; NULL: it could.
 */
const char *ini_value_joined_fault(const struct ini_value *value, struct span text);

/** Returns whether value->quote can hold the text. */
bool ini_value_can_be_quoted(const struct ini_value *value, struct span text);
