#include "page.h"

#include <limits.h>

#include "shown.h"
#include "utf8.h"

static const char *markup_of(char c)
{
	static const char *const markups[UCHAR_MAX + 1] = {
		['&'] = "&amp;",
		['<'] = "&lt;",
		['>'] = "&gt;",
		['"'] = "&quot;",
		['\''] = "&#39;",
		['\t'] = "\t",
	};

	return markups[(unsigned char)c];
}

void page_put_text(FILE *out, struct span text)
{
	const char *p = text.data, *end = text.data + text.len;

	while (p < end) {
		const char *markup = markup_of(*p);
		char shown[SHOWN_MAX + 1];

		if (markup) {
			fputs(markup, out);
			p++;
		} else {
			/* cppcheck-suppress uninitvar ; shown_put() fills it */
			fwrite(shown, 1, shown_put(&p, end, shown), out);
		}
	}
}

void page_put(FILE *out, const char *before, const char *text, const char *after)
{
	fputs(before, out);
	page_put_text(out, span_of(text));
	fputs(after, out);
}

size_t page_offset(struct span text, size_t column)
{
	size_t i = 0;

	for (size_t passed = 0; i < text.len; i++) {
		passed += !utf8_is_tail((unsigned char)text.data[i]);
		if (passed >= column)
			break;
	}
	return i;
}
