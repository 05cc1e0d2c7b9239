/*
 * plyfs __complete WORD...: prints the words that the last word may become, for the shells'
 * completion.
 *
 * It uses the tables and the help texts, so that there is no second list to maintain. Each line has
 * the word, a tab, and its description. A line that begins with a colon makes the shell offer names
 * instead: ":files", ":directories".
 */
#include "command.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "explained_file.h"
#include "explained_value.h"
#include "layer.h"
#include "mount_option.h"
#include "path.h"
#include "plyfs_mount.h"
#include "preset.h"
#include "strategy.h"
#include "word.h"

/* Maximum number of KEYs that are offered at once. */
#define KEYS_MAX 500

/* An option of a help text: " -c, --config CONFIG a plyfs.yaml". */
struct help_option {
	struct span letter; /* "-c"; or empty */
	struct span word;   /* "--config"; or empty */
	struct span value;  /* "CONFIG"; empty: it takes no value */
	struct span summary;
};

/* The words before the last one. */
struct typed {
	const char *strategy;       /* of -s; NULL: none */
	struct layer_choice choice; /* of -c and -l */
	const char *path;           /* the first argument; NULL: none */
	int arguments;              /* number of words that are neither options nor their values */
	struct span waiting; /* the value of an option that the last word is; empty: it is none */
};

/* The word to complete, split into a fixed prefix and the part that is completed. */
struct completion {
	struct span prefix; /* "--config=", or empty */
	struct span start;  /* the rest, as typed */
};

static struct span take(const char **text, size_t len)
{
	struct span span = {*text, len};

	*text += len;
	return span;
}

static bool read_option(const char *line, size_t len, struct help_option *ret)
{
	const char *end = line + len, *at = line + strspn(line, " ");
	struct help_option option = {0};

	if (at == line || at >= end || *at != '-')
		return false;
	if (at[1] != '-') {
		option.letter = take(&at, strcspn(at, ", \n"));
		at += *at == ',' ? 1 + strspn(at + 1, " ") : 0;
	}
	if (at < end && *at == '-')
		option.word = take(&at, strcspn(at, " \n"));
	if (at + 1 < end && at[0] == ' ' && at[1] != ' ') {
		at++;
		option.value = take(&at, strcspn(at, " \n"));
	}
	at += strspn(at, " ");
	option.summary = (struct span){at, at < end ? (size_t)(end - at) : 0};
	*ret = option;
	return true;
}

/*
 * Reads the next option in the help text at *text, and moves *text behind it. False: there is none.
 */
static bool next_option(const char **text, struct help_option *ret)
{
	while (**text) {
		const char *line = *text;
		size_t len = strcspn(line, "\n");

		*text += len + (line[len] == '\n');
		if (read_option(line, len, ret))
			return true;
	}
	return false;
}

/*
 * Finds the option that was typed: "-c", "-cCONFIG", "--config" or "--config=…". *value: what
 * stands behind it in the same word; NULL: nothing.
 */
static bool find_option(const struct command *command, const char *typed, struct help_option *ret,
	const char **value)
{
	bool is_letter = typed[1] != '-';
	struct span name = {typed, is_letter && typed[1] ? 2 : strcspn(typed, "=")};
	const char *text = command->help;

	*value = typed[name.len] ? typed + name.len + !is_letter : NULL;
	while (next_option(&text, ret))
		if (span_equal(name, ret->letter) || span_equal(name, ret->word))
			return true;
	return false;
}

/* Reads words[0..count), which stand before the last one. Returns whether "--" is among them. */
static bool read_words(const struct command *command, int count, char **words, struct typed *typed)
{
	bool has_ended_options = false;

	for (int i = 0; i < count; i++) {
		struct help_option option;
		const char *value;

		if (has_ended_options || words[i][0] != '-') {
			if (typed->arguments++ == 0)
				typed->path = words[i];
		} else if (strcmp(words[i], "--") == 0) {
			has_ended_options = true;
		} else if (find_option(command, words[i], &option, &value) &&
			   option.value.len > 0) {
			if (!value && i + 1 == count) {
				typed->waiting = option.value;
				return false;
			}
			value = value ? value : words[++i];
			if (span_is(option.value, "STRATEGY"))
				typed->strategy = value;
			else if (span_is(option.value, "CONFIG"))
				typed->choice.config = value;
			else if (span_begins(option.value, "LAYER"))
				typed->choice.layers = value;
		}
	}
	return has_ended_options;
}

/*
 * Offers a word, if it begins like the typed one. `ending` follows it: "=" if a value must follow.
 * A word with a line break or a tab can't be offered: these end a word for the shells' scripts. For
 * their sake the summary ends at its first control character.
 */
static void offer(
	const struct completion *offer, struct span word, const char *ending, struct span summary)
{
	if (word.len < offer->start.len ||
		!span_equal((struct span){word.data, offer->start.len}, offer->start) ||
		memchr(word.data, '\n', word.len) || memchr(word.data, '\t', word.len))
		return;
	for (size_t i = 0; i < summary.len; i++)
		if (iscntrl((unsigned char)summary.data[i]))
			summary.len = i;
	printf("%.*s%.*s%s\t%.*s\n", (int)offer->prefix.len, offer->prefix.data, (int)word.len,
		word.data, ending, (int)summary.len, summary.data);
}

/* Offers the words of a list such as "a|b|c" or "a, b, c". */
static void offer_each(const struct completion *to, const char *list, const char *separators)
{
	while (*list) {
		struct span word = take(&list, strcspn(list, separators));

		offer(to, word, "", span_of(""));
		list += strspn(list, separators);
	}
}

/* Moves the completion behind the last of `separators` in the typed word, if there is one. */
static void skip_past(struct completion *to, const char *separators)
{
	for (size_t i = to->start.len; i > 0; i--) {
		if (!strchr(separators, to->start.data[i - 1]))
			continue;
		to->prefix.len += i;
		to->start = (struct span){to->start.data + i, to->start.len - i};
		return;
	}
}

static void offer_settings(struct completion *to, const char *strategy_name)
{
	const struct strategy *strategy = strategy_find(span_of(strategy_name));
	const char *equals = memchr(to->start.data, '=', to->start.len);
	struct span name = to->start;

	if (equals) {
		name.len = (size_t)(equals - name.data);
		skip_past(to, "=");
	}
	for (const struct option_spec *spec = strategy ? strategy->options : NULL;
		spec && spec->name; spec++) {
		if (!equals)
			offer(to, span_of(spec->name), "=", span_of(spec->summary));
		else if (span_is(name, spec->name) && spec->choices)
			offer_each(to, spec->choices, "|");
		else if (span_is(name, spec->name) && spec->type == OPTION_BOOL)
			offer_each(to, "true|false", "|");
	}
}

/* Offers the chosen layers. Errors are left to the command itself. */
static void offer_layers(const struct completion *to, const struct typed *typed)
{
	CLEANUP(explained_file_fini) struct explained_file subject = {0};
	CLEANUP(freep) char *inner = NULL;
	bool has_choice = layer_choice_text(&typed->choice);

	if (!has_choice && !typed->path)
		return;
	(void)explained_file_find(&command_set, &typed->choice, typed->path ? typed->path : ".",
		PREFIXED_PATH_OLD, &subject, &inner);
	for (size_t i = 0; subject.settings && i < subject.settings->layer_count; i++)
		offer(to, span_of(subject.settings->layers[i]->name), "",
			span_of(subject.settings->layers[i]->path));
}

/* Offers words for a placeholder of the help text, such as FILE. */
static void offer_value(struct completion *to, struct span value, const struct typed *typed)
{
	char words[64];

	if (span_is(value, "STRATEGY")) {
		for (const struct strategy *const *at = strategy_all(); *at; at++)
			offer(to, span_of((*at)->name), "", span_of((*at)->summary));
	} else if (span_is(value, "FORMAT")) {
		for (const struct format *const *at = format_all(); *at; at++)
			offer(to, span_of((*at)->name), "", span_of((*at)->summary));
	} else if (span_is(value, "OPT=VALUE")) {
		offer_settings(to, typed->strategy ? typed->strategy : "deep");
	} else if (span_is(value, "OPTION,...")) {
		skip_past(to, ",");
		offer_each(to, MOUNT_OPTION_WORDS, ", ");
	} else if (memchr(value.data, '|', value.len) && value.len < sizeof(words)) {
		memcpy(words, value.data, value.len);
		words[value.len] = '\0';
		offer_each(to, words, "|");
	} else if (word_index("LINES, HOST, ID, USER, PREFIX, MODE, NUMBER, SECONDS, REF", value) >=
			   0 ||
		   span_is(value, "URL,...")) {
		/* Any value is possible: offer none. */
	} else if (span_is(value, "NAME")) {
		offer_layers(to, typed);
	} else if (strncmp(value.data, "LAYER", strlen("LAYER")) == 0) {
		puts(":directories");
	} else {
		puts(":files");
	}
}

/* The state of a walk through a file's values, to the KEYs that begin like the typed one. */
struct key_walk {
	const struct completion *to;
	const char *ending; /* text behind a KEY */
	struct key_text key;
	size_t left; /* number of KEYs that may still be offered */
};

static void offer_keys_in(struct key_walk *walk, const struct node *node, bool is_below);

/*
 * Offers the value whose KEY is in walk->key. `is_below`: the value around it is offered already.
 */
static void offer_key(struct key_walk *walk, const struct node *value, bool is_below)
{
	struct span key = key_text_span(&walk->key), start = walk->to->start;
	size_t len = key.len < start.len ? key.len : start.len;

	if (walk->left == 0 || (len > 0 && memcmp(key.data, start.data, len) != 0))
		return;
	if (key.len < start.len) {
		offer_keys_in(walk, value, false);
		return;
	}
	walk->left--;
	offer(walk->to, key, walk->ending, span_of(""));
	/* One more level, so that the shell does not take the KEY for complete. */
	if (!is_below)
		offer_keys_in(walk, value, true);
}

/* Appends a map's key: with quotes if it needs them, unless it is typed without. */
static void put_key(struct key_walk *walk, const struct node *key)
{
	size_t len = walk->key.len, at = len ? len + 1 : 0;
	struct span typed = walk->to->start;

	key_text_put(&walk->key, key);
	if (typed.len <= at || !node_is_scalar(key))
		return;
	typed.len = typed.len - at < key->text.len ? typed.len - at : key->text.len;
	if (typed.len == 0 || memcmp(typed.data + at, key->text.data, typed.len) != 0 ||
		memchr(key->text.data, '\n', key->text.len))
		return;
	key_text_cut(&walk->key, len);
	key_text_put_text(&walk->key, span_of(len ? "." : ""));
	key_text_put_text(&walk->key, key->text);
}

static void offer_keys_in(struct key_walk *walk, const struct node *node, bool is_below)
{
	size_t len = walk->key.len;

	for (uint32_t i = 0; i < node_count(node) && walk->left > 0; i++) {
		if (node_is_map(node))
			put_key(walk, node->map.pairs[i].key);
		else
			key_text_put_index(&walk->key, i);
		offer_key(walk, *node_entry(node, i), is_below);
		key_text_cut(&walk->key, len);
	}
}

/* Offers the KEYs of the file at typed->path. Errors are left to the command itself. */
static void offer_keys(struct completion *to, const struct typed *typed, const char *ending)
{
	CLEANUP(explained_file_fini) struct explained_file subject = {0};
	struct key_walk walk = {.to = to, .ending = ending, .left = KEYS_MAX};
	const struct stream *stream;

	if (explained_file_open(&command_explain, &typed->choice, typed->path, &subject) !=
		EXIT_DONE)
		return;
	if (to->start.len > 0 && to->start.data[0] == '.') {
		to->prefix.len++;
		to->start = (struct span){to->start.data + 1, to->start.len - 1};
	}
	stream = &subject.explanation->stream;
	if (stream->count == 1)
		offer_keys_in(&walk, stream->roots[0], false);
	for (size_t i = 0; stream->count > 1 && i < stream->count; i++) {
		stream_put(stream, i, &walk.key);
		offer_key(&walk, stream->roots[i], false);
		key_text_cut(&walk.key, 0);
	}
	key_text_fini(&walk.key);
}

static void offer_options(const struct completion *to, const struct command *command)
{
	const char *text = command->help;
	struct help_option option;

	while (next_option(&text, &option))
		offer(to, option.word.len ? option.word : option.letter, "", option.summary);
	offer(to, span_of("--help"), "", span_of("print how it is called"));
}

static void offer_presets(const struct completion *to)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(path_list_fini) struct path_list names = {0};

	if (arena_new(&arena) < 0 || preset_names(&names) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		struct problem ignored;
		struct preset preset;

		if (preset_read(names.paths[i], NULL, NULL, arena, &preset, &ignored) != 0)
			continue;
		offer(to, span_of(names.paths[i]), "", span_of(preset.description));
		preset_fini(&preset);
	}
}

static void offer_commands(const struct completion *to)
{
	for (const struct command *const *at = command_all(); *at; at++)
		offer(to, span_of((*at)->name), "", span_of((*at)->summary));
	offer(to, span_of("help"), "", span_of("print how a command is called"));
}

struct name_offer {
	const struct completion *to;
	const struct settings *settings;
	size_t layer;
	int directory_len; /* with its slash */
};

/* Returns whether a lower layer has the path, so that it was offered already. */
static bool is_offered(const struct name_offer *names, const char *path)
{
	struct stat found;
	bool is_there = false;

	for (size_t i = 0; !is_there && i < names->layer; i++)
		is_there = layer_stat(names->settings->layers[i], path, &found) == 0;
	return is_there;
}

static int offer_name(void *context, const char *name, unsigned char type)
{
	const struct name_offer *names = context;
	const char *typed = names->to->start.data;
	bool is_hidden = name[0] == '.' && typed[names->directory_len] != '.';
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%.*s%s", names->directory_len, typed, name);

	if (!is_hidden && len < PATH_MAX && !is_offered(names, path))
		offer(names->to, span_of(path), type == DT_DIR ? "/" : "", span_of(""));
	return 0;
}

static void offer_names(const struct completion *to, const struct settings *settings, size_t layer)
{
	int len = (int)path_directory_length(to->start.data);
	struct name_offer names = {to, settings, layer, len};
	char directory[PATH_MAX];

	snprintf(directory, sizeof(directory), "%.*s", len > 0 ? len - 1 : 0, to->start.data);
	(void)layer_list(settings->layers[layer], directory, offer_name, &names);
}

static void offer_paths(const struct completion *to, const struct typed *typed)
{
	CLEANUP(explained_file_fini) struct explained_file subject = {0};

	if (to->start.data[0] == '/' || explained_file_find(&command_set, &typed->choice, NULL,
						PREFIXED_PATH_OLD, &subject, NULL) != EXIT_DONE)
		return;
	for (size_t i = 0; i < subject.settings->layer_count; i++)
		if (subject.settings->layers[i]->dirfd >= 0)
			offer_names(to, subject.settings, i);
}

/* Offers mounts. A rendered tree, which has a status, too, is offered as a directory. */
static void offer_mounts(const struct completion *to)
{
	CLEANUP(path_list_fini) struct path_list mounted = {0};
	bool is_any = false;

	if (plyfs_mount_all(&mounted) == 0)
		for (size_t i = 0; i < mounted.count; i++) {
			offer(to, span_of(mounted.paths[i]), "", span_of(""));
			is_any |= strncmp(mounted.paths[i], to->start.data, to->start.len) == 0;
		}
	if (!is_any)
		puts(":directories");
}

/* Offers an argument. A mountpoint is a directory; the source of a mount may be a file. */
static void offer_argument(
	const struct command *command, const struct typed *typed, struct completion *to)
{
	bool takes_many =
		command == &command_set || command == &command_unset || command == &command_reset;

	bool has_key = command == &command_explain || command == &command_get || takes_many;
	bool has_mountpoint = strstr(command->synopsis, "MOUNTPOINT");
	bool is_first_of_two = typed->arguments == 0 && strstr(command->synopsis, "CONFIG");

	if (command == &command_mirror && typed->arguments == 0) {
		offer_each(to, "etcd|git|status|confirm", "|");
	} else if (has_key && typed->arguments > 0) {
		if (typed->arguments == 1 || takes_many)
			offer_keys(to, typed, command == &command_set ? "=" : "");
	} else if (command == &command_presets) {
		offer_presets(to);
	} else if (command == &command_status || command == &command_umount) {
		offer_mounts(to);
	} else if (layer_choice_text(&typed->choice) && strstr(command->synopsis, "PATH")) {
		offer_paths(to, typed);
	} else {
		puts(has_mountpoint && !is_first_of_two ? ":directories" : ":files");
	}
}

static void complete_for(const struct command *command, int count, char **words)
{
	const char *last = words[count - 1], *value;
	struct completion to = {{last, 0}, span_of(last)};
	struct typed typed = {0};
	struct help_option option;

	bool has_ended_options = read_words(command, count - 1, words, &typed);
	if (typed.waiting.len > 0) {
		offer_value(&to, typed.waiting, &typed);
	} else if (has_ended_options || last[0] != '-') {
		offer_argument(command, &typed, &to);
	} else if (!find_option(command, last, &option, &value) || !value) {
		offer_options(&to, command);
	} else if (option.value.len > 0) {
		to.prefix.len = (size_t)(value - last);
		to.start = span_of(value);
		offer_value(&to, option.value, &typed);
	}
}

int command_complete(int count, char **words)
{
	if (count == 0)
		return EXIT_DONE;

	const struct completion to = {{words[count - 1], 0}, span_of(words[count - 1])};
	if (count == 1) {
		offer_commands(&to);
		if (words[0][0] == '-')
			offer_each(&to, "--help|--version", "|");
		return EXIT_DONE;
	}
	if (strcmp(words[0], "help") == 0) {
		offer_commands(&to);
		return EXIT_DONE;
	}
	for (const struct command *const *at = command_all(); *at; at++)
		if (strcmp((*at)->name, words[0]) == 0)
			complete_for(*at, count - 1, words + 1);
	return EXIT_DONE;
}
