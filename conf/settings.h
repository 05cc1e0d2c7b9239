/*
 * Settings: what one mount is made of. Read from plyfs.yaml (plyfs.yaml(5)), or made from
 * "A:B:C" with the built-in rules. Immutable once made, and counted, so that a mount can change to
 * new settings while others still use the old ones.
 */
#pragma once

#include <stdatomic.h>

#include "format.h"
#include "glob.h"
#include "layer_spec.h"
#include "limit.h"
#include "option.h"
#include "preset.h"
#include "problem.h"
#include "program.h"
#include "schema.h"
#include "surroundings.h"

enum settings_coherence { COHERENCE_CACHED, COHERENCE_STRICT };
enum settings_on_error { ON_ERROR_LAST_GOOD, ON_ERROR_SKIP_LAYER, ON_ERROR_FAIL };

/* In the order of the words that stand for them in plyfs.yaml, behind `false`. */
enum rule_dropins { DROPINS_NONE, DROPINS_LAYERS, DROPINS_UAPI };

/* A JSON Schema that rules name. Rules that name the same file share it. */
struct schema_file {
	const char *path;  /* as people are told of it */
	const char *place; /* where it is, for open(2) */
	struct span text;  /* as it was read */
	struct stat read;  /* of the file, then */
	struct schema *schema;
};

/* Which strategy, with which options, merges the paths that match a pattern. */
struct rule {
	const char *match; /* glob.h; NULL matches everything */
	struct options options;
	const struct format *format; /* NULL: that of the name */
	const enum node_schema *yaml; /* of its YAML sources; NULL: that of the settings */
	enum rule_dropins dropins; /* NAME.d's files are sources of NAME */
	const struct node *dropin_suffixes; /* that their names end in: a text or a list; NULL: NAME's */
	const struct program *check;     /* shows only what this is content with; NULL: none */
	const struct program *on_change; /* is run when it has changed; NULL: that of the settings */
	const char *preset; /* whose it is; NULL: the user's own, or built in */
	const struct schema_file *schema; /* what the merged file must be like; NULL: anything */
	struct source source; /* where the rule stands; name NULL for a built-in one */
	unsigned line;        /* starting at 1; 0 for a built-in one */
};

/* A virtual file: one path made of many sources. */
struct virtual_file {
	const char *path;
	const char **from; /* patterns, glob.h */
	size_t from_count; /* at least 1 */
	struct rule rule;  /* its own: `match`, `dropins` and `preset` say nothing */
	const struct node *place; /* where its path stands in plyfs.yaml */
};

struct settings {
	const char *path;      /* of plyfs.yaml, as given; NULL when made from "A:B:C" */
	const char *place;     /* where that is: absolute when `around` has a directory */
	struct layer **layers; /* lowest precedence first */
	size_t layer_count;    /* at least 1 */
	struct layer_spec *specs; /* as the layers are asked for */
	size_t spec_count;
	struct preset *presets; /* as plyfs.yaml names them */
	size_t preset_count;
	struct rule *rules;    /* the first match wins: the user's, the presets', the built-in ones */
	size_t rule_count;
	struct virtual_file *files; /* in byte order of their paths */
	size_t file_count;
	struct schema_file **schemas; /* that rules and files name, each once */
	uint32_t schema_count;
	uint32_t schema_capacity;
	enum settings_coherence coherence;
	enum settings_on_error on_error;
	const char *state;       /* directory for what is to outlive the mount; NULL: none */
	enum node_schema yaml;   /* of YAML sources, where no rule says it */
	bool header;          /* merged files begin with a comment that names their sources */
	bool is_header_fixed; /* whatever plyfs.yaml says */
	unsigned poll_ms; /* between two looks at a layer that inotify can't watch; default 1000 */
	unsigned cache_mib; /* parsed sources kept in memory */
	const struct program *on_change; /* where the rule or file names none; NULL: none */
	bool has_programs;               /* some path has a check or an on_change */
	struct limits limits;
	struct problem warning; /* of plyfs.yaml; `message` is empty if there is none */
	struct surroundings around; /* that it was made in */
	/* private: */
	const char *spec; /* "A:B:C", when made from it */
	struct stat read; /* of plyfs.yaml, as it was read */
	struct arena *arena;
	struct document *document; /* the strategies' options are its nodes; NULL: "A:B:C" */
	atomic_uint references;
};

/**
 * Reads a plyfs.yaml and opens its layers. A relative layer path is taken from the directory that
 * plyfs.yaml is in. The surroundings are copied; NULL: our own. Returns 0 with *ret for
 * settings_unref(), PROBLEM with the place of what is wrong and what is allowed there, or -ENOMEM.
 * A file that can't be read is a problem.
 */
int settings_read(const struct surroundings *around, const char *path, struct settings **ret,
	struct problem *problem);

/**
 * Makes settings from "A:B:C", lowest precedence first; "\:" is a colon in a path, "\\" a
 * backslash. The same otherwise.
 */
int settings_from_layers(const struct surroundings *around, const char *layers,
	struct settings **ret, struct problem *problem);

/**
 * As settings_read(), of all but the layers, for who may open none or is to see to them first: what
 * they are to be is in the `specs`.
 */
int settings_outline(const struct surroundings *around, const char *path, struct settings **ret,
	struct problem *problem);

/**
 * Makes the settings anew, as they were made: from the plyfs.yaml or the "A:B:C" of `old`, whose
 * layers' directories are opened again. A layer that something of the file system `own` covers now
 * (our own mount lies over it) keeps the directory it had. Results as settings_read(), and -EAGAIN:
 * layers are being replaced again and again.
 */
int settings_again(const struct settings *old, dev_t own, struct settings **ret,
	struct problem *problem);

/** Has the mount's own option decide `header`, now and for all that is made of it again. */
void settings_fix_header(struct settings *settings, bool header);

/**
 * Notes that a mount is going to lie on `mountpoint`, and that `beneath` leads to what it hides, for
 * these settings and for all that is made of them again. Returns 0 or -ENOMEM.
 */
int settings_cover(struct settings *settings, const char *mountpoint, const char *beneath);

/** Whether both say the same, with no NaN in it, and their layers are the same directories. */
bool settings_equal(const struct settings *a, const struct settings *b);

/**
 * The layers of `a` that `b` has not, or in another order or way: bit 1 << RANK for each.
 */
uint64_t settings_layers_without(const struct settings *a, const struct settings *b);

/** Whether both merge `path` alike, as long as the layers are the same. */
bool settings_equal_at(const struct settings *a, const struct settings *b, const char *path);

/** Any thread may count, as long as it holds a reference. */
struct settings *settings_ref(struct settings *settings);
void settings_unref(struct settings *settings); /* NULL is fine */
void settings_unrefp(struct settings **settings);

/**
 * Takes `limits`, a map as in plyfs.yaml; what it does not give stays. Returns 0, or PROBLEM with
 * the place and what is allowed.
 */
int settings_read_limits(
	const struct node *map, struct limits *limits, struct problem *problem);

/** The layer of that name; NULL: the highest that is there. NULL: there is none. */
struct layer *settings_layer(const struct settings *settings, const char *name);

/** The rule for a path; never NULL, because the last built-in rule matches everything. */
const struct rule *settings_rule(const struct settings *settings, const char *path);

/** What the path's newest content must pass before it is shown; NULL: nothing. */
const struct program *settings_check(const struct settings *settings, const char *path);

/** What is run when the path has changed; NULL: nothing. */
const struct program *settings_on_change(const struct settings *settings, const char *path);

/** The virtual file at that path, or NULL. */
const struct virtual_file *settings_file(const struct settings *settings, const char *path);

/** The rule that the file at that path is made by: its virtual file's own, or settings_rule(). */
const struct rule *settings_rule_for(const struct settings *settings, const char *path);

/** The YAML version of the program that reads the file at that path. */
enum node_schema settings_yaml(const struct settings *settings, const char *path);

/**
 * Whether the file at that path, if it is merged, begins with a comment that names its sources. One
 * named *.json does not, though JSON with comments may: another program's reader may be strict.
 */
bool settings_header(const struct settings *settings, const char *path);

/** The format of the file at that path: as settings_rule_for() says, or that of its name; or NULL.
 */
const struct format *settings_format(const struct settings *settings, const char *path);

/**
 * The format of the source at `place` of the file at `path`: as above, and where nothing says it,
 * that of the file. NULL stands for YAML, as which a source of JSON may be written, too.
 */
const struct format *settings_source_format(
	const struct settings *settings, const char *path, const char *place);
