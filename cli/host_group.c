#include "host_group.h"

#include <stdio.h>
#include <string.h>

#include "array.h"
#include "command.h"
#include "json_put.h"
#include "message.h"
#include "progress.h"

/* Time before the first progress line, in milliseconds. */
#define PROGRESS_FIRST_MS 1000

/* Adds a host to the group of `text`, which it takes over. Returns 0 or -ENOMEM. */
static int add(struct host_groups *groups, char *text, const char *host)
{
	size_t i = 0;

	while (i < groups->count && strcmp(groups->items[i].text, text) != 0)
		i++;
	if (i == groups->count) {
		if (array_push(groups->items, groups->count, groups->capacity,
			    (struct host_group){.text = text}) < 0) {
			free(text);
			return -ENOMEM;
		}
	} else {
		free(text);
	}
	struct host_group *group = &groups->items[i];
	return array_push(group->hosts, group->count, group->capacity, host);
}

void host_group_print(const struct host_group *group, bool is_json)
{
	for (size_t i = 0; i < group->count; i++)
		if (is_json)
			json_put(stdout, i ? ", %s" : "[%s", group->hosts[i]);
		else
			printf("%s%s", i ? ", " : "", group->hosts[i]);
	if (is_json)
		putchar(']');
}

void host_groups_fini(struct host_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		free(groups->items[i].text);
		free(groups->items[i].hosts);
	}
	free(groups->items);
	*groups = (struct host_groups){0};
}

int each_host_run(const struct command *command, const struct each_host *each,
	struct host_list *list, struct host_groups *ret)
{
	struct progress progress = {0};
	const struct settings_environment common = *each->around;
	int code = host_list_read(each->file, list), result = EXIT_DONE;

	if (code != EXIT_DONE)
		return code;
	progress_begin(&progress, PROGRESS_FIRST_MS, false);
	for (size_t i = 0; code != EXIT_WRONG_USE && i < list->count; i++) {
		char *text = NULL;

		progress_show(&progress, each->what, i, list->count);
		*each->around = common;
		code = host_enter(command, &list->items[i], each->around);
		if (code == EXIT_DONE)
			code = each->make(each->context, list->items[i].name, &text);
		if (code != EXIT_DONE) {
			progress_hide(&progress);
			message("the host '%s' can't be compared", list->items[i].name);
			free(text);
			text = NULL;
		}
		if (text && add(ret, text, list->items[i].name) < 0)
			code = message_result(-ENOMEM, NULL, NULL);
		result = code > result ? code : result;
	}
	progress_hide(&progress);
	*each->around = common;
	return result;
}
