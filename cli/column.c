#include "column.h"

#include "shown.h"
#include "utf8.h"

/* Decimal digits of the largest size_t. */
#define DIGITS_MAX 20

/*
 * Takes the next characters from *at, which are in *ret as they are shown; `shown` may hold them.
 * Returns their number.
 */
static size_t take(const char **at, const char *end, char shown[SHOWN_MAX + 1], struct span *ret)
{
	const char *p = *at;
	size_t width = 0;

	/* Most text is ASCII, which needs no look at each character. */
	while (p < end && (shown_is_plain(*p) || *p == '\t'))
		p++;
	*ret = (struct span){*at, (size_t)(p - *at)};
	*at = p;
	if (ret->len > 0)
		return ret->len;
	*ret = (struct span){shown, shown_put(at, end, shown)};
	for (size_t i = 0; i < ret->len; i++)
		width += !utf8_is_tail((unsigned char)shown[i]);
	return width;
}

size_t column_put(FILE *out, struct span text)
{
	const char *at = text.data, *end = span_end(text);
	char shown[SHOWN_MAX + 1];
	struct span piece;
	size_t width = 0;

	while (at < end) {
		width += take(&at, end, shown, &piece);
		if (out)
			fwrite(piece.data, 1, piece.len, out);
	}
	return width;
}

size_t column_add(struct output *output, struct span text)
{
	const char *at = text.data, *end = span_end(text);
	char shown[SHOWN_MAX + 1];
	struct span piece;
	size_t width = 0;

	while (at < end) {
		width += take(&at, end, shown, &piece);
		output_put(output, piece.data, piece.len);
	}
	return width;
}

size_t column_add_number(struct output *output, size_t number, size_t width)
{
	char text[DIGITS_MAX];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + number % 10);
	while (number /= 10);
	for (; width > sizeof(text) - at; width--)
		output_char(output, ' ');
	output_put(output, text + at, sizeof(text) - at);
	return sizeof(text) - at;
}

size_t column_digits(size_t number)
{
	size_t digits = 1;

	for (; number >= 10; number /= 10)
		digits++;
	return digits;
}
