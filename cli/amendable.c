#include "amendable.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"

int amendable_read(
	const struct command *command, int argc, char **argv, struct amendable *amendable)
{
	const struct command_option options[] = {
		CHOICE_OPTIONS(&amendable->choice),
		{'L', "layer", .text = &amendable->layer},
		{'n', "dry-run", .flag = &amendable->is_dry},
		{0, "color", .take = command_colour},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return command_misuse(command, "a path is missing");
	if (choice_is_double(command, &amendable->choice))
		return EXIT_WRONG_USE;
	amendable->path = argv[optind++];
	return -1;
}

int amendable_find(const struct command *command, struct amendable *amendable)
{
	int code = subject_find_or_make(command, &amendable->choice, amendable->path,
		&amendable->subject, &amendable->inner);

	if (code == EXIT_DONE && !*amendable->inner)
		code = choice_complain(NULL, amendable->path, -EISDIR, NULL);
	return code;
}

void amendable_fini(struct amendable *amendable)
{
	free(amendable->inner);
	subject_fini(&amendable->subject);
}
