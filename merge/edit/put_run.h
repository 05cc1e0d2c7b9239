/*
 * One call of put_run(): what it works on, and the steps that a change (put_change.c) and a reset
 * (put_reset.c) have in common.
 *
 * The target's present text is in `state`. An attempt edits it, merges all inputs again, and
 * replaces `state` if the result is the wanted one. Everything that was read, edited or merged
 * lives in `keep` until put_result_free(), as trees share nodes.
 */
#pragma once

#include "edit_tree.h"
#include "put.h"

/* Everything read, edited and merged, which lives until the result is freed. */
struct put_intermediates {
	struct document **documents;
	size_t document_count;
	size_t document_capacity;
	struct edit_result **edits;
	size_t edit_count;
	size_t edit_capacity;
	struct merge_result **merges;
	size_t merge_count;
	size_t merge_capacity;
	struct merge_result *merged; /* of put_result.after */
};

/* The target after some of the ops, and the result of the merge with it. */
struct put_state {
	struct span text;
	const struct document *document; /* with extents, if no op has changed the target */
	struct merge_result *merged;     /* one of put_intermediates; NULL: no source is left */
	const struct node *root;         /* of `merged`; NULL: there is no value */
};

/* Why the first attempt for an op has failed, for the user. */
struct put_failure {
	/* has a message if the text could not be edited, or did not merge */
	struct problem problem;
	const struct node *root;         /* the result instead of the wanted one … */
	const struct refusals *refusals; /* … and the changes that locks refused in it */
};

struct put {
	const struct put_request *request;
	struct merge_request merge; /* gives the tree alone; its inputs are in `inputs` */
	struct merge_input *inputs;
	struct arena *arena;
	struct put_intermediates *keep;
	struct problem *problem;
	struct edit_op *ops;   /* an insertion that makes a list inserts the item */
	struct edit_op *meant; /* the same ops, but such an insertion sets the whole list */
	size_t count;
	struct edit_tree *wanted; /* item i: the result before op i; item `count`: after all ops */
	struct put_state before;  /* before the first op */
	struct put_state state;
	struct put_failure failure; /* of the current op */
};

/** Returns whether the target's file is absent. */
static inline bool put_is_new(const struct put *put)
{
	return !put->request->merge->inputs[put->request->target].text.data;
}

/** Returns whether an op has changed the target. Each change makes a new text. */
static inline bool put_has_changed(const struct put *put)
{
	return put->state.text.data != put->before.text.data;
}

/** Keeps the document until the result is freed. Returns 0 or -ENOMEM. */
int put_keep(struct put *put, struct document *document);

/** Merges the inputs, with that text of the target. Returns 0 with *ret, PROBLEM or -errno. */
int put_merge_with(struct put *put, struct span text, const struct document *document,
	struct put_state *ret, struct problem *problem);

/** Takes an earlier state: the one that the last put_merge_with() made is not wanted. */
void put_return_to(struct put *put, const struct put_state *state);

/** Merges the inputs below the target. *ret NULL: they give no value, or can't be merged alone. */
int put_merge_below(struct put *put, const struct node **ret);

/** As put_merge_with(), after it has removed the target from the inputs. Sets only `merged` and
 * `root` of *ret. */
int put_merge_others(struct put *put, struct put_state *ret);

/** Makes the tree of a result; `root` NULL: it has no document. Returns 0 or -ENOMEM. */
int put_tree(const struct put *put, const struct node *root, struct edit_tree *ret);

/** Returns whether the result is the wanted one. If the format writes an empty map as an empty
 * text, a result without a value counts as an empty map. */
bool put_is_wanted(const struct put *put, const struct node *root, const struct edit_tree *wanted);

/** Edits the target by `ops`. Returns 0 with *ret, which `keep` owns; PROBLEM; or -ENOMEM. */
int put_edit(const struct put *put, const struct edit_op *ops, size_t count,
	const struct edit_result **ret, struct problem *problem);

/* The merged results before and after an op, from which the op's forms (put_form()) are made. */
struct put_ground {
	const struct put *put;
	struct stream result;           /* the present result … */
	const struct edit_tree *wanted; /* … and the same documents after the op */
};

/** Fills the ground for the target's present text. Returns 0 or -ENOMEM. */
int put_make_ground(struct put *put, const struct edit_tree *wanted, struct put_ground *ret);

/*
 * Positive results of put_form(). NONE: this number has no form, but a greater number may. LAST:
 * no number from this one on has a form.
 */
enum { PUT_FORM_NONE = 3, PUT_FORM_LAST };

/**
 * Makes form `number`, from 0 on, of the op: a change of the target that has the op's effect on the
 * merged result. If *ret adds a document, ret->document is the index of the new document. Returns
 * 0, PUT_FORM_NONE, PUT_FORM_LAST or -ENOMEM.
 */
int put_form(const struct put_ground *ground, const struct edit_op *op, unsigned number,
	struct edit_op *ret);

/**
 * Finds in `root`, a document of another merge of lower inputs, the value at the op's first `count`
 * steps; items that are matched by a key may have other indexes there. Returns 0 with *ret, which
 * is NULL if there is none; or -ENOMEM.
 */
int put_follow_in(const struct put_ground *ground, const struct edit_op *op, size_t count,
	const struct node *root, const struct node **ret);

/** Makes the result have what the request's ops say; `present` is the result before. Returns as
 * put_run() does. */
int put_change(struct put *put, const struct stream *present);

/** Gives the problem of op `i`, of which no form makes the wanted result. Returns PROBLEM. */
int put_refuse(struct put *put, size_t i);

/** Does a reset, given result->before. Sets result->effect; only the caller sets PUT_CHANGED. */
int put_reset(struct put *put, struct put_result *result);
