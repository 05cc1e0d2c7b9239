/*
 * Settings: the layers, rules and options of a mount. They are read from plyfs.yaml(5), or made
 * from "A:B:C" with the built-in rules. They are reference-counted. The code that makes them may
 * call settings_fix_header() and settings_cover(); afterwards they are immutable.
 */
#pragma once

#include <stdatomic.h>

#include "fact.h"
#include "format.h"
#include "glob.h"
#include "layer_spec.h"
#include "option.h"
#include "path.h"
#include "preset.h"
#include "problem.h"
#include "program.h"
#include "schema.h"
#include "settings_environment.h"
#include "settings_options.h"
#include "settings_text.h"

/* How files in NAME.d/ are used; `dropins` in plyfs.yaml. */
enum rule_dropins { DROPINS_NONE, DROPINS_LAYERS, DROPINS_UAPI };

/* The file of a JSON Schema that a rule names, or that another schema refers to. */
struct schema_file {
	struct settings_text text;   /* `bytes` empty: it could not be read; no `document` */
	struct span uri;             /* file:///… */
	struct span id;              /* the '$id', absolute; empty: none, or an unlisted file */
	bool validates_formats;      /* `schema` checks the keyword `format` */
	struct schema *schema;       /* NULL: only other schemas refer to the file */
	struct schema_file **others; /* the files that it refers to, each once */
	uint32_t other_count;
	uint32_t other_capacity;
};

/* A rule: the strategy, with its options, that merges the paths that match a pattern. */
struct rule {
	const char *match; /* glob.h; NULL: built in */
	struct options options;
	const struct format *format;  /* NULL: the format that the file's name implies */
	const enum node_schema *yaml; /* YAML version of its sources; NULL: that of the settings */
	const struct format *toml;    /* the format of its TOML sources; NULL: format_toml */
	enum rule_dropins dropins;    /* how files in NAME.d are sources of NAME */
	/* the suffixes of the files in NAME.d, a text or a list; NULL: the suffix of NAME */
	const struct node *dropin_suffixes;
	/* must accept new content before it is shown; NULL: none */
	const struct program *check;
	const struct program *on_change; /* runs after a change; NULL: that of the settings */
	const struct node
		*idle;      /* the key `user` or `timeout` of a rule with no command; or NULL */
	const char *preset; /* the preset with this rule; NULL: the user's rule, or built in */
	const struct schema_file *schema; /* the merged file must satisfy it; NULL: none */
	struct source source;             /* where the rule stands; name NULL: built in */
	unsigned line;                    /* starting at 1; 0: built in */
};

/* A virtual file: one path that is merged from many sources. */
/* The value of a specifier in a pattern depends on one of these. */
enum pattern_owner {
	OWNER_HOST = 1,
	OWNER_MACHINE = 2,
	OWNER_USER = 4,
	OWNER_FACT = 8,
	OWNER_SYSTEM = 16, /* os-release(5) */
};

/* The letters of the specifiers that depend on owner n, which has the bit 1 << n. */
extern const char *const pattern_owner_letters[5];

struct virtual_file {
	const char *path;
	const char **from;        /* patterns, glob.h */
	uint8_t *owners;          /* of each pattern: bits enum pattern_owner, of its specifiers */
	size_t from_count;        /* at least 1 */
	struct rule rule;         /* of this file alone; `match` and `preset` are unused */
	const struct node *place; /* the node of its path in plyfs.yaml */
};

struct settings {
	/* plyfs.yaml, which contains the strategies' options; path NULL: made from "A:B:C" */
	struct settings_text text;
	struct settings_text facts; /* of the file that `facts:` names (fact.h) */
	struct layer **layers;      /* lowest precedence first */
	size_t layer_count;         /* 0 after settings_outline() and settings_from_schema() */
	struct layer_spec *specs;   /* of each layer: what plyfs.yaml or "A:B:C" says about it */
	size_t spec_count;
	struct preset *presets; /* as plyfs.yaml lists them */
	size_t preset_count;
	/* the user's, then the presets', then the built-in ones; the first match counts */
	struct rule *rules;
	size_t rule_count;
	struct virtual_file *files; /* in byte order of their paths */
	size_t file_count;
	struct schema_file **schemas; /* files that plyfs.yaml or other schemas name */
	uint32_t listed_count;        /* of those in plyfs.yaml's `schemas:`, which come first */
	uint32_t schema_count;
	uint32_t schema_capacity;
	struct settings_options options;
	const struct program *program;      /* the first check or on_change; NULL: there is none */
	struct problem warning;             /* of plyfs.yaml; `message` is empty if there is none */
	struct settings_environment around; /* the environment when the settings were made */
	/* private: */
	const char *spec; /* "A:B:C", if the settings were made from it */
	struct arena *arena;
	atomic_uint references;
};

/**
 * Makes settings that have only the schema in the file `path`. The schema may refer to the files
 * `listed` (ends with NULL) by their '$id'. Returns 0 with *schema, which lives as long as *ret;
 * PROBLEM; or -ENOMEM. In any case *ret is for settings_unref(), or NULL. After PROBLEM, `schemas`
 * in *ret has every file that may be the cause.
 */
int settings_from_schema(const char *path, const char *const *listed, bool validates_formats,
	struct settings **ret, const struct schema_file **schema, struct problem *problem);

/**
 * Reads a plyfs.yaml and opens its layers. A relative layer path begins at plyfs.yaml's directory.
 * `around` is copied; NULL: the environment of this process. Returns 0 with *ret for
 * settings_unref(); PROBLEM; or -ENOMEM. A file that can't be read is a problem.
 */
int settings_read(const struct settings_environment *around, const char *path,
	struct settings **ret, struct problem *problem);

/**
 * Makes settings from "A:B:C", lowest precedence first. "\:" is a colon in a path, "\\" a
 * backslash. Copies `around` and returns as settings_read().
 */
int settings_from_layers(const struct settings_environment *around, const char *layers,
	struct settings **ret, struct problem *problem);

/** As settings_read(), but opens no layers: they are in `specs`, not in `layers`. */
int settings_outline(const struct settings_environment *around, const char *path,
	struct settings **ret, struct problem *problem);

/**
 * Makes the settings again from the plyfs.yaml or "A:B:C" of `old`, and opens the layers again. If
 * our mount, whose device is `own`, now lies on a layer's path, the layer keeps its old directory.
 * Returns as settings_read(), or -errno.
 *
 * In any case sets *outline (`outline` may be NULL) to the settings as settings_outline() reads
 * them, for settings_unref(). If plyfs.yaml can't be used, or there is none, *outline is NULL.
 */
int settings_again(const struct settings *old, dev_t own, struct settings **outline,
	struct settings **ret, struct problem *problem);

/** Returns whether a layer has `follow`. */
bool settings_follow_links(const struct settings *settings);

/**
 * Returns file `index` of those that the settings were read from: plyfs.yaml, the facts, the
 * presets, the schemas. A file with the path NULL does not exist. NULL: there are no more files.
 */
const struct settings_text *settings_text_at(const struct settings *settings, size_t index);

/** Sets options.header as the command line demands. settings_again() keeps it. */
void settings_fix_header(struct settings *settings, enum header_choice choice);

/**
 * Records that a mount will lie on `mountpoint`, and that the path `beneath` leads to the directory
 * that the mount hides. If `beneath` is NULL, `mountpoint` is the directory to render into.
 * settings_again() keeps both. Returns 0 or -ENOMEM.
 */
int settings_cover(struct settings *settings, const char *mountpoint, const char *beneath);

/**
 * Refuses a layer that is the directory to render into, or a generation in it: each merge would
 * take in the result of the merge before. For a mount, which has a `beneath` (settings_cover()),
 * does nothing. Returns 0 or PROBLEM.
 */
int settings_check_covered(const struct settings *settings, struct problem *problem);

/** Returns whether both were read from the same bytes, and have the same layer directories. */
bool settings_equal(const struct settings *a, const struct settings *b);

/**
 * Returns the bit 1 << i for each layer a->layers[i] that matches no layer of `b`. Two layers match
 * if they have the same path, directory, `follow` and excluded patterns. If a->layers[i] matches
 * b->layers[j], the layers after a->layers[i] can only match layers after b->layers[j].
 */
uint64_t settings_layers_without(const struct settings *a, const struct settings *b);

/** Returns whether both would merge `path` in the same way if they had the same layers. */
bool settings_equal_at(const struct settings *a, const struct settings *b, const char *path);

/**
 * Returns 0; or PROBLEM if a layer was replaced since it was opened (layer_was_replaced()). In that
 * case the caller may have read a state that the layers never had.
 */
int settings_were_read(const struct settings *settings, struct problem *problem);

struct settings *settings_ref(struct settings *settings);
void settings_unref(struct settings *settings); /* NULL is allowed */
void settings_unrefp(struct settings **settings);

/** Returns the layer `name` (NULL: the highest layer that exists), or NULL if there is none. */
struct layer *settings_layer(const struct settings *settings, const char *name);

/** Returns the rule for a path; never NULL, as the last built-in rule matches everything. */
const struct rule *settings_rule(const struct settings *settings, const char *path);

/** Returns rule `index`, counted in `rules`, then in the virtual files. NULL: there is none. */
const struct rule *settings_rule_at(const struct settings *settings, size_t index);

/** Returns the program that must accept the path's new content before it is shown; NULL: none. */
const struct program *settings_check(const struct settings *settings, const char *path);

/** Returns the program that runs when the path has changed; NULL: none. */
const struct program *settings_on_change(const struct settings *settings, const char *path);

/** Returns the virtual file at that path, or NULL. */
const struct virtual_file *settings_file(const struct settings *settings, const char *path);

/* The directory in the root with plyfs's own files. A layer's files there are not shown. */
#define PLYFS_NAME ".plyfs"

/** Returns whether the path, relative to the root, is PLYFS_NAME or lies below it. */
static inline bool settings_is_own(const char *path)
{
	return path_within(path, PLYFS_NAME);
}

/** Returns the rule of the virtual file at that path; if there is none, settings_rule(). */
const struct rule *settings_rule_for(const struct settings *settings, const char *path);

/** Returns the YAML version of the file at that path, from its rule or else from the settings. */
enum node_schema settings_yaml(const struct settings *settings, const char *path);

/**
 * Returns whether the merged file at that path is to begin with a comment that names its sources.
 * Does not check that the file's format has comments. Returns false for a file named *.json of the
 * format `jsonc`: the program that reads the file may accept only strict JSON.
 */
bool settings_header(const struct settings *settings, const char *path);

/** Returns the format of the file at that path, from its rule or its name; NULL: from neither. */
const struct format *settings_format(const struct settings *settings, const char *path);

/**
 * Returns the format of a source of the file at `path`. `place` is the source's path in its layer.
 * The format comes from the rule for `place`, or else the source's name, or else the merged file.
 * NULL: the source is read as YAML. If only the merged file has a format, and this format is JSON,
 * returns NULL, too: a reader of YAML reads JSON.
 */
const struct format *settings_source_format(
	const struct settings *settings, const char *path, const char *place);

/**
 * Calls layer_note_remote() for each layer that lies on a network or FUSE file system, or contains
 * one. Asks no file system. Returns 0 or -errno.
 */
int settings_note_remote(const struct settings *settings);

/** Returns whether a call on a layer may have to wait for the delegate (layer.h). */
bool settings_may_wait(const struct settings *settings);
