#include "schema.h"

#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "loop.h"
#include "reading.h"

static int index_specs(struct reading *reading)
{
	int r = 0;

	for (const struct keyword_spec *spec = keyword_specs; r == 0 && spec->name; spec++)
		r = table_put(&reading->specs, reading->schema->arena, span_of(spec->name),
			(void *)(uintptr_t)spec);
	return r;
}

int schema_read(const struct schema_text *text, const struct schema_library *library,
	struct schema **ret, struct problem *problem)
{
	CLEANUP(schema_freep) struct schema *schema = calloc(1, sizeof(*schema));

	if (!schema)
		return -ENOMEM;
	struct reading reading = {.schema = schema, .library = library, .problem = problem};
	int r = arena_new(&schema->arena);
	if (r == 0)
		r = index_specs(&reading);
	if (r == 0)
		r = reading_document(&reading, text, DRAFT_2020_12, &schema->root);
	if (r == 0)
		r = reading_resolve(&reading);
	if (r == 0)
		r = loop_find(&reading);
	if (r != 0)
		return r;
	*ret = take_ptr(schema);
	return 0;
}

void schema_free(struct schema *schema)
{
	if (!schema)
		return;
	for (uint32_t i = 0; i < schema->pattern_count; i++)
		pattern_free(schema->patterns[i]);
	for (uint32_t i = 0; i < schema->document_count; i++)
		document_free(schema->documents[i]);
	arena_free(schema->arena);
	free(schema);
}

void schema_freep(struct schema **schema)
{
	schema_free(*schema);
}
