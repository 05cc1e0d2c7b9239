/* plyfs status: prints a mount's .plyfs/status for people. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "document.h"
#include "drift.h"
#include "fault_list.h"
#include "json_put.h"
#include "layer_choice.h"
#include "message.h"
#include "plyfs_mount.h"
#include "rendered_tree.h"
#include "report.h"
#include "text.h"
#include "trouble.h"

/* The options for printing a status. */
struct wish {
	bool is_raw;     /* as JSON */
	bool is_verbose; /* with details for experts */
	bool has_code;   /* the exit code says whether there are faults */
};

/* Exit codes with --exit-code, besides EXIT_DONE for no fault. */
#define EXIT_FAULT 1
#define EXIT_UNKNOWN 3 /* the status can't be read */

/* Column of the values. */
#define INDENT 14

/* Longer names do not widen the column. */
#define LAYER_NAME_MAX 40

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

	for (uint32_t i = 0; i < report_count(layers); i++) {
		size_t len = strlen(report_text(report_get(layers->seq.items[i], "name", NULL)));
		if (len > width && len < LAYER_NAME_MAX)
			width = len;
	}
	return (int)width;
}

static bool is_true(const struct node *map, const char *name)
{
	return strcmp(report_text(report_get(map, name, NULL)), "true") == 0;
}

static void print_age(const struct node *map, const char *name)
{
	char age[TROUBLE_AGE_MAX];

	trouble_age((long long)report_number(report_get(map, name, NULL)), age);
	printf("%s ago", age);
}

static void print_silence(const struct node *layer)
{
	if (!fault_list_layer_is_silent(layer))
		return;
	printf("%-*s", INDENT, "  layer");
	report_print(report_text(report_get(layer, "name", NULL)));
	printf(": its file system does not answer; look after that at ");
	report_print(report_text(report_get(layer, "path", NULL)));
	putchar('\n');
}

static void print_mirror_faults(const struct node *layer)
{
	const struct node *mirror = report_get(layer, "mirror", NULL);
	const struct node *faults = report_get(mirror, "troubles", NULL);
	double count = report_number(report_get(mirror, "trouble_count", NULL));

	for (uint32_t i = 0; i < report_count(faults); i++) {
		printf("%-*s", INDENT, "  mirror");
		report_print(report_text(report_get(layer, "name", NULL)));
		printf(": ");
		report_print(report_text(report_get(faults->seq.items[i], "subject", NULL)));
		printf(": ");
		report_print(report_text(report_get(faults->seq.items[i], "message", NULL)));
		putchar('\n');
	}
	if (count > report_count(faults)) {
		printf("%-*s", INDENT, "  mirror");
		report_print(report_text(report_get(layer, "name", NULL)));
		printf(": troubles: %.0f more\n", count - report_count(faults));
	}
}

/*
 * Prints "  etcd /fleet/ at 4711, 3 files, from https://etcd1:2379, last heard of 3 seconds ago".
 */
static void print_mirror(const struct node *layer)
{
	const struct node *mirror = report_get(layer, "mirror", NULL);
	const char *revision = report_text(report_get(mirror, "revision", NULL));

	if (!mirror)
		return;
	printf("%*s  ", INDENT, "");
	report_print(report_text(report_get(mirror, "kind", NULL)));
	putchar(' ');
	report_print(report_text(report_get(mirror, "source", NULL)));
	printf("%s", *revision ? " at " : ", no state yet");
	report_print(revision);
	double files = report_number(report_get(mirror, "files", NULL));
	printf(", %.0f file%s", files, files == 1 ? "" : "s");
	printf("%s", is_true(mirror, "connected") ? ", from " : ", not connected to ");
	report_print(report_text(report_get(mirror, "endpoint", NULL)));
	if (*report_text(report_get(mirror, "contact", NULL))) {
		printf(", last answer ");
		print_age(mirror, "contact_age_s");
	}
	const char *landlock = report_text(report_get(mirror, "sandbox", "landlock"));
	if (*landlock && strcmp(landlock, "on") != 0) {
		printf(", Landlock ");
		report_print(landlock);
	}
	puts(is_true(mirror, "running") ? "" : ", not kept up to date: no process is running");
}

static void print_layers(const struct node *layers)
{
	int width = name_width(layers);

	for (uint32_t i = 0; i < report_count(layers); i++) {
		const struct node *layer = layers->seq.items[i];
		bool is_missing =
			strcmp(report_text(report_get(layer, "present", NULL)), "false") == 0;
		const char *name = report_text(report_get(layer, "name", NULL));
		int left = width - (int)strlen(name);

		printf("%-*s", INDENT, i ? "" : "  layers");
		report_print(name);
		printf("%*s", (left > 0 ? left : 0) + 2, "");
		report_print(report_text(report_get(layer, "path", NULL)));
		puts(is_missing ? " (not there)" : "");
		print_mirror(layer);
	}
}

/* Prints "120 (lookup 30, read 90)". */
static void print_requests(const struct node *requests)
{
	const char *separator = " (";

	report_print(report_text(report_get(requests, "total", NULL)));
	for (uint32_t i = 0; requests && node_is_map(requests) && i < requests->map.count; i++) {
		const struct pair *pair = &requests->map.pairs[i];

		if (!node_is_scalar(pair->key) || span_is(pair->key->text, "total") ||
			report_number(pair->value) == 0)
			continue;
		printf("%s", separator);
		report_print(pair->key->text.data);
		putchar(' ');
		report_print(report_text(pair->value));
		separator = ", ";
	}
	puts(*separator == ',' ? ")" : "");
}

/* Prints a line " NAME VALUE: REASON"; nothing if both are empty. */
static void print_line(const char *name, const char *value, const char *reason)
{
	if (!*value && !*reason)
		return;
	printf("  %-*s", INDENT - 2, name);
	report_print(value);
	printf("%s", *value && *reason ? ": " : "");
	report_print(reason);
	putchar('\n');
}

/*
 * Returns the seconds since `time_text`, in the status's format: the status may have been written
 * earlier.
 */
static long long seconds_since(const char *time_text)
{
	struct tm then = {0};

	strptime(time_text, "%Y-%m-%dT%H:%M:%SZ", &then);
	return (long long)(time(NULL) - timegm(&then));
}

/* Prints " on_change systemctl: ended well 5 seconds ago". */
static void print_hook(const struct node *hook)
{
	const char *ended = report_text(report_get(hook, "ended", NULL));
	const char *error = report_text(report_get(hook, "error", NULL));
	bool is_good = is_true(hook, "good");
	char age[TROUBLE_AGE_MAX];

	printf("%-*s", INDENT, "  on_change");
	report_print(report_text(report_get(hook, "command", NULL)));
	trouble_age(*ended ? seconds_since(ended) : 0, age);
	if (*ended)
		printf(": %s %s ago", is_good ? "ended well" : "failed", age);
	if (is_true(hook, "running"))
		printf("%s runs now", *ended ? "," : ":");
	if (*ended && !is_good) {
		printf("%s", is_true(hook, "given_up")
				     ? ", too often: it is tried again at the next change"
				     : ", and is tried again");
		printf("%s", *error ? ": " : "");
		report_print(error);
	}
	putchar('\n');
}

/* Prints the change hooks that failed the last time, or the others. */
static void print_hooks(const struct node *hooks, bool have_failed)
{
	for (uint32_t i = 0; i < report_count(hooks); i++) {
		const struct node *hook = hooks->seq.items[i];

		if (fault_list_hook_has_failed(hook) == have_failed)
			print_hook(hook);
	}
}

/* Prints when a rendered tree was written, its number of files, and whether it is atomic. */
static void print_rendered(const struct node *rendered)
{
	bool is_atomic = strcmp(report_text(report_get(rendered, "atomic", NULL)), "true") == 0;

	printf("%-*s", INDENT, "  rendered");
	report_print(report_text(report_get(rendered, "at", NULL)));
	double files = report_number(report_get(rendered, "files", NULL));
	printf(", %.0f file%s%s\n", files, files == 1 ? "" : "s", is_atomic ? ", atomic" : "");
}

/* Prints what could not be written: files, or the next generation of an atomic tree. */
static void print_failures(const struct node *status)
{
	const struct node *failures = report_get(status, "failures", NULL);
	uint32_t count = report_count(failures), first = 0;

	if (count > 0 && !*report_text(report_get(failures->seq.items[0], "path", NULL))) {
		printf("\nThe next state of the tree could not be made:\n  ");
		report_print(
			report_text(report_get(failures->seq.items[first++], "message", NULL)));
		putchar('\n');
	}
	if (count > first)
		printf(count - first == 1 ? "\nA file could not be written:\n"
					  : "\n%u files could not be written:\n",
			(unsigned)(count - first));
	for (uint32_t i = first; i < count; i++) {
		printf("  ");
		report_print(report_text(report_get(failures->seq.items[i], "message", NULL)));
		putchar('\n');
	}
}

static void print_kept(const struct node *kept)
{
	const char *directory = report_text(report_get(kept, "directory", NULL));
	double lost = report_number(report_get(kept, "lost", NULL));

	printf("%-*s%.0f last good versions, %.0f KiB", INDENT, "  kept",
		report_number(report_get(kept, "versions", NULL)),
		report_number(report_get(kept, "bytes", NULL)) / 1024);
	if (lost > 0)
		printf(" (%.0f were forgotten)", lost);
	if (*directory) {
		printf(" in ");
		report_print(directory);
	}
	putchar('\n');
}

static void print_header(const char *mountpoint, const struct node *status)
{
	const struct node *rendered = report_get(status, "rendered", NULL);

	report_print(mountpoint);
	printf(rendered ? ": rendered by plyfs " : ": plyfs ");
	report_print(report_text(report_get(status, "version", NULL)));
	if (!rendered || drift_is_rendered_now(mountpoint))
		printf(", process %.0f\n", report_number(report_get(status, "pid", NULL)));
	else
		puts(", which has ended");
}

/* Prints all faults except those of files. */
static void print_other_faults(const struct node *status)
{
	const struct node *layers = report_get(status, "layers", NULL);
	const struct node *processes = report_get(status, "processes", NULL);

	print_line("publisher", "", report_text(report_get(status, "publisher", "reason")));
	print_line("watches", "", report_text(report_get(status, "watches", "error")));
	print_line("monitor", "", report_text(report_get(status, "monitor", "reason")));
	for (uint32_t i = 0; i < report_count(processes); i++)
		print_line("process", "",
			report_text(report_get(processes->seq.items[i], "reason", NULL)));
	print_hooks(report_get(status, "on_change", NULL), true);
	for (uint32_t i = 0; i < report_count(layers); i++) {
		print_silence(layers->seq.items[i]);
		print_mirror_faults(layers->seq.items[i]);
	}
	fault_list_print_unchecked(status);
}

/* Prints how many processes merge, and what became of the others. */
static void print_workers(const struct node *workers)
{
	printf("%.0f, %.0f without an answer, %.0f failed since the start\n",
		report_number(report_get(workers, "running", NULL)),
		report_number(report_get(workers, "left", NULL)),
		report_number(report_get(workers, "failed", NULL)));
}

/* Prints the mount's activity and use of memory, for experts. */
static void print_details(const struct node *status)
{
	print_line("publisher", report_text(report_get(status, "publisher", "mode")), "");
	print_line("watches", report_text(report_get(status, "watches", "count")), "");
	printf("%-*s%.0f, ", INDENT, "  versions",
		report_number(report_get(status, "versions", "count")));
	print_bytes(report_number(report_get(status, "versions", "bytes")));
	printf("; %.0f merged since the start\n",
		report_number(report_get(status, "compositions", NULL)));
	printf("%-*s", INDENT, "  cache");
	print_bytes(report_number(report_get(status, "cache", "bytes")));
	printf(" of sources\n%-*s", INDENT, "  workers");
	print_workers(report_get(status, "workers", NULL));
	printf("%-*s", INDENT, "  requests");
	print_requests(report_get(status, "requests", NULL));
	bool is_parallel =
		strcmp(report_text(report_get(status, "parallel_lookups", NULL)), "true") == 0;
	printf("%-*s%s at a time in a directory\n", INDENT, "  lookups",
		is_parallel ? "several" : "one");
}

/* A file is merged when it is first read, so the faults of other files are unknown. */
static void print_read(const char *mountpoint, const struct node *status)
{
	double count = report_number(report_get(status, "versions", "files"));

	printf("%-*s", INDENT, "  read");
	if (count > 0)
		printf("%.0f file%s so far", count, count == 1 ? "" : "s");
	else
		printf("nothing so far");
	printf("; troubles of the others are not known: 'plyfs check ");
	report_print(mountpoint);
	puts("' reads all");
}

static void print_circumstance(const char *word, const struct node *value, bool *is_first)
{
	if (!value)
		return;
	if (*is_first)
		printf("%-*s", INDENT, "  as");
	printf(*is_first ? "%s " : ", %s ", word);
	report_print(report_text(value));
	*is_first = false;
}

/* Prints for which host, machine, user and facts the mount was made, as in "as  host web1". */
static void print_environment(const struct node *settings)
{
	const struct node *facts = report_get(settings, "facts", NULL);
	bool is_first = true;

	print_circumstance("host", report_get(settings, "host", NULL), &is_first);
	print_circumstance("machine", report_get(settings, "machine_id", NULL), &is_first);
	print_circumstance("user", report_get(settings, "user", NULL), &is_first);
	for (uint32_t i = 0; i < report_count(facts); i++)
		print_circumstance("fact", facts->seq.items[i], &is_first);
	if (!is_first)
		putchar('\n');
}

static void print_status(const char *mountpoint, const struct node *status, bool is_verbose)
{
	const struct node *rendered = report_get(status, "rendered", NULL);
	bool has_header =
		strcmp(report_text(report_get(status, "settings", "header")), "false") != 0;

	print_line("settings", report_text(report_get(status, "settings", "path")), "");
	if (!rendered)
		print_line(
			"coherence", report_text(report_get(status, "settings", "coherence")), "");
	print_environment(report_get(status, "settings", NULL));
	print_line("header", has_header ? "" : "off", "");
	print_layers(report_get(status, "layers", NULL));
	print_line("polling", "", report_text(report_get(status, "polling", "reason")));
	if (rendered)
		print_rendered(rendered);
	else
		print_kept(report_get(status, "kept", NULL));
	print_hooks(report_get(status, "on_change", NULL), false);
	if (!rendered)
		print_read(mountpoint, status);
	if (is_verbose && !rendered)
		print_details(status);
	if (is_verbose)
		report_print_sandbox(INDENT, report_get(status, "sandbox", NULL));
}

static int complain(const char *path, int error)
{
	if (error == -ENOTCONN || error == -ETIMEDOUT)
		return layer_choice_complain(NULL, path, error, NULL);
	if (error != -EPERM && (error != -ENOENT || access(path, F_OK) < 0))
		return message_result(error, NULL, path);
	message_at(path, "%s",
		error == -EPERM ? RENDERED_TREE_FOREIGN
				: "is not in a plyfs mount, nor in a tree that plyfs has rendered; "
				  "'plyfs status' lists the mounts");
	return EXIT_FAILED;
}

static int print_for_people(const char *path, const char *mountpoint, bool is_verbose)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct problem problem;

	int r = plyfs_mount_report(mountpoint, &document, &problem);
	if (r == PROBLEM)
		return message_result(r, &problem, mountpoint);
	if (r < 0)
		return complain(path, r);
	const struct node *status = document->count ? document->roots[0] : NULL;
	print_header(mountpoint, status);
	printf("%-*s%.0f\n", INDENT, "  troubles", fault_list_count(status));
	print_other_faults(status);
	fault_list_print(mountpoint, status);
	print_failures(status);
	print_status(mountpoint, status, is_verbose);
	if (report_get(status, "rendered", NULL))
		rendered_tree_print_drift(mountpoint);
	return EXIT_DONE;
}

/*
 * Returns whether the text is one JSON value: any user can serve a mount that looks like a plyfs.
 */
static bool is_report(const char *mountpoint, struct span text)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct problem problem;

	return plyfs_mount_read_report(mountpoint, text, &document, &problem) == 0 &&
	       document->count == 1;
}

static int print_json(const char *path, const char *mountpoint, bool is_rendered)
{
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;

	if (is_rendered)
		return rendered_tree_print_json(mountpoint);
	int r = plyfs_mount_status(mountpoint, &text, &len);
	if (r < 0)
		return complain(path, r);
	if (!is_report(mountpoint, (struct span){text, len})) {
		message_at(
			mountpoint, "its status is no JSON; another program may serve this mount");
		return EXIT_FAILED;
	}
	fwrite(text, 1, len, stdout);
	return EXIT_DONE;
}

/* Returns the exit code for a status; NULL: it can't be read. */
static int code_of(const struct node *status)
{
	if (!status)
		return EXIT_UNKNOWN;
	return fault_list_count(status) > 0 ? EXIT_FAULT : EXIT_DONE;
}

static int code_of_mount(const char *mountpoint)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct problem problem;

	int r = plyfs_mount_report(mountpoint, &document, &problem);
	return code_of(r == 0 && document->count ? document->roots[0] : NULL);
}

static int show(const char *path, const struct wish *wish)
{
	CLEANUP(freep) char *mountpoint = NULL;
	int code;

	int r = plyfs_mount_find(path, &mountpoint);
	bool is_rendered = r == -ENOENT;
	if (is_rendered)
		r = rendered_tree_find(path, &mountpoint);
	if (r < 0)
		code = complain(path, r);
	else if (wish->is_raw)
		code = print_json(path, mountpoint, is_rendered);
	else
		code = print_for_people(path, mountpoint, wish->is_verbose);
	if (!wish->has_code)
		return code;
	return code == EXIT_DONE ? code_of_mount(mountpoint) : EXIT_UNKNOWN;
}

/* Prints "3 layers, 1 trouble". */
static void print_summary(const struct node *status)
{
	uint32_t count = report_count(report_get(status, "layers", NULL));
	double faults = fault_list_count(status);

	printf("%u layer%s, %.0f trouble%s\n", count, count == 1 ? "" : "s", faults,
		faults == 1 ? "" : "s");
}

struct status_listing {
	bool has_any;
	bool has_silent;
	int code; /* the highest of EXIT_… */
};

/* Formats the reason why there is no status. */
static void explain_absence(const char *mountpoint, int result, char text[PLYFS_MOUNT_SILENCE_MAX])
{
	if (result == -ETIMEDOUT)
		plyfs_mount_silence(mountpoint, PROBE_OTHERS_MS, text);
	else
		snprintf(text, PLYFS_MOUNT_SILENCE_MAX, "%s: %s", mountpoint,
			result == -ENOTCONN ? PLYFS_MOUNT_ENDED
			: result < 0        ? text_error(result)
					    : "its status can't be read");
}

static void count_mount(struct status_listing *listing, int result, const struct node *status)
{
	int code = code_of(status);

	listing->has_any = true;
	listing->has_silent |= result == -ETIMEDOUT;
	listing->code = code > listing->code ? code : listing->code;
}

/* Parses the reply of a mount. Returns its status, which *ret owns; NULL: it is none. */
static const struct node *status_of(
	const char *mountpoint, int result, struct span text, struct document **ret)
{
	struct problem problem;

	if (result != 0 || plyfs_mount_read_report(mountpoint, text, ret, &problem) != 0 ||
		(*ret)->count != 1)
		return NULL;
	return (*ret)->roots[0];
}

/* Prints a line for each mount. A mount that does not answer does not affect the others. */
static int list_mount(void *context, const char *mountpoint, int result, struct span text)
{
	CLEANUP(document_freep) struct document *document = NULL;
	const struct node *status = status_of(mountpoint, result, text, &document);
	char absence[PLYFS_MOUNT_SILENCE_MAX];

	count_mount(context, result, status);
	if (status) {
		report_print(mountpoint);
		printf(": ");
		print_summary(status);
		return 0;
	}
	explain_absence(mountpoint, result, absence);
	report_print(absence);
	putchar('\n');
	return 0;
}

static int list_mount_raw(void *context, const char *mountpoint, int result, struct span text)
{
	CLEANUP(document_freep) struct document *document = NULL;
	const struct node *status = status_of(mountpoint, result, text, &document);
	struct status_listing *listing = context;
	char absence[PLYFS_MOUNT_SILENCE_MAX];

	json_put_field(stdout,
		listing->has_any ? ",\n{\"mountpoint\": " : "\n{\"mountpoint\": ", mountpoint);
	count_mount(listing, result, status);
	printf(", \"status\": ");
	if (status) {
		fwrite(text.data, 1, text.len, stdout);
	} else {
		explain_absence(mountpoint, result, absence);
		json_put_field(stdout, "null, \"error\": ", absence);
	}
	putchar('}');
	return 0;
}

static int list(const struct wish *wish)
{
	CLEANUP(plyfs_mount_fini) struct plyfs_mounts mounted = {0};
	struct status_listing listing = {.code = EXIT_DONE};

	int r = plyfs_mount_all(&mounted);
	if (r < 0)
		return message_result(r, NULL, NULL);
	if (wish->is_raw)
		putchar('[');
	else if (mounted.count == 0)
		puts("No plyfs is mounted.");
	(void)plyfs_mount_each(&mounted, PROBE_OTHERS_MS, NULL,
		wish->is_raw ? list_mount_raw : list_mount, &listing);
	if (wish->is_raw)
		puts("]");
	if (wish->has_code)
		return listing.code;
	return listing.has_silent ? EXIT_FAILED : EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct wish wish = {0};
	const struct command_option options[] = {{'v', "verbose", .flag = &wish.is_verbose},
		{0, "exit-code", .flag = &wish.has_code}, {0, "json", .flag = &wish.is_raw}, {0}};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return list(&wish);
	if (optind + 1 < argc)
		return command_misuse(
			command, "'%s' is one too many; give one mountpoint", argv[optind + 1]);
	return show(argv[optind], &wish);
}

const struct command command_status = {
	.name = "status",
	.synopsis = "[-v] [--exit-code] [--json] [MOUNTPOINT | DIRECTORY]",
	.summary = "show the state of a mount or a rendered tree",
	.help = "Shows the errors of a mount, its layers and its settings. Without a MOUNTPOINT it "
		"lists the mounts. If the mount does not answer for 5 seconds, or one of the list "
		"for 2, it reports that, and exits with 1. For a DIRECTORY that plyfs has "
		"rendered, it also shows the changes in it that plyfs did not make.\n"
		"\n"
		"  -v, --verbose     also show its counters, and what its sandbox allows\n"
		"      --exit-code   exit with 1 if there are errors, and with 3 if the status "
		"can't be read; for monitoring\n"
		"      --json        as JSON, for programs: as in MOUNTPOINT/.plyfs/status\n",
	.run = run,
};
