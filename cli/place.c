#include "place.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "message.h"
#include "text.h"

/*
 * Returns the path in the layer of the source that messages call `name`; NULL: it is not in the
 * layer.
 */
static const char *path_in_layer(const struct layer *layer, const char *name)
{
	size_t len = strlen(layer->path);

	while (len > 1 && layer->path[len - 1] == '/')
		len--;
	if (strncmp(name, layer->path, len) != 0)
		return NULL;
	return name[len] == '/' ? name + len + 1 : NULL;
}

static void print_line(FILE *out, int indent, int fd, size_t max, const struct problem *problem)
{
	CLEANUP(freep) char *text = NULL;
	size_t len;

	if (text_read(fd, max, &text, &len) == 0)
		message_excerpt(out, indent, problem, (struct span){text, len});
}

bool place_print(
	FILE *out, int indent, const struct settings *settings, const struct problem *problem)
{
	bool is_layers = false;

	for (size_t i = settings->layer_count; problem->line && i-- > 0;) {
		const char *path = path_in_layer(settings->layers[i], problem->source);
		struct stat stat;

		is_layers |= path != NULL;
		int fd = path ? layer_open_file(settings->layers[i], path, &stat) : -1;
		if (fd < 0)
			continue;
		print_line(out, indent, fd, settings->options.limits.source_bytes, problem);
		close(fd);
		break;
	}
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
