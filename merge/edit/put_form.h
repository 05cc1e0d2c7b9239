/* A form of an op on the result: an op on the target (put.h) with the same effect on the result. */
#pragma once

#include "edit_tree.h"
#include "put.h"

/*
 * Positive results of put_form(). NONE: this number has no form, but a greater number may have one.
 * LAST: neither this number nor any greater one has a form.
 */
enum { PUT_FORM_NONE = 3, PUT_FORM_LAST };

/* The input of the functions that make the forms of an op. */
struct put_ground {
	const struct merge_request *merge;
	const struct stream *result;     /* the documents that the op applies to */
	const struct edit_tree *wanted;  /* the same documents after the op */
	const struct document *document; /* the target's; `result` shares nodes with it */
	const struct format *format;     /* of the target */
	struct arena *arena;
};

/**
 * Makes the op's form `number`, starting at 0. If *ret adds a document, ret->document is the index
 * of the new document. Returns 0, PUT_FORM_NONE, PUT_FORM_LAST or -ENOMEM.
 */
int put_form(const struct put_ground *ground, const struct edit_op *op, unsigned number,
	struct edit_op *ret);
