/*
 * Changes the texts of the golden edits (tests/edits) at each of their first places, without
 * memory. Prints TAP.
 *
 *      edits EDITS
 */
#include <dirent.h>
#include <unistd.h>

#include "../fuzz/place.h"
#include "cleanup.h"
#include "trial.h"

#define PLACES_MAX 6

struct text {
	struct span text;
	struct read_options options;
	struct edit_op ops[2];
};

static void run(void *context, struct outcome *ret)
{
	const struct text *text = context;
	const struct edit_request request = {.source = {.name = "text", .layer = ""},
		.text = text->text,
		.options = &text->options,
		.ops = text->ops,
		.count = text->ops[1].steps ? 2 : 1};
	CLEANUP(edit_result_freep) struct edit_result *result = NULL;
	struct problem problem;

	ret->r = edit_run(&request, &result, &problem);
	if (ret->r < 0)
		return;
	ret->text = ret->r == 0 ? strndup(result->text.data, result->text.len)
				: strdup(problem.message);
	if (!ret->text)
		ret->r = -ENOMEM;
}

static void try_place(struct text *text, const char *name, const struct place *place)
{
	static const char *const kinds[] = {"set", "remove", "add to", "insert into"};
	CLEANUP(document_freep) struct document *value = place_new_value(5);
	CLEANUP(document_freep) struct document *lines = place_new_value(3);
	struct edit_step steps[PLACE_STEPS_MAX];

	memcpy(steps, place->steps, sizeof(steps));
	for (unsigned kind = 0; kind < 4; kind++) {
		CLEANUP(freep) char *title = NULL;

		memset(text->ops, 0, sizeof(text->ops));
		text->ops[0] = (struct edit_op){.kind = kind == 1 ? EDIT_REMOVE : EDIT_SET,
			.steps = steps,
			.count = place->count,
			.value = value->roots[0]};
		if (kind == 2)
			steps[text->ops[0].count++] =
				(struct edit_step){.key = value->roots[0]->seq.items[0]};
		if (kind == 3) {
			text->ops[0].kind = EDIT_INSERT;
			text->ops[0].value = lines->roots[0];
			steps[place->count] = (struct edit_step){.index = 0};
			text->ops[0].count = place->count + 1;
			/* Several edits at once. */
			text->ops[1] = text->ops[0];
		}
		if (asprintf(&title, "%s: %s place %zu", name, kinds[kind], place->count) < 0)
			abort();
		trial_run(&(struct trial){.name = title, .run = run, .context = text});
	}
}

static struct span read_file(const char *path)
{
	static char text[1 << 16];
	FILE *stream = fopen(path, "re");
	size_t len = stream ? fread(text, 1, sizeof(text) - 1, stream) : 0;

	if (!stream || fclose(stream) != 0)
		abort();
	text[len] = '\0';
	return (struct span){text, len};
}

static void try_file(const char *path, const char *name)
{
	struct text text = {.text = read_file(path), .options.format = format_of_name(path)};
	CLEANUP(document_freep) struct document *document = NULL;
	struct place place;

	if (!fuzz_read(text.text, &text.options, &document) || !document->count)
		return;
	for (unsigned i = 0; i < PLACES_MAX && place_choose(&place, document->roots[0], i); i++)
		try_place(&text, name, &place);
}

static void try_folder(const char *directory, const char *name)
{
	CLEANUP(freep) char *path = NULL;

	for (const struct format *const *at = format_all(); *at; at++) {
		if (asprintf(&path, "%s/%s/before.%.*s", directory, name,
			    (int)strcspn((*at)->suffixes, ","), (*at)->suffixes) < 0)
			abort();
		if (access(path, R_OK) == 0)
			try_file(path, name);
		free(take_ptr(path));
	}
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int count = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1;

	if (count < 0) {
		fprintf(stderr, "usage: edits EDITS\n");
		return 2;
	}
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_type == DT_DIR && entries[i]->d_name[0] != '.')
			try_folder(argv[1], entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return trial_end();
}
