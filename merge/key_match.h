/*
 * Matching a KEY against a tree: the meaning of a KEY depends on the names in the tree.
 *
 *      {editor.fontSize: 14}    editor.fontSize → ["editor.fontSize"]
 *      [remote "a.b"] url=…     remote.a.b.url  → ["remote \"a.b\""].url
 *      {a: [{b: 1}]}            /a/0/b, $.a[0].b, .a[0]["b"] → a[0].b
 *
 * Dots, brackets and quotes may all be characters of a name in the tree. If the KEY names two
 * values, it is refused, and the problem gives both in an unambiguous form: the name in brackets
 * and quotes. If the KEY names no value, a new value is named as its neighbours are. In a format
 * without nested maps (.properties) the whole KEY is the name.
 *
 * A KEY that names no document is matched in each document. If several documents have the KEY, it
 * is refused, and for each of them the problem gives the KEY with the document's name or index.
 */
#pragma once

#include "format.h"
#include "key.h"
#include "stream.h"

/* Positive result: the KEY names no value yet; *ret is the KEY of a new value. */
#define KEY_NEW 2

struct key_ground {
	struct stream stream; /* the file's documents, searched first */
	/* Other trees, searched if no document has the KEY. The first tree that has it counts. */
	const struct node *const *roots;
	size_t count;
	const struct format *format; /* of the file; NULL: YAML */
	bool wants_new; /* if false, a KEY that names no value is split as by key_parse() */
};

/**
 * Splits `text`, which the key borrows, into parts that lead to the value that it names. Returns 0
 * with *ret in `arena`; KEY_NEW; PROBLEM or -ENOMEM. A KEY that can't be read, or names two values,
 * is a problem. With wants_new, a KEY that names no value is a problem if it is a path of another
 * tool, or leaves open to which document the new value belongs.
 */
int key_match(const char *text, const struct key_ground *ground, struct arena *arena,
	struct key *ret, struct problem *problem);
