#include "schema.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "cleanup.h"
#include "reading.h"

/*
 * The search for loops. A loop is a schema that applies itself once more to the same value,
 * directly or through other schemas: validation by it would never end.
 *
 *      {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}
 *
 * A schema that applies itself only to entries of the value is no loop.
 */
enum visit { VISIT_NOT_YET, VISIT_OPEN, VISIT_DONE };

/* The state of the search in one subschema. A recursive search would be as deep as the document is
 * long. */
struct loop_frame {
	struct subschema *subschema;
	uint32_t keyword;
	uint32_t member;
};

struct loop_search {
	struct loop_frame *frames;
	size_t count;
	size_t capacity;
};

/* Returns the `i`-th subschema that a keyword applies in place; NULL: there is none. */
static struct subschema *target_of(const struct keyword *keyword, uint32_t i)
{
	/* The target of a dynamic reference is known only in a run. */
	if (keyword->spec->role != KEYWORD_IN_PLACE || keyword->dynamic.data)
		return NULL;
	if (keyword->target)
		return i == 0 ? keyword->target : NULL;
	return i < keyword->count ? keyword->members[i].target : NULL;
}

static int open(struct loop_search *search, struct subschema *subschema)
{
	subschema->visit = VISIT_OPEN;
	return array_push(search->frames, search->count, search->capacity,
		(struct loop_frame){subschema, 0, 0});
}

static int step(struct loop_search *search, struct problem *problem)
{
	struct loop_frame *frame = &search->frames[search->count - 1];

	if (frame->keyword == frame->subschema->count) {
		frame->subschema->visit = VISIT_DONE;
		search->count--;
		return 0;
	}
	const struct keyword *keyword = &frame->subschema->keywords[frame->keyword];
	struct subschema *target = target_of(keyword, frame->member++);
	if (!target) {
		frame->keyword++;
		frame->member = 0;
		return 0;
	}
	if (target->visit == VISIT_OPEN)
		return problem_at(problem, keyword->value,
			"the schema in line %u leads back to itself here, without a step into the "
			"value: it would never come to an end; remove the reference",
			(unsigned)target->node->line);
	return target->visit == VISIT_DONE ? 0 : open(search, target);
}

static int search_from(
	struct loop_search *search, struct subschema *subschema, struct problem *problem)
{
	int r = subschema->visit == VISIT_NOT_YET ? open(search, subschema) : 0;

	while (r == 0 && search->count)
		r = step(search, problem);
	return r;
}

/*
 * Searches for a loop. Does not follow dynamic references, whose targets are known only in a run.
 * Returns 0, PROBLEM at a keyword that closes a loop, or -ENOMEM.
 */
static int loop_find(struct reading *reading)
{
	struct loop_search search = {0};
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < reading->found_count; i++)
		r = search_from(&search, reading->found[i], reading->problem);
	free(search.frames);
	return r;
}

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
