#include "blame_author.h"

#include "array.h"
#include "message.h"

struct blame_file {
	const struct store_place *place;
	struct line_authors *authors; /* NULL: they can't be found */
};

static const struct blame_file *find(
	const struct blame_authors *authors, const struct store_place *place)
{
	for (size_t i = 0; i < authors->count; i++)
		if (authors->files[i].place == place)
			return &authors->files[i];
	return NULL;
}

static const struct blame_file *ask(struct blame_authors *authors, const struct store_place *place)
{
	struct blame_file file = {.place = place};
	struct problem problem;

	if (array_grow(authors->files, authors->count, authors->capacity) < 0)
		return NULL;
	int r = line_authors_read(
		place->store, place->revision, place->name, &file.authors, &problem);
	if (r != 0)
		message_result(r, &problem, place->text);
	authors->files[authors->count] = file;
	return &authors->files[authors->count++];
}

const struct line_author *blame_author(struct blame_authors *authors, const struct line *line)
{
	const struct store_place *place =
		line->source ? store_places_find(authors->places, line->source) : NULL;

	if (!place || place->store->kind != STORE_GIT || !*place->revision)
		return NULL;
	const struct blame_file *file = find(authors, place);
	if (!file)
		file = ask(authors, place);
	return file && file->authors ? line_authors_get(file->authors, line->source_line) : NULL;
}

void blame_authors_fini(struct blame_authors *authors)
{
	for (size_t i = 0; i < authors->count; i++)
		line_authors_free(authors->files[i].authors);
	free(authors->files);
}
