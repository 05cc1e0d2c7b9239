#include "source_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define REST ":…"

static bool reserve(struct source_list *list, size_t more)
{
	size_t needed = list->len + more;
	size_t capacity = list->capacity ? list->capacity : 64;

	if (needed <= list->capacity)
		return true;
	while (capacity < needed)
		capacity *= 2;
	char *text = realloc(list->text, capacity);
	if (!text) {
		list->failure = -ENOMEM;
		return false;
	}
	list->text = text;
	list->capacity = capacity;
	return true;
}

void source_list_add(struct source_list *list, const char *name)
{
	size_t size = 2 * strlen(name) + sizeof(REST) + 1;

	if (list->failure || !reserve(list, size))
		return;
	if (list->len + size > SOURCE_LIST_MAX) {
		memcpy(list->text + list->len, REST, sizeof(REST));
		list->failure = -E2BIG;
		return;
	}
	if (list->len > 0)
		list->text[list->len++] = ':';
	for (; *name; name++) {
		if (*name == ':' || *name == '\\')
			list->text[list->len++] = '\\';
		list->text[list->len++] = *name;
	}
	list->text[list->len] = '\0';
}

int source_list_take(struct source_list *list, char **ret)
{
	char *text = list->text ? list->text : calloc(1, 1);

	if (list->failure == -ENOMEM || !text) {
		free(text);
		text = NULL;
	}
	*list = (struct source_list){0};
	if (!text)
		return -ENOMEM;
	*ret = text;
	return 0;
}
