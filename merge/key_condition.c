/*
 * The conditions of a part: [a=1,b=2] has two. The KEY was read without a tree, as a=VALUE with the
 * VALUE "1,b=2", because an item may have this value.
 */
#include "key.h"

/* Returns the length of the condition's value, before a comma with `NAME=` behind it. */
static size_t condition_length(struct span text)
{
	for (size_t i = 0; i < text.len; i++) {
		size_t rest = i + 1;

		if (text.data[i] != ',')
			continue;
		while (rest < text.len && !strchr(",=", text.data[rest]))
			rest++;
		if (rest < text.len && rest > i + 1 && text.data[rest] == '=')
			return i;
	}
	return text.len;
}

static struct span unquote(struct span word)
{
	bool is_quoted =
		word.len > 1 && strchr("\"'", *word.data) && word.data[word.len - 1] == *word.data;

	return is_quoted ? (struct span){word.data + 1, word.len - 2} : word;
}

bool key_next_condition(const struct key_part *part, size_t *at, struct key_part *ret)
{
	if (!part->value.data || *at > part->value.len)
		return false;
	struct span text = {part->value.data + *at, part->value.len - *at};
	*ret = *part;
	if (*at) {
		const char *equals = memchr(text.data, '=', text.len);
		size_t len = (size_t)(equals - text.data);

		ret->name = unquote((struct span){text.data, len});
		ret->is_quoted = ret->name.len < len;
		/* For [a==1,b==2]. */
		len += len + 1 < text.len && equals[1] == '=' ? 2 : 1;
		text = (struct span){text.data + len, text.len - len};
	}
	ret->value = text;
	if (!part->is_value_quoted) {
		ret->value.len = condition_length(text);
		if (ret->value.len < part->value.len)
			ret->value = unquote(ret->value);
	}
	*at = (size_t)(text.data - part->value.data) + 1 +
	      (part->is_value_quoted ? text.len : condition_length(text));
	return true;
}
