/* plyfs status: prints a mount's .plyfs/status for people. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "column.h"
#include "command.h"
#include "document.h"
#include "drift.h"
#include "fault.h"
#include "fault_list.h"
#include "json_put.h"
#include "layer_choice.h"
#include "message.h"
#include "plyfs_mount.h"
#include "rendered_tree.h"
#include "report_print.h"
#include "text.h"

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

static int name_columns(const struct node *layer)
{
	return (int)column_put(NULL, span_of(report_text(layer, "name")));
}

static int name_width(const struct node *layers)
{
	int width = 0;

	for (uint32_t i = 0; i < report_count(layers); i++) {
		int columns = name_columns(layers->seq.items[i]);
		if (columns > width && columns < LAYER_NAME_MAX)
			width = columns;
	}
	return width;
}

static void print_title(const char *title)
{
	printf("  %-*s", INDENT - 2, title);
}

static const char *plural(const struct node *map, const char *path)
{
	return report_is(map, path, "1") ? "" : "s";
}

static void print_mirror_faults(const struct node *layer)
{
	const struct node *faults = report_get(layer, "mirror.troubles");
	double count = report_number(layer, "mirror.trouble_count");

	for (uint32_t i = 0; i < report_count(faults); i++) {
		print_title("mirror");
		report_put(layer, "{name}: ");
		report_put(faults->seq.items[i], "{subject}: {message}\n");
	}
	if (count > report_count(faults)) {
		print_title("mirror");
		report_put(layer, "{name}: errors: ");
		printf("%.0f more\n", count - report_count(faults));
	}
}

/*
 * Prints "  etcd /fleet/ at 4711, 3 files, from https://etcd1:2379, last heard of 3 seconds ago".
 */
static void print_mirror(const struct node *mirror)
{
	bool has_state = *report_text(mirror, "revision");
	bool is_connected = report_is(mirror, "connected", "true");
	bool is_running = report_is(mirror, "running", "true");
	const char *landlock = report_text(mirror, "sandbox.landlock");
	char age[FAULT_AGE_MAX];

	if (!mirror)
		return;
	printf("%*s  ", INDENT, "");
	report_put(mirror, "{kind} {source}");
	report_put(mirror, has_state ? " at {revision}" : ", no state yet");
	report_put(mirror, ", {#files} file");
	fputs(plural(mirror, "files"), stdout);
	if (is_running)
		report_put(mirror,
			is_connected ? ", from {endpoint}" : ", not connected to {endpoint}");
	if (*report_text(mirror, "contact")) {
		fault_age((long long)report_number(mirror, "contact_age_s"), age);
		printf(", last answer %s ago", age);
	}
	if (*landlock && strcmp(landlock, "on") != 0)
		report_put(mirror, ", Landlock {sandbox.landlock}");
	/* A plyfs of version 0.2 gives no reason. */
	if (!is_running)
		report_put(mirror, *report_text(mirror, "reason")
					   ? ", not kept up to date: {reason}"
					   : ", not kept up to date: no process is running");
	putchar('\n');
}

static void print_layers(const struct node *layers)
{
	int width = name_width(layers);

	for (uint32_t i = 0; i < report_count(layers); i++) {
		const struct node *layer = layers->seq.items[i];
		int left = width - name_columns(layer);

		print_title(i ? "" : "layers");
		report_put(layer, "{name}");
		printf("%*s", (left > 0 ? left : 0) + 2, "");
		report_put(layer, "{path}");
		puts(report_is(layer, "present", "false") ? " (not there)" : "");
		print_mirror(report_get(layer, "mirror"));
	}
}

/* Prints "120 (lookup 30, read 90)". */
static void print_requests(const struct node *requests)
{
	const char *separator = " (";

	report_put(requests, "{total}");
	for (uint32_t i = 0; requests && node_is_map(requests) && i < requests->map.count; i++) {
		const struct pair *pair = &requests->map.pairs[i];

		if (!node_is_scalar(pair->key) || span_is(pair->key->text, "total") ||
			report_number(pair->value, "") == 0)
			continue;
		printf("%s", separator);
		report_print(pair->key->text.data);
		report_put(pair->value, " {}");
		separator = ", ";
	}
	puts(*separator == ',' ? ")" : "");
}

/* Prints a line with the text at `path`; nothing if it is empty. */
static void print_line(const char *title, const struct node *map, const char *path)
{
	const char *text = report_text(map, path);

	if (!*text)
		return;
	print_title(title);
	report_print(text);
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
	const char *ended = report_text(hook, "ended");
	bool is_good = report_is(hook, "good", "true");
	char age[FAULT_AGE_MAX];

	print_title("on_change");
	report_put(hook, "{command}");
	fault_age(*ended ? seconds_since(ended) : 0, age);
	if (*ended)
		printf(": %s %s ago", is_good ? "ended well" : "failed", age);
	if (report_is(hook, "running", "true"))
		printf("%s runs now", *ended ? "," : ":");
	if (*ended && !is_good) {
		printf("%s", report_is(hook, "given_up", "true")
				     ? ", too often: it is tried again at the next change"
				     : ", and is tried again");
		report_put(hook, *report_text(hook, "error") ? ": {error}" : "");
	}
	putchar('\n');
}

static void print_hooks(const struct node *hooks, bool have_failed)
{
	for (uint32_t i = 0; i < report_count(hooks); i++) {
		const struct node *hook = hooks->seq.items[i];

		if (fault_list_hook_has_failed(hook) == have_failed)
			print_hook(hook);
	}
}

static void print_rendered(const struct node *rendered)
{
	print_title("rendered");
	report_put(rendered, "{at}, {#files} file");
	printf("%s%s\n", plural(rendered, "files"),
		report_is(rendered, "atomic", "true") ? ", atomic" : "");
}

/* Prints what could not be written: files, or the next generation of an atomic tree. */
static void print_failures(const struct node *status)
{
	const struct node *failures = report_get(status, "failures");
	uint32_t count = report_count(failures), first = 0;

	if (count > 0 && !*report_text(failures->seq.items[0], "path"))
		report_put(failures->seq.items[first++],
			"\nThe next state of the tree could not be made:\n  {message}\n");
	if (count > first)
		printf(count - first == 1 ? "\nA file could not be written:\n"
					  : "\n%u files could not be written:\n",
			(unsigned)(count - first));
	for (uint32_t i = first; i < count; i++)
		report_put(failures->seq.items[i], "  {message}\n");
}

static void print_kept(const struct node *kept)
{
	print_title("kept");
	report_put(kept, "{#versions} last good versions, ");
	printf("%.0f KiB", report_number(kept, "bytes") / 1024);
	if (report_number(kept, "lost") > 0)
		report_put(kept, " ({#lost} were forgotten)");
	report_put(kept, *report_text(kept, "directory") ? " in {directory}\n" : "\n");
}

static void print_header(const char *mountpoint, const struct node *status)
{
	const struct node *rendered = report_get(status, "rendered");

	report_print(mountpoint);
	report_put(status, rendered ? ": rendered by plyfs {version}" : ": plyfs {version}");
	if (!rendered || drift_is_rendered_now(mountpoint))
		report_put(status, ", process {#pid}\n");
	else
		puts(", which has ended");
}

static void print_other_faults(const struct node *status)
{
	const struct node *layers = report_get(status, "layers");
	const struct node *processes = report_get(status, "processes");

	print_line("publisher", status, "publisher.reason");
	print_line("watches", status, "watches.error");
	for (uint32_t i = 0; i < report_count(processes); i++)
		print_line("process", processes->seq.items[i], "reason");
	print_hooks(report_get(status, "on_change"), true);
	for (uint32_t i = 0; i < report_count(layers); i++) {
		const struct node *layer = layers->seq.items[i];

		if (fault_list_layer_is_silent(layer)) {
			print_title("layer");
			report_put(layer,
				"{name}: its file system does not answer; look after that at "
				"{path}\n");
		}
		print_mirror_faults(layer);
	}
	fault_list_print_unchecked(status);
}

static void print_details(const struct node *status)
{
	print_line("publisher", status, "publisher.mode");
	print_line("watches", status, "watches.count");
	print_title("versions");
	report_put(status, "{#versions.count}, ");
	print_bytes(report_number(status, "versions.bytes"));
	report_put(status, "; {#compositions} merged since the start\n");
	print_title("cache");
	print_bytes(report_number(status, "cache.bytes"));
	puts(" of sources");
	print_title("workers");
	report_put(status, "{#workers.running}, {#workers.left} without an answer, "
			   "{#workers.failed} failed since the start\n");
	print_title("requests");
	print_requests(report_get(status, "requests"));
	print_title("lookups");
	printf("%s at a time in a directory\n",
		report_is(status, "parallel_lookups", "true") ? "several" : "one");
}

/* A file is merged when it is first read, so the faults of other files are unknown. */
static void print_read(const char *mountpoint, const struct node *status)
{
	bool is_any = report_number(status, "versions.files") > 0;

	print_title("read");
	report_put(status, is_any ? "{#versions.files} file" : "nothing so far");
	if (is_any)
		printf("%s so far", plural(status, "versions.files"));
	printf("; errors of the others are not known: 'plyfs check ");
	report_print(mountpoint);
	puts("' reads all");
}

static void print_circumstance(const char *word, const struct node *value, bool *is_first)
{
	if (!value)
		return;
	if (*is_first)
		print_title("as");
	printf(*is_first ? "%s " : ", %s ", word);
	report_print(report_text(value, ""));
	*is_first = false;
}

/* Prints for which host, machine, user and facts the mount was made, as in "as  host web1". */
static void print_environment(const struct node *settings)
{
	const struct node *facts = report_get(settings, "facts");
	bool is_first = true;

	print_circumstance("host", report_get(settings, "host"), &is_first);
	print_circumstance("machine", report_get(settings, "machine_id"), &is_first);
	print_circumstance("user", report_get(settings, "user"), &is_first);
	for (uint32_t i = 0; i < report_count(facts); i++)
		print_circumstance("fact", facts->seq.items[i], &is_first);
	if (!is_first)
		putchar('\n');
}

static void print_status(const char *mountpoint, const struct node *status, bool is_verbose)
{
	const struct node *rendered = report_get(status, "rendered");

	print_line("settings", status, "settings.path");
	if (!rendered)
		print_line("coherence", status, "settings.coherence");
	print_environment(report_get(status, "settings"));
	if (report_is(status, "settings.header", "false"))
		puts("  header      off");
	print_layers(report_get(status, "layers"));
	print_line("polling", status, "polling.reason");
	if (rendered)
		print_rendered(rendered);
	else
		print_kept(report_get(status, "kept"));
	print_hooks(report_get(status, "on_change"), false);
	if (!rendered)
		print_read(mountpoint, status);
	if (is_verbose && !rendered)
		print_details(status);
	if (is_verbose)
		report_print_sandbox(INDENT, report_get(status, "sandbox"));
}

static int complain(const char *path, int error)
{
	if (error == -ENOTCONN || error == -ETIMEDOUT || error == -EACCES)
		return layer_choice_complain(NULL, path, error, NULL);
	if (error != -EPERM && (error != -ENOENT || access(path, F_OK) < 0))
		return message_result(error, NULL, path);
	return message_at(path, "%s",
		error == -EPERM ? RENDERED_TREE_FOREIGN
				: "is not in a plyfs mount, nor in a tree that plyfs has rendered; "
				  "'plyfs status' lists the mounts");
}

static int print_for_people(
	const char *path, const char *mountpoint, bool is_verbose, struct document **document)
{
	struct problem problem;

	int r = plyfs_mount_report(mountpoint, NULL, document, &problem);
	if (r == PROBLEM)
		return message_result(r, &problem, mountpoint);
	if (r < 0)
		return complain(path, r);
	const struct node *status = (*document)->roots[0];
	print_header(mountpoint, status);
	printf("%-*s%.0f\n", INDENT, "  errors", fault_list_count(status));
	print_other_faults(status);
	fault_list_print(mountpoint, status);
	print_failures(status);
	print_status(mountpoint, status, is_verbose);
	return report_get(status, "rendered") ? rendered_tree_print_drift(mountpoint) : EXIT_DONE;
}

static int print_json(
	const char *path, const char *mountpoint, bool is_rendered, struct document **document)
{
	CLEANUP(freep) char *text = NULL;
	struct problem ignored;

	if (is_rendered)
		return rendered_tree_print_json(mountpoint, document);
	int r = plyfs_mount_report(mountpoint, &text, document, &ignored);
	if (r != 0)
		return r < 0 ? complain(path, r) : message_at(mountpoint, PLYFS_MOUNT_NO_JSON);
	fputs(text, stdout);
	return EXIT_DONE;
}

/* Returns the exit code for a status; NULL: it can't be read. */
static int code_of(const struct node *status)
{
	if (!status)
		return EXIT_UNKNOWN;
	return fault_list_count(status) > 0 ? EXIT_FAULT : EXIT_DONE;
}

/* Shows the state at `path`. Returns an exit code, with *document if the status could be read. */
static int show(const char *path, bool is_verbose, struct document **document)
{
	CLEANUP(freep) char *mountpoint = NULL;
	int r = plyfs_mount_find(path, &mountpoint);

	bool is_rendered = r == -ENOENT;
	if (is_rendered)
		r = rendered_tree_find(path, &mountpoint);
	if (r < 0)
		return complain(path, r);
	return message_is_json() ? print_json(path, mountpoint, is_rendered, document)
				 : print_for_people(path, mountpoint, is_verbose, document);
}

struct status_listing {
	const char *before; /* JSON: stands before the next mount */
	int code;           /* EXIT_FAILED: a mount does not answer */
	int state;          /* the highest result of code_of() */
};

static void explain_absence(const char *mountpoint, int result, char text[PLYFS_MOUNT_SILENCE_MAX])
{
	if (result == -ETIMEDOUT)
		plyfs_mount_silence(mountpoint, PROBE_OTHERS_MS, text);
	else
		snprintf(text, PLYFS_MOUNT_SILENCE_MAX, "%s: %s", mountpoint,
			result == -ENOTCONN ? PLYFS_MOUNT_ENDED
			: result == -EACCES && plyfs_mount_is_private(mountpoint)
				? PLYFS_MOUNT_PRIVATE
			: result < 0 ? text_error(result)
				     : "its status can't be read");
}

/* Prints a mount. One that does not answer does not affect the others. */
static int list_mount(void *context, const char *mountpoint, int result, struct span text)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct status_listing *listing = context;
	char absence[PLYFS_MOUNT_SILENCE_MAX];
	struct problem ignored;
	bool is_known =
		result == 0 && plyfs_mount_read_report(mountpoint, text, &document, &ignored) == 0;
	const struct node *status = is_known ? document->roots[0] : NULL;
	int state = code_of(status);

	if (!is_known)
		explain_absence(mountpoint, result, absence);
	if (message_is_json()) {
		fputs(listing->before, stdout);
		json_put(JSON(stdout), "{'mountpoint': %s, 'status': ", mountpoint);
		if (is_known)
			fwrite(text.data, 1, text.len, stdout);
		else
			json_put(JSON(stdout), "null, 'error': %s", absence);
		putchar('}');
	} else if (is_known) {
		uint32_t count = report_count(report_get(status, "layers"));
		double faults = fault_list_count(status);

		report_print(mountpoint);
		printf(": %u layer%s, %.0f error%s\n", count, count == 1 ? "" : "s", faults,
			faults == 1 ? "" : "s");
	} else {
		report_print(absence);
		putchar('\n');
	}
	listing->before = ",\n";
	listing->state = state > listing->state ? state : listing->state;
	if (result == -ETIMEDOUT)
		listing->code = EXIT_FAILED;
	return 0;
}

static int list(bool has_code)
{
	CLEANUP(path_list_fini) struct path_list mounted = {0};
	struct status_listing listing = {.before = "\n"};

	int r = plyfs_mount_all(&mounted);
	if (r < 0)
		return message_result(r, NULL, NULL);
	if (message_is_json())
		putchar('[');
	else if (mounted.count == 0)
		puts("No plyfs is mounted.");
	(void)plyfs_mount_each(&mounted, PROBE_OTHERS_MS, NULL, list_mount, &listing);
	if (message_is_json())
		puts("]");
	return has_code ? listing.state : listing.code;
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(document_freep) struct document *document = NULL;
	bool is_verbose = false, has_code = false;
	const struct command_option options[] = {{'v', "verbose", .flag = &is_verbose},
		{0, "exit-code", .flag = &has_code}, {0, "json"}, {0}};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return list(has_code);
	if (optind + 1 < argc)
		return command_misuse(
			command, "'%s' is one too many; give one mountpoint", argv[optind + 1]);
	code = show(argv[optind], is_verbose, &document);
	if (!has_code)
		return code;
	return code == EXIT_DONE ? code_of(document->roots[0]) : EXIT_UNKNOWN;
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
