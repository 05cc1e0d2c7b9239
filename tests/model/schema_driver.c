/*
 * schema_driver REMOTES FILE...
 *
 * The directory REMOTES has the documents of http://localhost:1234/. With "formats" in its place,
 * formats are checked.
 *
 * Each FILE is one of the JSON-Schema-Test-Suite: a list of {schema, tests: [{data}]}. Prints a
 * line for each test, its parts with tabs between them:
 *
 *      FILE  GROUP  TEST  valid | invalid | refused | failed  MESSAGE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "schema.h"

static char *read_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t capacity = 0;

	*len = 0;
	while (file) {
		if (capacity - *len < 65536) {
			capacity += 1u << 20;
			text = realloc(text, capacity);
			if (!text)
				abort();
		}
		size_t got = fread(text + *len, 1, capacity - *len - 1, file);
		if (got == 0)
			break;
		*len += got;
	}
	if (!file) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return text;
}

/* Finds a document for schema_library. It lives until 16 others were found. */
static int find(void *context, struct span uri, struct schema_text *ret, struct problem *problem)
{
	static const char host[] = "http://localhost:1234/";
	static char paths[16][4096];
	static char *texts[16];
	static unsigned count;
	size_t len;

	if (!span_begins(uri, host))
		return problem_set(problem, NULL, 0, 0, "is elsewhere");
	unsigned slot = count++ % 16;
	char *path = paths[slot];
	(void)snprintf(
		path, sizeof(paths[0]), "%s/%s", (const char *)context, uri.data + strlen(host));
	char *text = read_file(path, &len);
	free(texts[slot]);
	texts[slot] = text;
	*ret = (struct schema_text){{.name = path, .layer = ""}, {text, len}, &format_json, uri};
	return 0;
}

static void print_line(
	const char *path, uint32_t group, uint32_t test, const char *verdict, const char *message)
{
	printf("%s\t%u\t%u\t%s\t%s\n", path, (unsigned)group, (unsigned)test, verdict, message);
}

static void run_test(const struct schema *schema, const struct node *data, const char *path,
	uint32_t group, uint32_t test)
{
	struct arena *arena;
	struct faults faults;
	struct problem problem;

	if (arena_new(&arena) < 0)
		abort();
	int r = schema_validate(schema, data, arena, &faults, &problem);
	if (r != 0) {
		print_line(path, group, test, "failed", r > 0 ? problem.message : "no memory");
	} else if (faults.count == 0) {
		print_line(path, group, test, "valid", "");
	} else {
		fault_problem(&faults.items[0], &problem);
		print_line(path, group, test, "invalid", problem.message);
	}
	arena_free(arena);
}

static void run_group(const struct node *group, const char *path, uint32_t number,
	struct arena *arena, char *remotes)
{
	const struct schema_library library = {find, remotes, strcmp(remotes, "formats") == 0};
	const struct limits limits = LIMITS_DEFAULT;
	const struct node *tests = node_get(group, "tests");
	const struct source source = {.name = "schema.json", .layer = ""};
	CLEANUP(schema_freep) struct schema *schema = NULL;
	struct problem problem;
	struct span text;

	int r = document_write(
		node_get(group, "schema"), &format_json, &limits, arena, &text, &problem);
	if (r == 0)
		r = schema_read(&(struct schema_text){source, text, &format_json, {NULL, 0}},
			&library, &schema, &problem);
	for (uint32_t i = 0; i < tests->seq.count; i++) {
		if (r != 0)
			print_line(
				path, number, i, "refused", r > 0 ? problem.message : "no memory");
		else
			run_test(schema, node_get(tests->seq.items[i], "data"), path, number, i);
	}
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		const struct source source = {.name = argv[i], .layer = ""};
		const struct read_options options = {.format = &format_json,
			.limits = {1u << 30, 1u << 30, 1000, 100u * 1000 * 1000}};
		CLEANUP(document_freep) struct document *document = NULL;
		struct problem problem;
		size_t len;
		CLEANUP(freep) char *text = read_file(argv[i], &len);

		if (document_read(
			    &source, (struct span){text, len}, &options, &document, &problem)) {
			fprintf(stderr, "%s: %s\n", argv[i], problem.message);
			return 1;
		}
		const struct node *root = document->roots[0];
		for (uint32_t group = 0; group < root->seq.count; group++)
			run_group(root->seq.items[group], argv[i], group, document->arena, argv[1]);
	}
	return 0;
}
