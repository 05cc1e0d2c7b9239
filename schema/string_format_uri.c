/*
 * The formats of URIs (RFC 3986), IRIs (RFC 3987) and URI templates (RFC 6570).
 */
#include <stdlib.h>

#include "string_format.h"
#include "string_text.h"
#include "utf8.h"

#define SUB_DELIMITERS "!$&'()*+,;="

/* Which characters beyond ASCII are allowed. */
enum beyond {
	BEYOND_NONE,
	BEYOND_UCS,     /* ucschar of RFC 3987 */
	BEYOND_PRIVATE, /* iprivate, too */
};

static bool is_private(uint32_t code)
{
	return (code >= 0xE000 && code <= 0xF8FF) || (code >= 0xF0000 && code <= 0xFFFFD) ||
	       (code >= 0x100000 && code <= 0x10FFFD);
}

static bool is_ucs(uint32_t code)
{
	if (code < 0x10000)
		return (code >= 0xA0 && code <= 0xD7FF) || (code >= 0xF900 && code <= 0xFDCF) ||
		       (code >= 0xFDF0 && code <= 0xFFEF);
	return code <= 0xEFFFD && (code & 0xFFFF) <= 0xFFFD &&
	       !(code >= 0xE0000 && code <= 0xE0FFF);
}

/* Skips a character beyond ASCII. */
static bool take_beyond(struct span *text, enum beyond beyond)
{
	size_t len = utf8_length(text->data, span_end(*text));

	if (beyond == BEYOND_NONE || len == 0)
		return false;
	uint32_t code = utf8_decode(text->data, len);
	if (!is_ucs(code) && !(beyond == BEYOND_PRIVATE && is_private(code)))
		return false;
	return text_skip(text, len);
}

static bool take_code(struct span *text)
{
	if (text->len < 3 || text->data[0] != '%' || !text_is_hex((unsigned char)text->data[1]) ||
		!text_is_hex((unsigned char)text->data[2]))
		return false;
	return text_skip(text, 3);
}

/* Returns whether the text has only unreserved characters, codes, sub-delims, those of `more`, and
 * those beyond ASCII. */
static bool is_part(struct span text, const char *more, enum beyond beyond)
{
	while (text.len) {
		int c = text_peek(&text);

		if (c >= 0x80) {
			if (!take_beyond(&text, beyond))
				return false;
		} else if (c == '%') {
			if (!take_code(&text))
				return false;
		} else if (text_is_letter(c) || text_is_digit(c) ||
			   text_is_of(c, "-._~" SUB_DELIMITERS) || text_is_of(c, more)) {
			text_skip(&text, 1);
		} else {
			return false;
		}
	}
	return true;
}

/* IPvFuture */
static bool is_future_address(struct span text)
{
	if (!text_take(&text, 'v') && !text_take(&text, 'V'))
		return false;
	const struct span version = text_until(&text, '.');
	for (size_t i = 0; i < version.len; i++)
		if (!text_is_hex((unsigned char)version.data[i]))
			return false;
	return version.len && text.len && !memchr(text.data, '%', text.len) &&
	       is_part(text, ":", BEYOND_NONE);
}

/* Returns whether the text is empty, or ":" and digits. */
static bool is_port(struct span text)
{
	if (text.len == 0)
		return true;
	if (!text_take(&text, ':'))
		return false;
	text_digits(&text);
	return text.len == 0;
}

static bool is_authority(struct span text, enum beyond beyond)
{
	if (text.len && memchr(text.data, '@', text.len) &&
		!is_part(text_until(&text, '@'), ":", beyond))
		return false;
	if (text_take(&text, '[')) {
		if (!text.len || !memchr(text.data, ']', text.len))
			return false;
		const struct span address = text_until(&text, ']');
		return (format_is_ipv6(address, 0) || is_future_address(address)) && is_port(text);
	}
	const struct span host = text_until(&text, ':');
	text_digits(&text);
	return text.len == 0 && is_part(host, "", beyond);
}

static bool take_scheme(struct span *text)
{
	size_t len = 0;

	while (len < text->len && (text_is_letter((unsigned char)text->data[len]) ||
					  (len && (text_is_digit(text->data[len]) ||
							  text_is_of(text->data[len], "+-.")))))
		len++;
	return len && len < text->len && text->data[len] == ':' && text_skip(text, len + 1);
}

static bool is_reference(struct span text, bool needs_scheme, enum beyond beyond)
{
	bool has_scheme = take_scheme(&text);
	const enum beyond in_query = beyond == BEYOND_NONE ? BEYOND_NONE : BEYOND_PRIVATE;

	if (needs_scheme && !has_scheme)
		return false;
	struct span rest = text;
	text = text_until(&rest, '#');
	if (!is_part(rest, ":@/?", beyond))
		return false;
	struct span path = text_until(&text, '?');
	if (!is_part(text, ":@/?", in_query))
		return false;
	if (span_begins(path, "//")) {
		text_skip(&path, 2);
		size_t len = 0;
		while (len < path.len && path.data[len] != '/')
			len++;
		if (!is_authority((struct span){path.data, len}, beyond))
			return false;
		text_skip(&path, len);
	} else if (!has_scheme) {
		/* A colon in the first part would make it a scheme. */
		struct span parts = path, first = text_until(&parts, '/');
		if (first.len && memchr(first.data, ':', first.len))
			return false;
	}
	return is_part(path, ":@/", beyond);
}

FORMAT(uri)
{
	return is_reference(text, true, BEYOND_NONE);
}

FORMAT(uri_reference)
{
	return is_reference(text, false, BEYOND_NONE);
}

FORMAT(iri)
{
	return is_reference(text, true, BEYOND_UCS);
}

FORMAT(iri_reference)
{
	return is_reference(text, false, BEYOND_UCS);
}

/* Skips a variable's name, with its modifier. */
static bool take_variable(struct span *text)
{
	bool is_first = true;

	for (;; is_first = false) {
		int c = text_peek(text);
		bool is_dot = c == '.' && !is_first && text->len > 1 && text->data[1] != '.';

		if (is_dot || text_is_letter(c) || text_is_digit(c) || c == '_')
			text_skip(text, 1);
		else if (!take_code(text))
			break;
	}
	if (is_first || text->data[-1] == '.')
		return false;
	if (text_take(text, ':')) {
		bool is_zero = text_peek(text) == '0';
		size_t count = text_digits(text);
		return !is_zero && count >= 1 && count <= 4;
	}
	(void)text_take(text, '*');
	return true;
}

static bool take_expression(struct span *text)
{
	if (text_is_of(text_peek(text), "+#./;?&=,!@|"))
		text_skip(text, 1);
	do {
		if (!take_variable(text))
			return false;
	} while (text_take(text, ','));
	return text_take(text, '}');
}

FORMAT(uri_template)
{
	while (text.len) {
		int c = text_peek(&text);

		if (text_take(&text, '{')) {
			if (!take_expression(&text))
				return false;
		} else if (c >= 0x80  ? !take_beyond(&text, BEYOND_PRIVATE)
			   : c == '%' ? !take_code(&text)
				      : c <= ' ' || c == 0x7F || text_is_of(c, "\"'<>\\^`|}") ||
						!text_skip(&text, 1)) {
			return false;
		}
	}
	return true;
}
