#include "format.h"

#include "path.h"

#define ENTRY(name) &format_##name,
static const struct format *const table[] = {FORMATS(ENTRY) NULL};
#undef ENTRY

const struct format *const *format_all(void)
{
	return table;
}

unsigned format_index(const struct format *format)
{
	unsigned i = 0;

	while (table[i] && table[i] != format)
		i++;
	return i + (format == &format_toml_1_0);
}

const struct format *format_find(struct span name)
{
	for (const struct format *const *at = table; *at; at++)
		if (span_is(name, (*at)->name))
			return *at;
	return NULL;
}

const struct format *format_of_suffix(const char *file)
{
	const char *dot = strrchr(file, '.');

	for (const struct format *const *at = table; dot && *at; at++)
		if (span_is_in(span_of(dot + 1), (*at)->suffixes, ","))
			return *at;
	return NULL;
}

const struct format *format_of_name(const char *file)
{
	for (const struct format *const *at = table; *at; at++)
		if ((*at)->names && span_is_in(span_of(path_name(file)), (*at)->names, ","))
			return *at;
	return format_of_suffix(file);
}

const char *format_names(void)
{
#define NAME(name) ", " #name
	static const char names[] = FORMATS(NAME);
#undef NAME

	return names + 2;
}
