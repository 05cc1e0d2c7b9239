/*
 * A KEY in a tree: what somebody means by one depends on what is there.
 *
 *      {editor.fontSize: 14}    editor.fontSize → ["editor.fontSize"]
 *      [remote "a.b"] url=…     remote.a.b.url  → ["remote \"a.b\""].url
 *      {a: [{b: 1}]}            /a/0/b, $.a[0].b, .a[0]["b"] → a[0].b
 *
 * Dots, brackets and quotes may all be letters of a name that is there. If the KEY names two
 * values, it is refused, and both are named in a form that can mean one alone: a name in brackets
 * and quotes. If it names nothing, a new value is called as its neighbours are; in a format without
 * maps in maps (.properties) all of it is the name.
 */
#pragma once

#include "format.h"
#include "key.h"

/* Positive result: nothing is there, and *ret is what a new value would be called. */
#define KEY_NEW 2

struct key_ground {
	const struct node *const *roots; /* the first in which the KEY names something counts */
	size_t count;
	const struct format *format; /* of the file; NULL: YAML */
	bool wants_new; /* else, what names nothing is split as key_parse() does */
};

/**
 * Splits `text`, which is borrowed, so that its parts lead to what it names. Returns 0 with *ret in
 * `arena`, KEY_NEW, PROBLEM for a KEY that can't be read, names two values or is another tool's path
 * to nothing; or -ENOMEM.
 */
int key_match(const char *text, const struct key_ground *ground, struct arena *arena,
	struct key *ret, struct problem *problem);
