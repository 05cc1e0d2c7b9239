/*
 * How lists combine, place by place: the option `lists`, a map of patterns to modes.
 *
 *      lists: {"*": replace, "spec.containers": {by: name}, "run.*": append}
 *
 * A pattern is the keys that lead to a list, from the root, with dots between them. Items of a list
 * on the way are not named: `spec.containers.env` means the `env` of each container. In a pattern
 *
 *      *     stands for one key; at the end, for one or more: "run.*" is everything below run
 *      **    stands for any number of keys, also none: "**.hosts" is every `hosts`
 *      \.    is a dot in a key, `\*` an asterisk, `\\` a backslash
 *
 * "*" alone matches every list. "" matches a list that is the whole file.
 *
 * The pattern that spells out the most keys wins. Of several such patterns, the last one wins.
 */
#pragma once

#include "format.h"
#include "option_use.h"

enum list_mode { LIST_REPLACE, LIST_APPEND, LIST_PREPEND, LIST_UNIQUE, LIST_REPEAT, LIST_BY_KEY };

/*
 * LIST_REPEAT: lists combine as repeated assignments in a file of systemd. A text counts as a list
 * of one item. An empty list, or one with an empty text in it, replaces the earlier list. Any other
 * list is appended.
 */

/* The modes' names in the option; LIST_BY_KEY is written {by: KEY} and has none. */
extern const char *const list_mode_names[LIST_BY_KEY];

/*
 * LIST_BY_KEY: what is done with an item if an earlier item of the same layer has the same key.
 * LIST_TWICE_SECOND is the default, also if the key is from the format, and not from a pattern.
 */
enum list_twice {
	/* A layer's second item with the key is merged with the second such item of the lower
	 * layers, and so on. If there is no such item, the layer's item is appended. */
	LIST_TWICE_SECOND,
	LIST_TWICE_MERGE, /* the item is merged into the earlier item */
	LIST_TWICE_ERROR,
};

struct list_rule {
	enum list_mode mode;
	/* LIST_BY_KEY: the key or keys by which items are matched (item_key.h). */
	const struct node *by;
	/* TEXT, if {before: TEXT} is in `by`; else NULL. If TEXT is "=", a list with "A=1" stands
	 * for the map {A: "1"}. */
	const struct node *before;
	const char *by_name; /* "name", "[name, url]", for messages */
	enum list_twice twice;
	bool needs_key;           /* LIST_BY_KEY: an item without a key is an error */
	bool is_assigned;         /* a text counts as a list of one item, as for LIST_REPEAT */
	const struct node *place; /* the pattern, as written; NULL: the rule has none */
	const struct node *value; /* the mode, as written; NULL: none is given */
};

/* A place in a tree; NULL is the root. The items of a list have the place of the list. */
struct list_place {
	const struct list_place *up;
	const struct node *key;
};

struct list_rules;

/**
 * Reads the option `lists`, which may also be one mode for all lists: "append", or {by: name}.
 * Lists that no pattern matches combine as repeated keys do in `format`, a result of
 * deep_repeating() (deep.h). If `format` is NULL, the later list replaces the earlier one. Returns
 * 0 with *ret, which lies in `arena` and refers to `options`; PROBLEM; or -ENOMEM.
 */
int list_rules_read(const struct options *options, const struct format *format, struct arena *arena,
	const struct list_rules **ret, struct problem *problem);

/** Returns the rule for lists at that place; never NULL. */
const struct list_rule *list_rules_find(
	const struct list_rules *rules, const struct list_place *place);

/** As option_uses_report_idle(), for the option `lists`. */
int list_rules_report_idle(const struct list_rules *rules, const struct option_uses *uses,
	int (*report)(void *context, const struct problem *problem), void *context);

/* A feature that at least one of the rules has. */
enum list_feature {
	LIST_HAS_KEYS = 1 << 0,  /* lists are merged by a key */
	LIST_HAS_PAIRS = 1 << 1, /* lists stand for maps: `before` is set */
	LIST_REPEATS = 1 << 2,   /* texts count as lists: LIST_REPEAT, or `is_assigned` is set */
};

bool list_rules_have(const struct list_rules *rules, enum list_feature feature);
