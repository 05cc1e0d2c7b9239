/*
 * A format: how text becomes a tree, and a tree becomes text. Each is one file in format/, which
 * defines format_NAME, and one entry in FORMATS; what the formats differ in is a field here, so
 * that nothing else needs to know which one it has.
 *
 * A file's format is that of its name's suffix. A name without a known one gives NULL: the
 * strategies that copy whole files take any bytes, and where a tree is read or written NULL stands
 * for the default, YAML.
 */
#pragma once

#include "span.h"

struct arena;
struct builder; /* format/builder.h */
struct document;
struct edit;    /* edit/editor.h */
struct edit_op;
struct ini_dialect;
struct node;
struct problem;
struct writer; /* format/output.h */

struct format {
	const char *name;     /* a word in small letters, as in `--to`, in messages and in pages */
	const char *summary;  /* a phrase without a full stop: what it is and which standard holds */
	const char *suffixes; /* of file names: "yaml,yml"; "": only a rule can name it */
	const char *names; /* of files that have it whatever their suffix says; NULL: none does */
	const char *comment;  /* what begins a line of comment: "#"; NULL: comments can't be written */
	const char *nothing;  /* the file when a merge gives no value: it must be readable again */
	const char *divider;  /* a line between two documents in one stream: "---\n"; "": no need */
	bool has_lists;       /* maps and lists may lie in each other, to any depth */
	bool has_sections;    /* what is no section comes first: the order of keys is not all theirs */
	bool has_tags;        /* a node may have a tag, and so may hold a directive */
	bool is_whole;        /* without a rule the highest layer's file is shown, whole */
	bool repeats;         /* a key may come again: lists combine by "repeat" if no rule says how */
	const struct ini_dialect *dialect; /* of INI (format/ini_dialect.h); NULL: it is none */

	/* Where it repeats: whether all values of the key count, and not the last alone. NULL: all do. */
	bool (*counts_all)(struct span section, struct span key);

	/*
	 * Reads `text`, which is within the limits and has no byte order mark, as the standard
	 * says. Nodes are made by the builder alone, which owns them and keeps the other limits;
	 * each has its place, a scalar its text as written, and the style and the schema that give
	 * it its type (scalar.h). Text that says nothing adds no root, unless that is a value to
	 * the standard, as an empty table is in TOML.
	 * 0, PROBLEM from builder_problem() with the place and the remedy, or -ENOMEM.
	 */
	int (*read)(struct builder *builder, struct span text);

	/*
	 * Writes the tree to writer->output, with a newline at the end of what there is to write:
	 * the same text for the same tree, and read again an equal tree, as far as the format goes. A value that it can't hold
	 * is a problem at that node; so is a collection more than writer->depth deep. The output
	 * keeps its own failure. 0, PROBLEM or -ENOMEM.
	 */
	int (*write)(struct writer *writer, const struct node *root);

	/*
	 * Changes the text so that its tree is as the op says, by edit_splice(). What stands at the
	 * place is there (edit.c has looked), and what is missing on the way is in op->value: to
	 * SET, all steps but the last lead to something. 0; EDIT_CANNOT when only a larger change
	 * could say it; PROBLEM for what must not be touched, an anchor or an alias; or -ENOMEM.
	 */
	int (*edit)(struct edit *edit, const struct edit_op *op);

	/*
	 * Looks for what `document`, one of several sources of the format, said and `root`, the result,
	 * loses. NULL: nothing can be lost. Returns 0, PROBLEM or -ENOMEM.
	 */
	int (*check_merged)(const struct format *format, const struct node *root,
		const struct document *document, struct arena *arena, struct problem *problem);
};

/* The table, in the order of the help text. */
#define FORMATS(X)                                                                                 \
	X(yaml) X(json) X(jsonc) X(toml) X(ini) X(mysql) X(php) X(git) X(wireguard)                \
	X(configparser) X(grafana) X(systemd) X(keyfile) X(env) X(properties)

#define FORMAT_DECLARE(name) extern const struct format format_##name;
FORMATS(FORMAT_DECLARE)
#undef FORMAT_DECLARE

/** All formats, ending with NULL. */
const struct format *const *format_all(void);

/** Its place in format_all(), starting at 0; that of the end for NULL. */
unsigned format_index(const struct format *format);

/** The format with that name, or NULL. */
const struct format *format_find(struct span name);

/** The format that a file of that name has, or NULL. */
const struct format *format_of_name(const char *file);

/**
 * The format of a source whose name tells `format` (NULL: none) and whose file is to be `whole`: INI
 * is of the dialect that the file has.
 */
static inline const struct format *format_within(
	const struct format *whole, const struct format *format)
{
	/* A drop-in of settings.json may have comments, too. */
	if (format == &format_json && whole == &format_jsonc)
		return whole;
	return format == &format_ini && whole && whole->dialect ? whole : format;
}

/** "yaml, json …", for messages. Static. */
const char *format_names(void);

/** The format in which a tree is read and written: NULL stands for YAML. */
static inline const struct format *format_of_tree(const struct format *format)
{
	return format ? format : &format_yaml;
}
