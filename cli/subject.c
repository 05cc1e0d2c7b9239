#include "subject.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "message.h"
#include "walk.h"

int subject_open(const struct command *command, const struct choice *choice, const char *path,
	struct subject *ret)
{
	CLEANUP(freep) char *inner = NULL;
	struct problem problem = {0};
	int r = 0, code;

	*ret = (struct subject){0};
	if (choice->config || choice->layers)
		code = choice_open(choice, &ret->settings) < 0 ? EXIT_FAILED : EXIT_DONE;
	else
		code = choice_in_mount(command, path, &ret->settings, &inner);
	if (code == EXIT_DONE)
		code = choice_offline(ret->settings, &ret->offline);
	if (code != EXIT_DONE)
		return code;
	if (!inner)
		r = walk_to(ret->offline, path, &inner, &problem);
	if (r == 0)
		r = *inner ? explain(ret->offline, inner, &ret->explanation, &problem) : -EISDIR;
	if (r != 0)
		return choice_complain(ret->settings, path, r, &problem);
	if (problem.message[0])
		message_problem(&problem);
	return EXIT_DONE;
}

void subject_fini(struct subject *subject)
{
	explanation_free(subject->explanation);
	offline_free(subject->offline);
	settings_unref(subject->settings);
}
