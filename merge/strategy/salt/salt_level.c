#include <assert.h>
#include <errno.h>

#include "salt.h"
#include "scalar.h"

bool salt_levelise(struct salt_level level, struct salt_level *subs)
{
	bool is_on;

	*subs = level;
	if (level.count > 0) {
		if (level.count < UINT32_MAX)
			subs->count--;
		return true;
	}
	if (!level.flags || !*level.flags)
		return false;
	is_on = *level.flags != '0';
	subs->flags++;
	return is_on;
}

/* Returns whether the item may be in a list of levels. */
static bool is_flag(const struct node *item)
{
	enum scalar_type type = node_is_scalar(item) ? scalar_type(item) : SCALAR_NULL;

	return type == SCALAR_BOOL || type == SCALAR_INT;
}

static bool flag_of(const struct node *item)
{
	return scalar_type(item) == SCALAR_BOOL ? scalar_bool(item) : scalar_number(item) != 0;
}

static bool is_level(const struct node *value)
{
	if (node_is_sequence(value)) {
		for (uint32_t i = 0; i < value->seq.count; i++)
			if (!is_flag(value->seq.items[i]))
				return false;
		return true;
	}
	if (!node_is_scalar(value))
		return false;
	if (scalar_type(value) == SCALAR_STRING)
		return strspn(value->text.data, "01") == value->text.len;
	return scalar_is_null(value) || is_flag(value);
}

int salt_level_check(const struct node *value, struct problem *problem)
{
	if (is_level(value))
		return 0;
	return problem_at(problem, value,
		"the level is true, false, a number, a list of booleans and numbers, or a quoted "
		"string of 0 and 1, one for each depth");
}

static int level_of_list(const struct node *list, struct arena *arena, struct salt_level *ret)
{
	char *flags = arena_alloc(arena, (size_t)list->seq.count + 1);

	if (!flags)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->seq.count; i++)
		flags[i] = flag_of(list->seq.items[i]) ? '1' : '0';
	flags[list->seq.count] = '\0';
	*ret = (struct salt_level){.flags = flags};
	return 0;
}

int salt_level_of(const struct node *value, struct arena *arena, struct salt_level *ret)
{
	double number;

	assert(is_level(value));
	if (node_is_sequence(value))
		return level_of_list(value, arena, ret);
	if (scalar_type(value) == SCALAR_STRING) {
		*ret = (struct salt_level){.flags = value->text.data};
		return 0;
	}
	if (scalar_type(value) != SCALAR_INT) {
		bool is_on = scalar_type(value) == SCALAR_BOOL && scalar_bool(value);

		*ret = is_on ? SALT_LEVEL_TRUE : SALT_LEVEL_FALSE;
		return 0;
	}
	number = scalar_number(value);
	*ret = SALT_LEVEL_TRUE;
	if (number >= 0 && number < UINT32_MAX)
		ret->count = (uint32_t)number;
	return 0;
}
