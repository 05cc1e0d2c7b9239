/*
 * cloud-init's merge of user data, shared by the files cloud_*.c.
 *
 *      source ──▶ parts (cloud_part.c) ──▶ a tree and its mergers (cloud_config.c)
 *                   │                         │
 *                   │ MIME, archive,          ▼
 *                   │ JSON Patch         merged into `root` (cloud_merge.c, lua_merger.c)
 *                   ▼
 *                 patched: `root` is open to json_patch.c until the next tree comes
 *
 * Nodes that a merge made itself and that nothing else refers to have the mark CLOUD_OWNED and are
 * changed in place. An owned node is reached through owned nodes only.
 */
#pragma once

#include "cloud_how.h"
#include "json_patch.h"
#include "node_memo.h"
#include "strategy.h"
#include "work.h"

/* node.mark of what this merge made and may change. */
#define CLOUD_OWNED 1

/* Parts of one merge. Clouds take 16 to 64 KB of user data; this bounds what each part costs. */
#define CLOUD_PARTS_MAX 4096

/* Python's types, as far as a merger can be made for them. */
enum cloud_kind {
	CLOUD_DICT,
	CLOUD_LIST,
	CLOUD_STR,
	CLOUD_INT,
	CLOUD_FLOAT,
	CLOUD_BOOL,
	CLOUD_NULL,
	CLOUD_OTHER, /* dates, binary, sets: nothing merges them */
	CLOUD_KINDS,
};

struct lua_merger;
struct lua;

enum list_method { LIST_APPEND, LIST_PREPEND, LIST_REPLACE, LIST_NO_REPLACE };

/* One merger: a built-in one with its options, or one written in Lua. */
struct cloud_merger {
	enum cloud_kind handles; /* of a built-in one */
	bool replace;            /* dict */
	bool allow_delete;       /* dict */
	bool append;             /* str */
	enum list_method method; /* list */
	bool recurse_dict;
	bool recurse_list;
	bool recurse_str;
	struct lua_merger *custom; /* NULL: built in */
};

/* A part's mergers: for each kind the first that handles it, NULL where none does. */
struct cloud_dispatch {
	const struct cloud_merger *of[CLOUD_KINDS];
	const struct node *by; /* what named them, for origins; or NULL */
};

struct cloud {
	struct merge *merge;
	struct arena *arena;
	struct problem *problem;
	struct origins *origins; /* the merge's */

	/*
	 * While origins are noted aliases are written out, and a JSON Patch must change all that
	 * one stood for nevertheless: from each map and list to the one that it is a copy of.
	 */
	struct node_memo aliased;

	const struct node *root;  /* what the parts so far gave; a map unless a patch replaced it */
	struct json_patch *patch; /* not NULL: `root` is being patched, and is not up to date */
	struct how fallback;      /* for a part without mergers of its own */
	const struct cloud_dispatch
		*stacked; /* with `mergers: stack`, what the next part is merged by */

	unsigned depth;  /* of cloud_merge() calls in each other */
	struct lua *lua; /* NULL until the first custom merger */
	struct work work;
	size_t parts;
};

/* One part, cut out of its source. */
struct cloud_part {
	struct source source;
	struct span text;
	struct text_place place;
	const struct document *document; /* `text`, read already; or NULL */
	struct span merge_type;          /* the header Merge-Type or X-Merge-Type; NULL: none */
	struct how_place merge_type_place;
	const struct node *merge_type_by; /* the same, for origins; or NULL */
};

/** Merges all parts of one source into cloud->root. 0, PROBLEM or -errno. */
int cloud_add_source(struct cloud *cloud, const struct merge_input *input);

/** Reads a part; *ret lives as long as the result. 0, PROBLEM or -ENOMEM. */
int cloud_read_part(struct cloud *cloud, const struct cloud_part *part, const struct format *format,
	bool keep_duplicates, const struct document **ret);

/** Merges a part that is a cloud-config. */
int cloud_add_config(struct cloud *cloud, const struct cloud_part *part);

/** Applies a part that is a JSON Patch, its first line included. */
int cloud_add_patch(struct cloud *cloud, const struct cloud_part *part);

/** Ends patching: cloud->root is up to date again. */
int cloud_end_patch(struct cloud *cloud);

/** Makes the mergers that `how` names. *ret lives as long as the merge. */
int cloud_dispatch_new(
	struct cloud *cloud, const struct how *how, const struct cloud_dispatch **ret);

/** Checks what can be checked without a merge: names (with `knows_all`) and options. */
int cloud_dispatch_check(const struct how *how, bool knows_all, struct problem *problem);

/** What cloud-init's merge(value, with) gives. 0, PROBLEM or -errno. */
int cloud_merge(struct cloud *cloud, const struct cloud_dispatch *mergers, const struct node *value,
	const struct node *with, const struct node **ret);

enum cloud_kind cloud_kind(const struct node *node);

/** As Python names it, for messages: "dict", "list", "str" … */
const char *cloud_kind_name(enum cloud_kind kind);

/** Makes `node` and all owned nodes below it such that nothing changes them any more. */
void cloud_freeze(const struct node *node);

/** Counts work; a problem at `node` when there was too much. */
int cloud_spend(struct cloud *cloud, uint64_t units, const struct node *node);
