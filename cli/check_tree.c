#include "check_tree.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "dropin.h"
#include "dropin_unread.h"
#include "expand.h"
#include "hidden.h"
#include "idle_setting.h"
#include "path.h"
#include "strategy.h"
#include "text.h"
#include "unshown.h"
#include "value_lock.h"

/* Maximum number of references that are checked. */
#define ASKINGS_MAX 1000000

/* A reference, with the place of the first file that makes it. */
struct asking {
	const char *directory;
	const char *name;
	const char *path;   /* the file that makes it */
	const char *source; /* the source that makes it; NULL: unknown */
	unsigned line;
	unsigned column;
};

int check_tree_init(struct check_tree *tree, struct offline *offline)
{
	const struct settings *settings = offline_settings(offline);

	*tree = (struct check_tree){.offline = offline};
	if (arena_new(&tree->arena) < 0)
		return -ENOMEM;
	tree->rules = arena_zalloc(tree->arena, settings->rule_count + 1, sizeof(*tree->rules));
	tree->files = arena_zalloc(tree->arena, settings->file_count + 1, sizeof(*tree->files));
	return tree->rules && tree->files ? 0 : -ENOMEM;
}

void check_tree_fini(struct check_tree *tree)
{
	arena_free(tree->arena);
	free(tree->paths);
	free(tree->askings);
	option_uses_fini(&tree->uses);
	findings_fini(&tree->findings);
}

static int add_path(struct check_tree *tree, const char *path)
{
	if (array_grow(tree->paths, tree->count, tree->capacity) < 0)
		return -ENOMEM;
	tree->paths[tree->count] = arena_copy(tree->arena, span_of(path));
	return tree->paths[tree->count++] ? 0 : -ENOMEM;
}

static int add_idle_whiteout(
	void *context, const struct layer *layer, const char *path, const char *hides)
{
	struct check_tree *tree = context;

	if (*hides)
		return findings_add_at(&tree->findings, FINDING_WARNING, layer, path,
			"the whiteout hides nothing: no lower layer has '%s'; correct its name, or "
			"remove it if no host needs it",
			hides);
	return findings_add_at(&tree->findings, FINDING_WARNING, layer, path,
		"the whiteout hides nothing: no lower layer has the directory; move or remove it");
}

/* A link, and whether it masks a source of a file. */
struct mask {
	const struct settings *settings;
	const char *name;
	bool is_one;
};

/* Takes the path of a file that may have the link's name as a source. */
static void note_mask(void *context, const char *path)
{
	struct mask *mask = context;

	if (settings_rule_for(mask->settings, path)->dropins == DROPINS_UAPI)
		mask->is_one |= settings_file(mask->settings, path) ||
				dropin_is_named(mask->settings, path, mask->name);
}

/* Looks `path` up with all sources, as if each directory above it were one. Returns 0 or -errno. */
static int look_up(const struct check_tree *tree, const char *path, struct union_lookup *lookup)
{
	const struct settings *settings = offline_settings(tree->offline);

	return lookup ? expand_look_up(offline_finder(tree->offline), settings,
				union_all_layers(settings), path, lookup)
		      : -ENOMEM;
}

/* Returns 1 if the link in the place of a file with drop-ins masks the file, 0, or -errno. */
static int is_main_mask(const struct check_tree *tree, const struct layer *layer, const char *path)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	int r = look_up(tree, path, lookup);

	for (unsigned i = 0; r == 0 && i < lookup->left_out_count; i++) {
		const struct contributor *found = &lookup->found[lookup->count + i];

		if (found->layer == layer->rank && strcmp(found->path, path) == 0)
			return strcmp(found->why, DROPIN_LINK_MASKS) == 0;
	}
	return layer_is_shortage(r) ? r : 0;
}

/* Returns 1 if there is a link that masks as dropin.h says, 0, or -errno on a shortage. */
static int is_mask(const struct check_tree *tree, const struct layer *layer, const char *path)
{
	const char *name = path_name(path);
	struct mask mask = {offline_settings(tree->offline), name, false};
	CLEANUP(freep) char *target = NULL, *directory = NULL;
	int r = layer_read_link(layer, path, &target);

	if (r != 0 || strcmp(target, "/dev/null") != 0)
		return layer_is_shortage(r) ? r : 0;
	directory = strndup(path, (size_t)(name - path) - (name > path));
	if (!directory)
		return -ENOMEM;
	expand_each_made_of(mask.settings, directory, name, note_mask, &mask);
	return mask.is_one ? 1 : is_main_mask(tree, layer, path);
}

static int add_unshown(void *context, const struct layer *layer, const char *path, const char *what)
{
	struct check_tree *tree = context;
	int r = what ? is_mask(tree, layer, path) : 0;

	if (r != 0)
		return r < 0 ? r : 0;
	if (settings_is_own(path))
		return findings_add_at(&tree->findings, FINDING_WARNING, layer, path,
			"is not shown: '" PLYFS_NAME
			"' at the root is plyfs's own; give it another name");
	if (what)
		return findings_add_at(&tree->findings, FINDING_WARNING, layer, path,
			"a %s is not shown, and hides nothing in lower layers; take it out of the "
			"layer, or put a whiteout, " UNION_MARK_PREFIX "%s, in its place",
			what, path_name(path));
	return findings_add_at(&tree->findings, FINDING_ERROR, layer, path,
		"the path in the layer is longer than %d bytes, so nothing can be read there; use "
		"shorter names, or fewer directories in each other",
		PATH_MAX - 1);
}

static const char *name_of(enum union_kind kind)
{
	return kind == UNION_DIRECTORY ? "directory" : "file";
}

/* A link in the place of a directory, or the other way round, is intended. */
static bool is_hidden(const struct union_lookup *lookup)
{
	return lookup->count && !lookup->found[lookup->count - 1].error &&
	       (lookup->kind == UNION_FILE || lookup->kind == UNION_DIRECTORY) &&
	       (lookup->hidden_kind == UNION_FILE || lookup->hidden_kind == UNION_DIRECTORY);
}

/*
 * A link in the place of a file is intended, too, unless values would be merged. Finds the file
 * that such a link hides. Returns 1 with *ret, 0, or -errno on a shortage.
 */
static int hidden_by_link(const struct check_tree *tree, const char *path,
	const struct union_lookup *lookup, struct hidden *ret)
{
	const struct settings *settings = offline_settings(tree->offline);

	if (lookup->kind != UNION_LINK ||
		!strategy_gives_trees(settings_rule(settings, path)->options.strategy))
		return 0;
	int r = is_mask(tree, settings->layers[lookup->found[0].layer], path);
	if (r != 0)
		return r < 0 ? r : 0;
	r = hidden_find(settings, (unsigned)settings->layer_count, path, ret);
	return r > 0 ? strcmp(ret->mark, path) == 0 : r;
}

static int add_hidden(struct check_tree *tree, const struct traversed *found)
{
	const struct settings *settings = offline_settings(tree->offline);
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(freep) struct hidden *by_link = malloc(sizeof(*by_link));
	CLEANUP(freep) char *hidden = NULL;

	int r = lookup && by_link ? union_look_up(settings, found->layers, found->path, lookup)
				  : -ENOMEM;
	if (r < 0)
		return r;
	int is_link = hidden_by_link(tree, found->path, lookup, by_link);
	if (is_link < 0 || (!is_link && !is_hidden(lookup)))
		return is_link;
	r = layer_source_name(settings->layers[is_link ? by_link->layer : lookup->hidden_layer],
		found->path, &hidden);
	if (r < 0)
		return r;
	return findings_add_at(&tree->findings, FINDING_WARNING,
		settings->layers[lookup->found[lookup->count - 1].layer], found->path,
		"a %s here hides a %s in %s; %sif that is meant, put a whiteout, " UNION_MARK_PREFIX
		"%s, beside it",
		is_link ? "symbolic link" : name_of(lookup->kind),
		is_link ? "file" : name_of(lookup->hidden_kind), hidden,
		is_link ? "give the layer 'follow: true' to merge its target, or " : "",
		path_name(found->path));
}

/*
 * Returns 1 if there is a merged file at `path`, or that can't be examined; 0; or -errno on a
 * shortage.
 */
static int has_merged_file(const struct check_tree *tree, const char *path)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	int r = look_up(tree, path, lookup);

	if (r < 0)
		return layer_is_shortage(r) ? r : 1;
	return lookup->kind != UNION_NONE;
}

/*
 * Warns of a file in NAME.d that is not a drop-in, if there is no merged file NAME; otherwise the
 * inspection of NAME warns.
 */
static int add_ignored(struct check_tree *tree, const struct traversed *found)
{
	const struct settings *settings = offline_settings(tree->offline);
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(freep) char *directory = strdup(found->path), *why = NULL;

	if (!lookup || !directory)
		return -ENOMEM;
	char *slash = strrchr(directory, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	CLEANUP(freep) char *owner = dropin_owner(settings, directory);
	if (!owner || dropin_is_named(settings, owner, slash + 1))
		return 0;
	int r = has_merged_file(tree, owner);
	if (r != 0)
		return r < 0 ? r : 0;
	r = union_look_up(settings, found->layers, found->path, lookup);
	if (r == 0 && lookup->kind == UNION_FILE)
		r = dropin_refusal(settings, owner, slash + 1, &why);
	if (r < 0 || !why)
		return r;
	return findings_add_at(&tree->findings, FINDING_WARNING,
		settings->layers[lookup->found[0].layer], found->path, "%s", why);
}

static int add_unread(void *context, const struct layer *layer, const char *path, const char *why)
{
	struct check_tree *tree = context;

	return findings_add_at(&tree->findings, FINDING_WARNING, layer, path, "%s", why);
}

/*
 * Warns of links and directories in NAME.d, or in its place, if there is no merged file NAME;
 * otherwise the inspection of NAME warns.
 */
static int add_unread_of(struct check_tree *tree, const struct traversed *found)
{
	const struct settings *settings = offline_settings(tree->offline);
	CLEANUP(freep) char *owner = dropin_owner(settings, found->path);

	if (!owner)
		return 0;
	int r = has_merged_file(tree, owner);
	if (r != 0)
		return r < 0 ? r : 0;
	return dropin_unread_each(settings, owner, add_unread, tree);
}

static int add_traversed(void *context, const struct traversed *found)
{
	struct check_tree *tree = context;
	struct problem problem;
	int r = add_hidden(tree, found);

	if (r == 0 && found->kind == UNION_FILE)
		r = add_ignored(tree, found);
	else if (r == 0)
		r = add_unread_of(tree, found);
	if (found->kind != UNION_DIRECTORY)
		return r ? r : add_path(tree, found->path);
	if (r == 0 && found->error) {
		problem_set(&problem, *found->path ? found->path : ".", 0, 0,
			"can't be listed in every layer: %s", text_error(-found->error));
		r = findings_add(&tree->findings, FINDING_ERROR, &problem);
	}
	if (r == 0)
		r = whiteouts_idle(offline_settings(tree->offline), found, add_idle_whiteout, tree);
	if (r == 0)
		r = unshown_each(offline_settings(tree->offline), found, add_unshown, tree);
	return r;
}

/* Reports a file with locked values that a layer above the locking one hides as a whole. */
static int add_hidden_lock(void *context, const char *path, const struct value_lock *lock)
{
	struct check_tree *tree = context;
	const struct settings *settings = offline_settings(tree->offline);
	CLEANUP(freep) struct hidden *hidden = malloc(sizeof(*hidden));
	CLEANUP(freep) char *mark = NULL, *name = NULL;
	struct problem problem;

	int r = hidden ? hidden_find(settings, lock->rank + 1, path, hidden) : -ENOMEM;
	if (r <= 0 || hidden->by <= lock->rank)
		return r < 0 ? r : 0;
	r = hidden_mark_name(settings, hidden, &mark);
	if (r == 0)
		r = layer_source_name(settings->layers[hidden->layer], path, &name);
	if (r < 0)
		return r;
	problem_set(&problem, mark, 0, 0,
		"hides %s, in which the layer '%.*s' locks values (the lock is at %s:%u:%u); "
		"remove this, or the lock",
		name, (int)lock->layer->text.len, lock->layer->text.data,
		source_shown(lock->layer->source), (unsigned)lock->layer->line,
		(unsigned)lock->layer->column);
	return findings_add(&tree->findings, FINDING_ERROR, &problem);
}

int check_tree_traverse(struct check_tree *tree, const char *path)
{
	const struct settings *settings = offline_settings(tree->offline);
	int r = offline_traverse(tree->offline, path, add_traversed, tree);

	return r == 0 ? hidden_locks_each(
				settings, path, settings->layer_count, add_hidden_lock, tree)
		      : r;
}

/* Another host, user or machine may have a file for a pattern that depends on it. */
static int report_idle(struct check_report *report, const struct virtual_file *file, size_t number)
{
	struct finding finding = {.kind = FINDING_WARNING};

	problem_at(&finding.problem, file->place,
		"the pattern '%s' of the virtual file '%s' matches no file; correct it",
		file->from[number], file->path);
	return file->owners[number] ? 0 : check_report_add(report, file->path, &finding);
}

static int note_reference(
	struct check_tree *tree, const char *path, const struct reference *reference)
{
	if (tree->asking_count == ASKINGS_MAX)
		return 0;
	size_t directory_len = strlen(reference->directory);
	CLEANUP(freep) char *text = NULL;
	struct span key = {NULL, directory_len + 1 + strlen(reference->name)};
	if (text_format(&text, "%s%c%s", reference->directory, '\0', reference->name) < 0)
		return -ENOMEM;
	if (table_get(&tree->asked, (struct span){text, key.len}))
		return 0;
	key.data = arena_copy(tree->arena, (struct span){text, key.len});
	void **place = key.data ? table_place(&tree->asked, tree->arena, key) : NULL;
	if (!place)
		return -ENOMEM;
	const char *source = reference->place.line ? reference->place.source : NULL;
	const struct asking asking = {
		.directory = key.data,
		.name = key.data + directory_len + 1,
		.path = *place = arena_copy(tree->arena, span_of(path)),
		.source = source ? arena_copy(tree->arena, span_of(source)) : NULL,
		.line = reference->place.line,
		.column = reference->place.column,
	};
	if (!asking.path || (source && !asking.source))
		return -ENOMEM;
	return array_push(tree->askings, tree->asking_count, tree->asking_capacity, asking);
}

int check_tree_note(struct check_tree *tree, struct check_report *report, const char *path,
	const struct inspection *inspection)
{
	const struct settings *settings = offline_settings(tree->offline);
	const struct virtual_file *file = settings_file(settings, path);
	int r = 0;

	for (size_t i = 0; r == 0 && file && inspection->is_matched && i < file->from_count; i++)
		if (!inspection->is_matched[i])
			r = report_idle(report, file, i);
	enum merged *merged = file ? &tree->files[file - settings->files]
				   : &tree->rules[settings_rule(settings, path) - settings->rules];
	if (*merged == MERGED_NONE)
		*merged = MERGED_ALL;
	for (size_t i = 0; i < inspection->findings.count; i++)
		if (inspection->findings.items[i].kind <= FINDING_SKIPPED)
			*merged = MERGED_BROKEN;
	for (size_t i = 0; r == 0 && i < inspection->uses.count; i++)
		r = option_uses_add(&tree->uses, inspection->uses.items[i]);
	for (size_t i = 0; r == 0 && i < inspection->reference_count; i++)
		r = note_reference(tree, path, &inspection->references[i]);
	return r;
}

bool check_tree_matches(const struct check_tree *tree, const char *pattern)
{
	for (size_t i = 0; i < tree->count; i++)
		if (glob_match(pattern, tree->paths[i]))
			return true;
	return false;
}

static int report_rules(const struct check_tree *tree, struct check_report *report)
{
	const struct settings *settings = offline_settings(tree->offline);
	int r = 0;

	for (size_t i = 0; r == 0 && i < settings->rule_count; i++) {
		const struct rule *rule = &settings->rules[i];
		struct problem problem;
		/* A preset has rules for all files that a program may have. */
		if (tree->rules[i] != MERGED_NONE || rule->line == 0 || rule->preset)
			continue;
		problem_set(&problem, rule->source.name, rule->line, 0,
			rule->match && check_tree_matches(tree, rule->match)
				? "the rule for '%s' has no effect: the files that it matches have "
				  "a rule above it, or are virtual; move it up, or remove it"
				: "the rule for '%s' matches no file; correct or remove it",
			rule->match ? rule->match : "**");
		r = check_report_warn(report, &problem);
	}
	return r;
}

/*
 * Finds the file or link that stands in the place of a directory above `path`. Returns 1 with its
 * kind, and with *ret for free(3), its name; 0; or -errno on a shortage.
 */
static int find_obstacle(
	const struct check_tree *tree, const char *path, enum union_kind *kind, char **ret)
{
	const struct settings *settings = offline_settings(tree->offline);
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(freep) char *copy = strdup(path);
	layer_mask layers = union_all_layers(settings);
	int r = lookup && copy ? 0 : -ENOMEM;

	for (char *at = copy; r == 0 && (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		r = expand_look_up(offline_finder(tree->offline), settings, layers, copy, lookup);
		layers = lookup->layers;
		*kind = lookup->kind;
		const struct contributor *found = lookup->found;
		if (r < 0 || (*kind != UNION_FILE && *kind != UNION_LINK))
			continue;
		r = layer_source_name(
			settings->layers[found->layer], found->path ? found->path : copy, ret);
		return r < 0 ? r : 1;
	}
	return layer_is_shortage(r) ? r : 0;
}

/* Reports why a virtual file that has sources is not shown. */
static int report_obstacle(
	const struct check_tree *tree, const struct virtual_file *file, struct check_report *report)
{
	struct finding finding = {.kind = FINDING_ERROR};
	CLEANUP(freep) char *name = NULL;
	enum union_kind kind;

	int r = find_obstacle(tree, file->path, &kind, &name);
	if (r <= 0)
		return r;
	problem_at(&finding.problem, file->place,
		"the virtual file '%s' is not shown: %s, a %s, stands in the place of a directory; "
		"move it away, or give the virtual file another path",
		file->path, name, kind == UNION_LINK ? "symbolic link" : "file");
	return check_report_add(report, file->path, &finding);
}

/* Returns whether the file has sources that match, all of which are masked. */
static bool is_masked(
	const struct check_tree *tree, const struct virtual_file *file, const char *pattern)
{
	const struct settings *settings = offline_settings(tree->offline);

	for (size_t i = 0; file->rule.dropins == DROPINS_UAPI && i < tree->count; i++)
		if (glob_match(pattern, tree->paths[i]) &&
			!settings_file(settings, tree->paths[i]) &&
			!expand_is_ignored(path_name(tree->paths[i])))
			return true;
	return false;
}

static int report_unmatched(const struct check_tree *tree, const struct virtual_file *file,
	size_t number, struct check_report *report)
{
	struct finding finding = {.kind = FINDING_WARNING};

	if (!is_masked(tree, file, file->from[number]))
		return report_idle(report, file, number);
	problem_at(&finding.problem, file->place,
		"the virtual file '%s' is not shown: all files that its pattern '%s' matches are "
		"masked (dropins: uapi); remove the empty files or links that mask them",
		file->path, file->from[number]);
	return check_report_add(report, file->path, &finding);
}

/* Reports why a virtual file is not shown. */
static int report_unshown(
	const struct check_tree *tree, const struct virtual_file *file, struct check_report *report)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(inspection_fini) struct inspection inspection = {0};
	int r = look_up(tree, file->path, lookup);

	if (r == 0)
		r = inspect_patterns(
			&inspection, offline_settings(tree->offline), file->path, lookup);
	if (r < 0)
		return layer_is_shortage(r) ? r : 0;
	if (lookup->count)
		r = report_obstacle(tree, file, report);
	for (size_t i = 0; r == 0 && i < file->from_count; i++)
		if (!inspection.is_matched[i])
			r = report_unmatched(tree, file, i, report);
	return r;
}

static int report_virtual_files(const struct check_tree *tree, struct check_report *report)
{
	const struct settings *settings = offline_settings(tree->offline);
	int r = 0;

	for (size_t i = 0; r == 0 && i < settings->file_count; i++)
		if (tree->files[i] == MERGED_NONE)
			r = report_unshown(tree, &settings->files[i], report);
	return r;
}

static int report_ambiguous(
	const struct check_tree *tree, const struct asking *asking, struct check_report *report)
{
	const struct finder *finder = offline_finder(tree->offline);
	CLEANUP(freep) char *first = NULL, *second = NULL;
	struct finding finding = {.kind = FINDING_WARNING};
	size_t count = 0;
	int r = 0;

	for (; r == 0; count += r == 0) {
		CLEANUP(freep) char *more = NULL;
		layer_mask layers;

		r = finder->find(finder->context, asking->directory, asking->name, count,
			count == 0   ? &first
			: count == 1 ? &second
				     : &more,
			&layers);
	}
	if (r < 0 || count < 2)
		return r < 0 ? r : 0;
	problem_set(&finding.problem, asking->source ? asking->source : asking->path, asking->line,
		asking->column, "'%s' is in %zu places under '%s': '%s' is taken, and not '%s'",
		asking->name, count, *asking->directory ? asking->directory : ".", first, second);
	return check_report_add(report, asking->path, &finding);
}

static int report_traversal(const struct check_tree *tree, struct check_report *report)
{
	struct problem more;
	int r = 0;

	for (size_t i = 0; r == 0 && i < tree->findings.count; i++)
		r = check_report_add(report, NULL, &tree->findings.items[i]);
	if (r < 0 || tree->findings.left_out == 0)
		return r;
	problem_set(&more, NULL, 0, 0, "%zu more names hide something of another kind, or nothing",
		tree->findings.left_out);
	return check_report_warn(report, &more);
}

int check_tree_report(struct check_tree *tree, struct check_report *report, bool is_whole)
{
	int r = report_traversal(tree, report);
	for (size_t i = 0; r == 0 && i < tree->asking_count; i++)
		r = report_ambiguous(tree, &tree->askings[i], report);
	if (r != 0 || !is_whole)
		return r;
	r = report_virtual_files(tree, report);
	if (r == 0)
		r = report_rules(tree, report);
	return r == 0 ? idle_settings_report(tree, report) : r;
}
