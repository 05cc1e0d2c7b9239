#include "subject.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "message.h"
#include "place.h"
#include "walk.h"

static int complain(const struct subject *subject, const char *path, int result,
	const struct problem *problem)
{
	choice_complain(path, result, problem);
	if (result == PROBLEM)
		place_show(subject->settings, problem);
	return EXIT_FAILED;
}

static int open_view(const struct settings *settings, struct view **ret)
{
	int r = view_new((struct settings *)settings, false, ret);

	if (r == 0)
		return EXIT_DONE;
	if (r == -E2BIG)
		message("there are more than %d layers; merge some of them", LAYERS_MAX);
	else
		message_result(r, NULL, NULL);
	return EXIT_FAILED;
}

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
		code = open_view(ret->settings, &ret->view);
	if (code != EXIT_DONE)
		return code;
	if (!inner)
		r = walk_to(ret->view, path, &inner, &problem);
	if (r == 0)
		r = *inner ? explain(ret->view, inner, &ret->explanation, &problem) : -EISDIR;
	if (r != 0)
		return complain(ret, path, r, &problem);
	if (problem.message[0])
		message_problem(&problem);
	return EXIT_DONE;
}

void subject_fini(struct subject *subject)
{
	explanation_free(subject->explanation);
	if (subject->view)
		view_free(subject->view);
	settings_unref(subject->settings);
}
