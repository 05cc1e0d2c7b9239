/*
 * The specifiers in a layer's path, such as %H.
 *
 * They are those of systemd.unit(5), SPECIFIERS, where that has the same; %d and %{NAME} are ours.
 *
 * The values must not be trusted: a host name may come from DHCP, and "../../home/eve" must not
 * choose the directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "fact.h"
#include "layer.h"
#include "layer_spec.h"
#include "node.h"
#include "text.h"
#include "user.h"

#define MACHINE_ID "/etc/machine-id"

/* os-release(5): the first one that is there counts. */
#define OS_RELEASE "/etc/os-release"
#define OS_RELEASE_BELOW "/usr/lib/os-release"
#define OS_RELEASE_MAX (64u << 10) /* bytes */

/* In bytes; machine-id(5). */
#define MACHINE_ID_LEN 32

/* The functions that get a value return 0; NO_VALUE if this machine has none; or the -errno of a
 * shortage, which must not look like that: an optional layer would be missing. */
enum { NO_VALUE = 1 };

static int copy_text(char *buffer, size_t size, const char *text)
{
	size_t len = strlen(text);

	if (len >= size)
		return NO_VALUE;
	memcpy(buffer, text, len + 1);
	return 0;
}

static int result_of(int r)
{
	return layer_is_shortage(r) ? r : NO_VALUE;
}

static int get_host(const struct settings_environment *around, char buffer[PATH_MAX])
{
	if (around->host)
		return copy_text(buffer, PATH_MAX, around->host);
	if (gethostname(buffer, PATH_MAX) < 0)
		return NO_VALUE;
	buffer[PATH_MAX - 1] = '\0';
	return 0;
}

/* The part of the host name before its first dot, or the part behind it. */
static int get_short_host(const struct settings_environment *around, char buffer[PATH_MAX])
{
	int r = get_host(around, buffer);

	if (r == 0)
		buffer[strcspn(buffer, ".")] = '\0';
	return r;
}

static int get_domain(const struct settings_environment *around, char buffer[PATH_MAX])
{
	int r = get_host(around, buffer);
	const char *dot = r == 0 ? strchr(buffer, '.') : NULL;

	if (!dot || !dot[1])
		return NO_VALUE;
	memmove(buffer, dot + 1, strlen(dot));
	return 0;
}

static int get_machine_id(const struct settings_environment *around, char buffer[PATH_MAX])
{
	ssize_t len;

	if (around->machine_id)
		return copy_text(buffer, PATH_MAX, around->machine_id);
	int fd = open(MACHINE_ID, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return result_of(-errno);
	len = read(fd, buffer, PATH_MAX - 1);
	(void)close(fd);
	if (len < MACHINE_ID_LEN)
		return NO_VALUE;
	buffer[MACHINE_ID_LEN] = '\0';
	return strspn(buffer, "0123456789abcdef") == MACHINE_ID_LEN ? 0 : NO_VALUE;
}

/* Returns a descriptor or -errno. */
static int open_os_release(void)
{
	int fd = open(OS_RELEASE, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 && !layer_is_shortage(-errno))
		fd = open(OS_RELEASE_BELOW, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Takes the quotes of a shell's assignment away, as far as os-release(5) permits them. */
static void unquote(char *text)
{
	char quote = *text == '"' || *text == '\'' ? *text : '\0', *to = text;

	for (const char *from = text + (quote != '\0'); *from && *from != quote; from++) {
		if (*from == '\\' && quote != '\'' && from[1])
			from++;
		*to++ = *from;
	}
	*to = '\0';
}

/* Gets the value of `name`, which ends with '='. As in a shell, the last of several counts. */
static int get_os_release(const char *name, char buffer[PATH_MAX])
{
	CLEANUP(freep) char *text = NULL;
	size_t length = strlen(name);
	int found = NO_VALUE;

	CLEANUP(closep) int fd = open_os_release();
	int r = fd < 0 ? fd : text_read(fd, OS_RELEASE_MAX, &text, &(size_t){0});
	if (r < 0)
		return result_of(r);
	for (char *at = text, *line; (line = strsep(&at, "\n"));) {
		if (strncmp(line, name, length) != 0)
			continue;
		unquote(line + length);
		found = line[length] ? copy_text(buffer, PATH_MAX, line + length) : NO_VALUE;
	}
	return found;
}

/* Gets the name, or the home directory, of the requested user, or of the user who mounts. */
static int get_passwd(
	const struct settings_environment *around, char buffer[PATH_MAX], bool is_home)
{
	CLEANUP(freep) char *text = NULL;
	struct passwd user;
	int r = user_find(around->user, &user, &text);

	if (r != 0)
		return r < 0 ? r : NO_VALUE;
	return copy_text(buffer, PATH_MAX, is_home ? user.pw_dir : user.pw_name);
}

static int get_user(const struct settings_environment *around, char buffer[PATH_MAX])
{
	return around->user ? copy_text(buffer, PATH_MAX, around->user)
			    : get_passwd(around, buffer, false);
}

static int get_home(const struct settings_environment *around, char buffer[PATH_MAX])
{
	const char *home = around->user ? NULL : getenv("HOME");

	/* mount(8) and systemd may start plyfs with an empty environment. */
	if (home && home[0] == '/')
		return copy_text(buffer, PATH_MAX, home);
	int r = get_passwd(around, buffer, true);
	return r == 0 && buffer[0] != '/' ? NO_VALUE : r;
}

struct specifier {
	char letter;
	const char *what;
	int (*get)(const struct settings_environment *around, char buffer[PATH_MAX]);
	const char *variable; /* of os-release(5), if `get` is NULL */
};

static const struct specifier specifiers[] = {
	{'H', "host name", get_host},
	{'l', "host name", get_short_host},
	{'d', "domain in its host name", get_domain},
	{'m', "machine id (" MACHINE_ID ")", get_machine_id},
	{'h', "user's home directory", get_home},
	{'u', "user's name", get_user},
	{'o', "ID in " OS_RELEASE, .variable = "ID="},
	{'w', "VERSION_ID in " OS_RELEASE, .variable = "VERSION_ID="},
};

/* "{" is a fact's (fact.h). */
const char *const pattern_owner_letters[] = {"Hld", "m", "uh", "{", "ow"};

static const struct specifier *find_specifier(char letter)
{
	for (size_t i = 0; i < sizeof(specifiers) / sizeof(specifiers[0]); i++)
		if (specifiers[i].letter == letter)
			return &specifiers[i];
	return NULL;
}

/* Returns whether the value may contain slashes. */
static bool is_path(const struct specifier *specifier)
{
	return specifier->get == get_home;
}

static int get_value(const struct specifier *specifier, const struct settings_environment *around,
	char ret[PATH_MAX])
{
	return specifier->get ? specifier->get(around, ret)
			      : get_os_release(specifier->variable, ret);
}

static bool is_a_name(const char *text)
{
	return text[0] && strcmp(text, ".") != 0 && strcmp(text, "..") != 0 && !strchr(text, '/');
}

static int refuse_shortage(
	const struct node *place, char letter, int error, struct problem *problem)
{
	if (error == -ENOMEM)
		return error;
	return problem_at(problem, place,
		"the value of '%%%c' can't be looked up: too many open files; raise the limit "
		"(ulimit -n)",
		letter);
}

int layer_specifier(char letter, const struct settings_environment *around,
	const struct node *place, char ret[PATH_MAX], struct problem *problem)
{
	const struct specifier *specifier = find_specifier(letter);

	if (!specifier || is_path(specifier))
		return -ENOENT;
	int r = get_value(specifier, around, ret);
	if (r < 0)
		return refuse_shortage(place, letter, r, problem);
	if (r == NO_VALUE || !is_a_name(ret))
		return problem_at(problem, place,
			"'%%%c' has no value that can be a file's name: this machine has no such "
			"%s; write the name out, or write '%%%%%c' for these two characters",
			letter, specifier->what, letter);
	return 0;
}

/* Replaces a specifier by its value. `value` has room for PATH_MAX bytes. */
static int replace(char letter, struct layer_spec *spec, const struct settings_environment *around,
	char *value, struct problem *problem)
{
	const struct specifier *specifier = find_specifier(letter);

	if (!specifier)
		return problem_at(problem, spec->place,
			"unknown '%%%.1s' in a layer's path (allowed: %%H host name, %%l its first "
			"part, %%d its domain, %%m machine id, %%h home, %%u user, %%o ID and %%w "
			"VERSION_ID of os-release, %%{NAME} a fact, %%%% a percent sign)",
			letter ? &letter : "");
	int r = get_value(specifier, around, value);
	if (r < 0)
		return refuse_shortage(spec->place, letter, r, problem);
	if (r == NO_VALUE) {
		(void)snprintf(value, PATH_MAX, "%%%c", letter);
		spec->at = "";
		return spec->presence == LAYER_OPTIONAL
			       ? 0
			       : problem_at(problem, spec->place,
					 "'%%%c' has no value: this machine has no %s; write the "
					 "path out, or mark the layer 'optional: true'",
					 letter, specifier->what);
	}
	if (!is_path(specifier) && !is_a_name(value))
		return problem_at(problem, spec->place,
			"'%%%c' can't be used: the %s '%s' is no file name; write the path out",
			letter, specifier->what, value);
	return 0;
}

static int replace_fact(struct span name, struct layer_spec *spec,
	const struct settings_environment *around, char *value, struct problem *problem)
{
	const char *found = NULL;
	int r = fact_find(around, name, spec->place, &found, problem);

	if (r != 0)
		return r;
	if (found && copy_text(value, PATH_MAX, found) != 0)
		return problem_at(problem, spec->place,
			"the fact '%.*s' is too long for a path; shorten it", (int)name.len,
			name.data);
	if (found)
		return 0;
	(void)snprintf(value, PATH_MAX, "%%{%.*s}", (int)name.len, name.data);
	spec->at = "";
	return spec->presence == LAYER_OPTIONAL
		       ? 0
		       : problem_at(problem, spec->place,
				 "the fact '%.*s' has no value on this machine; give it "
				 "one, or mark the layer 'optional: true'",
				 (int)name.len, name.data);
}

static int note_specifier(struct layer_spec *spec, char letter, struct arena *arena)
{
	spec->specifiers =
		arena_printf(arena, "%s%c", spec->specifiers ? spec->specifiers : "", letter);
	return spec->specifiers ? 0 : -ENOMEM;
}

int layer_spec_expand(struct layer_spec *spec, const char *text, const char *directory,
	const struct settings_environment *around, struct arena *arena, struct problem *problem)
{
	char path[PATH_MAX], value[PATH_MAX];
	size_t len = 0, first_end = 0;

	if (text[0] == '~' && (text[1] == '/' || !text[1]))
		return problem_at(problem, spec->place,
			"only a shell replaces '~' with the home directory; write %%h%s, or ./%s "
			"for a directory of that name",
			text + 1, text);
	for (const char *at = text; *at; at++) {
		value[0] = *at;
		value[1] = '\0';
		if (*at == '%' && *++at != '%') {
			char letter = *at;
			size_t fact = letter == '{' ? fact_name_length(at + 1) : 0;
			int r = fact ? replace_fact((struct span){at + 1, fact}, spec, around,
					       value, problem)
				     : replace(letter, spec, around, value, problem);
			if (r == 0)
				r = note_specifier(spec, letter, arena);
			if (r != 0)
				return r;
			at += fact ? fact + 1 : 0;
			if (!first_end && (fact || !is_path(find_specifier(letter))))
				first_end = len + strlen(value);
		}
		if (copy_text(path + len, sizeof(path) - len, value) != 0)
			return problem_at(problem, spec->place,
				"the layer's path is too long; give a shorter one");
		len += strlen(value);
	}

	path[len] = '\0';
	spec->behind = len - first_end;
	spec->path = arena_printf(arena, "%s%s", path[0] == '/' ? "" : directory, path);
	return spec->path ? 0 : -ENOMEM;
}
