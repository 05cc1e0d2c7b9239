#include "yaml_text.h"

const struct format format_yaml = {
	.name = "yaml",
	.summary = "YAML 1.1 as PyYAML reads it, or the core schema of YAML 1.2",
	.suffixes = "yaml,yml",
	.comment = "#",
	.nothing = "",
	.divider = "---\n",
	.has_tags = true,
	.has_lists = true,
	.read = yaml_read,
	.write = yaml_write,
	.edit = yaml_edit,
};
