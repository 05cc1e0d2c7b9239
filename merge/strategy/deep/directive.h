/*
 * A directive: a tag that says how its value meets what lies below it. It acts where it stands and
 * is no part of the value.
 */
#pragma once

#include "merge.h"

enum directive {
	DIRECTIVE_NONE,
	DIRECTIVE_REPLACE,
	DIRECTIVE_DELETE,
	DIRECTIVE_APPEND,
	DIRECTIVE_PREPEND,
	DIRECTIVE_UNIQUE,
};

/** The directive that the node's tag is. */
enum directive directive_of(const struct node *node);

/** Whether the source may hold directives; false is certain. Looks at the text alone. */
bool directive_may_be_in(const struct merge_input *input);

/** Whether a node of the document is tagged with one. Exact, and cheap where no tag is in it. */
bool directive_is_in(const struct document *document);
