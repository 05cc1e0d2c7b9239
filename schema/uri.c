#include "uri.h"

#include <errno.h>
#include <stdint.h>

#include "string_text.h"

struct uri {
	struct span scheme;    /* "http:" */
	struct span authority; /* "//example.org" */
	struct span path;
	struct span query; /* "?a=b" */
};

static struct span take(struct span *text, size_t len)
{
	struct span head = {text->data, len};

	text_skip(text, len);
	return head;
}

/* Returns the number of bytes before the first character of `ends`. */
static size_t upto(struct span text, const char *ends)
{
	size_t len = 0;

	while (len < text.len && !(text.data[len] && strchr(ends, text.data[len])))
		len++;
	return len;
}

static size_t scheme_length(struct span text)
{
	size_t len = upto(text, ":/?#");

	if (len == text.len || text.data[len] != ':' || len == 0 || !text_is_letter(text.data[0]))
		return 0;
	return len + 1;
}

static struct uri parse(struct span text)
{
	struct uri uri = {.scheme = take(&text, scheme_length(text))};

	if (span_begins(text, "//")) {
		struct span rest = {text.data + 2, text.len - 2};
		uri.authority = take(&text, 2 + upto(rest, "/?"));
	}
	uri.path = take(&text, upto(text, "?"));
	uri.query = text;
	return uri;
}

struct span uri_split(struct span reference, struct span *fragment)
{
	struct span whole = take(&reference, upto(reference, "#"));

	*fragment = (struct span){NULL, 0};
	if (reference.len)
		*fragment = (struct span){reference.data + 1, reference.len - 1};
	return whole;
}

static char *put(char *out, struct span text)
{
	if (text.len)
		memcpy(out, text.data, text.len);
	return out + text.len;
}

/* Removes "." and ".." in place: RFC 3986, section 5.2.4. Returns the new end. */
static char *remove_dots(char *path, char *end)
{
	char *in = path, *out = path;

	while (in < end) {
		struct span rest = {in, (size_t)(end - in)};
		size_t len = 1 + upto((struct span){in + 1, rest.len - 1}, "/");
		struct span segment = {in, len};

		if (span_is(segment, "/.")) {
			if (in + len == end)
				*out++ = '/';
		} else if (span_is(segment, "/..")) {
			while (out > path && *--out != '/')
				;
			if (in + len == end)
				*out++ = '/';
		} else {
			memmove(out, in, len);
			out += len;
		}
		in += len;
	}
	return out;
}

/* Writes the base's path up to its last slash, then the reference's: RFC 3986, section 5.2.3. */
static char *put_merged(char *out, const struct uri *base, struct span path)
{
	size_t len = base->path.len;

	while (len && base->path.data[len - 1] != '/')
		len--;
	if (base->authority.len && !base->path.len)
		*out++ = '/';
	out = put(out, (struct span){base->path.data, len});
	return put(out, path);
}

int uri_resolve(struct span base_text, struct span reference, struct arena *arena, struct span *ret)
{
	struct uri base = parse(base_text), uri = parse(reference);
	char *text = arena_alloc(arena, base_text.len + reference.len + 4), *out = text, *path;

	if (!text)
		return -ENOMEM;
	bool is_own = uri.scheme.len || uri.authority.len;
	out = put(out, uri.scheme.len ? uri.scheme : base.scheme);
	out = put(out, is_own ? uri.authority : base.authority);
	path = out;
	if (is_own || span_begins(uri.path, "/"))
		out = put(out, uri.path);
	else if (!uri.path.len)
		out = put(out, base.path);
	else
		out = put_merged(out, &base, uri.path);
	if (out > path && *path == '/')
		out = remove_dots(path, out);
	out = put(out, is_own || uri.path.len || uri.query.len ? uri.query : base.query);
	*out = '\0';
	*ret = (struct span){text, (size_t)(out - text)};
	return 0;
}

int uri_decode(struct span text, struct arena *arena, struct span *ret)
{
	char *copy = arena_alloc(arena, text.len + 1), *out = copy;

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < text.len; i++) {
		bool is_code = text.data[i] == '%' && i + 2 < text.len &&
			       text_is_hex(text.data[i + 1]) && text_is_hex(text.data[i + 2]);

		if (is_code) {
			*out++ = (char)(text_hex(text.data[i + 1]) * 16 +
					text_hex(text.data[i + 2]));
			i += 2;
		} else {
			*out++ = text.data[i];
		}
	}
	*out = '\0';
	*ret = (struct span){copy, (size_t)(out - copy)};
	return 0;
}
