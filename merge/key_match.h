/*
 * Matching a KEY against a tree: the meaning of a KEY depends on the names in the tree.
 *
 *      {editor.fontSize: 14}    editor.fontSize → ["editor.fontSize"]
 *      [remote "a.b"] url=…     remote.a.b.url  → ["remote \"a.b\""].url
 *      {a: [{b: 1}]}            /a/0/b, $.a[0].b, .a[0]["b"] → a[0].b
 *
 * Dots, brackets and quotes may all be characters of a name in the tree. A KEY that may mean two
 * values is refused, and the problem gives the unambiguous KEY of each value: the name in brackets
 * and quotes. The KEY of a new value is split at its dots. But if most keys of the map that gets
 * the value have dots, or one of them begins with the same word and a dot, the rest of the KEY is
 * one name. In a format without nested maps (.properties) the whole KEY is one name.
 *
 * A KEY without a document's name is matched in each document. If several documents have it, it is
 * refused. The problem gives the KEY for each of them, with the document's name or index.
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
	/* Other trees, searched if no document has the KEY. The first that has it counts. */
	const struct node *const *roots;
	size_t count;
	const struct format *format; /* of the file; NULL: YAML */
	bool wants_new; /* false: a KEY that names no value is split as key_parse() splits it */
};

/**
 * Splits `text`, which *ret borrows, into parts that lead to the value. Returns 0 with the parts in
 * `arena`; KEY_NEW; PROBLEM or -ENOMEM. A KEY that can't be read, or may mean two values, is a
 * problem. With wants_new, the KEY of a new value is also a problem if it is a path of another
 * tool (/a/b), if it can be read in two ways, or if it may belong to two documents.
 */
int key_match(const char *text, const struct key_ground *ground, struct arena *arena,
	struct key *ret, struct problem *problem);
