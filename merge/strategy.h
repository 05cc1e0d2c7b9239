/*
 * A strategy: one way to merge sources into one file. Each strategy is a file or folder in
 * strategy/, and an entry of the table in strategy.c. No other code names a strategy.
 */
#pragma once

#include "merge.h"
#include "option.h"

/* One run of a strategy, with everything that it needs. */
struct merge {
	const struct merge_request *request;
	const struct merge_input *inputs; /* with documents, if the strategy reads trees */
	size_t count;
	struct arena *arena;     /* for new nodes and text; lives as long as the result */
	struct problem *problem; /* filled when PROBLEM is returned */
	struct merge_result *result;
	struct origins *origins; /* records the decisions; NULL: off (origin.h) */
	/* The environment that the caller gave to merge_run(). request->environment calls this one,
	 * and adds the sources of each file that it finds to result->sources. */
	const struct merge_environment *asked;
};

/**
 * Gives the result a document that the strategy read itself: both are freed together. Returns 0 or
 * -ENOMEM. After -ENOMEM the caller still owns the document.
 */
int merge_adopt(struct merge *merge, struct document *document);

struct merge_output;
struct option_uses;

/** Sets *ret to the text of `input`, unchanged, and records its origin. Returns 0 or -ENOMEM. */
int merge_give_text(struct merge *merge, const struct merge_input *input, struct merge_output *ret);

/** Returns false if the source of `value` has a format without tags. */
bool merge_may_have_tag(const struct merge *merge, const struct node *value);

/* An option of the strategies that put sources one after the other. */
#define STRATEGY_ORDER_OPTION                                                                      \
	{                                                                                          \
		"order", OPTION_CHOICE, "lowest-first", "lowest-first|highest-first",              \
			"the order of the files; choose highest-first for programs that take the " \
			"first of several values"                                                  \
	}

/** Returns whether the option `order` puts the highest source first. */
bool strategy_is_highest_first(const struct merge *merge);

/**
 * Refuses a source's root `value` if its kind differs from the kind of `below`, the root of the
 * lower sources. Then one of the two is broken (a forgotten colon, an error page, the `null` of a
 * tool that had no input). The problem is at `below` if `below` is a scalar, otherwise at `value`.
 * A root with a tag fits any kind, and any kind may replace null. The message suggests `tag`, which
 * allows a change of kind; NULL: no tag does. Returns 0 or PROBLEM.
 */
int merge_check_root(const struct merge *merge, const struct node *below, const struct node *value,
	const char *tag);

/**
 * Finds the root of a source, for a strategy that merges one document of each source. Empty
 * documents do not count. Returns 0 with *ret, which is NULL if all are empty; or PROBLEM at a
 * second document that is not empty.
 */
int merge_only_root(
	const struct merge *merge, const struct document *document, const struct node **ret);

/* The output of a strategy: bytes, or a tree that merge_run() writes in the requested format. */
struct merge_output {
	const struct node *root; /* if not is_text, the tree; NULL: an empty file */
	/* Comment lines, with newlines, to write before a tree. merge_run() leaves them out unless
	 * they begin with the comment sign of the requested format. */
	struct span head;
	struct span text; /* if is_text, the file: NUL-terminated, in the merge's arena */
	bool is_text;
};

/* The sources that a strategy uses. Other sources need not be read. */
enum strategy_takes { STRATEGY_TAKES_ALL, STRATEGY_TAKES_HIGHEST, STRATEGY_TAKES_LOWEST };

/* How the lists of two sources at one place combine. */
enum list_outcome {
	LIST_OUTCOME_ANY,    /* not known before the merge */
	LIST_OUTCOME_WHOLE,  /* one list replaces the other */
	LIST_OUTCOME_PARTS,  /* the result has the items of both */
	LIST_OUTCOME_BY_KEY, /* items with the same value at a key are merged */
};

/* The effect of a source's value on the values that lower sources have at its place. */
enum strategy_says {
	STRATEGY_SAYS_VALUE,   /* the source's value replaces or extends the lower ones */
	STRATEGY_SAYS_NOTHING, /* the lower values stay */
	STRATEGY_SAYS_REMOVE,  /* a tag removes the lower values, whatever the source's value is */
};

struct strategy {
	const char *name;
	const char *summary;               /* a phrase without a full stop, for help texts */
	const struct option_spec *options; /* ends with a NULL name; may be NULL */
	enum strategy_takes takes;
	bool reads_trees;            /* the inputs' documents are read before merge() is called */
	bool gives_trees;            /* reads_trees is false, but the result is a tree */
	bool keeps_duplicates;       /* see keep_duplicates of struct read_options */
	bool reads_as_pyyaml;        /* see as_pyyaml of struct read_options */
	bool reads_zeros_as_decimal; /* 0644 is 644: NODE_SALT instead of NODE_YAML_1_1 */
	const char *tags;            /* "!a, !b": tags that the strategy understands; NULL: none */

	/* Returns whether a source is shown byte for byte if it is the only one. NULL: never. */
	bool (*is_verbatim)(const struct merge_input *only);

	/*
	 * NULL unless the strategy joins the lines of several inputs. Returns the word that, in
	 * front of a line in one input, removes that line from the other inputs; "": there is no
	 * such word.
	 */
	const char *(*remover)(const struct options *options);

	/*
	 * Checks what `options` above can't express. Returns 0, PROBLEM or -ENOMEM. NULL: there is
	 * nothing to check.
	 */
	int (*check)(const struct options *options, struct problem *problem);

	/*
	 * Finds how lists combine at the place of `keys`, for a caller that wants to change a list.
	 * With LIST_OUTCOME_BY_KEY, *by is an argument for item_key_find() (item_key.h). Returns 0
	 * or -ENOMEM. May be NULL: LIST_OUTCOME_ANY.
	 */
	int (*list_outcome)(const struct merge_request *request, const struct node *const *keys,
		size_t count, struct arena *arena, enum list_outcome *ret, const struct node **by);

	/*
	 * Sets *ret to the index of the document in `roots` that is merged with `root`, which is
	 * document `n` of the result. `roots` are the documents of one input, or of a merge of
	 * several. If there is no such document, *ret becomes `count`, and *named becomes the name
	 * of `root` (see name_documents), or NULL if `root` has no name. Returns 0 or -ENOMEM.
	 * May be NULL: a result has one document.
	 */
	int (*match_document)(const struct merge_request *request, const struct node *root,
		size_t n, const struct node *const *roots, size_t count, struct arena *arena,
		size_t *ret, const struct node **named);

	/*
	 * Finds the names of documents. A name is a map that has the values by which documents are
	 * matched, and nothing else. *by becomes the list of the KEYs (key.h) of these values, or
	 * NULL if documents have no names. names[i] stays NULL if roots[i] has none of the KEYs.
	 * Returns 0 or -ENOMEM. May be NULL: a result has one document.
	 */
	int (*name_documents)(const struct merge_request *request, const struct node *const *roots,
		size_t count, struct arena *arena, const struct node **names,
		const struct node **by);

	/*
	 * Some nodes of the options name places in files. note_uses() adds to `uses` (option_use.h)
	 * each node that names a place in `document`, which is input number `input`. report_idle()
	 * reports the nodes that name a place and are not in `uses`. Both are NULL if no option
	 * names a place.
	 */
	int (*note_uses)(const struct merge_request *request, size_t input,
		const struct document *document, struct option_uses *uses);
	int (*report_idle)(const struct options *options, const struct option_uses *uses,
		int (*report)(void *context, const struct problem *problem), void *context);

	/*
	 * Returns the effect of a source's value on the values of lower sources. May be NULL: it is
	 * always STRATEGY_SAYS_VALUE.
	 */
	enum strategy_says (*says)(const struct node *value);

	/* Loads now the libraries that would be loaded at first use. May be NULL: none. */
	void (*load)(void);

	/*
	 * Merges inputs[0..count), lowest precedence first, count >= 1. Returns 0, PROBLEM or
	 * -errno.
	 */
	int (*merge)(struct merge *merge, struct merge_output *ret);
};

static inline bool strategy_gives_trees(const struct strategy *strategy)
{
	return strategy->reads_trees || strategy->gives_trees;
}

/** Returns the strategy with that name, or NULL. */
const struct strategy *strategy_find(struct span name);

/** Returns all strategies, ending with NULL, in the order of the help text. */
const struct strategy *const *strategy_all(void);

/** Returns "deep, salt, cfengine …", for messages. Static. */
const char *strategy_names(void);
