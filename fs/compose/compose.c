#include "compose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aside.h"
#include "bytes.h"
#include "cleanup.h"
#include "composition.h"
#include "descriptor.h"
#include "hash.h"
#include "strategy.h"
#include "text.h"
#include "validity.h"
#include "value_lock.h"

static void take_newest_times(struct version *version, const struct stat *stats, size_t count)
{
	version->mtime = stats[0].st_mtim;
	version->ctime = stats[0].st_ctim;
	for (size_t i = 1; i < count; i++) {
		if (time_is_later(stats[i].st_mtim, version->mtime))
			version->mtime = stats[i].st_mtim;
		if (time_is_later(stats[i].st_ctim, version->ctime))
			version->ctime = stats[i].st_ctim;
	}
}

/* Returns the layers' names, lowest first: "vendor:site". Each layer is named once. */
static char *layer_names(const struct layer *const *layers, size_t count)
{
	size_t size = 1;
	for (size_t i = 0; i < count; i++)
		size += strlen(layers[i]->name) + 1;

	char *names = malloc(size);
	char *end = names;
	if (!names)
		return NULL;
	*end = '\0';
	for (size_t i = 0; i < count; i++) {
		if (i && layers[i] == layers[i - 1])
			continue;
		if (i)
			*end++ = ':';
		end = stpcpy(end, layers[i]->name);
	}
	return names;
}

const struct options *compose_options(const struct settings *settings, const char *path)
{
	return &settings_rule_for(settings, path)->options;
}

static void doubt(const struct composer *composer, enum compose_doubt doubt)
{
	if (composer->doubts)
		*composer->doubts |= doubt;
}

static int load(const struct composer *composer, const char *path, const struct contributor *found,
	const struct read_options *options, struct loaded **ret, struct problem *problem)
{
	const struct layer *layer = composer->settings->layers[found->layer];

	if (!found->error) {
		const struct source_want want = {
			.stat = &found->stat,
			.options = options,
			.bytes_max = composer->settings->options.limits.source_bytes,
			.takes_unfinished = composer->takes_unfinished,
		};
		int r = source_cache_load(composer->cache, layer, path, &want, ret, problem);
		if (r == 0 && !(*ret)->is_whole)
			doubt(composer, DOUBT_WRITER);
		if (r == SOURCE_FAILED)
			doubt(composer, DOUBT_FAILED);
		return r == SOURCE_FAILED ? PROBLEM : r;
	}
	if (layer_has_failed(-found->error))
		doubt(composer, DOUBT_FAILED);

	CLEANUP(freep) char *name = NULL;
	int r = layer_source_name(layer, path, &name);
	if (r < 0)
		return r;
	if (layer_has_timed_out(-found->error))
		return problem_set(
			problem, name, 0, 0, "can't be read: %s", text_error(-ETIMEDOUT));
	if (layer_has_failed(-found->error))
		return problem_set(problem, name, 0, 0,
			"can't be examined: %s; check the file system below",
			strerror(found->error));
	return problem_set(problem, name, 0, 0,
		"can't be examined: %s; give the user who runs plyfs the right to search its "
		"directory%s",
		strerror(found->error),
		layer->follow ? ", or let its links lead neither into /proc, /sys or /dev, nor "
				"through another user's link in a directory like /tmp"
			      : "");
}

/*
 * Returns the attributes of a source that is not read. If it could not be examined because of
 * `error` (an errno), nobody but its owner may read it. But a file system that has failed takes no
 * rights away: if they are unknown, those of the last good version stay.
 */
static struct stat stat_of(const struct contributor *found, int error)
{
	struct stat stat = found->stat;

	if (layer_has_failed(-error) && !stat.st_mode)
		stat.st_mode = S_IFREG | 0777;
	else if (error && !layer_has_failed(-error))
		stat.st_mode &= ~(mode_t)077;
	return stat;
}

int compose_load(const struct composer *composer, const char *path, const struct contributor *found,
	const struct read_options *options, struct loaded **ret, struct problem *problem)
{
	const struct layer *layer = composer->settings->layers[found->layer];
	struct problem own = {.message = ""};
	/* A text alone is shown as it is: then the last good version has the last good text. */
	struct fallbacks *fallbacks = options ? composer->fallbacks : NULL;
	struct loaded *good = fallbacks ? fallbacks_used(fallbacks, layer, path, options) : NULL;

	int r = good ? PROBLEM : load(composer, path, found, options, ret, &own);
	if (r == 0 && fallbacks)
		fallbacks_note(fallbacks, layer, options, *ret);
	if (r == PROBLEM && fallbacks)
		good = fallbacks_use(fallbacks, layer, path, options);
	/* If several are broken, the first one is reported. */
	if (own.message[0] && (!good || !problem->message[0]))
		*problem = own;
	if (!good)
		return r;
	const struct stat stat = stat_of(found, found->error);
	*ret = loaded_fallback(good, &stat);
	return *ret ? 0 : -ENOMEM;
}

void compose_contributors(const struct strategy *strategy, const struct union_lookup *lookup,
	unsigned *first, unsigned *count)
{
	*first = strategy->takes == STRATEGY_TAKES_LOWEST ? lookup->count - 1 : 0;
	*count = strategy->takes == STRATEGY_TAKES_ALL ? lookup->count : 1;
}

/* Lists the path's own sources. */
static int list_sources(const struct sources *sources, char **ret)
{
	struct source_list list = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sources->count; i++) {
		CLEANUP(freep) char *name = NULL;
		r = layer_source_name(sources->layers[i], sources->paths[i], &name);
		if (r == 0)
			source_list_add(&list, name);
	}
	int taken = source_list_take(&list, ret);
	return r < 0 ? r : taken;
}

/* Lists the sources that the merge took. */
static int list_merged(const struct merge_result *result, char **ret)
{
	struct source_list list = {0};

	for (size_t i = 0; i < result->source_count; i++)
		source_list_add(&list, result->sources[i]->name);
	return source_list_take(&list, ret);
}

/* Fills in what all versions have. `environment` (or NULL) has further files that count. */
static int describe(const struct composer *composer, const struct sources *sources,
	const struct environment *environment, mode_t type, struct version *version)
{
	size_t more = environment ? environment->stat_count : 0;
	size_t count = sources->count + more;
	CLEANUP(freep) struct stat *stats = calloc(count + 1, sizeof(*stats));

	version->layers = layer_names(sources->layers, sources->count);
	version->stamps = calloc(count + 1, sizeof(*version->stamps));
	if (!stats || !version->layers || !version->stamps ||
		(!version->sources && list_sources(sources, &version->sources) < 0))
		return -ENOMEM;
	memcpy(stats, sources->stats, sources->count * sizeof(*stats));
	if (more)
		memcpy(stats + sources->count, environment->stats, more * sizeof(*stats));

	/* No source could be examined: owner-only, as any of them may have been private. */
	struct rights rights = {0400, composer->mounter.uid, composer->mounter.gid};
	if (count)
		rights = rights_combine(stats, count, &composer->mounter);
	version->mode = type | rights.mode;
	version->uid = rights.uid;
	version->gid = rights.gid;
	if (count)
		take_newest_times(version, stats, count);
	else
		version->mtime = version->ctime = version->made;
	for (size_t i = 0; i < count; i++)
		version->stamps[i] = stamp_of(&stats[i]);
	version->stamp_count = count;
	return 0;
}

static int compose_link(const struct composer *composer, const char *path,
	const struct contributor *found, struct version **ret)
{
	const struct layer *layer = composer->settings->layers[found->layer];
	CLEANUP(sources_fini) struct sources sources = {0};
	CLEANUP(freep) char *target = NULL;

	int r = sources_init(&sources, 1);
	if (r < 0)
		return r;
	sources_add(&sources, layer, path, NULL, &found->stat);
	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_LINK);
	if (!version)
		return -ENOMEM;
	r = layer_read_link(layer, path, &target);
	if (r == -ENOENT || r == -EINVAL)
		return COMPOSE_MOVED;
	if (r < 0)
		return r;
	version->size = strlen(target);
	version->data = bytes_dup(span_of(target));
	if (!version->data)
		return -ENOMEM;
	r = describe(composer, &sources, NULL, S_IFLNK, version);
	if (r < 0)
		return r;
	version->mode = S_IFLNK | 0777; /* symlink(7): a link's mode has no meaning */
	version->strategy = "";
	*ret = take_ptr(version);
	return 0;
}

/* Reads the whole file. Returns 0; COMPOSE_MOVED: the file has changed meanwhile; or -errno. */
static int copy_held(struct version *version, const struct stat *opened)
{
	struct stat now;

	version->data = bytes_new(version->size + 1);
	if (!version->data)
		return -ENOMEM;
	for (uint64_t done = 0; done < version->size;) {
		ssize_t n =
			pread(version->fd, version->data + done, version->size - done, (off_t)done);
		if (n == 0 || (n < 0 && errno != EINTR))
			return n < 0 ? -errno : COMPOSE_MOVED;
		done += n < 0 ? 0 : (uint64_t)n;
	}
	if (fstat(version->fd, &now) < 0)
		return -errno;
	struct stamp before = stamp_of(opened);
	struct stamp after = stamp_of(&now);
	version->data[version->size] = '\0';
	version->kind = VERSION_BYTES;
	closep(&version->fd);
	return stamp_equal(&before, &after) ? 0 : COMPOSE_MOVED;
}

/* Makes a version of a large file of one layer: not a copy, unless `composer` wants one. */
static int make_held(const struct composer *composer, const char *path,
	const struct contributor *found, const struct strategy *strategy, struct version **ret)
{
	const struct layer *layer = composer->settings->layers[found->layer];
	const char *place = found->path ? found->path : path;
	const struct merge_request request = {.path = path};
	CLEANUP(environment_fini) struct environment environment;
	CLEANUP(sources_fini) struct sources sources = {0};
	struct stat stat;

	environment_init(&environment, composer, &request, NULL);
	int r = sources_init(&sources, 1);
	if (r == 0)
		r = environment_guard(&environment, layer, place);
	if (r < 0)
		return r;
	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_HELD);
	if (!version)
		return -ENOMEM;
	version->fd = layer_open_file(layer, place, &stat);
	if (version->fd == -ENOENT || version->fd == -ENOTDIR)
		return COMPOSE_MOVED;
	if (version->fd < 0)
		return version->fd;
	sources_add(&sources, layer, place, NULL, &stat);
	r = strcmp(place, path) == 0 ? 0
				     : environment_guard_again(&environment, layer, place, &stat);
	if (r != 0)
		return r;
	r = describe(composer, &sources, &environment, S_IFREG, version);
	if (r < 0)
		return r;
	version->size = (uint64_t)stat.st_size;
	version->strategy = strategy->name;
	r = composer->copies_held ? copy_held(version, &stat) : 0;
	if (r == 0)
		*ret = take_ptr(version);
	return r;
}

/* The arguments of make_held(), and its result. */
struct held_file {
	const struct composer *composer;
	const char *path;
	const struct contributor *found;
	const struct strategy *strategy;
	struct version **ret;
	int result;
};

static void make_aside(void *context)
{
	struct held_file *file = context;

	file->result =
		make_held(file->composer, file->path, file->found, file->strategy, file->ret);
}

/* Calls make_held() aside: a remote layer may not answer. */
static int compose_held(const struct composer *composer, const char *path,
	const struct contributor *found, const struct strategy *strategy, struct version **ret)
{
	struct held_file file = {composer, path, found, strategy, ret, 0};
	const char *place = found->path ? found->path : path;

	if (layer_delegates(composer->settings->layers[found->layer], place))
		aside_run(make_aside, &file);
	else
		make_aside(&file);
	return file.result;
}

static int compose_file(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct path_list *asked, struct version **ret,
	struct problem *problem)
{
	CLEANUP(composition_fini) struct composition composition;

	int r = composition_make(
		&composition, composer, path, lookup, asked, COMPOSITION_TEXT, problem);
	if (r == 0)
		r = validity_check(composer->settings, &composition.request, composition.result,
			NULL, problem);
	if (r != 0)
		return r;

	const struct merge_result *result = composition.result;
	const struct sources *sources = &composition.sources;
	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_BYTES);
	if (!version)
		return -ENOMEM;
	r = list_merged(result, &version->sources);
	if (r == 0)
		r = describe(composer, sources, &composition.environment, S_IFREG, version);
	if (r < 0)
		return r;
	version->size = result->text.len;
	version->data = bytes_dup(result->text);
	if (!version->data)
		return -ENOMEM;
	version->strategy = composition.request.options->strategy->name;
	/* A broken source is the worse fault. */
	if (!problem->message[0])
		version->has_refusals = merge_report_refusals(result, problem);
	if (composer->fallbacks && fallbacks_give(composer->fallbacks, version) < 0)
		return -ENOMEM;
	*ret = take_ptr(version);
	return 0;
}

/* Returns whether a lock or a bound may apply to a source of the path: then it must be read. */
static bool is_locked(
	const struct composer *composer, const char *path, const struct union_lookup *lookup)
{
	const struct options *options = compose_options(composer->settings, path);
	const struct value_locks *locks = options->locks;

	if (options->bounds)
		return true;
	for (size_t i = 0; locks && i < locks->count; i++)
		for (unsigned j = 0; j < lookup->count; j++)
			if (lookup->found[j].layer > locks->items[i].rank)
				return true;
	return false;
}

/* A tree strategy must look for directives in every file that it can read: up to its limit. */
const struct contributor *compose_held_source(
	const struct composer *composer, const char *path, const struct union_lookup *lookup)
{
	const struct strategy *strategy = compose_options(composer->settings, path)->strategy;
	unsigned first;
	unsigned count;
	size_t least = COMPOSE_HELD_BYTES;

	compose_contributors(strategy, lookup, &first, &count);
	/* The bytes that are checked are shown: not a source that may change meanwhile. */
	if (count != 1 || !strategy->is_verbatim || lookup->found[first].error ||
		settings_check(composer->settings, path) || is_locked(composer, path, lookup))
		return NULL;
	/* Validation needs the bytes. */
	if (settings_rule_for(composer->settings, path)->schema)
		return NULL;
	if (strategy_reads_trees(strategy) &&
		composer->settings->options.limits.source_bytes > least)
		least = composer->settings->options.limits.source_bytes;
	return (uint64_t)lookup->found[first].stat.st_size > least ? &lookup->found[first] : NULL;
}

int compose(const struct composer *composer, const char *path, const struct union_lookup *lookup,
	struct path_list *asked, struct version **ret, struct problem *problem)
{
	if (lookup->kind == UNION_LINK)
		return compose_link(composer, path, &lookup->found[0], ret);

	const struct contributor *held = compose_held_source(composer, path, lookup);
	if (held) {
		doubt(composer, DOUBT_WRITER);
		return compose_held(composer, path, held,
			compose_options(composer->settings, path)->strategy, ret);
	}
	return compose_file(composer, path, lookup, asked, ret, problem);
}

int compose_failed(const char *path, int error, struct problem *problem)
{
	return problem_set(problem, path, 0, 0,
		"can't be made: %s; check the file systems of the layers",
		layer_has_timed_out(-error) ? "one does not answer" : strerror(error));
}

int compose_is_restless(const char *path, struct problem *problem)
{
	return problem_set(problem, path, 0, 0,
		"a source changes faster than it can be read; let its writer write a new file and "
		"rename it");
}

int compose_broken(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct version **ret)
{
	const struct merge_request request = {.path = path};
	CLEANUP(environment_fini) struct environment environment;
	CLEANUP(sources_fini) struct sources sources = {0};

	environment_init(&environment, composer, &request, NULL);
	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_BROKEN);
	int r = sources_init(&sources, lookup->count);
	if (r < 0 || !version)
		return -ENOMEM;
	for (unsigned i = lookup->count; i-- > 0 && r == 0;) {
		const struct contributor *found = &lookup->found[i];
		const struct layer *layer = composer->settings->layers[found->layer];
		const char *place = found->path ? found->path : path;
		struct stat stat;
		r = layer_stat_rights(layer, place, &stat);
		if (layer_is_shortage(r))
			return r;
		if (r < 0)
			stat = stat_of(found, found->error ? found->error : -r);
		sources_add(&sources, layer, place, NULL, &stat);
		r = environment_guard(&environment, layer, place);
		if (layer_has_failed(r))
			r = 0;
	}
	if (r == 0)
		r = describe(composer, &sources, &environment, S_IFREG, version);
	if (r < 0)
		return r;
	/* Not 0: the kernel would not ask for the bytes of an empty file, and so see no EIO. */
	version->size = 1;
	version->strategy = compose_options(composer->settings, path)->strategy->name;
	*ret = take_ptr(version);
	return 0;
}

/* Returns whether a source's stamp alone shows what is made of it, rights included. */
static bool is_known_by_stamp(
	const struct composer *composer, const char *path, const struct contributor *found)
{
	/* With `follow`, directories elsewhere guard the source; the stamp does not cover them. */
	return !composer->settings->layers[found->layer]->follow &&
	       (!found->path || strcmp(found->path, path) == 0) && !found->error &&
	       !source_is_racy(&found->stat);
}

bool compose_is_current(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, const struct version *version)
{
	const struct strategy *strategy = compose_options(composer->settings, path)->strategy;
	size_t stamp_count;
	const struct stamp *stamps = version_stamps(version, &stamp_count);
	unsigned first = 0;
	unsigned count = 1;

	if (lookup->kind == UNION_FILE)
		compose_contributors(strategy, lookup, &first, &count);
	/* A version of more files has more stamps. */
	if (version->kind == VERSION_BROKEN || stamp_count != count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		const struct contributor *found = &lookup->found[first + count - 1 - i];
		struct stamp stamp = stamp_of(&found->stat);

		if (!is_known_by_stamp(composer, path, found) || !stamp_equal(&stamp, &stamps[i]))
			return false;
	}
	return true;
}

uint64_t compose_basis(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, uint64_t seed)
{
	bool is_shown = lookup->kind == UNION_FILE || lookup->kind == UNION_LINK;

	if (!seed || !is_shown || union_has_unseen(lookup) || lookup->whiteout_error ||
		lookup->left_out_count)
		return 0;
	uint64_t hash = hash_add(hash_bytes(seed, span_of(path)), lookup->kind);
	for (unsigned i = 0; i < lookup->count; i++) {
		const struct contributor *found = &lookup->found[i];
		const struct layer *layer = composer->settings->layers[found->layer];

		if (!is_known_by_stamp(composer, path, found) || layer->is_remote || layer->store ||
			found->stat.st_dev != layer->dev)
			return 0;
		hash = stamp_hash(hash_add(hash, found->layer), &found->stat);
	}
	return hash | 1;
}
