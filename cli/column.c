#include "column.h"

#include "shown.h"
#include "utf8.h"

size_t column_put(FILE *out, struct span text)
{
	const char *p = text.data, *end = text.data + text.len;
	size_t width = 0;

	while (p < end) {
		char shown[SHOWN_MAX + 1] = "\t";
		size_t length = 0;

		while (p + length < end && shown_is_plain(p[length]))
			length++;
		width += length;
		if (out && length)
			fwrite(p, 1, length, out);
		p += length;
		if (p == end)
			break;
		length = 1;
		if (*p == '\t')
			p++;
		else
			length = shown_put(&p, end, shown);
		for (size_t i = 0; i < length; i++)
			width += !utf8_is_tail((unsigned char)shown[i]);
		if (out)
			fwrite(shown, 1, length, out);
	}
	return width;
}

size_t column_digits(size_t number)
{
	size_t digits = 1;

	for (; number >= 10; number /= 10)
		digits++;
	return digits;
}
