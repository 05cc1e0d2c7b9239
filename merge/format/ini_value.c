#include "ini_value.h"

#include <string.h>

#include "line.h"

static bool is_one_of(const char *set, char c)
{
	return c && strchr(set, c);
}

static size_t trimmed(struct span line, size_t len)
{
	while (len && (line.data[len - 1] == ' ' || line.data[len - 1] == '\t' ||
			      line.data[len - 1] == '\r'))
		len--;
	return len;
}

/* Returns the end of the last `quote` in the text; 0: there is none. */
static size_t find_last(struct span text, struct span quote)
{
	for (size_t end = text.len; end >= quote.len; end--)
		if (memcmp(text.data + end - quote.len, quote.data, quote.len) == 0)
			return end;
	return 0;
}

/* Scans a line whose value may begin with a quote: such a value ends at the last quote of its
 * kind. */
static struct ini_scan scan_leading(const struct ini_value *value, struct span line, size_t begin,
	const struct ini_scan *before)
{
	struct span rest = {line.data + begin, line.len - begin};
	struct ini_scan scan = {.len = trimmed(line, line.len)};
	struct span quote = {NULL, 0};
	size_t i = begin;

	if (!before && rest.len > strlen(value->quote) && span_begins(rest, value->quote))
		quote = span_of(value->quote);
	else if (!before && rest.len && is_one_of(value->quotes, *rest.data))
		quote = (struct span){rest.data, 1};
	if (quote.len) {
		size_t end = find_last(
			(struct span){rest.data + quote.len, rest.len - quote.len}, quote);

		if (end)
			scan.len = begin + quote.len + end;
		else
			scan.quote = *quote.data;
		return scan;
	}
	scan.goes_on = scan.len > begin && line.data[scan.len - 1] == '\\';
	while (!before && !scan.goes_on && i < scan.len &&
		!is_one_of(value->comments, line.data[i]))
		i++;
	if (!before && !scan.goes_on)
		scan.len = trimmed(line, i);
	return scan;
}

struct ini_scan ini_value_scan(const struct ini_value *value, struct span line, size_t begin,
	const struct ini_scan *before)
{
	struct ini_scan scan = {.quote = before ? before->quote : '\0'};
	size_t i = 0;

	if (value->quoting == INI_QUOTE_LEADS)
		return scan_leading(value, line, begin, before);
	for (; i < line.len; i++) {
		char c = line.data[i];
		bool escapes = scan.quote ? is_one_of(value->escaping, scan.quote)
					  : value->escapes != NULL;

		if (c == '\\' && escapes) {
			scan.goes_on = ++i == line.len && value->goes_on == INI_BACKSLASH;
			continue;
		}
		if (scan.quote && c == scan.quote)
			scan.quote = '\0';
		else if (!scan.quote && is_one_of(value->quotes, c))
			scan.quote = c;
		else if (!scan.quote && is_one_of(value->comments, c))
			break;
	}
	scan.len = trimmed(line, i < line.len ? i : line.len);
	return scan;
}

/* Returns the first of the characters that stands outside of quotes; NULL: none does. */
static const char *find_bare(
	const struct ini_value *value, struct span text, const char *characters)
{
	char quote = '\0';

	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (quote && c == '\\' && is_one_of(value->escaping, quote))
			i++;
		else if (quote)
			quote = c == quote ? '\0' : quote;
		else if (is_one_of(value->quotes, c))
			quote = c;
		else if (is_one_of(characters, c))
			return text.data + i;
	}
	return NULL;
}

bool ini_value_has_fault(const struct ini_value *value, struct span text, struct ini_fault *ret)
{
	for (size_t i = 0; value->escapes && i + 1 < text.len; i++) {
		if (text.data[i] != '\\')
			continue;
		*ret = (struct ini_fault){
			"a backslash with no meaning", "write '\\\\' for a backslash"};
		if (!is_one_of(value->escapes, text.data[++i]))
			return true;
	}
	if (!value->operators || !find_bare(value, text, "="))
		return false;
	*ret = (struct ini_fault){"a '=' outside of quotes", "put it in quotes"};
	return true;
}

bool ini_value_is_computed(const struct ini_value *value, struct span text)
{
	bool has_constant = false, is_expression = true;

	for (size_t i = 0; value->operators && i < text.len; i++) {
		char c = text.data[i];
		bool is_letter = c == '_' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		has_constant |= is_letter;
		is_expression &= is_letter || c == ' ' || is_one_of(value->operators, c);
	}
	return value->operators && find_bare(value, text, value->operators) &&
	       !(is_expression && has_constant);
}

const char *ini_value_find_return(const struct ini_value *value, struct span line)
{
	const char *found;
	size_t len;

	if (!value->ends || !memchr(line.data, '\r', line.len))
		return NULL;
	len = ini_value_scan(value, line, 0, NULL).len;
	found = find_bare(value, (struct span){line.data, len}, value->ends);
	return found ? found : memchr(line.data + len, '\r', line.len - len);
}

const char *ini_value_line_fault(const struct ini_value *value, struct span line)
{
	struct ini_scan scan = ini_value_scan(value, line, 0, NULL);
	const char *fault = line_fault(line);

	if (fault)
		return fault;
	if (ini_value_find_return(value, line))
		return "a carriage return";
	if (scan.quote && value->quoting != INI_QUOTE_OPEN)
		return "a quote without its end";
	if (scan.goes_on)
		return "a backslash at its end";
	return scan.len < line.len ? "a character that begins a comment, outside of quotes" : NULL;
}

const char *ini_value_joined_fault(const struct ini_value *value, struct span text)
{
	const char *p = text.data, *end = p + text.len;
	struct ini_scan scan = {0};
	bool is_first = true;

	while (p <= end) {
		const char *stop = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
		struct span line = {p, (size_t)((stop ? stop : end) - p)};
		struct ini_scan before = scan;

		scan = ini_value_scan(value, line, 0, is_first ? NULL : &before);
		if (line_text_fault(line) || scan.len < line.len)
			return "a line break there";
		if (scan.goes_on != !!stop)
			return stop ? "a line break" : "a backslash at its end";
		is_first = false;
		p = stop ? stop + 1 : end + 1;
	}
	return scan.quote && value->quoting != INI_QUOTE_OPEN ? "a quote without its end" : NULL;
}

/* Quotes can't hold a line break, or a character that may have a meaning in them: a quote, a
 * backslash or a "$". */
bool ini_value_can_be_quoted(const struct ini_value *value, struct span text)
{
	if (!value->quote || line_text_fault(text))
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (strchr("\"'`\\$", text.data[i]))
			return false;
	return true;
}
