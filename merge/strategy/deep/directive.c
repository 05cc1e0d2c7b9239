#include "deep.h"
#include "scalar.h"

static const struct {
	const char *tag;
	enum directive directive;
} directives[] = {
	{"!replace", DIRECTIVE_REPLACE},
	{"!override", DIRECTIVE_REPLACE},
	{"!delete", DIRECTIVE_DELETE},
	{"!reset", DIRECTIVE_DELETE},
	{"!append", DIRECTIVE_APPEND},
	{"!prepend", DIRECTIVE_PREPEND},
	{"!unique", DIRECTIVE_UNIQUE},
};

#define DIRECTIVES (sizeof(directives) / sizeof(directives[0]))

enum directive directive_of(const struct node *node)
{
	if (!node->tag || node->tag[0] != '!')
		return DIRECTIVE_NONE;
	for (size_t i = 0; i < DIRECTIVES; i++)
		if (strcmp(node->tag, directives[i].tag) == 0)
			return directives[i].directive;
	return DIRECTIVE_NONE;
}

enum strategy_says directive_says(const struct node *value)
{
	enum directive directive = directive_of(value);

	if (directive == DIRECTIVE_REPLACE || directive == DIRECTIVE_DELETE)
		return STRATEGY_SAYS_REMOVE;
	return scalar_is_empty(value) ? STRATEGY_SAYS_NOTHING : STRATEGY_SAYS_VALUE;
}

/*
 * Returns the length of the tag at `at`, which is a "!". A "!" in a comment or a text does no harm.
 */
static size_t tag_length(const char *at, const char *end)
{
	const char *stop = at + 1;

	while (stop < end && (unsigned char)*stop > ' ' && *stop != '!')
		stop++;
	return (size_t)(stop - at);
}

static bool is_or_begins_with_directive(struct span tag)
{
	for (size_t i = 0; i < DIRECTIVES; i++)
		if (span_begins(tag, directives[i].tag))
			return true;
	return false;
}

bool directive_may_be_in(const struct merge_input *input)
{
	const char *at = input->text.data;

	if (!format_has_tags(format_of_tree(input->format)) || input->text.len == 0)
		return false;
	const char *end = at + input->text.len;
	/* A tag may also contain %xx, or a handle that %TAG declares. */
	bool has_percent = memchr(at, '%', input->text.len);
	if (has_percent && memmem(at, input->text.len, "%TAG", strlen("%TAG")))
		return true;
	while ((at = memchr(at, '!', (size_t)(end - at)))) {
		size_t len = tag_length(at, end);

		if (is_or_begins_with_directive((struct span){at, len}) ||
			(has_percent && memchr(at, '%', len)))
			return true;
		at += len;
	}
	return false;
}

/* Recurses as deep as the reader allowed. */
static bool is_tagged(const struct node *node)
{
	if (directive_of(node) != DIRECTIVE_NONE)
		return true;
	for (uint32_t i = 0; i < node_count(node); i++)
		if (is_tagged(*node_entry(node, i)) ||
			(node_is_map(node) && is_tagged(node->map.pairs[i].key)))
			return true;
	return false;
}

bool directive_is_in(const struct document *document)
{
	for (size_t i = 0; document->has_local_tags && i < document->count; i++)
		if (is_tagged(document->roots[i]))
			return true;
	return false;
}
