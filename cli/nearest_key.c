#include "nearest_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "excerpt.h"
#include "message.h"
#include "place.h"
#include "word.h"

/* Maximum number of one map's keys that are compared with the KEY. */
#define COMPARED_MAX 10000

/* Maximum size of a compared name, in bytes; a longer one is hardly a misspelling. */
#define WORD_SIZE 32

/* Size of a value in the message, in bytes. */
#define EXCERPT_SIZE 40

/* Returns the key of `map` with the most similar name; NULL: none is similar. */
static const struct node *find_similar(const struct node *map, struct span name)
{
	const struct node *best = NULL;

	for (uint32_t i = 0; i < map->map.count && i < COMPARED_MAX; i++) {
		const struct node *key = map->map.pairs[i].key;
		char words[2 * WORD_SIZE + 2];
		struct span nearest;

		/* A list of words can't contain other keys (word.h). */
		if (!node_is_scalar(key) || key->text.len > WORD_SIZE ||
			key->text.len != strcspn(key->text.data, ", "))
			continue;
		/* Of equally similar keys the first one wins. */
		snprintf(
			words, sizeof(words), "%s,%s", best ? best->text.data : "", key->text.data);
		if (word_nearest(words, name, &nearest) && span_equal(nearest, key->text))
			best = key;
	}
	return best;
}

struct key_search {
	const struct key_part *part;
	char *found; /* the KEY that was found */
};

static int look(void *context, const struct explained_value *value)
{
	struct key_search *search = context;
	const struct node *key = value->place ? value->place->step.key : NULL;

	if (!key || !key_names(search->part, key, value->value, false))
		return 0;
	struct span text = key_text_span(value->key);
	search->found = strndup(text.data, text.len);
	return 1;
}

static char *find_part(const struct key_part *part, const struct explanation *explanation)
{
	const struct stream *stream = &explanation->stream;
	struct key_search search = {.part = part};
	struct key_text key = {0};

	for (size_t i = 0; i < stream->count && !search.found; i++) {
		const struct explained_value root = {.value = stream->roots[i], .key = &key};

		key_text_cut(&key, 0);
		stream_put(stream, i, &key);
		explained_value_each(NULL, &root, look, &search);
	}
	key_text_fini(&key);
	return search.found;
}

/*
 * Finds a key of that name anywhere. The rest of the KEY may be one name that has dots and lacks
 * quotes.
 */
static char *find_elsewhere(
	const struct key *key, size_t depth, const struct explanation *explanation)
{
	size_t start = depth > 0 ? key->parts[depth - 1].end : key->start;
	const char *rest = key->text + start + (start > 0 && key->text[start] == '.');
	const struct key_part whole = {.name = span_of(rest)};
	char *found = find_part(&whole, explanation);

	return found ? found : find_part(&key->parts[depth], explanation);
}

/* Makes the KEY of `key` in the map to which `text` leads. */
static char *join(const struct key_text *text, const struct node *key)
{
	struct key_text joined = {0};
	char *result = NULL;

	/* The part that was found is formatted anew, so that the suggested KEY can be parsed. */
	if (text->len > 0)
		key_text_put_text(&joined, key_text_span(text));
	key_text_put(&joined, key);
	if (!joined.has_failed)
		result = strdup(joined.data);
	key_text_fini(&joined);
	return result;
}

/* Returns the KEY of a similar key in `in`, to which `text` leads; NULL: there is none. */
static char *find_in(const struct node *in, const struct key_text *text, struct span name)
{
	const struct node *similar = node_is_map(in) ? find_similar(in, name) : NULL;

	return similar ? join(text, similar) : NULL;
}

/* Does the same in the first document that has one. */
static char *find_in_documents(const struct explanation *explanation, struct span name)
{
	const struct stream *stream = &explanation->stream;
	struct key_text text = {0};
	char *found = NULL;

	for (size_t i = 0; !found && i < stream->count; i++) {
		key_text_cut(&text, 0);
		stream_put(stream, i, &text);
		found = find_in(stream->roots[i], &text, name);
	}
	key_text_fini(&text);
	return found;
}

/* Reports that no document fits, with the names of those that are there. */
static int report_documents(
	const char *path, const struct key *key, const struct explanation *explanation)
{
	const struct stream *stream = &explanation->stream;
	CLEANUP(key_text_fini) struct key_text forms = {0};
	size_t i = 0;

	for (; i < stream->count && forms.len < PROBLEM_MESSAGE_MAX / 2; i++) {
		if (i)
			key_text_put_text(&forms, span_of(", "));
		stream_put(stream, i, &forms);
	}
	if (stream->count > 1)
		return message_at(path, "has no '%s'; its documents are %.*s%s", key->text,
			(int)forms.len, forms.data, i < stream->count ? " …" : "");
	return message_at(path, "has no '%s'", key->text);
}

/* Returns whether the KEY begins as the name of a document does, and fits none. */
static bool is_document(const struct key *key, const struct explanation *explanation, size_t depth)
{
	const struct stream *stream = &explanation->stream;

	return key->document == KEY_ANY_DOCUMENT && (stream->count > 1 || stream->by) &&
	       depth == 0 && key->count && key->parts[0].is_bracket && key->parts[0].value.data;
}

int nearest_key_report(const char *path, const struct key *key,
	const struct explained_file *subject, const struct explained *at, size_t depth)
{
	const struct explanation *explanation = subject->explanation;
	const struct node *in = at->at.value;
	struct span place = key_text_span(&at->key);
	CLEANUP(freep) char *meant = NULL;

	if (!in || is_document(key, explanation, depth))
		return report_documents(path, key, explanation);
	if (depth == 0 && key->document == KEY_ANY_DOCUMENT)
		meant = find_in_documents(explanation, key->parts[depth].name);
	else
		meant = find_in(in, &at->key, key->parts[depth].name);
	if (!meant)
		meant = find_elsewhere(key, depth, explanation);
	if (meant)
		return message_at(path, "has no '%s'; did you mean '%s'?", key->text, meant);
	if (!node_is_scalar(in))
		return message_at(path, "has no '%s'; '%.*s' is %s of %u %s", key->text,
			(int)place.len, place.data, node_kind_name(in), (unsigned)node_count(in),
			node_is_map(in) ? "keys" : "items");
	char value[EXCERPT_SIZE] = "";
	if (!place_is_secret(subject->settings))
		excerpt(in, value, sizeof(value));
	return message_at(path, "has no '%s'; '%.*s' is a scalar%s%s", key->text, (int)place.len,
		place.data, *value ? ": " : "", value);
}
