/*
 * Matching a KEY against a tree: the meaning of a KEY depends on the names in the tree.
 *
 *      {editor.fontSize: 14}    editor.fontSize → ["editor.fontSize"]
 *      [remote "a.b"] url=…     remote.a.b.url  → ["remote \"a.b\""].url
 *      {a: [{b: 1}]}            /a/0/b, $.a[0].b, .a[0]["b"] → a[0].b
 *
 * Dots, brackets and quotes may be characters of a name. A KEY that may mean two values is refused,
 * and the problem gives an unambiguous KEY for each value.
 *
 * The KEY of a new value begins with the path of the map that gets the value; at the root, this
 * path is empty. In a format with nested maps, the rest of the KEY is split at its dots. But if
 * most keys of that map have dots, or if one of them begins with the first word of this rest and a
 * dot, the rest is one name. In .properties and .env files, the whole KEY is one name.
 *
 * A KEY without a document's name is matched in each document. If it leads to a value in several
 * documents, the KEY is refused.
 */
#pragma once

#include "format.h"
#include "key.h"
#include "stream.h"

/* Positive result: the KEY names no value yet; *ret is the KEY of a new value. */
#define KEY_NEW 2

/* Where the value of a KEY is searched for. */
struct key_ground {
	struct stream stream; /* the file's documents, searched first */
	/* Other trees, searched if no document has the KEY. The first tree that has it counts. */
	const struct node *const *roots;
	size_t count;
	const struct format *format; /* of the file; NULL: YAML */
	bool wants_new; /* false: a KEY that names no value is split as key_parse() splits it */
};

/**
 * Splits `text`, which *ret borrows, into parts that lead to the value. Returns 0 with the parts in
 * `arena`; KEY_NEW; PROBLEM or -ENOMEM. A KEY that can't be read or is ambiguous is a problem. If
 * wants_new is set, a new KEY that can be read in two ways, or that is in the notation of another
 * tool (/a/b), is a problem, too.
 */
int key_match(const char *text, const struct key_ground *ground, struct arena *arena,
	struct key *ret, struct problem *problem);
