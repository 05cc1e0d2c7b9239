/*
 * Extents: where the parts of a document stand in its text, in bytes. A reader records them if
 * read_options.wants_extents is set.
 *
 *      port: 80  # web          member ├─────────┤
 *                               key    ├──┤
 *                               value        ├┤
 *
 * Extents form a tree beside the tree of nodes, in the order of the text. They describe the text
 * and not the values: an alias, a `<<` and each occurrence of a repeated key have an extent of
 * their own. The entries of a collection depend on the format:
 *
 *      YAML, JSON      a map or list and its entries, as in the tree of nodes
 *      TOML            the root's entries are its pairs, then the [headers] in the order of the
 *                      text; a header's entries are its pairs. `keys` are the parts of a dotted key
 *                      or of a header's name
 *      INI and others  as TOML; if the format has no sections, all pairs are entries of the root
 */
#pragma once

#include "node.h"

/* From `begin` up to but not including `end`; `begin` == `end` if nothing is written there. */
struct range {
	size_t begin; /* bytes of the text as it was given to document_read(), with its BOM */
	size_t end;
};

struct extent {
	const struct node *node;        /* the value; for an alias, the node that it refers to */
	const struct node *const *keys; /* NULL: an item of a list, or the root */
	uint32_t key_count;             /* above 1 only for TOML's dotted keys and headers */
	bool is_alias;
	bool has_anchor;
	bool is_merge_key; /* YAML's `<<` */

	/*
	 * No range includes the blanks around its part. A key or a value includes its tag, anchor
	 * and quotes. The key of a header is the text in its brackets. A collection ends with its
	 * last entry or its bracket. A block scalar ends with its last line that is not blank. A
	 * member is the whole entry, from its key, `-`, `?` or `[` to the end of the value.
	 */
	struct range key;
	struct range value;
	struct range member;

	struct extent *first; /* entries of this collection, in the order of the text */
	struct extent *last;
	struct extent *next; /* the next entry of the collection that holds this extent */
};
