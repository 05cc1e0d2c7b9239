#include "json.h"

static int read_json(struct builder *builder, struct span text)
{
	return json_read(builder, text, false);
}

const struct format format_json = {
	.name = "json",
	.summary = "JSON, RFC 8259",
	.suffixes = "json",
	.nothing = "null\n", /* a .json path must always parse */
	.divider = "",
	.has_lists = true,
	.read = read_json,
	.write = json_write,
	.edit = json_edit,
};
