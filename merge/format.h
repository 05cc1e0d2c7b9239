/*
 * A format: how text becomes a tree, and how a tree becomes text. Each format is one file in
 * format/, which defines format_NAME, and one entry in FORMATS. Every difference between formats is
 * a field here.
 *
 * A file's name, or else its suffix, decides the format. If neither does, the format is NULL. Where
 * a tree is read or written, NULL stands for YAML.
 */
#pragma once

#include "span.h"

struct arena;
struct builder; /* format/builder.h */
struct document;
struct edit; /* edit/editor.h */
struct edit_op;
struct ini_dialect;
struct node;
struct problem;
struct writer; /* format/output.h */

/* The values that a file can hold. */
enum format_values {
	FORMAT_TEXTS,
	FORMAT_QUOTED_TEXTS, /* texts; a text in quotes may have several lines */
	FORMAT_TREES,        /* maps and lists, which may be nested to any depth */
	FORMAT_TAGGED_TREES, /* as TREES; a node may have a tag, such as the directive !delete */
};

/* The meaning of a key that comes again. */
enum format_repeats {
	FORMAT_REPEATS_NOT, /* no list */
	FORMAT_REPEATS,     /* a list: the key has one pair for each item */
	/* as FORMAT_REPEATS, but of some keys only the last value counts (format_counts_all()). An
	 * empty value removes the values of the key that stand before it */
	FORMAT_REPEATS_UNITS,
};

struct format {
	const char *name;     /* one lower-case word, for `--to`, messages and manuals */
	const char *summary;  /* a phrase without a full stop: the format, and its standard */
	const char *suffixes; /* of file names: "yaml,yml"; "": only a rule can select the format */
	const char *names;    /* names of files in this format, whatever the suffix; NULL: none */
	const char *comment;  /* begins a comment line: "#"; NULL: the format has no comments */
	const char *nothing;  /* the text of a file without a value; read() must accept the text */
	/* The line to put between two documents in one stream: "---\n"; "": none is needed. */
	const char *divider;
	enum format_values values;
	bool has_sections; /* a file may have sections; pairs outside of them come first */
	bool is_whole;     /* if no rule says otherwise, the highest layer's file is shown whole */
	enum format_repeats repeats;
	const struct ini_dialect *dialect; /* of INI (format/ini_dialect.h); NULL: not INI */

	/*
	 * Reads `text` as the standard says. The text is within limits.source_bytes (limit.h) and
	 * has no byte order mark. Only the builder makes nodes. Each node has its place; a scalar
	 * has its text as written, and the style and schema that decide its type (scalar.h). Empty
	 * text adds no root if the standard gives it no value. Returns 0, PROBLEM from
	 * builder_problem(), or -ENOMEM.
	 */
	int (*read)(struct builder *builder, struct span text);

	/*
	 * Writes the tree to writer->output and ends with a newline if it wrote anything. The same
	 * tree gives the same text. The text, read again, gives an equal tree, as far as the format
	 * can express it. A value that the format can't hold, and a collection nested more than
	 * writer->depth deep, are problems at their nodes. Returns 0, PROBLEM or -ENOMEM. A failure
	 * of writer->output is not returned: output_finish() reports it.
	 */
	int (*write)(struct writer *writer, const struct node *root);

	/*
	 * Changes the text with edit_splice(), so that its tree is as the op says. edit.c has
	 * resolved the op (edit_tree_resolve()): all steps but the last lead to values that exist.
	 * Returns 0; EDIT_CANNOT (editor.h) if only a larger change could express the op; PROBLEM
	 * for text that must not be changed, such as an anchor or alias; or -ENOMEM.
	 */
	int (*edit)(struct edit *edit, const struct edit_op *op);

	/*
	 * Checks that no value of `document`, a source in this format, is lost in `root`, the merge
	 * of several sources. Returns 0, PROBLEM or -ENOMEM. If this member is NULL, no value can
	 * be lost.
	 */
	int (*check_merged)(const struct format *format, const struct node *root,
		const struct document *document, struct arena *arena, struct problem *problem);
};

/* clang-format off */
/* The table, in the order of the help text. */
#define FORMATS(X) \
	X(yaml) X(json) X(jsonc) X(toml) X(ini) X(mysql) X(php) X(git) X(wireguard) \
	X(configparser) X(grafana) X(systemd) X(keyfile) X(env) X(properties)
/* clang-format on */

#define FORMAT_DECLARE(name) extern const struct format format_##name;
FORMATS(FORMAT_DECLARE)
#undef FORMAT_DECLARE

/** TOML 1.0, which a rule selects by the option `toml`. Not in format_all(). */
extern const struct format format_toml_1_0;

static inline bool format_is_toml(const struct format *format)
{
	return format == &format_toml || format == &format_toml_1_0;
}

static inline bool format_has_lists(const struct format *format)
{
	return format->values >= FORMAT_TREES;
}

static inline bool format_has_quotes(const struct format *format)
{
	return format->values == FORMAT_QUOTED_TEXTS;
}

static inline bool format_has_tags(const struct format *format)
{
	return format->values == FORMAT_TAGGED_TREES;
}

/** Returns whether all values of a repeated key count; false: only the last value counts. */
bool format_counts_all(const struct format *format, struct span section, struct span key);

/** Returns all formats, ending with NULL. */
const struct format *const *format_all(void);

/**
 * Returns the index of `format` in format_all(). If format_all() has N formats, returns N for NULL,
 * and N + 1 for format_toml_1_0.
 */
unsigned format_index(const struct format *format);

/** Returns the format with that name, or NULL. */
const struct format *format_find(struct span name);

/** Returns the format of a file with the name `file`, or NULL. */
const struct format *format_of_name(const char *file);

/** As format_of_name(), but only by the suffix of the name. */
const struct format *format_of_suffix(const char *file);

/**
 * Returns the format in which a source is read. `format` is that of the source's name, `whole` that
 * of the merged file; either may be NULL. An INI source is read in the dialect of `whole`.
 */
static inline const struct format *format_within(
	const struct format *whole, const struct format *format)
{
	/* A JSON source of a merged JSONC file may have comments. A TOML source of a merged TOML
	 * 1.0 file must be TOML 1.0. */
	if ((format == &format_json && whole == &format_jsonc) ||
		(format == &format_toml && whole == &format_toml_1_0))
		return whole;
	return format == &format_ini && whole && whole->dialect ? whole : format;
}

/** Returns "yaml, json …", for messages. Static. */
const char *format_names(void);

/** Returns the format in which a tree is read and written: NULL becomes YAML. */
static inline const struct format *format_of_tree(const struct format *format)
{
	return format ? format : &format_yaml;
}
