/*
 * A dialect of INI: how the files of one program, or family of programs, differ from those of
 * others.
 *
 * Each dialect is a row of one table and a format of its own: `format: mysql` in a rule. The
 * reader, the writer, the editor and the merge know no more of a program than its row. A test
 * compares each row with the program.
 */
#pragma once

#include "format.h"
#include "spelling.h"

/* The meaning of a key, or section, that comes more than once in a file. */
enum ini_again {
	INI_LAST,   /* a key: the last one counts; a section: it continues */
	INI_LIST,   /* all of them count */
	INI_REFUSE, /* the program refuses the file */
	INI_DOUBT,  /* the dialect is unknown: a merge that would lose something is refused */
};

/* Where a value that is longer than its line goes on. */
enum ini_goes_on {
	INI_ONE_LINE,  /* nowhere: a value is one line */
	INI_INDENT,    /* in lines indented deeper than the key */
	INI_BACKSLASH, /* after a backslash at the end of the line */
};

struct ini_dialect {
	const char *title;    /* in messages: "a file of git's" */
	const char *comments; /* the characters that begin a comment line */
	/* the characters that begin a comment behind a value; "": none */
	const char *inline_comments;
	const char *quotes;   /* the quotes in which no comment begins */
	const char *escaping; /* those of them in which a backslash escapes */
	const char *quote;    /* the quote for a value that needs one; NULL: no quote helps */
	/* the characters that a backslash may stand before; NULL: any */
	const char *escapes;
	/* operators, which the program evaluates outside of quotes; NULL: none */
	const char *operators;
	const char *separators; /* between key and value; the first of them in the line counts */
	enum ini_goes_on goes_on;
	enum ini_again keys;
	enum ini_again sections;
	struct fold fold;         /* of keys … */
	struct fold section_fold; /* … and of sections */
	const char *list_keys;    /* "a,b": keys that are lists whatever `keys` says; NULL: none */
	const char *list_suffix;  /* the suffix of any other list's name; NULL: none */
	const char *list_section; /* the section that is a list of maps; NULL: none */
	const char *by;           /* the key that identifies an item of `list_section` */
	/* "A,B": only sections whose names begin with one of these have a meaning; NULL: all do */
	const char *meaningful;
	/* each "a,b": the sections that one program reads; ends with NULL. May be NULL: none */
	const char *const *together;
	/* the section that equals the root, the part before the first section; NULL: none */
	const char *root;
	const char *includes; /* begins a line that includes other files: "!"; NULL: none does */
	bool colon_yields;    /* a ":" separates only if the line has no "=" */
	bool quotes_lead;     /* a quote counts only at the beginning of a value */
	bool quotes_end;      /* a quote must end */
	bool escapes_outside; /* a backslash escapes outside of quotes, too */
	bool has_null;        /* a key may have no separator and no value */
	bool has_root_keys;   /* keys may stand before the sections */
	bool joins_headers;   /* a key may stand on the line of a section's header */
	bool has_long_names;  /* a section's name ends at the line's last "]" */
};

/** Returns whether the key is a list if it comes again in one file: all of its values count. */
bool ini_is_list(const struct ini_dialect *dialect, struct span key);

/** Returns whether the key is a list across layers, too: the values of higher layers are added. */
bool ini_is_list_key(const struct ini_dialect *dialect, struct span key);

/** Returns whether a section of that name is a list of maps. */
bool ini_is_list_section(const struct ini_dialect *dialect, struct span name);

/** Returns whether a section of that name has a meaning. */
bool ini_has_meaning(const struct ini_dialect *dialect, struct span name);

/* How the program reads a line. */
struct ini_scan {
	size_t len;   /* without a trailing comment and trailing blanks */
	char quote;   /* the quote that is still open; '\0': none */
	bool goes_on; /* the next line continues this one */
};

/**
 * Scans a line. Its value begins after `value` bytes, which matters only to dialects with
 * `quotes_lead`. `before` is the scan of the line that this one continues; NULL: it continues none.
 */
struct ini_scan ini_scan(const struct ini_dialect *dialect, struct span line, size_t value,
	const struct ini_scan *before);

/* A fault in a value. */
struct ini_fault {
	const char *what;   /* static: "a '=' outside of quotes" */
	const char *remedy; /* static */
};

/** Returns whether the program can't read the value at all; if so, *ret says why. */
bool ini_has_fault(const struct ini_dialect *dialect, struct span value, struct ini_fault *ret);

/**
 * Returns whether the program would evaluate operators in the value. An expression of constants,
 * such as E_ALL & ~E_NOTICE, does not count.
 */
bool ini_is_computed(const struct ini_dialect *dialect, struct span value);

/**
 * Writes the names of the dialects for which is_fit(dialect, about) is true to `out`, as "git,
 * mysql, php", cut to `size` bytes.
 */
void ini_names(bool (*is_fit)(const struct ini_dialect *dialect, const struct pair *about),
	const struct pair *about, char *out, size_t size);
