#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scalar.h"

const struct node *report_get(const struct node *map, const char *path)
{
	char names[REPORT_PATH_SIZE], *rest = names, *name;

	snprintf(names, sizeof(names), "%s", path);
	while (map && (name = strsep(&rest, ".")) && *name)
		map = node_is_map(map) ? node_get(map, name) : NULL;
	return map;
}

const char *report_text(const struct node *map, const char *path)
{
	const struct node *node = report_get(map, path);

	return node && node_is_scalar(node) && !scalar_is_null(node) ? node->text.data : "";
}

bool report_is(const struct node *map, const char *path, const char *text)
{
	return strcmp(report_text(map, path), text) == 0;
}

double report_number(const struct node *map, const char *path)
{
	const struct node *node = report_get(map, path);
	bool is_number = node && node_is_scalar(node) &&
			 (scalar_type(node) == SCALAR_INT || scalar_type(node) == SCALAR_FLOAT);

	double number = is_number ? scalar_number(node) : 0;

	return isfinite(number) ? number : 0;
}

uint32_t report_count(const struct node *list)
{
	return list && node_is_sequence(list) ? list->seq.count : 0;
}
