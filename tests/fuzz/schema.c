/*
 * A schema and a document, with a NUL byte between them: the one is read or refused, the other is
 * judged or given up.
 */
#include <stdlib.h>
#include <string.h>

#include "schema.h"

int LLVMFuzzerTestOneInput(const char *data, size_t size);

static void judge(const struct schema *schema, struct span text)
{
	const struct source source = {.name = "document", .layer = ""};
	const struct read_options options = {.format = &format_yaml};
	struct document *document;
	struct arena *arena;
	struct faults faults;
	struct problem problem;

	if (document_read(&source, text, &options, &document, &problem) != 0)
		return;
	if (arena_new(&arena) < 0)
		abort();
	for (size_t i = 0; i < document->count; i++)
		(void)schema_validate(schema, document->roots[i], arena, &faults, &problem);
	arena_free(arena);
	document_free(document);
}

int LLVMFuzzerTestOneInput(const char *data, size_t size)
{
	const struct source source = {.name = "schema", .layer = ""};
	const char *end = size ? memchr(data, '\0', size) : NULL;
	size_t len = end ? (size_t)(end - data) : size;
	struct schema *schema;
	struct problem problem;

	if (schema_read(&source, (struct span){data, len}, &format_yaml, &schema, &problem) != 0)
		return 0;
	if (end)
		judge(schema, (struct span){end + 1, size - len - 1});
	schema_free(schema);
	return 0;
}
