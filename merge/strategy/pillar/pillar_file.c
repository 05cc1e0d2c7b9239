#include "pillar_file.h"

#include <errno.h>

int pillar_files_add(struct pillar_files *files, const struct merge_input *inputs, size_t count,
	struct pillar_file **ret)
{
	const char *name = inputs[count - 1].source.name;
	void **place = table_place(&files->files, files->arena, span_of(name));
	struct pillar_file *file = place ? *place : NULL;

	if (!file)
		file = arena_alloc(files->arena, sizeof(*file));
	if (!place || !file)
		return -ENOMEM;
	if (!*place)
		*file = (struct pillar_file){
			.name = name, .inputs = inputs, .count = count, .number = files->count++};
	*ret = *place = file;
	return 0;
}

/* Asks the environment. "inner/a" below "zones" is "a.yaml" below "zones/inner". */
static int ask(struct pillar_files *files, const char *name, const struct merge_input **ret,
	size_t *count, struct problem *problem)
{
	const struct merge_environment *environment = files->environment;
	const char *slash = strrchr(name, '/');
	const char *directory = files->directory;
	const char *file = arena_printf(files->arena, "%s" PILLAR_SUFFIX, slash ? slash + 1 : name);

	if (slash)
		directory = arena_printf(files->arena, "%s%s%.*s", directory, *directory ? "/" : "",
			(int)(slash - name), name);
	if (!file || !directory)
		return -ENOMEM;
	return environment->find(environment->context, directory, file, ret, count, problem);
}

int pillar_files_find(struct pillar_files *files, const char *name, struct pillar_file **ret,
	struct problem *problem)
{
	const struct merge_input *inputs;
	size_t count = 0;

	*ret = table_get(&files->calls, span_of(name));
	if (*ret)
		return 0;
	if (!files->environment)
		return MERGE_ABSENT;
	int r = ask(files, name, &inputs, &count, problem);
	if (r != 0)
		return r;
	if (count == 0)
		return MERGE_ABSENT;
	r = pillar_files_add(files, inputs, count, ret);
	return r == 0 ? table_put(&files->calls, files->arena, span_of(name), *ret) : r;
}

struct pillar_built *pillar_file_built(
	const struct pillar_files *files, const struct pillar_file *file, size_t *work)
{
	for (struct pillar_built *built = file->built; built; built = built->next) {
		bool is_same = true;

		for (size_t i = 0; is_same && i < built->looked.count; i++) {
			uint64_t then = i < built->was_open.count ? built->was_open.words[i] : 0;
			uint64_t now = i < files->open.count ? files->open.words[i] : 0;

			is_same = (built->looked.words[i] & now) == then;
		}
		*work += 1 + built->looked.count;
		if (is_same)
			return built;
	}
	return NULL;
}

bool pillar_set_has(const struct pillar_set *set, const struct pillar_file *file)
{
	size_t word = file->number / 64;

	return word < set->count && set->words[word] >> file->number % 64 & 1;
}

bool pillar_set_is_empty(const struct pillar_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->words[i])
			return false;
	return true;
}

static int reserve(struct pillar_set *set, size_t count, struct arena *arena)
{
	uint64_t *words;

	if (count <= set->count)
		return 0;
	/* Files get ascending numbers. To grow by one word each time would copy too often. */
	count += count / 2;
	words = arena_zalloc(arena, count, sizeof(*words));
	if (!words)
		return -ENOMEM;
	if (set->count > 0)
		memcpy(words, set->words, set->count * sizeof(*words));
	*set = (struct pillar_set){words, count};
	return 0;
}

int pillar_set_add(struct pillar_set *set, const struct pillar_file *file, struct arena *arena)
{
	int r = reserve(set, file->number / 64 + 1, arena);

	if (r == 0)
		set->words[file->number / 64] |= (uint64_t)1 << file->number % 64;
	return r;
}

int pillar_set_add_all(struct pillar_set *set, const struct pillar_set *other, struct arena *arena)
{
	int r = reserve(set, other->count, arena);

	for (size_t i = 0; r == 0 && i < other->count; i++)
		set->words[i] |= other->words[i];
	return r;
}

int pillar_set_common(const struct pillar_set *a, const struct pillar_set *b, struct arena *arena,
	struct pillar_set *ret)
{
	struct pillar_set common = {0};
	size_t count = a->count < b->count ? a->count : b->count;
	int r = reserve(&common, count, arena);

	if (r != 0)
		return r;
	for (size_t i = 0; i < count; i++)
		common.words[i] = a->words[i] & b->words[i];
	*ret = common;
	return 0;
}

void pillar_set_remove(struct pillar_set *set, const struct pillar_file *file)
{
	if (file->number / 64 < set->count)
		set->words[file->number / 64] &= ~((uint64_t)1 << file->number % 64);
}
