#include "key_path.h"

#include <limits.h>
#include <stdbool.h>

static const char *refuse_part(struct span part)
{
	if (!part.len)
		return "has a part with no name; two slashes in a row, or one at its end, make no "
		       "file";
	if (span_is(part, ".") || span_is(part, ".."))
		return "has a part that is . or .., which would lead elsewhere; rename it";
	if (part.len > NAME_MAX)
		return "has a part of more than 255 bytes, which no file may have; shorten it";
	if (memchr(part.data, '\0', part.len))
		return "has a NUL byte in it, which no file may have; rename it";
	return NULL;
}

const char *key_path_refuse(struct span path)
{
	const char *why = NULL;
	unsigned depth = 0;

	if (!path.len)
		return "is the prefix itself; a file needs a name behind it";
	if (path.len > KEY_PATH_MAX)
		return "is longer than 3500 bytes, which no path may be; shorten it";
	for (bool is_last = false; !is_last && !why; depth++) {
		const char *slash = memchr(path.data, '/', path.len);
		size_t len = slash ? (size_t)(slash - path.data) : path.len;

		why = refuse_part((struct span){path.data, len});
		is_last = !slash;
		path.data += len + !is_last;
		path.len -= len + !is_last;
	}
	if (!why && depth > KEY_PATH_DEPTH_MAX)
		why = "lies in more than 100 directories; shorten it";
	return why;
}
