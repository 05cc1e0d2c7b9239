/* A form of an op: a change of the target (put.h) that has the op's effect on the merged result. */
#pragma once

#include "edit_tree.h"
#include "put.h"

/*
 * Positive results of put_form(). NONE: there is no form of that number, but the next number may
 * have one. LAST: neither that number nor a greater one has a form.
 */
enum { PUT_FORM_NONE = 3, PUT_FORM_LAST };

/* The input of the functions that make the forms of an op. */
struct put_ground {
	const struct merge_request *merge;
	const struct stream *result;    /* the documents that the op applies to */
	const struct edit_tree *wanted; /* the same documents after the op */
	/* the target's documents; `result` shares nodes with them */
	const struct document *document;
	const struct format *format; /* of the target */
	struct arena *arena;
};

/**
 * Makes the form `number` of the op; numbers start at 0. *ret is an op on the target. ret->document
 * is the index of a document in the target. But if *ret adds a document, ret->document is
 * the number of documents that the target has. Returns 0, PUT_FORM_NONE, PUT_FORM_LAST or -ENOMEM.
 */
int put_form(const struct put_ground *ground, const struct edit_op *op, unsigned number,
	struct edit_op *ret);
