/* A strategy: one way to merge sources into one file. The table of strategies is in strategy.c. */
#pragma once

#include "merge.h"
#include "option.h"

/* One run of a strategy. */
struct merge {
	const struct merge_request *request;
	const struct merge_input *inputs; /* with documents, if the strategy reads trees */
	size_t count;
	struct arena *arena;     /* for new nodes and text; lives as long as the result */
	struct problem *problem; /* filled when PROBLEM is returned */
	struct merge_result *result;
	struct origins *origins; /* records the decisions; NULL: off (origin.h) */
	/* the caller's environment; request->environment calls it, and notes the found sources */
	const struct merge_environment *asked;
};

/** Gives the document to the result. Returns 0, or -ENOMEM: the caller still owns the document. */
int merge_adopt(struct merge *merge, struct document *document);

/**
 * Writes the text of `result`, which merge_run() made of `request`, but as a tree (`wants_tree`).
 * There must have been several inputs: the text of a single one may be a copy. Returns 0, PROBLEM
 * or -errno.
 */
int merge_write(
	const struct merge_request *request, struct merge_result *result, struct problem *problem);

struct merge_output;
struct option_uses;

/** Sets *ret to the unchanged text of `input`, and records its origin. Returns 0 or -ENOMEM. */
int merge_give_text(struct merge *merge, const struct merge_input *input, struct merge_output *ret);

/** Returns false if the source of `value` has a format without tags. */
bool merge_may_have_tag(const struct merge *merge, const struct node *value);

/* An option of strategies that put sources one after the other. */
#define STRATEGY_ORDER_OPTION                                                                      \
	{                                                                                          \
		"order", OPTION_CHOICE, "lowest-first", "lowest-first|highest-first",              \
			"the order of the files; choose highest-first for programs that take the " \
			"first of several values"                                                  \
	}

/** Returns whether the option `order` puts the highest source first. */
bool strategy_is_highest_first(const struct merge *merge);

/**
 * Refuses a source's root `value` if its kind differs from that of `below`, the root of the lower
 * sources: one of the two files is probably broken (a forgotten colon, an error page). If a root
 * has a tag, or `below` is a null, the kinds may differ. The problem is at `below` if `below` is a
 * scalar, else at `value`. The message suggests `tag`, which allows another kind; NULL: no tag
 * allows it. Returns 0 or PROBLEM.
 */
int merge_check_root(const struct merge *merge, const struct node *below, const struct node *value,
	const char *tag);

/**
 * Finds the only root that is not empty. Returns 0 (*ret NULL: all roots are empty); or PROBLEM, if
 * a second root is not empty.
 */
int merge_only_root(
	const struct merge *merge, const struct document *document, const struct node **ret);

/* The output of a strategy: bytes, or a tree that merge_run() writes in the requested format. */
struct merge_output {
	const struct node *root; /* without `text`: the tree; NULL: an empty file */
	/* comment lines, with newlines, before a tree; left out if they do not begin with the
	 * comment sign of the requested format */
	struct span head;
	/* the file, NUL-terminated, in the merge's arena; its data is NULL: the output is a tree */
	struct span text;
};

/* The sources that a strategy reads. */
enum strategy_takes { STRATEGY_TAKES_ALL, STRATEGY_TAKES_HIGHEST, STRATEGY_TAKES_LOWEST };

/* How the lists of two sources at one place combine. */
enum list_outcome {
	LIST_OUTCOME_ANY,    /* unknown before the merge */
	LIST_OUTCOME_WHOLE,  /* one list replaces the other */
	LIST_OUTCOME_PARTS,  /* the result has the items of both */
	LIST_OUTCOME_UNIQUE, /* the result has the items of both, equal ones once */
	LIST_OUTCOME_BY_KEY, /* items with the same value at a key are merged */
};

/* The effect of a source's value on the values that lower sources have at its place. */
enum strategy_says {
	STRATEGY_SAYS_VALUE,   /* the source's value replaces or extends the lower ones */
	STRATEGY_SAYS_NOTHING, /* the lower values stay */
	STRATEGY_SAYS_REMOVE,  /* a tag removes the lower values, whatever the source's value is */
};

/* The trees of a strategy: of its inputs, and of its result. */
enum strategy_trees {
	STRATEGY_TREES_NONE,  /* merge() gets texts, and gives a text */
	STRATEGY_TREES_GIVEN, /* merge() gets texts, and gives a tree */
	STRATEGY_TREES_READ,  /* the inputs' documents are read before merge(); it gives a tree */
};

/* How the sources of a strategy are read. */
enum strategy_reads {
	STRATEGY_READS_FORMAT, /* as their format says */
	/* as Salt does: read_options.keep_duplicates, and 0644 is 644: NODE_SALT instead of
	 * NODE_YAML_1_1 */
	STRATEGY_READS_SALT,
	STRATEGY_READS_PYYAML, /* read_options.as_pyyaml */
};

struct strategy {
	const char *name;
	const char *summary;               /* a phrase without a full stop, for help texts */
	const struct option_spec *options; /* ends with a NULL name; may be NULL */
	enum strategy_takes takes;
	enum strategy_trees trees;
	enum strategy_reads reads;
	const char *tags; /* "!a, !b": tags that the strategy understands; NULL: none */

	/* Returns whether `only`, the only source, is shown byte for byte. NULL: never. */
	bool (*is_verbatim)(const struct merge_input *only);

	/*
	 * For a strategy that joins the lines of inputs; else NULL. Returns "", or a word such as
	 * "-": a line "-LINE" removes each line LINE above it, and each in lower inputs.
	 */
	const char *(*remover)(const struct options *options);

	/*
	 * Checks conditions that the member `options` can't express. Returns 0, PROBLEM or -ENOMEM.
	 * May be NULL.
	 */
	int (*check)(const struct options *options, struct problem *problem);

	/*
	 * Finds how lists combine at the place to which `keys` lead. With LIST_OUTCOME_BY_KEY, *by
	 * is for item_key_find() (item_key.h). Returns 0 or -ENOMEM. NULL: always LIST_OUTCOME_ANY.
	 */
	int (*list_outcome)(const struct merge_request *request, const struct node *const *keys,
		size_t count, struct arena *arena, enum list_outcome *ret, const struct node **by);

	/*
	 * `root` is document `n` of the result, and `roots` are the documents of one input, or of
	 * a merge. Sets *ret to the index in `roots` of the document that is merged with `root`. If
	 * there is no such document, *ret becomes `count`, and *named becomes the name of `root`
	 * (name_documents), or NULL. Returns 0 or -ENOMEM. NULL: a result has one document.
	 */
	int (*match_document)(const struct merge_request *request, const struct node *root,
		size_t n, const struct node *const *roots, size_t count, struct arena *arena,
		size_t *ret, const struct node **named);

	/*
	 * Finds the names of documents. A name is a map of the values by which documents are
	 * matched. *by becomes the list of the KEYs (key.h) of these values, or NULL: documents
	 * have no names. If roots[i] has none of the KEYs, names[i] stays NULL. Returns 0 or
	 * -ENOMEM. NULL: a result has one document.
	 */
	int (*name_documents)(const struct merge_request *request, const struct node *const *roots,
		size_t count, struct arena *arena, const struct node **names,
		const struct node **by);

	/*
	 * For nodes of the options that name places in files (option_use.h); NULL: there are none.
	 * note_uses() adds to `uses` the nodes whose place is in `document`, the document of the
	 * input with the index `input`. report_idle() reports the nodes that are not in `uses`.
	 */
	int (*note_uses)(const struct merge_request *request, size_t input,
		const struct document *document, struct option_uses *uses);
	int (*report_idle)(const struct options *options, const struct option_uses *uses,
		int (*report)(void *context, const struct problem *problem), void *context);

	/* Returns the effect of a source's value. NULL: always STRATEGY_SAYS_VALUE. */
	enum strategy_says (*says)(const struct node *value);

	/* Loads the libraries that would be loaded at first use. NULL: there is none. */
	void (*load)(void);

	/* Merges the inputs, the lowest first; at least one. Returns 0, PROBLEM or -errno. */
	int (*merge)(struct merge *merge, struct merge_output *ret);
};

static inline bool strategy_reads_trees(const struct strategy *strategy)
{
	return strategy->trees == STRATEGY_TREES_READ;
}

static inline bool strategy_gives_trees(const struct strategy *strategy)
{
	return strategy->trees != STRATEGY_TREES_NONE;
}

/** Returns the strategy with that name, or NULL. */
const struct strategy *strategy_find(struct span name);

/** Returns all strategies, ending with NULL, in the order of the help text. */
const struct strategy *const *strategy_all(void);

/** Returns "deep, salt, cfengine …", for messages. Static. */
const char *strategy_names(void);
