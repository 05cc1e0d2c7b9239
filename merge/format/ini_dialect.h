/*
 * A dialect of INI: the rules for the files of one program, or family of programs.
 * Each dialect is a row of one table and a format of its own: `format: mysql` in a rule.
 */
#pragma once

#include "format.h"
#include "ini_value.h"
#include "spelling.h"

/* The meaning of a key, or section, that comes more than once in a file. */
enum ini_again {
	INI_LAST,   /* the last key counts; a later section continues the earlier one */
	INI_LIST,   /* all of them count */
	INI_REFUSE, /* the program refuses the file */
	INI_DOUBT,  /* the dialect is unknown: a merge that would lose something is refused */
};

/* The form of the line that begins a section. */
enum ini_header {
	INI_HEADER_ALONE,  /* only a comment may stand behind the header */
	INI_HEADER_LONG,   /* as ALONE, but the name ends at the line's last "]" */
	INI_HEADER_JOINED, /* a key may stand behind the header */
};

struct ini_sections {
	enum ini_again again;
	struct fold fold; /* of the names (spelling.h) */
	enum ini_header header;
	/* "A,B": only sections whose names begin with one of these have a meaning; NULL: all do */
	const char *meaningful;
	/* texts "a,b", ending with NULL: a program reads the sections a and b as one; NULL: none */
	const char *const *together;
	/* the section whose keys belong to the root; NULL: none */
	const char *root;
	bool has_root_keys; /* keys may stand before the sections */
};

/* The values that are lists, whatever ini_dialect.keys says. */
struct ini_lists {
	const char *keys; /* "a,b": the keys whose values are lists; NULL: none */
	/* "a,b": those of `keys` whose values are switches: x=on, x=off, x=on is three values */
	const char *switches;
	const char *suffix;  /* the values of keys with this suffix are lists, too; NULL: none */
	const char *section; /* the section that is a list of maps; NULL: none */
	const char *by;      /* the key by which the items of `section` are matched */
};

struct ini_dialect {
	const char *title;    /* in messages: "a file of git's" */
	const char *comments; /* the characters that begin a comment line */
	/* between key and value; the first of them in the line counts. With INI_DOUBT, a ":"
	 * separates only if the line has no "=" */
	const char *separators;
	enum ini_again keys;
	struct fold fold;     /* of keys (spelling.h) */
	bool has_null;        /* a key may have no separator and no value */
	const char *includes; /* "!": begins a line that includes other files; NULL: no line does */
	struct ini_value value;
	struct ini_lists lists;
	struct ini_sections sections;
};

/** Returns whether all values count if the key comes again in one file. */
bool ini_is_list(const struct ini_dialect *dialect, struct span key);

/** Returns whether a higher layer's values of the key are added to those of the lower layers. */
bool ini_is_list_key(const struct ini_dialect *dialect, struct span key);

/** Returns whether a section of that name is a list of maps. */
bool ini_is_list_section(const struct ini_dialect *dialect, struct span name);

/** Returns the length of the text's beginning that is letters and characters of `others`. */
size_t ini_plain_length(struct span text, const char *others);

/** Returns whether the program accepts a section of that name. If not, report INI_NO_NAME. */
bool ini_is_name(const struct ini_dialect *dialect, struct span name);

/** As ini_is_name(), for a key, with INI_NO_KEY. */
bool ini_is_key(const struct ini_dialect *dialect, struct span key);

/* Messages in the form of printf(3); the argument is the dialect's title. */
#define INI_NO_NAME                                                                                \
	"%s has no section of that name: it is made of letters, digits, '-' and '.'; behind it "   \
	"may stand a text in quotes"
#define INI_NO_KEY                                                                                 \
	"%s has no key of that name: it is made of letters, digits and '-', and begins with a "    \
	"letter"

/** Returns whether the tree may have a section of that name; false for `sections.root`. */
bool ini_has_meaning(const struct ini_dialect *dialect, struct span name);

/* read(), write() and edit() of struct format, for all dialects. */
int ini_read(struct builder *builder, struct span text);
int ini_write(struct writer *writer, const struct node *root);
int ini_edit(struct edit *edit, const struct edit_op *op);
