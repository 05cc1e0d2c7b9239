#include "store_layers.h"

#include <stdio.h>

#include "cleanup.h"
#include "command.h"
#include "manager.h"
#include "message.h"
#include "place.h"

void store_layers_report_status(void *context, const char *text)
{
	char line[4096];

	(void)context;
	snprintf(line, sizeof(line), "STATUS=%s", text);
	for (char *at = line; *at; at++)
		if (*at == '\n')
			*at = ' ';
	manager_say(line, false);
}

int store_layers_start(const struct layer_choice *choice, bool is_fresh,
	const struct supervisor_options *options, struct supervisor **ret)
{
	CLEANUP(settings_unrefp) struct settings *outline = NULL;
	CLEANUP(supervisor_freep) struct supervisor *supervisor = NULL;
	struct problem problem;

	if (!choice->config)
		return EXIT_DONE;
	if (layer_choice_wait(choice) != EXIT_DONE)
		return EXIT_FAILED;
	int r = settings_outline(&choice->around, choice->config, &outline, &problem);
	if (r == 0)
		r = supervisor_new(outline, options, &supervisor, &problem);
	if (r == 0)
		r = supervisor_wait(supervisor, is_fresh, &problem);
	if (r == 0) {
		*ret = take_ptr(supervisor);
		return EXIT_DONE;
	}
	message_result(r, &problem, choice->config);
	if (r == PROBLEM)
		place_show(NULL, &problem);
	return EXIT_FAILED;
}
