/*
 * A dialect of INI: how the files of one program, or family of programs, differ from those of
 * others. Each is a row of one table and a format of its own, `format: mysql` in a rule; reader,
 * writer, editor and merge look only at the row. A test holds each row against the program.
 */
#pragma once

#include "format.h"
#include "spelling.h"

/* A key, or a section, that comes again in one file. */
enum ini_again {
	INI_LAST,   /* a key: the last one counts; a section: it goes on */
	INI_LIST,   /* all count */
	INI_REFUSE, /* the program refuses the file */
	INI_DOUBT,  /* the dialect is not known: no merge if something would be lost */
};

enum ini_goes_on {
	INI_ONE_LINE,
	INI_INDENT,    /* with lines that stand further in than the key */
	INI_BACKSLASH, /* behind a backslash at the line's end */
};

struct ini_dialect {
	const char *title;           /* in messages: "a file of git's" */
	const char *comments;        /* what a line of comment begins with */
	const char *inline_comments; /* what a comment behind a value begins with; "": none can */
	const char *quotes;          /* in which no comment begins */
	const char *escaping;        /* those of the quotes in which a backslash escapes */
	const char *quote;           /* to put around a value that needs it; NULL: none helps */
	const char *separators;      /* between key and value: the first in the line counts */
	enum ini_goes_on goes_on;
	enum ini_again keys;
	enum ini_again sections;
	struct fold fold;         /* of keys … */
	struct fold section_fold; /* … and of sections */
	const char *list_keys;    /* "a,b": they are lists whatever `keys` says; or NULL */
	const char *list_suffix;  /* what the name of any other list ends with; or NULL */
	const char *list_section; /* the section that is a list of maps; or NULL */
	const char *by;            /* the key by which two items of it are one */
	const char *meaningful;    /* "A,B": sections mean nothing but for those that begin so; or NULL */
	const char *const *together; /* "a,b": groups that one program reads; NULL-terminated; or NULL */
	const char *root;          /* the section that is what stands before the first; or NULL */
	const char *includes;      /* what an include's line begins with: "!"; or NULL */
	bool colon_yields;         /* a ":" separates only where there is no "=" in the line */
	bool quotes_lead;          /* a quote is one only where the value begins */
	bool quotes_end;           /* a quote must end */
	bool escapes_outside;      /* a backslash escapes outside of quotes as well */
	bool has_null;             /* a key may stand alone */
	bool has_root_keys;        /* keys may stand before the sections */
	bool joins_headers;        /* a key may stand behind a section's header */
	bool has_long_names;       /* a section's name ends with the line's last ] */
};

/** Whether a key of that name is a list if it comes again: all of its values count. */
bool ini_is_list(const struct ini_dialect *dialect, struct span key);

/** Whether it is one whatever layers it is in: those of higher layers are added. */
bool ini_is_list_key(const struct ini_dialect *dialect, struct span key);

/** Whether a section of that name is a list of maps. */
bool ini_is_list_section(const struct ini_dialect *dialect, struct span name);

/** Whether a section of that name means something. */
bool ini_has_meaning(const struct ini_dialect *dialect, struct span name);

/* What a line is to the program. */
struct ini_scan {
	size_t len;   /* without a comment behind it, nor blanks */
	char quote;   /* that has not ended; '\0': none */
	bool goes_on; /* in the next line */
};

/**
 * Looks at a line, whose value begins behind `value` bytes: only dialects whose quotes lead ask for
 * that. `before` is the line that goes on in this one; NULL: none does.
 */
struct ini_scan ini_scan(const struct ini_dialect *dialect, struct span line, size_t value,
	const struct ini_scan *before);

/** "git, mysql, php": the dialects for which `is_fit` holds, which gets `about`. */
void ini_names(bool (*is_fit)(const struct ini_dialect *dialect, const struct pair *about),
	const struct pair *about, char *out, size_t size);
