#include "column.h"

#include "shown.h"
#include "utf8.h"

size_t column_put(FILE *out, struct span text)
{
	const char *p = text.data, *end = text.data + text.len;
	size_t width = 0;

	while (p < end) {
		char shown[SHOWN_MAX + 1];
		const char *from = p;
		size_t length;

		/* Most text is ASCII, which needs no look at each character. */
		while (p < end && (*p == '\t' || shown_is_plain(*p)))
			p++;
		length = (size_t)(p - from);
		width += length;
		if (length == 0) {
			from = shown;
			length = shown_put(&p, end, shown);
			for (size_t i = 0; i < length; i++)
				width += !utf8_is_tail((unsigned char)shown[i]);
		}
		if (out)
			fwrite(from, 1, length, out);
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
