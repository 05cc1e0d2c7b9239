#include "host_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "column.h"
#include "command.h"
#include "fact.h"
#include "input.h"
#include "json_put.h"
#include "layer_choice.h"
#include "message.h"
#include "progress.h"

/* Maximum size, in bytes. A hundred thousand hosts take a tenth of it. */
#define LIST_MAX (16u << 20)

/* The byte order mark, which some editors put before a text. */
#define BOM "\xEF\xBB\xBF"

/* Separators of words in a line. */
#define BLANKS " \t\r"

/* Time before the first progress line, in milliseconds. */
#define PROGRESS_FIRST_MS 1000

static int take_host(const char *file, unsigned line, char *text, struct host_list *list)
{
	char *rest = text, *name = strtok_r(text, BLANKS, &rest), *word;
	struct host host = {.name = name};
	struct problem problem;

	if (!name)
		return EXIT_DONE;
	if (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		problem_set(
			&problem, file, line, 0, "'%s' is no host's name; give one a line", name);
		return message_problem(&problem);
	}
	while ((word = strtok_r(NULL, BLANKS, &rest))) {
		if (!fact_is_given(word)) {
			problem_set(&problem, file, line, 0,
				"'%s' is no fact of the host '%s'; give one host a line, and "
				"behind "
				"it facts such as role=web",
				word, name);
			return message_problem(&problem);
		}
		host.facts = host.facts ? host.facts : word;
		host.fact_count++;
	}
	if (array_push(list->items, list->count, list->capacity, host) < 0)
		return message_result(-ENOMEM, NULL, file);
	return EXIT_DONE;
}

int host_list_read(const char *file, struct host_list *ret)
{
	const char *path = strcmp(file, "-") == 0 ? NULL : file;
	struct problem problem;
	size_t len = 0;
	int code = EXIT_DONE, r = input_read(path, LIST_MAX, &ret->text, &len, &problem);

	if (r == -EFBIG)
		return message_at(file, "is too large for a list of hosts; split it");
	if (r != 0)
		return message_result(r, &problem, file);
	if (strlen(ret->text) != len)
		return message_at(file, "has a NUL byte in it; give a list of hosts, one a line");
	char *rest = ret->text + (span_begins(span_of(ret->text), BOM) ? strlen(BOM) : 0);
	for (unsigned line = 1; code == EXIT_DONE && rest; line++) {
		char *text = strsep(&rest, "\n");

		text[strcspn(text, "#")] = '\0';
		code = take_host(file, line, text, ret);
	}
	if (code == EXIT_DONE && ret->count == 0)
		code = message_at(file, "has no host in it; give one a line");
	return code;
}

int host_enter(
	const struct command *command, const struct host *host, struct settings_environment *around)
{
	const char *fact = host->facts;
	int code = EXIT_DONE;

	around->host = host->name;
	for (size_t i = 0; code == EXIT_DONE && i < host->fact_count; i++) {
		code = layer_choice_take_fact(command, around, fact);
		fact += strlen(fact) + 1;
		fact += strspn(fact, BLANKS);
	}
	return code;
}

void host_list_fini(struct host_list *list)
{
	free(list->items);
	free(list->text);
	*list = (struct host_list){0};
}

/* Adds a host to the group of `text`, which it takes over. Returns 0 or -ENOMEM. */
static int add(struct host_groups *groups, char *text, const char *host)
{
	size_t i = 0;

	while (i < groups->count && strcmp(groups->items[i].text, text) != 0)
		i++;
	if (i < groups->count || array_push(groups->items, groups->count, groups->capacity,
					 (struct host_group){.text = text}) < 0)
		free(text);
	if (i == groups->count)
		return -ENOMEM;
	struct host_group *group = &groups->items[i];
	return array_push(group->hosts, group->count, group->capacity, host);
}

bool *host_paths_new(char **paths)
{
	size_t count = 0;

	while (paths[count])
		count++;
	return calloc(count + 1, sizeof(bool));
}

int host_paths_report(char **paths, const bool *is_found)
{
	int code = EXIT_DONE;

	for (size_t i = 0; paths[i]; i++)
		if (!is_found[i])
			code = layer_choice_complain(NULL, paths[i], -ENOENT, NULL);
	return code;
}

void host_group_print(const struct host_group *group)
{
	bool is_json = message_is_json();

	for (size_t i = 0; i < group->count; i++) {
		fputs(i ? ", " : is_json ? "[" : "", stdout);
		if (is_json)
			json_put_string(JSON(stdout), group->hosts[i]);
		else
			column_put(stdout, span_of(group->hosts[i]));
	}
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
	host_list_fini(&groups->list);
}

int each_host_run(
	const struct command *command, const struct each_host *each, struct host_groups *ret)
{
	const struct host_list *list = &ret->list;
	struct progress progress = {0};
	const struct settings_environment common = *each->around;
	int code = host_list_read(each->file, &ret->list), result = EXIT_DONE;

	if (code != EXIT_DONE)
		return code;
	progress_begin(&progress, PROGRESS_FIRST_MS);
	for (size_t i = 0; code != EXIT_WRONG_USE && i < list->count; i++) {
		char *text = NULL;

		progress_show(&progress, each->what, i, list->count);
		*each->around = common;
		code = host_enter(command, &list->items[i], each->around);
		if (code == EXIT_DONE)
			code = each->make(each->context, &text);
		if (code != EXIT_DONE) {
			progress_hide(&progress);
			message("the host '%s' can't be compared", list->items[i].name);
			free(take_ptr(text));
		}
		if (text && add(ret, text, list->items[i].name) < 0)
			code = message_result(-ENOMEM, NULL, NULL);
		result = code > result ? code : result;
	}
	progress_hide(&progress);
	*each->around = common;
	return result;
}
