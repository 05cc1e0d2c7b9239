#include "shown.h"

#include <stdio.h>
#include <string.h>

#include "utf8.h"

#define ELLIPSIS "…"
#define ELLIPSIS_LEN (sizeof(ELLIPSIS) - 1)

bool shown_is_escaped(uint32_t code)
{
	return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E ||
	       code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
	       (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF || code == 0xFFFE ||
	       code == 0xFFFF;
}

size_t shown_put(const char **p, const char *end, char out[SHOWN_MAX + 1])
{
	size_t length = utf8_length(*p, end);

	if (length && !shown_is_escaped(utf8_decode(*p, length))) {
		memcpy(out, *p, length);
		*p += length;
		return length;
	}
	snprintf(out, SHOWN_MAX + 1, "\\x%02X", (unsigned)(unsigned char)**p);
	*p += 1;
	return SHOWN_MAX;
}

static size_t shown_length(const char *p, const char *end)
{
	char shown[SHOWN_MAX + 1];
	size_t length = 0;

	while (p < end)
		length += shown_put(&p, end, shown);
	return length;
}

void shown_head(char *out, size_t size, const char *text)
{
	const char *end = text + strlen(text);
	char shown[SHOWN_MAX + 1];
	size_t used = 0, fits = 0; /* `fits`: bytes after which an ellipsis fits */

	while (text < end) {
		size_t length = shown_put(&text, end, shown);

		if (used + length >= size) {
			memcpy(out + fits, ELLIPSIS, ELLIPSIS_LEN + 1);
			return;
		}
		memcpy(out + used, shown, length);
		used += length;
		if (used + ELLIPSIS_LEN < size)
			fits = used;
	}
	out[used] = '\0';
}

void shown_tail(char *out, size_t size, const char *text)
{
	const char *end = text + strlen(text);
	size_t length = shown_length(text, end);
	char shown[SHOWN_MAX + 1];

	if (length >= size) {
		while (length + ELLIPSIS_LEN >= size)
			length -= shown_put(&text, end, shown);
		memcpy(out, ELLIPSIS, ELLIPSIS_LEN);
		out += ELLIPSIS_LEN;
	}
	while (text < end) {
		size_t n = shown_put(&text, end, shown);

		memcpy(out, shown, n);
		out += n;
	}
	*out = '\0';
}
