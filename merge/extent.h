/*
 * Extents: where the parts of a document stand in its text, in bytes. A reader notes them when
 * read_options.wants_extents asks for it, and nobody pays otherwise.
 *
 *      port: 80  # web          member ├─────────┤
 *                               key    ├──┤
 *                               value        ├┤
 *
 * They are a tree beside that of the nodes, in the order of the text, and tell what is written and
 * not what it comes to: an alias, a `<<`, a key that comes twice, each have their own. What a
 * format's collections are is its matter:
 *
 *      YAML, JSON      a map or list and its entries, as its nodes are
 *      TOML            the root's entries are its own pairs and then the [headers], in the order
 *                      of the text, each with its pairs: `keys` are the parts of a dotted key or of
 *                      a header's name
 *      INI and alike   likewise; without sections, the root's entries are the pairs
 */
#pragma once

#include "node.h"

/* From `begin` up to `end`, not included. Both are the same where nothing is written. */
struct range {
	size_t begin; /* bytes of the text as it was given to document_read(), its BOM included */
	size_t end;
};

struct extent {
	const struct node *node;        /* the value; of an alias, what it stands for */
	const struct node *const *keys; /* NULL: an item, or the root */
	uint32_t key_count;             /* 1 but for TOML's dotted keys and headers */
	bool is_alias;
	bool has_anchor;
	bool is_merge_key; /* YAML's `<<` */

	/*
	 * Each without the blanks around it, a key and a value with its tag, anchor and quotes. Of a
	 * header, the key is what stands in its brackets. A collection ends with its last entry or
	 * its bracket, a block scalar with its last line that is not blank. A member is all of the
	 * entry: from its key, `-`, `?` or `[` on, to the value's end.
	 */
	struct range key;
	struct range value;
	struct range member;

	struct extent *first; /* of its entries, in the order of the text */
	struct extent *last;
	struct extent *next; /* of the collection that it is in */
};
