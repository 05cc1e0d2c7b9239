#include "toml.h"

/* A version of TOML. All have one name: a file is TOML, whichever version its program reads. */
#define TOML(version, reader)                                                                      \
	{                                                                                          \
		.name = "toml", .summary = "TOML " version, .suffixes = "toml", .comment = "#",    \
		.nothing = "", .has_sections = true, .divider = "# ---\n", .has_lists = true,      \
		.read = (reader), .write = toml_write, .edit = toml_edit,                          \
	}

const struct format format_toml = TOML("1.1.0", toml_read);
const struct format format_toml_1_0 = TOML("1.0.0", toml_read_1_0);
