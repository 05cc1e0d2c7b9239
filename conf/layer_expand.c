/*
 * The specifiers in a layer's path, such as %H.
 *
 * The values must not be trusted: a host name may come from DHCP, and "../../home/eve" must not
 * choose the directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer_spec.h"
#include "node.h"
#include "opening.h"

#define MACHINE_ID "/etc/machine-id"

/* In bytes; machine-id(5). */
#define MACHINE_ID_LEN 32

/* Size of a passwd entry, in bytes; sysconf(_SC_GETPW_R_SIZE_MAX) is 1024 with glibc. */
#define PASSWD_MAX 4096

static bool copy_text(char *buffer, size_t size, const char *text)
{
	size_t len = strlen(text);

	if (len >= size)
		return false;
	memcpy(buffer, text, len + 1);
	return true;
}

static bool get_host(const struct surroundings *around, char *buffer, size_t size)
{
	if (around->host)
		return copy_text(buffer, size, around->host);
	if (gethostname(buffer, size) < 0)
		return false;
	buffer[size - 1] = '\0';
	return true;
}

static bool get_machine_id(const struct surroundings *around, char *buffer, size_t size)
{
	ssize_t len;

	if (around->machine_id)
		return copy_text(buffer, size, around->machine_id);
	int fd = opening_at(AT_FDCWD, MACHINE_ID, O_RDONLY | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	len = read(fd, buffer, size - 1);
	(void)close(fd);
	if (len < MACHINE_ID_LEN)
		return false;
	buffer[MACHINE_ID_LEN] = '\0';
	return strspn(buffer, "0123456789abcdef") == MACHINE_ID_LEN;
}

/* Gets the name, or the home directory, of the requested user, or of the user who mounts. */
static bool get_passwd(const struct surroundings *around, char *buffer, size_t size, bool is_home)
{
	struct passwd entry, *found = NULL;
	char text[PASSWD_MAX];
	int r = around->user ? getpwnam_r(around->user, &entry, text, sizeof(text), &found)
			     : getpwuid_r(geteuid(), &entry, text, sizeof(text), &found);

	return r == 0 && found && copy_text(buffer, size, is_home ? found->pw_dir : found->pw_name);
}

static bool get_user(const struct surroundings *around, char *buffer, size_t size)
{
	return around->user ? copy_text(buffer, size, around->user)
			    : get_passwd(around, buffer, size, false);
}

static bool get_home(const struct surroundings *around, char *buffer, size_t size)
{
	const char *home = around->user ? NULL : getenv("HOME");

	/* mount(8) and systemd may start plyfs with an empty environment. */
	if (home && home[0] == '/')
		return copy_text(buffer, size, home);
	return get_passwd(around, buffer, size, true) && buffer[0] == '/';
}

struct specifier {
	char letter;
	bool is_path; /* the value may contain slashes */
	const char *what;
	bool (*get)(const struct surroundings *around, char *buffer, size_t size);
};

static const struct specifier specifiers[] = {
	{'H', false, "host name", get_host},
	{'m', false, "machine id (" MACHINE_ID ")", get_machine_id},
	{'h', true, "user's home directory", get_home},
	{'u', false, "user's name", get_user},
};

static const struct specifier *find_specifier(char letter)
{
	for (size_t i = 0; i < sizeof(specifiers) / sizeof(specifiers[0]); i++)
		if (specifiers[i].letter == letter)
			return &specifiers[i];
	return NULL;
}

static bool is_a_name(const char *text)
{
	return text[0] && strcmp(text, ".") != 0 && strcmp(text, "..") != 0 && !strchr(text, '/');
}

/* Replaces a specifier by its value. `value` has room for PATH_MAX bytes. */
static int replace(char letter, struct layer_spec *spec, const struct surroundings *around,
	char *value, struct problem *problem)
{
	const struct specifier *specifier = find_specifier(letter);

	if (!specifier)
		return problem_at(problem, spec->place,
			"unknown '%%%.1s' in a layer's path (allowed: %%H host name, %%m machine "
			"id, %%h home, %%u user, %%%% a percent sign)",
			letter ? &letter : "");
	if (!specifier->get(around, value, PATH_MAX)) {
		(void)snprintf(value, PATH_MAX, "%%%c", letter);
		spec->has_no_value = true;
		return spec->optional
			       ? 0
			       : problem_at(problem, spec->place,
					 "'%%%c' has no value: this machine has no %s; write the path out, or mark "
					 "the layer 'optional: true'",
					 letter, specifier->what);
	}
	if (!specifier->is_path && !is_a_name(value))
		return problem_at(problem, spec->place,
			"'%%%c' can't be used: the %s '%s' is no file name; write the path out",
			letter, specifier->what, value);
	return 0;
}

static int note_specifier(struct layer_spec *spec, char letter, struct arena *arena)
{
	spec->specifiers = arena_printf(
		arena, "%s%c", spec->specifiers ? spec->specifiers : "", letter);
	return spec->specifiers ? 0 : -ENOMEM;
}

int layer_spec_expand(struct layer_spec *spec, const char *text, const char *directory,
	const struct surroundings *around, struct arena *arena, struct problem *problem)
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
			int r = replace(*at, spec, around, value, problem);
			if (r == 0)
				r = note_specifier(spec, *at, arena);
			if (r != 0)
				return r;
			if (!first_end && !find_specifier(*at)->is_path)
				first_end = len + strlen(value);
		}
		if (!copy_text(path + len, sizeof(path) - len, value))
			return problem_at(problem, spec->place,
				"the layer's path is too long; give a shorter one");
		len += strlen(value);
	}

	path[len] = '\0';
	spec->behind = len - first_end;
	spec->path = arena_printf(arena, "%s%s", path[0] == '/' ? "" : directory, path);
	return spec->path ? 0 : -ENOMEM;
}
