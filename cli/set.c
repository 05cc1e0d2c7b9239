/* plyfs set and plyfs unset: change a value of a merged file in the layer where it belongs. */
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "edited_file.h"
#include "layer_edit_report.h"
#include "message.h"

/* Adds KEY=VALUE, and ends KEY at the "=" in the argument. */
static int add_pair(const struct command *command, struct assignments *assignments, char *argument)
{
	char *equals = (char *)assignment_equals(argument);

	if (!equals || equals == argument)
		return command_misuse(command,
			"'%s' is not KEY=VALUE; give one KEY and its VALUE, or several KEY=VALUE",
			argument);
	*equals = '\0';
	return edited_file_assign(command, assignments, argument, equals + 1);
}

/* Takes the arguments. Returns an exit code, or -1: continue. */
static int take_arguments(
	const struct command *command, int count, char **arguments, struct assignments *assignments)
{
	bool is_set = command == &command_set;
	bool has_pair = count > 0 && assignment_equals(arguments[0]);
	int code = -1;

	if (count == 0)
		return command_misuse(
			command, is_set ? "a KEY and a VALUE are missing" : "a KEY is missing");
	if (is_set && count == 2 && !has_pair)
		return edited_file_assign(command, assignments, arguments[0], arguments[1]);
	if (is_set && count == 1 && !has_pair)
		return command_misuse(command, "the VALUE of '%s' is missing", arguments[0]);
	for (int i = 0; code < 0 && i < count; i++)
		code = is_set ? add_pair(command, assignments, arguments[i])
			      : edited_file_assign(command, assignments, arguments[i], NULL);
	return code;
}

/* Warns of VALUEs that were converted in a way that the user may not have meant. */
static void warn_of_conversions(const struct assignments *assignments, const char *path)
{
	for (size_t i = 0; i < assignments->count; i++) {
		const struct assignment *assignment = &assignments->items[i];
		struct problem note;

		if (assignment->note == TYPED_STAYS_TEXT)
			problem_set(&note, path, 0, 0,
				"%s: was a text, and stays one; --yaml gives it another type",
				assignment->text);
		else if (assignment->note == TYPED_NO_LIST)
			problem_set(&note, path, 0, 0,
				"%s: the VALUE is no whole map or list, so it is a text; --yaml "
				"reads it as YAML",
				assignment->text);
		else
			continue;
		message_warning(&note);
	}
}

static int run(const struct command *command, int argc, char **argv)
{
	bool is_set = command == &command_set, is_string = false, is_yaml = false;
	const struct command_option more[] = {
		{0, "string", .flag = &is_string}, {0, "yaml", .flag = &is_yaml}};
	CLEANUP(edited_file_fini)
	struct edited_file edited = {.more = is_set ? more : NULL,
		.kind = is_set ? PREFIXED_PATH_MADE : PREFIXED_PATH_NEW};
	CLEANUP(assignments_fini) struct assignments assignments = {0};
	CLEANUP(layer_edit_freep) struct layer_edit *edit = NULL;
	struct problem problem = {0};

	int code = edited_file_read(command, argc, argv, &edited);
	if (code < 0 && is_string && is_yaml)
		code = command_misuse(
			command, "--string and --yaml contradict each other; give one");
	assignments.kind = is_string ? TYPED_STRING : is_yaml ? TYPED_YAML : TYPED_AUTO;
	if (code < 0)
		code = take_arguments(command, argc - optind, argv + optind, &assignments);
	if (code >= 0)
		return code;
	code = edited_file_find(command, &edited);
	if (code != EXIT_DONE)
		return code;
	struct layer_edit_request request = {.plan = assignments_plan, .context = &assignments};
	int r = edited_file_change(command, &edited, &request, &edit, &problem);
	if (r != 0)
		return edited_file_complain(&edited, r, &problem);
	warn_of_conversions(&assignments, edited.path);
	r = layer_edit_report(&edited.output, edit);
	layer_edit_report_end(&edited.output, LAYER_EDIT_NOTHING);
	return r == 0 ? EXIT_DONE : message_result(r, NULL, NULL);
}

const struct command command_set = {
	.name = "set",
	.synopsis = "[-L LAYER] [-n] [--json] [--string | --yaml] (-c CONFIG | -l LAYERS) PATH KEY "
		    "VALUE\n"
		    "[-L LAYER] [-n] [--json] [--string | --yaml] (-c CONFIG | -l LAYERS) PATH "
		    "KEY=VALUE...\n"
		    "[-L LAYER] [-n] [--json] [--string | --yaml] PATH KEY=VALUE...",
	.summary = "change values of a merged file where they belong",
	.help = "Changes values of a merged file, by the smallest change of one layer's source "
		"that makes the merge have them; comments and formatting stay. If the merge would "
		"not have the values, nothing is written, and the message names the obstacle. PATH "
		"is relative to the layers; with neither -c nor -l it is a path in a mount.\n"
		"\n"
		"KEY is like server.port, hosts[0], hosts[+] (one more item) or "
		"hosts[name=web].port; in a file of several documents, "
		"[kind=Service,metadata.name=web].port or [0].port. A name that exists may have "
		"dots in it.\n"
		"\n"
		"In a format that has only texts, VALUE is the text itself. Elsewhere a number, "
		"true, false and null are those of the file's format, [a, b] and {a: b} are lists "
		"and maps, and \"80\" is the text 80. Any other VALUE is a text, and so is a "
		"number, true, false or null that replaces a text. The VALUE - is read from "
		"standard input, @FILE from a file, without one newline at its end.\n"
		"\n" EDITED_FILE_HELP "\n"
		"      --string                    VALUE is the text as it stands, also - and "
		"@FILE\n"
		"      --yaml                      VALUE is YAML, whatever the format of the "
		"file\n",
	.run = run,
};

const struct command command_unset = {
	.name = "unset",
	.synopsis = "[-L LAYER] [-n] [--json] (-c CONFIG | -l LAYERS) PATH KEY...\n[-L LAYER] [-n] "
		    "[--json] PATH KEY...",
	.summary = "remove values from a merged file",
	.help = "Removes values from a merged file. The layer's own value is deleted in its "
		"source; a lower layer's is hidden by a tag such as !delete. PATH is "
		"relative to the layers; with neither -c nor -l it is a path in a mount. KEY is as "
		"for plyfs explain.\n"
		"\n" EDITED_FILE_HELP,
	.run = run,
};
