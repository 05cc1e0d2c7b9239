/*
 * How lists combine, place by place: the option `lists`, a map of patterns to modes.
 *
 *      lists: {"*": replace, "spec.containers": {by: name}, "run.*": append}
 *
 * A pattern is the keys that lead to a list, from the root, with dots between them. The items of a
 * list add nothing: `spec.containers.env` means the `env` of each container. In a pattern
 *
 *      *     stands for any one key; at the end, for one or more: "run.*" is all that is below run
 *      **    stands for any number of keys, also none: "**.hosts" is every `hosts`
 *      \.    is a dot in a key, `\*` an asterisk, `\\` a backslash
 *
 * and "*" alone is every list, a list that is the whole file included; "" is that one only.
 *
 * The most specific pattern wins: the one that spells out the most keys, and of those that spell
 * out equally many the one that is written last. The order of a map must not matter more than
 * that, because "*" stands first by custom.
 */
#pragma once

#include "format.h"
#include "option_use.h"

enum list_mode { LIST_REPLACE, LIST_APPEND, LIST_PREPEND, LIST_UNIQUE, LIST_REPEAT, LIST_BY_KEY };

/*
 * LIST_REPEAT: as assignments that are repeated in a file of systemd's. A single text is a list of
 * one; a later list stands behind the earlier one, but for one with an empty text in it, which takes
 * away all that came before.
 */

/* All but LIST_BY_KEY, as people write them. */
extern const char *const list_mode_names[LIST_BY_KEY];

struct list_rule {
	enum list_mode mode;
	const struct node *by; /* LIST_BY_KEY: what items are matched by, as node_match() wants it */
	const char *by_name;   /* "name", "[name, url]", for messages */
	bool twice;            /* LIST_BY_KEY: one layer may have a key more than once */
	bool is_assigned;      /* a single text is a list of one, as for LIST_REPEAT */
	const struct node *place; /* the pattern, as written; NULL: the rule is for all lists */
	const struct node *value; /* the mode, as written; NULL: none is given */
};

/* A place in a tree; NULL is the root. An item of a list is in the same place as the list. */
struct list_place {
	const struct list_place *up;
	const struct node *key;
};

struct list_rules;

/**
 * Reads the option `lists`, which may be a mode alone: "append" is for all lists, and {by: name} is. `options` is
 * borrowed. Where the option says nothing, it is as `format` has it, whose keys may come again; NULL: lists are
 * replaced. Returns 0 with *ret in `arena`, PROBLEM, or -ENOMEM.
 */
int list_rules_read(const struct options *options, const struct format *format, struct arena *arena,
	const struct list_rules **ret, struct problem *problem);

/** The rule for lists in that place; never NULL. */
const struct list_rule *list_rules_find(
	const struct list_rules *rules, const struct list_place *place);

/** As option_uses_tell_idle(), of the lists. */
int list_rules_tell_idle(const struct list_rules *rules, const struct option_uses *uses,
	int (*tell)(void *context, const struct problem *problem), void *context);

/** Whether LIST_REPEAT may hold somewhere, or is_assigned: then a rule is for single texts, too. */
bool list_rules_repeat(const struct list_rules *rules);

/** Whether some lists are merged by a key. */
bool list_rules_have_keys(const struct list_rules *rules);
