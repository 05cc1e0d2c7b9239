/*
 * The build without libidn2: a schema that has international formats checked is refused, as a check
 * is never skipped silently. An A-label is any that has its form.
 */
#include "string_format.h"

const bool idn_is_known = false;

int idn_label_length(struct span label)
{
	(void)label;
	return 0;
}

int idn_is_ascii_label(struct span label)
{
	return label.len > 4;
}
