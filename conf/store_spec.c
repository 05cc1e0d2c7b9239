#include "store_spec.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "layer.h"
#include "layer_spec.h"
#include "outside.h"
#include "user.h"
#include "value.h"

/* The directories of root's mirrors; and of other users' mirrors, below $XDG_STATE_HOME. */
#define SYSTEM_BASE "/var/lib/plyfs/by-store"
#define USER_BASE "plyfs/by-store"

/* Greatest number of words in a command line: two for each field, and those around them. */
#define WORDS_MAX 48

#define WAIT_MS 60000

static const struct value_range percent_range = {&value_number, 0, 100};
static const struct value_range interval_range = {&value_time_ms, 1000, 24u * 60 * 60 * 1000};
static const struct value_range wait_range = {&value_time_ms, 100, 60u * 60 * 1000};

struct store_reader {
	const struct store_spec_place *place;
	struct store_spec *store;
	const char *name; /* of the current value */
	const char *words[WORDS_MAX];
	size_t count;
	const char *identity; /* all values that make it another mirror, as one text */
	struct problem *problem;
};

/* A value of the map, which becomes the mirror's option of the same name. */
struct field {
	const char *name;
	int (*take)(const struct store_reader *reader, const struct node *node, const char **ret);
	enum {
		FIELD_OPTIONAL,
		FIELD_REQUIRED,
		FIELD_ARGUMENT, /* required: an argument after the options, without a name */
		FIELD_TUNING,   /* optional, and not a part of the identity */
	} kind;
};

/* Replaces "%H" and the like by their values, as in a layer's path. */
static int expand(const struct store_reader *reader, const struct node *node, const char *directory,
	struct layer_spec *spec)
{
	const struct store_spec_place *place = reader->place;
	const char *text = NULL;

	spec->place = node;
	int r = value_text(node, reader->name, &text, reader->problem);
	if (r == 0)
		r = layer_spec_expand(
			spec, text, directory, place->around, place->arena, reader->problem);
	return r;
}

static int take_words(const struct store_reader *reader, const struct node *node, const char **ret)
{
	struct layer_spec spec = {.specifiers = reader->store->specifiers};
	int r = expand(reader, node, "", &spec);

	reader->store->specifiers = spec.specifiers;
	*ret = spec.path;
	return r;
}

/* Removes "//", "/./" and "/../", so that different paths of a file make the same mirror. */
static void simplify(char *path)
{
	char *out = path;

	for (const char *at = path; *at;) {
		size_t slashes = strspn(at, "/"), len = strcspn(at + slashes, "/");
		const char *name = at + slashes;

		at = name + len;
		if (len == 0 || (len == 1 && name[0] == '.'))
			continue;
		if (len == 2 && name[0] == '.' && name[1] == '.') {
			while (out > path && *--out != '/')
				;
			continue;
		}
		*out++ = '/';
		memmove(out, name, len);
		out += len;
	}
	if (out == path)
		*out++ = '/';
	*out = '\0';
}

/* Reads a file name. The mirror runs in another directory, so the name becomes absolute. */
static int take_file(const struct store_reader *reader, const struct node *node, const char **ret)
{
	const struct store_spec_place *place = reader->place;
	struct layer_spec spec = {0};
	char working[PATH_MAX];
	const char *path;

	int r = expand(reader, node, place->directory, &spec);
	if (r == 0)
		r = settings_environment_absolute(place->around, spec.path, place->arena, &path);
	if (r != 0)
		return r;
	if (*path != '/' && !getcwd(working, sizeof(working)))
		return problem_at(reader->problem, node,
			"'%s' is relative, and the working directory is gone; give an absolute "
			"path",
			path);
	char *absolute = arena_printf(
		place->arena, "%s/%s", *path == '/' ? "" : working, path + (*path == '/'));
	if (!absolute)
		return -ENOMEM;
	simplify(absolute);
	*ret = absolute;
	return 0;
}

static int take_amount(const struct store_reader *reader, const struct node *node,
	const struct value_range *range, unsigned divisor, const char **ret)
{
	uint64_t amount = 0;

	int r = value_amount(node, reader->name, range, &amount, reader->problem);
	if (r != 0)
		return r;
	if (amount % divisor)
		return problem_at(reader->problem, node, "%s must be whole seconds", reader->name);
	*ret = arena_printf(reader->place->arena, "%" PRIu64, amount / divisor);
	return *ret ? 0 : -ENOMEM;
}

static int take_seconds(
	const struct store_reader *reader, const struct node *node, const char **ret)
{
	return take_amount(reader, node, &interval_range, 1000, ret);
}

static int take_percent(
	const struct store_reader *reader, const struct node *node, const char **ret)
{
	return take_amount(reader, node, &percent_range, 1, ret);
}

static int take_mode(const struct store_reader *reader, const struct node *node, const char **ret)
{
	const char *text = NULL;

	int r = value_text(node, reader->name, &text, reader->problem);
	if (r != 0)
		return r;
	unsigned long mode = strspn(text, "01234567") == strlen(text) ? strtoul(text, NULL, 8) : 0;
	if (mode < 0400 || mode > 0777)
		return problem_at(reader->problem, node,
			"'%s' is no mode; give a number from 0400 to 0777", text);
	*ret = text;
	return 0;
}

/* Reads an endpoint. Messages never show it, as it may contain a password. */
static int take_endpoint(
	const struct store_reader *reader, const struct node *node, const char **ret)
{
	int r = value_text(node, "an endpoint", ret, reader->problem);

	if (r != 0)
		return r;
	if (!value_is_given(node) ||
		(strncmp(*ret, "http://", 7) != 0 && strncmp(*ret, "https://", 8) != 0) ||
		strpbrk(*ret, "@?#, \t\n"))
		return problem_at(reader->problem, node,
			"an endpoint is like https://HOST:2379 and nothing else; user and password "
			"stand in a file, see user-file");
	return 0;
}

static int take_endpoints(
	const struct store_reader *reader, const struct node *node, const char **ret)
{
	const char *one, *all = NULL;
	int r = 0;

	if (!node_is_sequence(node))
		return take_endpoint(reader, node, ret);
	for (uint32_t i = 0; r == 0 && i < node->seq.count; i++) {
		one = "";
		r = take_endpoint(reader, node->seq.items[i], &one);
		if (r == 0)
			all = all ? arena_printf(reader->place->arena, "%s,%s", all, one) : one;
		if (r == 0 && !all)
			return -ENOMEM;
	}
	if (r == 0 && !all)
		return problem_at(reader->problem, node,
			"there is no endpoint; one is like https://HOST:2379");
	*ret = all;
	return r;
}

/* Reads a URL of git's, or a directory. Lists of processes show it, so it must have no password. */
static int take_url(const struct store_reader *reader, const struct node *node, const char **ret)
{
	const char *text = NULL;

	int r = value_text(node, reader->name, &text, reader->problem);
	if (r != 0)
		return r;
	const char *scheme = strstr(text, "://"), *colon = strchr(text, ':');
	const char *slash = strchr(text, '/'), *host = scheme ? scheme + 3 : text;
	const char *at = memchr(host, '@', strcspn(host, "/"));
	bool is_ssh = !scheme || strncmp(text, "ssh", 3) == 0;

	if (*text == '-' || strstr(text, "::"))
		return problem_at(reader->problem, node,
			"this is no URL of a repository; one is like https://HOST/PATH");
	if (scheme && at && (!is_ssh || memchr(host, ':', (size_t)(at - host))))
		return problem_at(reader->problem, node,
			"a user or a password does not belong here, where every user can read it; "
			"put it into .netrc in the home directory of the mirror's user");
	if (!scheme && (!colon || (slash && slash < colon)))
		return take_file(reader, node, ret);
	*ret = text;
	return 0;
}

/* The fields of both kinds; and the further keys `state`, `user` and `wait`, which are not the
 * mirror's. */
#define SHARED_FIELDS                                                                              \
	{"mode", take_mode}, {"max-delete", take_percent, FIELD_TUNING},                           \
	{                                                                                          \
		0                                                                                  \
	}
#define OWN_KEYS "mode, max-delete, state, user, wait"

static const struct field etcd_fields[] = {
	{"endpoints", take_endpoints, FIELD_REQUIRED},
	{"prefix", take_words, FIELD_REQUIRED},
	{"cacert", take_file},
	{"cert", take_file},
	{"key", take_file},
	{"user-file", take_file},
	{"compare", take_seconds, FIELD_TUNING},
	SHARED_FIELDS,
};

static const struct field git_fields[] = {
	{"url", take_url, FIELD_ARGUMENT},
	{"ref", take_words},
	{"path", take_words},
	{"verify", take_file},
	{"interval", take_seconds, FIELD_TUNING},
	SHARED_FIELDS,
};

static const struct store_syntax {
	const char *name;
	const char *keys;
	const char *what; /* the field that names a layer */
	const struct field *fields;
} kinds[] = {
	{"etcd", "endpoints, prefix, cacert, cert, key, user-file, compare, " OWN_KEYS, "prefix",
		etcd_fields},
	{"git", "url, ref, path, verify, interval, " OWN_KEYS, "url", git_fields},
};

static void add_word(struct store_reader *reader, const char *word)
{
	if (reader->count + 1 < WORDS_MAX)
		reader->words[reader->count++] = word;
}

/* Adds a value to the identity. Its length distinguishes "a", "bc" from "ab", "c". */
static int identify(struct store_reader *reader, const char *value)
{
	reader->identity = arena_printf(reader->place->arena, "%s%s %zu %s\n", reader->identity,
		reader->name, strlen(value), value);
	return reader->identity ? 0 : -ENOMEM;
}

static int read_field(struct store_reader *reader, const struct store_syntax *kind,
	const struct node *map, const struct field *field)
{
	const struct node *node = node_get(map, field->name);
	const char *value = NULL;

	if (!value_is_given(node))
		return field->kind == FIELD_REQUIRED || field->kind == FIELD_ARGUMENT
			       ? problem_at(reader->problem, map, "%s has no '%s'; give it",
					 kind->name, field->name)
			       : 0;
	reader->name = field->name;
	int r = field->take(reader, node, &value);
	if (r == 0 && field->kind != FIELD_TUNING)
		r = identify(reader, value);
	if (r != 0)
		return r;
	if (strcmp(field->name, kind->what) == 0)
		reader->store->what = value;
	if (field->kind == FIELD_ARGUMENT)
		return 0;
	const char *option = arena_printf(reader->place->arena, "--%s", field->name);
	add_word(reader, option);
	add_word(reader, value);
	return option ? 0 : -ENOMEM;
}

/* Returns the FNV-1a hash. It names files, so it must be the same in all processes and versions. */
static uint64_t hash(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

/* Finds the directory of states, if plyfs.yaml does not name it. Returns 0, PROBLEM or -ENOMEM. */
static int find_base(const struct store_reader *reader, const struct node *map, const char **ret)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	CLEANUP(freep) char *text = NULL;
	struct passwd user;

	if (geteuid() == 0) {
		*ret = SYSTEM_BASE;
		return 0;
	}
	if (!home || *home != '/') {
		int r = user_find(NULL, &user, &text);
		if (r < 0)
			return r;
		home = r == 0 ? user.pw_dir : NULL;
	}
	if (state && *state == '/')
		*ret = arena_printf(reader->place->arena, "%s/" USER_BASE, state);
	else if (home && *home == '/')
		*ret = arena_printf(reader->place->arena, "%s/.local/state/" USER_BASE, home);
	else
		return problem_at(reader->problem, map,
			"there is no home directory to keep the mirror's state in; give 'state'");
	return *ret ? 0 : -ENOMEM;
}

static int set_paths(struct store_reader *reader, const struct node *map)
{
	const struct node *state = node_get(map, "state");
	struct arena *arena = reader->place->arena;
	struct store_spec *store = reader->store;

	reader->name = "state";
	int r = value_is_given(state) ? take_file(reader, state, &store->base)
				      : find_base(reader, map, &store->base);
	if (r != 0)
		return r;
	store->home = arena_printf(
		arena, "%s/%s-%016" PRIx64, store->base, store->kind, hash(reader->identity));
	if (!store->home)
		return -ENOMEM;
	store->directory = arena_printf(arena, "%s/layer", store->home);
	if (!value_is_given(state))
		store->system =
			arena_printf(arena, SYSTEM_BASE "%s/layer", strrchr(store->home, '/'));
	return store->directory ? 0 : -ENOMEM;
}

/* Makes the words "mirror KIND OPTION… -- [URL] DIRECTORY". */
static int set_words(struct store_reader *reader, const struct store_syntax *kind)
{
	const char *state = arena_printf(reader->place->arena, "%s/state", reader->store->home);
	size_t size = (reader->count + 7) * sizeof(char *);
	const char **words = arena_alloc(reader->place->arena, size);

	if (!state || !words)
		return -ENOMEM;
	/* Another mount's mirror may keep the same state. */
	add_word(reader, "--standby");
	add_word(reader, "--state");
	add_word(reader, state);
	add_word(reader, "--");
	if (kind->fields->kind == FIELD_ARGUMENT)
		add_word(reader, reader->store->what);
	add_word(reader, reader->store->directory);
	memcpy(words, reader->words, reader->count * sizeof(char *));
	words[reader->count] = NULL;
	reader->store->words = words;
	return 0;
}

static const struct store_syntax *find_kind(const char *name)
{
	const struct store_syntax *kind = kinds;

	while (strcmp(kind->name, name) != 0)
		kind++;
	return kind;
}

int store_spec_read(const char *name, const struct node *map, const struct store_spec_place *place,
	const struct store_spec **ret, struct problem *problem)
{
	struct store_spec *store = arena_zalloc(place->arena, 1, sizeof(*store));
	const struct store_syntax *kind = find_kind(name);
	struct store_reader reader = {
		.place = place, .store = store, .identity = kind->name, .problem = problem};

	if (!store)
		return -ENOMEM;
	store->kind = kind->name;
	store->place = map;
	store->wait_ms = WAIT_MS;
	add_word(&reader, "mirror");
	add_word(&reader, kind->name);
	int r = value_map(map, kind->name, kind->keys, problem);
	for (const struct field *field = kind->fields; r == 0 && field->name; field++)
		r = read_field(&reader, kind, map, field);
	reader.name = "user";
	if (r == 0)
		r = value_text(node_get(map, reader.name), reader.name, &store->user, problem);
	if (r == 0 && store->user)
		r = identify(&reader, store->user);
	if (r == 0)
		r = value_amount(
			node_get(map, "wait"), "wait", &wait_range, &store->wait_ms, problem);
	if (r == 0)
		r = set_paths(&reader, map);
	if (r == 0)
		r = set_words(&reader, kind);
	if (r == 0)
		*ret = store;
	return r;
}

const char *store_spec_directory(const struct store_spec *store)
{
	char found[PATH_MAX];

	return store->system && outside_find(store->directory, found) != 0 &&
			       outside_find(store->system, found) == 0
		       ? store->system
		       : store->directory;
}
