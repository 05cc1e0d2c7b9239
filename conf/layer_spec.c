#include "layer_spec.h"

#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "node.h"
#include "outside.h"
#include "text.h"
#include "value.h"

static const struct layer_spec *find_named(const struct layer_spec *specs, size_t count,
	const struct layer_spec *but, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (&specs[i] != but && specs[i].name && strcmp(specs[i].name, name) == 0)
			return &specs[i];
	return NULL;
}

/* Returns the last part of the path as a name; "layer" if that part is no name: "/", ".", "..". */
static struct span last_part(const char *path)
{
	size_t end = strlen(path), start;

	while (end > 0 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/';)
		start--;

	struct span part = {path + start, end - start};
	if (part.len == 0 || span_is(part, ".") || span_is(part, ".."))
		return span_of("layer");
	return part;
}

static int name_by_path(
	struct layer_spec *specs, size_t count, struct layer_spec *spec, struct arena *arena)
{
	struct span part = last_part(spec->store ? spec->store->what : spec->path);
	char *name = arena_copy(arena, part);

	if (!name)
		return -ENOMEM;
	/* Names are shown in lists and in messages of one line. */
	for (char *at = name; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';

	char *unique = name;
	for (unsigned number = 2; find_named(specs, count, spec, unique); number++) {
		unique = arena_printf(arena, "%s-%u", name, number);
		if (!unique)
			return -ENOMEM;
	}
	spec->name = unique;
	return 0;
}

int layer_specs_name(
	struct layer_spec *specs, size_t count, struct arena *arena, struct problem *problem)
{
	/* Given names have priority over generated ones, wherever they stand. */
	for (size_t i = 0; i < count; i++) {
		const struct layer_spec *first;

		if (!specs[i].name)
			continue;
		first = find_named(specs, i, NULL, specs[i].name);
		if (first)
			return problem_at(problem, specs[i].place,
				"the layer name '%s' is taken by the layer in line %u; "
				"give each layer a name of its own",
				specs[i].name, first->place ? (unsigned)first->place->line : 0);
	}

	for (size_t i = 0; i < count; i++) {
		int r = specs[i].name ? 0 : name_by_path(specs, count, &specs[i], arena);

		if (r < 0)
			return r;
	}
	return 0;
}

int layer_spec_read_presence(
	struct layer_spec *spec, const struct node *map, struct problem *problem)
{
	const struct node *required = node_get(map, "required");
	bool is_optional = false, is_required = false;

	int r = value_bool(node_get(map, "optional"), "optional", &is_optional, problem);
	if (r == 0)
		r = value_bool(required, "required", &is_required, problem);
	spec->presence = is_required   ? LAYER_REQUIRED
			 : is_optional ? LAYER_OPTIONAL
				       : LAYER_EXPECTED;
	return r == 0 && is_optional && is_required
		       ? problem_at(problem, required,
				 "a layer can't be both optional and required; keep one of the two")
		       : r;
}

static int open_and_call(const struct layer_spec *spec, unsigned rank, struct layer **ret)
{
	CLEANUP(layer_freep) struct layer *layer = NULL;
	/*
	 * The file system of a required layer may not be mounted. The link to the present state of
	 * a mirrored layer lies in a directory of the mirror's user, who may turn it to any
	 * directory. Only directories of that user's own are accepted.
	 */
	static const unsigned wanted[] = {
		[LAYER_OPTIONAL] = OUTSIDE_OPTIONAL, [LAYER_REQUIRED] = OUTSIDE_FILLED};
	unsigned owned = spec->store ? OUTSIDE_OWNED : 0;

	int r = layer_open(
		spec->name, spec->at, rank, wanted[spec->presence] | owned, spec->follow, &layer);
	if (r == 0)
		r = layer_set_text(&layer->path, spec->path);
	if (r == 0 && spec->exclude)
		layer->exclude = spec->exclude;
	if (r == 0)
		*ret = take_ptr(layer);
	return r;
}

static const char *remedy_of_missing(const struct layer_spec *spec)
{
	if (spec->presence == LAYER_REQUIRED)
		return "create it; the layer is required";
	if (spec->place)
		return "create it, or mark the layer 'optional: true'";
	/* A shell replaces "~" only where a word begins. A mount has made the path absolute. */
	return spec->path[0] == '~' || strstr(spec->path, "/~/")
		       ? "write $HOME for '~', which a shell replaces only where a word begins"
		       : "create it, or leave the layer out";
}

int layer_spec_open(struct layer_spec *spec, unsigned rank,
	const struct settings_environment *around, struct arena *arena, struct layer **ret,
	struct problem *problem)
{
	static const struct {
		int error;
		const char *before, *behind; /* the path */
	} faults[] = {
		{ENODATA, "the directory '",
			"' of a required layer is empty; mount its file system, or put the layer's "
			"files there"},
		{EXDEV, "",
			" leads to a directory of another user than the mirror's; remove it; the "
			"mirror makes a new one"},
		{ENOTDIR, "the layer '",
			"' is not a directory; a layer is a directory of configuration files"},
		{EACCES, "the layer directory '",
			"' can't be read: permission denied; allow it, or mount as a user with "
			"that "
			"right"},
		{ETIMEDOUT, "the layer directory '",
			"' can't be opened: its file system does not answer; look after that, or "
			"leave the layer out"},
	};
	int r = spec->at ? 0 : settings_environment_place(around, spec->path, arena, &spec->at);
	if (r == 0)
		r = open_and_call(spec, rank, ret);

	if (r == -ENOENT && spec->store)
		return problem_at(problem, spec->place,
			"the layer '%s' has no state on this machine yet (there is no %s); plyfs "
			"mount and plyfs render get it from the store; or mark the layer "
			"'optional: true'",
			spec->name, spec->path);
	if (r == 0 || r == -ENOMEM)
		return r;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (faults[i].error == -r)
			return problem_at(problem, spec->place, "%s%s%s", faults[i].before,
				spec->path, faults[i].behind);
	return problem_at(problem, spec->place, "the layer directory '%s' %s%s", spec->path,
		r == -ENOENT ? "does not exist; " : "can't be opened: ",
		r == -ENOENT                   ? remedy_of_missing(spec)
		: r == -EMFILE || r == -ENFILE ? "too many open files; raise the limit (ulimit -n)"
					       : text_error(r));
}
