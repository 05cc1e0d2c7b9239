/*
 * A schema, a document, and a document to which the schema may refer, with a byte 0xFF between
 * them. The schema is read or refused. The
 * document is judged or given up, the same each time.
 */
#include "schema.h"
#include "cleanup.h"
#include "fuzz.h"

static int validate(const struct schema *schema, const struct node *root, struct arena *arena,
	struct faults *ret, struct problem *problem)
{
	int r = schema_validate(schema, root, arena, ret, problem);

	if (r < 0)
		fuzz_stop("the environment did not fail", span_of(""));
	if (r == PROBLEM)
		fuzz_check_problem(problem);
	return r;
}

static void judge(const struct schema *schema, const struct node *root)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct faults faults = {0}, again = {0};
	struct problem problem;

	if (arena_new(&arena) < 0)
		return;
	int r = validate(schema, root, arena, &faults, &problem);
	if (r != validate(schema, root, arena, &again, &problem))
		fuzz_stop("a tree is judged, and then given up", span_of(problem.message));
	if (r != 0)
		return;
	if (faults.count != again.count || faults.more != again.more || faults.count > FAULTS_MAX)
		fuzz_stop("a tree has the same faults each time", span_of(""));
	for (uint32_t i = 0; i < faults.count; i++) {
		if (strcmp(faults.items[i].rule, again.items[i].rule) != 0)
			fuzz_stop("a fault breaks one rule", span_of(faults.items[i].rule));
		(void)fault_problem(&faults.items[i], &problem);
		fuzz_check_problem(&problem);
	}
}

/* Finds one document at each URI of a file: the third text of the input. */
static int find_other(
	void *context, struct span uri, struct schema_text *ret, struct problem *problem)
{
	const struct span *other = context;

	if (!span_begins(uri, "file:"))
		return problem_set(problem, NULL, 0, 0, "is elsewhere");
	*ret = (struct schema_text){
		{.name = "other", .layer = ""}, *other, &format_yaml, span_of("file:///a/other")};
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct read_options options = {.format = &format_yaml, .limits = FUZZ_LIMITS};
	struct fuzz_input input = {data, size};
	CLEANUP(fuzz_text_fini) struct span text = fuzz_text(&input);
	CLEANUP(fuzz_text_fini) struct span tree = fuzz_text(&input);
	CLEANUP(fuzz_text_fini) struct span other = fuzz_text(&input);
	const struct schema_library library = {find_other, &other, true};
	const struct schema_text own = {
		{.name = "schema", .layer = ""}, text, &format_yaml, span_of("file:///a/schema")};
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(schema_freep) struct schema *schema = NULL;
	struct problem problem;

	int r = schema_read(&own, &library, &schema, &problem);
	if (r == PROBLEM)
		fuzz_check_problem(&problem);
	if (r != 0 || !fuzz_read(tree, &options, &document))
		return 0;
	for (size_t i = 0; i < document->count; i++)
		judge(schema, document->roots[i]);
	return 0;
}
