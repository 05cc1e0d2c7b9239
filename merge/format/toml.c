#include "toml.h"

#include "edit/toml_edit.h"

const struct format format_toml = {
	.name = "toml",
	.summary = "TOML 1.0.0",
	.suffixes = "toml",
	.comment = "#",
	.nothing = "",
	.has_sections = true,
	.divider = "# ---\n",
	.has_lists = true,
	.read = toml_read,
	.write = toml_write,
	.edit = toml_edit,
};
