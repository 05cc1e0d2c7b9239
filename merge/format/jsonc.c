/*
 * JSON as people write it for editors and compilers: with comments, and with a comma behind the
 * last value. It is written as plain JSON, so that readers of both kinds can read it.
 */
#include "json.h"

static int read_jsonc(struct builder *builder, struct span text)
{
	return json_read(builder, text, true);
}

const struct format format_jsonc = {
	.name = "jsonc",
	.summary = "JSON that may have comments (jsonc.org) and a comma behind the last value; "
		   "written without either",
	.suffixes = "jsonc,code-workspace",
	.names = "settings.json,tsconfig.json,.eslintrc.json,devcontainer.json",
	.comment = "//",
	.nothing = "null\n",
	.divider = "",
	.has_lists = true,
	.read = read_jsonc,
	.write = json_write,
	.edit = json_edit,
};
