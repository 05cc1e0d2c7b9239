/*
 * A strategy: one way to merge sources into one file. Each is a file or folder in strategy/ and an
 * entry in the table in strategy.c; nothing else knows it by name.
 */
#pragma once

#include "merge.h"
#include "option.h"

/* One run of a strategy; everything it needs is here. */
struct merge {
	const struct merge_request *request;
	const struct merge_input *inputs; /* documents read, when the strategy reads trees */
	size_t count;
	struct arena *arena;     /* for new nodes and text; lives as long as the result */
	struct problem *problem; /* filled when PROBLEM is returned */
	struct merge_result *result;
	struct origins *origins; /* for the decisions; NULL: nobody asks (origin.h) */
	/* The environment as the caller gave it: what it finds is not noted as a source. */
	const struct merge_environment *asked;
};

/**
 * Hands over a document that the strategy read itself: it lives as long as the result. Returns 0,
 * or -ENOMEM, and then it is still the caller's.
 */
int merge_adopt(struct merge *merge, struct document *document);

struct merge_output;
struct option_uses;

/** Gives the text of `input` as it is, and notes where it is from. 0 or -ENOMEM. */
int merge_give_text(
	struct merge *merge, const struct merge_input *input, struct merge_output *ret);

/** Whether a tag can stand where the value does: the format of its source has some. */
bool merge_may_have_tag(const struct merge *merge, const struct node *value);

/**
 * Refuses the root `value` if it is of another kind than the root `below` it: a source that takes the
 * whole file away is broken (a forgotten colon, an error page). Of a text and a map or list, the text
 * is; else the lower source says what the file is. Null, and a value with a tag, is of any kind.
 * `tag`: one that says that it is meant; NULL: none does. Returns 0 or PROBLEM.
 */
int merge_check_root(const struct merge *merge, const struct node *below, const struct node *value,
	const char *tag);

/* What a strategy gives: a tree, which merge_run() writes in the format asked for, or the bytes. */
struct merge_output {
	const struct node *root; /* NULL with is_text false: an empty file */
	struct span head;        /* put before a tree, where it is a comment in its format; with newline */
	struct span text;        /* the file, when is_text: NUL-terminated, in the merge's arena */
	bool is_text;
};

/* Which of several sources a strategy looks at: the others need not be read at all. */
enum strategy_takes { STRATEGY_TAKES_ALL, STRATEGY_TAKES_HIGHEST, STRATEGY_TAKES_LOWEST };

/* How the lists at one place combine. */
enum list_way {
	LIST_WAY_ANY,    /* nobody can say it beforehand */
	LIST_WAY_WHOLE,  /* one takes the place of the other */
	LIST_WAY_PARTS,  /* the items of both stand in the result */
	LIST_WAY_BY_KEY, /* items with the same value at a key are one */
};

struct strategy {
	const char *name;
	const char *summary;               /* a phrase without a full stop, for help texts */
	const struct option_spec *options; /* ends with a NULL name; may be NULL */
	enum strategy_takes takes;
	bool reads_trees;                  /* the inputs' documents are read before merge() is called */
	bool gives_trees;                  /* … or not, but its result is one even so */
	bool keeps_duplicates;             /* … with struct read_options' keep_duplicates */
	bool reads_as_pyyaml;              /* … with its as_pyyaml */
	bool reads_zeros_as_decimal;       /* … 0644 is 644, as NODE_SALT says it */
	const char *tags;                  /* "!a, !b": those that mean something to it; or NULL */

	/* Whether this only source is served byte for byte. NULL: never. */
	bool (*is_verbatim)(const struct merge_input *only);

	/* Checks what the option table can't say. NULL: nothing. 0, PROBLEM or -ENOMEM. */
	int (*check)(const struct options *options, struct problem *problem);

	/*
	 * How the lists combine that `count` keys lead to, for whoever wants to change one; with
	 * LIST_WAY_BY_KEY *by is what node_match() wants. NULL: LIST_WAY_ANY. 0 or -ENOMEM.
	 */
	int (*list_way)(const struct merge_request *request, const struct node *const *keys,
		size_t count, struct arena *arena, enum list_way *ret, const struct node **by);

	/*
	 * Adds the nodes of the options that stand for something in the document of an input, and
	 * tells of those that stand for nothing (option_use.h). NULL: its options name no places.
	 */
	int (*note_uses)(const struct merge_request *request, size_t input,
		const struct document *document, struct option_uses *uses);
	int (*tell_idle)(const struct options *options, const struct option_uses *uses,
		int (*tell)(void *context, const struct problem *problem), void *context);

	/* Loads the libraries that are else loaded when they are needed. NULL: there are none. */
	void (*load)(void);

	/* Merges inputs[0..count), lowest precedence first, count >= 1. 0, PROBLEM or -errno. */
	int (*merge)(struct merge *merge, struct merge_output *ret);
};

static inline bool strategy_gives_trees(const struct strategy *strategy)
{
	return strategy->reads_trees || strategy->gives_trees;
}

/** The strategy with that name, or NULL. */
const struct strategy *strategy_find(struct span name);

/** All strategies, ending with NULL, in the order of the help text. */
const struct strategy *const *strategy_all(void);

/** "deep, salt, cfengine …", for messages. Static. */
const char *strategy_names(void);
