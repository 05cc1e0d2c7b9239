#include "place.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "message.h"
#include "text.h"

const char *place_in_layer(const struct layer *layer, const char *name)
{
	size_t len = strlen(layer->path);

	if (strncmp(name, layer->path, len) != 0)
		return NULL;
	const char *inner = name + len + strspn(name + len, "/");
	return inner > name + len || !len || layer->path[len - 1] == '/' ? inner : NULL;
}

static void print_line(FILE *out, int indent, int fd, size_t max, const struct problem *problem)
{
	CLEANUP(freep) char *text = NULL;
	size_t len;

	if (fd >= 0 && text_read(fd, max, &text, &len) == 0)
		message_excerpt(out, indent, problem, (struct span){text, len});
}

/* Opens the source that messages call `name`. Returns a descriptor, or a negative value. */
static int open_source(const struct settings *settings, const char *name, bool *is_layers)
{
	int fd = -1;

	for (size_t i = settings->layer_count; fd < 0 && i-- > 0;) {
		const char *path = place_in_layer(settings->layers[i], name);
		struct stat stat;

		*is_layers |= path != NULL;
		fd = path ? layer_open_file(settings->layers[i], path, &stat) : -1;
	}
	return fd;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* Replaces each \xNN, which shown.h has put into the name, by its byte. False: there is none. */
static bool unescape(char *name)
{
	bool is_any = false;
	char *out = name;

	for (const char *at = name; *at; out++) {
		bool is_escape = at[0] == '\\' && at[1] == 'x' && hex_digit(at[2]) >= 0 &&
				 hex_digit(at[3]) >= 0;

		*out = is_escape ? (char)(hex_digit(at[2]) * 16 + hex_digit(at[3])) : *at;
		at += is_escape ? 4 : 1;
		is_any |= is_escape;
	}
	*out = '\0';
	return is_any;
}

bool place_is_secret(const struct settings *settings)
{
	for (uint32_t i = 0; settings && i < settings->schema_count; i++)
		if (schema_has_secrets(settings->schemas[i]->schema))
			return true;
	return false;
}

bool place_print(
	FILE *out, int indent, const struct settings *settings, const struct problem *problem)
{
	char name[PROBLEM_SOURCE_MAX];
	bool is_layers = false;

	if (!problem->line || place_is_secret(settings))
		return problem->line;
	strcpy(name, problem->source);
	CLEANUP(closep) int fd = open_source(settings, name, &is_layers);
	CLEANUP(closep) int escaped = unescape(name) ? open_source(settings, name, &is_layers) : -1;
	/* If there are files of both names, either may be meant. */
	if (fd < 0 || escaped < 0)
		print_line(out, indent, fd < 0 ? escaped : fd,
			settings->options.limits.source_bytes, problem);
	return is_layers;
}

void place_print_file(
	FILE *out, int indent, const char *name, dev_t except, const struct problem *problem)
{
	struct stat stat;

	if (!problem->line || !problem->source[0])
		return;
	/* O_NONBLOCK: the name may be a pipe's by now, which must not hang us. */
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && (!except || stat.st_dev != except))
		print_line(out, indent, fd, LIMITS_DEFAULT.source_bytes, problem);
	close(fd);
}

void place_show(const struct settings *settings, const struct problem *problem)
{
	if (!settings || !place_print(stderr, MESSAGE_INDENT, settings, problem))
		place_print_file(stderr, MESSAGE_INDENT, problem->source, 0, problem);
}
