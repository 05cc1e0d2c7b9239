/*
 * cloud-init's merge of user data, shared by the files cloud_*.c.
 *
 *      source ──▶ parts (cloud_part.c) ──▶ a tree and its mergers (cloud_config.c)
 *                   │                         │
 *                   │ MIME, archive,          ▼
 *                   │ JSON Patch         merged into `root` (cloud_merge.c, lua_merger.c)
 *                   ▼
 *                 patched: json_patch.c edits a copy of `root` until the next tree comes
 *
 * A source has one part or several. A merger merges a new value into an old value of a certain
 * kind. A part may name the mergers for its tree.
 *
 * A node is owned if the merge made it and only one place refers to it. It then has the mark
 * CLOUD_OWNED. The merge changes an owned node in place. All ancestors of an owned node are owned.
 */
#pragma once

#include "cloud_how.h"
#include "json_patch.h"
#include "strategy.h"

/* Bit of node.mark, beside MARK_TUPLE (json_patch.h). */
#define CLOUD_OWNED 1

/* Greatest number of parts in one merge */
#define CLOUD_PARTS_MAX 4096

/* Python's types, as far as a merger can handle them. */
enum cloud_kind {
	CLOUD_DICT,
	CLOUD_LIST,
	CLOUD_STR,
	CLOUD_INT,
	CLOUD_FLOAT,
	CLOUD_BOOL,
	CLOUD_NULL,
	CLOUD_OTHER, /* dates, binary, sets: no merger handles them */
	CLOUD_KINDS,
};

struct lua_merger;
struct lua;

enum merger_method { MERGER_APPEND, MERGER_PREPEND, MERGER_REPLACE, MERGER_NO_REPLACE };

/* A merger: `dict`, `list` or `str`, which are built in, or one that is written in Lua. */
struct cloud_merger {
	/* of a built-in merger: the kind of old values that it merges, and its options */
	enum cloud_kind handles;
	bool allow_delete; /* of `dict` */
	/* of `list`: any method; of `dict`: REPLACE or NO_REPLACE; of `str`: APPEND, or any other
	 * method, with which the new value replaces the old one */
	enum merger_method method;
	/* of `dict` and `list`: a bit 1 << CLOUD_… for each kind of new value that is merged into
	 * the old one, instead of being taken or ignored */
	unsigned recurses;

	struct lua_merger *custom; /* NULL: built in */
};

/* The mergers of a part. */
struct cloud_dispatch {
	/* the first merger for each kind of old value; NULL: none */
	const struct cloud_merger *of[CLOUD_KINDS];
	const struct node *by; /* the node that named the mergers, for origins; or NULL */
};

struct cloud {
	struct merge *merge;
	struct arena *arena;
	struct problem *problem;
	struct origins *origins; /* of the merge */

	/* for each copy of an aliased map or list, the original. If origins are recorded, aliases
	 * become copies, but a JSON Patch that changes one copy must change all of them. */
	struct table aliased;

	const struct node *root;  /* the result so far: a map, if no patch has replaced it */
	struct json_patch *patch; /* if not NULL, it has the result, and `root` is out of date */
	struct how fallback;      /* the mergers of parts that name none */
	const struct cloud_dispatch *stacked; /* `mergers: stack`: the mergers of the next part */

	unsigned depth;  /* of nested cloud_merge() calls */
	struct lua *lua; /* NULL until the first merger in Lua */
	struct work work;
	size_t parts;
};

/* One part of a source. */
struct cloud_part {
	struct source source;
	struct span text;
	struct text_place place;
	const struct document *document; /* the tree of `text`; NULL: not read yet */
	struct span merge_type; /* the header Merge-Type or X-Merge-Type; `data` NULL: none */
	struct how_place merge_type_place;
	const struct node *merge_type_by; /* merge_type as a node, for origins; or NULL */
};

/** Merges all parts of one source into cloud->root. Returns 0, PROBLEM or -errno. */
int cloud_add_source(struct cloud *cloud, const struct merge_input *input);

/** Reads a part. *ret lives as long as the merge's result. Returns 0, PROBLEM or -ENOMEM. */
int cloud_read_part(struct cloud *cloud, const struct cloud_part *part, const struct format *format,
	bool keep_duplicates, const struct document **ret);

/** Merges a part that is a cloud-config. Returns 0, PROBLEM or -errno. */
int cloud_add_config(struct cloud *cloud, const struct cloud_part *part);

/** Applies a part that is a JSON Patch. Returns 0, PROBLEM or -ENOMEM. */
int cloud_add_patch(struct cloud *cloud, const struct cloud_part *part);

/** Ends patching, and brings cloud->root up to date. Returns 0, PROBLEM or -ENOMEM. */
int cloud_end_patch(struct cloud *cloud);

/** Makes the mergers of `how`. *ret lives as long as the merge. Returns 0, PROBLEM or -errno. */
int cloud_dispatch_new(
	struct cloud *cloud, const struct how *how, const struct cloud_dispatch **ret);

/** Checks the built-in mergers' options. `knows_all`: refuses all others. Returns 0 or PROBLEM. */
int cloud_dispatch_check(const struct how *how, bool knows_all, struct problem *problem);

/** Merges `with`, the new value, into the old `value`. Returns 0 with *ret, PROBLEM or -errno. */
int cloud_merge(struct cloud *cloud, const struct cloud_dispatch *mergers, const struct node *value,
	const struct node *with, const struct node **ret);

/**
 * Both functions record a decision, for origins. cloud_note_taken(): `with` replaces the old
 * `value`. cloud_note(): `value` is in the result, and `fate` says whether `with` is lost or a part
 * of `value`. `rule` is the merger with its option.
 */
void cloud_note_taken(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with, const char *rule);
void cloud_note(struct cloud *cloud, const struct cloud_dispatch *mergers, const struct node *value,
	const struct node *with, enum origin_fate fate, const char *rule);

enum cloud_kind cloud_kind(const struct node *node);

/** Makes `node` and all owned nodes in it immutable: clears CLOUD_OWNED. */
void cloud_freeze(const struct node *node);

/** Counts `units` of work. Returns 0, or PROBLEM at `node` if the merge takes too much work. */
int cloud_spend(struct cloud *cloud, uint64_t units, const struct node *node);
