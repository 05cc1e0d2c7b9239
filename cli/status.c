/*
 * plyfs status: what a mount says about itself in .plyfs/status, for people.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "document.h"
#include "message.h"
#include "mounted.h"
#include "scalar.h"
#include "text.h"

#define STATUS_FILE ".plyfs/status"

/* Column of the values. */
#define INDENT 14

/* Longer names are not lined up. */
#define LAYER_NAME_MAX 40

static void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* What lies at the keys NAME, INNER of the status; NULL for what this mount does not tell. */
static const struct node *get(const struct node *map, const char *name, const char *inner)
{
	const struct node *value = map && node_is_map(map) ? node_get(map, name) : NULL;

	return value && inner ? get(value, inner, NULL) : value;
}

/* A scalar's text; "" for what is missing, null or no scalar. */
static const char *text_of(const struct node *node)
{
	return node && node_is_scalar(node) && !scalar_is_null(node) ? node->text.data : "";
}

static double number_of(const struct node *node)
{
	bool is_number = node && node_is_scalar(node) &&
			 (scalar_type(node) == SCALAR_INT || scalar_type(node) == SCALAR_FLOAT);

	return is_number ? scalar_number(node) : 0;
}

static uint32_t count_of(const struct node *list)
{
	return list && node_is_sequence(list) ? list->seq.count : 0;
}

static void print_bytes(double bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	size_t unit = 0;

	while (bytes >= 1024 && unit + 1 < sizeof(units) / sizeof(*units)) {
		bytes /= 1024;
		unit++;
	}
	printf(unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

static int name_width(const struct node *layers)
{
	size_t width = 0;

	for (uint32_t i = 0; i < count_of(layers); i++) {
		size_t len = strlen(text_of(get(layers->seq.items[i], "name", NULL)));
		if (len > width && len < LAYER_NAME_MAX)
			width = len;
	}
	return (int)width;
}

static void print_layers(const struct node *layers)
{
	int width = name_width(layers);

	for (uint32_t i = 0; i < count_of(layers); i++) {
		const struct node *layer = layers->seq.items[i];
		bool is_missing = strcmp(text_of(get(layer, "present", NULL)), "false") == 0;

		printf("%-*s%-*s  %s%s\n", INDENT, i ? "" : "  layers", width,
			text_of(get(layer, "name", NULL)), text_of(get(layer, "path", NULL)),
			is_missing ? " (not there)" : "");
	}
}

/* "120 (lookup 30, read 90)" */
static void print_requests(const struct node *requests)
{
	const char *separator = " (";

	printf("%s", text_of(get(requests, "total", NULL)));
	for (uint32_t i = 0; requests && node_is_map(requests) && i < requests->map.count; i++) {
		const struct pair *pair = &requests->map.pairs[i];

		if (!node_is_scalar(pair->key) || span_is(pair->key->text, "total") ||
			number_of(pair->value) == 0)
			continue;
		printf("%s%s %s", separator, pair->key->text.data, text_of(pair->value));
		separator = ", ";
	}
	printf("%s\n", *separator == ',' ? ")" : "");
}

static void print_trouble(const struct node *trouble)
{
	bool is_last_good = strcmp(text_of(get(trouble, "serves", NULL)), "last-good") == 0;
	struct problem problem;
	char text[MESSAGE_MAX];

	problem_set(&problem, text_of(get(trouble, "source", NULL)),
		(unsigned)number_of(get(trouble, "line", NULL)),
		(unsigned)number_of(get(trouble, "column", NULL)), "%s",
		text_of(get(trouble, "message", NULL)));
	problem_format(&problem, text, sizeof(text));
	printf("  %s%s, since %s:\n    %s\n", text_of(get(trouble, "path", NULL)),
		is_last_good ? "" : " can't be read", text_of(get(trouble, "since", NULL)), text);
}

static void print_troubles(const struct node *status)
{
	const struct node *troubles = get(status, "troubles", NULL);
	const char *settings_error = text_of(get(status, "settings", "error"));
	uint32_t count = count_of(troubles);

	if (count == 0 && !*settings_error)
		printf("%-*snone\n", INDENT, "  troubles");
	if (*settings_error)
		printf("\nThe settings stay as they were, because they can't be used as they are:\n"
		       "    %s\n",
			settings_error);
	if (count == 0)
		return;
	printf(count == 1 ? "\nA file does not merge:\n" : "\n%u files do not merge:\n", count);
	for (uint32_t i = 0; i < count; i++)
		print_trouble(troubles->seq.items[i]);
}

/* A line "  NAME  VALUE: REASON". Nothing when there is neither. */
static void print_line(const char *name, const char *value, const char *reason)
{
	if (*value || *reason)
		printf("  %-*s%s%s%s\n", INDENT - 2, name, value, *value && *reason ? ": " : "",
			reason);
}

static void print_status(const char *mountpoint, const struct node *status)
{
	printf("%s: plyfs %s, process %s\n", mountpoint, text_of(get(status, "version", NULL)),
		text_of(get(status, "pid", NULL)));
	print_line("settings", text_of(get(status, "settings", "path")), "");
	print_line("coherence", text_of(get(status, "settings", "coherence")), "");
	print_layers(get(status, "layers", NULL));
	print_line("publisher", text_of(get(status, "publisher", "mode")),
		text_of(get(status, "publisher", "reason")));
	print_line("watches", text_of(get(status, "watches", "count")),
		text_of(get(status, "watches", "error")));
	print_line("polling", "", text_of(get(status, "polling", "reason")));
	printf("%-*s%s, ", INDENT, "  versions", text_of(get(status, "versions", "count")));
	print_bytes(number_of(get(status, "versions", "bytes")));
	printf("; %s merged since the start\n", text_of(get(status, "compositions", NULL)));
	printf("%-*s", INDENT, "  cache");
	print_bytes(number_of(get(status, "cache", "bytes")));
	printf(" of sources\n%-*s", INDENT, "  requests");
	print_requests(get(status, "requests", NULL));
	print_troubles(status);
}

static int print_for_people(const char *mountpoint, const char *file, struct span text)
{
	const struct source source = {.name = file, .layer = ""};
	const struct read_options options = {.format = FORMAT_JSON};
	CLEANUP(document_freep) struct document *document = NULL;
	struct problem problem;

	int r = document_read(&source, text, &options, &document, &problem);
	if (r != 0) {
		message_result(r, &problem, file);
		return EXIT_FAILED;
	}
	print_status(mountpoint, document->count ? document->roots[0] : NULL);
	return EXIT_DONE;
}

static int complain(const char *path, int error)
{
	switch (-error) {
	case ENOENT:
		if (access(path, F_OK) == 0)
			message("%s: is not in a plyfs mount; 'findmnt -t fuse.plyfs' lists them",
				path);
		else
			message("%s: %s", path, strerror(ENOENT));
		break;
	case ENOTCONN:
		message("%s: the plyfs that served this mount has ended; unmount it, or mount "
			"again",
			path);
		break;
	default:
		message("%s: %s", path, strerror(-error));
	}
	return EXIT_FAILED;
}

static int show(const char *path, bool is_raw)
{
	CLEANUP(freep) char *mountpoint = NULL, *file = NULL, *text = NULL;
	size_t len = 0;

	int r = mounted_find(path, &mountpoint);
	if (r < 0)
		return complain(path, r);
	if (asprintf(&file, "%s/" STATUS_FILE, mountpoint) < 0)
		return complain(path, -ENOMEM);
	CLEANUP(closep) int fd = open(file, O_RDONLY | O_CLOEXEC);
	r = fd < 0 ? -errno : text_read(fd, LIMITS_DEFAULT.source_bytes, &text, &len);
	if (r < 0)
		return complain(r == -ENOTCONN ? path : file, r);
	if (!is_raw)
		return print_for_people(mountpoint, file, (struct span){text, len});
	fwrite(text, 1, len, stdout);
	return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{"json", no_argument, NULL, 'j'},
		{0},
	};
	bool is_raw = false;
	int letter;

	while ((letter = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (letter) {
		case 'h':
			return command_help(command);
		case 'j':
			is_raw = true;
			break;
		default:
			return command_bad_option(command, letter, argv);
		}
	}
	if (optind == argc)
		return command_misuse(command, "the mountpoint is missing");
	if (optind + 1 < argc)
		return command_misuse(
			command, "'%s' is too much; give one mountpoint", argv[optind + 1]);
	return show(argv[optind], is_raw);
}

const struct command command_status = {
	.name = "status",
	.synopsis = "[--json] MOUNTPOINT",
	.summary = "tell how a mount is doing",
	.help = "Tells what a mount is made of, what it has done, and which sources can't be "
		"used.\n"
		"\n"
		"      --json   as JSON, for programs: the same as in MOUNTPOINT/.plyfs/status\n",
	.run = run,
};
