/*
 * The formats of hosts and of mail addresses.
 */
#include <arpa/inet.h>
#include <stdlib.h>

#include "string_format.h"
#include "string_text.h"

/* RFC 1035: a label, and a name, in bytes. RFC 5321: the part before "@". */
#define LABEL_MAX 63
#define NAME_MAX_BYTES 253
#define LOCAL_MAX 64

static bool is_address(struct span text, int family)
{
	char copy[INET6_ADDRSTRLEN + 1], room[sizeof(struct in6_addr)];

	if (text.len >= sizeof(copy) || memchr(text.data, '\0', text.len))
		return false;
	memcpy(copy, text.data, text.len);
	copy[text.len] = '\0';
	return inet_pton(family, copy, room) == 1;
}

FORMAT(ipv4)
{
	return text.len > 0 && is_address(text, AF_INET);
}

FORMAT(ipv6)
{
	return text.len > 0 && is_address(text, AF_INET6);
}

static bool is_ascii(struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.data[i] >= 0x80)
			return false;
	return true;
}

/*
 * Returns 1 if it is a label of letters, digits and inner hyphens; 0 or -ENOMEM. One that begins
 * with "xn--" must be the form of an international label, and no other may have hyphens in its
 * third and fourth place.
 */
static int is_label(struct span label)
{
	if (label.len == 0 || label.len > LABEL_MAX)
		return false;
	for (size_t i = 0; i < label.len; i++) {
		int c = (unsigned char)label.data[i];
		bool is_inner = i > 0 && i + 1 < label.len;

		if (!text_is_letter(c) && !text_is_digit(c) && !(c == '-' && is_inner))
			return false;
	}
	if (label.len < 4 || label.data[2] != '-' || label.data[3] != '-')
		return true;
	bool is_international = (label.data[0] | 0x20) == 'x' && (label.data[1] | 0x20) == 'n';
	return is_international ? idn_is_ascii_label(label) : 0;
}

/* Returns the length of the label in ASCII; 0: it is none; or -ENOMEM. */
static int label_length(struct span label, bool is_international)
{
	if (is_international && !is_ascii(label))
		return idn_label_length(label);
	int r = is_label(label);
	return r > 0 ? (int)label.len : r;
}

/* Returns the length of a dot between labels at the front of `text`, 0 if there is none. IDNA has
 * three besides ".". */
static size_t dot_length(struct span text, bool is_international)
{
	static const char *const dots[] = {"\xE3\x80\x82", "\xEF\xBC\x8E", "\xEF\xBD\xA1"};

	if (text_peek(&text) == '.')
		return 1;
	for (size_t i = 0; is_international && i < sizeof(dots) / sizeof(dots[0]); i++)
		if (span_begins(text, dots[i]))
			return strlen(dots[i]);
	return 0;
}

static int is_name(struct span text, bool is_international)
{
	bool has_more = true;
	size_t whole = 0;

	while (has_more) {
		struct span label = {text.data, 0};
		size_t dot = 0;

		while (text.len && !(dot = dot_length(text, is_international))) {
			text_skip(&text, 1);
			label.len++;
		}
		int len = label_length(label, is_international);
		if (len < 0)
			return len;
		has_more = dot > 0;
		whole += (size_t)len + has_more;
		if (len == 0 || whole > NAME_MAX_BYTES)
			return false;
		text_skip(&text, dot);
	}
	return true;
}

FORMAT(hostname)
{
	return is_name(text, false);
}

FORMAT(idn_hostname)
{
	return is_name(text, true);
}

static bool is_atom(struct span atom, bool is_international)
{
	for (size_t i = 0; i < atom.len; i++) {
		int c = (unsigned char)atom.data[i];

		if (c >= 0x80 ? !is_international
			      : !text_is_letter(c) && !text_is_digit(c) &&
					!text_is_of(c, "!#$%&'*+-/=?^_`{|}~"))
			return false;
	}
	return atom.len > 0;
}

static bool take_quoted(struct span *text, bool is_international)
{
	text_skip(text, 1);
	while (text->len && text_peek(text) != '"') {
		if (text_take(text, '\\') && (text_peek(text) < ' ' || text_peek(text) > '~'))
			return false;
		int c = text_peek(text);
		if (c < ' ' || c == 0x7F || (c >= 0x80 && !is_international))
			return false;
		text_skip(text, 1);
	}
	return text_take(text, '"');
}

/* Skips what is before the "@", and that. RFC 5321, section 4.1.2; RFC 6531. */
static bool take_local_part(struct span *text, bool is_international)
{
	size_t whole = text->len;

	if (text_peek(text) == '"')
		return take_quoted(text, is_international) && whole - text->len <= LOCAL_MAX &&
		       text_take(text, '@');
	if (!memchr(text->data, '@', text->len))
		return false;
	struct span local = text_until(text, '@');
	if (local.len > LOCAL_MAX || local.len == 0 || local.data[local.len - 1] == '.')
		return false;
	while (local.len)
		if (!is_atom(text_until(&local, '.'), is_international))
			return false;
	return true;
}

/* The rest of an address in brackets: RFC 5321, section 4.1.3. */
static bool is_address_literal(struct span text)
{
	if (text.len < 2 || text.data[text.len - 1] != ']')
		return false;
	text = (struct span){text.data + 1, text.len - 2};
	if (text.len > 5 && strncasecmp(text.data, "IPv6:", 5) == 0)
		return format_is_ipv6((struct span){text.data + 5, text.len - 5}, 0);
	if (!memchr(text.data, ':', text.len))
		return format_is_ipv4(text, 0);
	struct span tag = text_until(&text, ':');
	for (size_t i = 0; i < tag.len; i++)
		if (!text_is_letter((unsigned char)tag.data[i]) &&
			!text_is_digit((unsigned char)tag.data[i]) && tag.data[i] != '-')
			return false;
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] < '!' || text.data[i] > '~' || text_is_of(text.data[i], "[\\]"))
			return false;
	bool is_ipv6 = tag.len == 4 && strncasecmp(tag.data, "IPv6", 4) == 0;
	return tag.len && tag.data[tag.len - 1] != '-' && text.len && !is_ipv6;
}

static int is_mail(struct span text, bool is_international)
{
	if (!text.len || !take_local_part(&text, is_international))
		return 0;
	return text_peek(&text) == '[' ? is_address_literal(text) : is_name(text, is_international);
}

FORMAT(email)
{
	return is_mail(text, false);
}

FORMAT(idn_email)
{
	return is_mail(text, true);
}
