/*
 * A pattern and a path, with a byte 0xFF between them. A valid pattern matches what a naive second
 * implementation matches, which backtracks.
 */
#include "glob.h"
#include "cleanup.h"
#include "fuzz.h"

/*
 * The naive implementation takes exponential time: a pattern that takes it longer is not compared.
 */
#define STEPS_MAX 100000
#define BRACES_MAX 64

struct naive {
	const char *path; /* from its start */
	unsigned steps;
	const char *behind[BRACES_MAX]; /* open braces: where the pattern goes on */
	unsigned open;
};

static bool match(struct naive *naive, const char *pattern, const char *path);

static bool is_given_up(const struct naive *naive)
{
	return naive->steps >= STEPS_MAX;
}

/* Returns the place behind the "[a-z]" that begins at `at`. */
static const char *class_end(const char *at)
{
	at += at[1] == '!' || at[1] == '^' ? 2 : 1;
	for (const char *first = at; *at != ']' || at == first; at++)
		at += *at == '\\';
	return at + 1;
}

static bool in_class(const char *at, unsigned char c)
{
	const char *end = class_end(at) - 1;
	bool is_not = at[1] == '!' || at[1] == '^', is_in = false;

	for (at += is_not ? 2 : 1; at < end;) {
		at += *at == '\\';
		unsigned char low = (unsigned char)*at++, high = low;

		if (*at == '-' && at + 1 < end) {
			at += at[1] == '\\' ? 2 : 1;
			high = (unsigned char)*at++;
		}
		is_in |= low <= c && c <= high;
	}
	return is_in != is_not;
}

/* Returns the "," or "}" at which the alternative ends that begins at `at`. */
static const char *alternative_end(const char *at)
{
	unsigned depth = 0;

	while (depth > 0 || (*at != ',' && *at != '}')) {
		depth += *at == '{';
		depth -= *at == '}';
		at = *at == '[' ? class_end(at) : at + 1 + (*at == '\\');
	}
	return at;
}

static bool match_braces(struct naive *naive, const char *pattern, const char *path)
{
	const char *end = alternative_end(pattern + 1), *at = pattern + 1;
	bool is_match = false;

	while (*end == ',')
		end = alternative_end(end + 1);
	if (naive->open == BRACES_MAX)
		naive->steps = STEPS_MAX;
	while (!is_given_up(naive) && !is_match && at <= end) {
		naive->behind[naive->open++] = end + 1;
		is_match = match(naive, at, path);
		naive->open--;
		at = alternative_end(at) + 1;
	}
	return is_match;
}

/* The innermost brace is finished, until its next alternative is tried. */
static bool match_behind(struct naive *naive, const char *path)
{
	const char *behind = naive->behind[--naive->open];
	bool is_match = match(naive, behind, path);

	naive->behind[naive->open++] = behind;
	return is_match;
}

static bool match_stars(struct naive *naive, const char *pattern, const char *path)
{
	size_t stars = strspn(pattern, "*");
	bool begins = path == naive->path || path[-1] == '/';

	pattern += stars;
	if (stars > 1 && *pattern == '/' && begins && match(naive, pattern + 1, path))
		return true;
	for (;; path++) {
		if (match(naive, pattern, path))
			return true;
		if (!*path || (stars == 1 && *path == '/') || is_given_up(naive))
			return false;
	}
}

static bool match(struct naive *naive, const char *pattern, const char *path)
{
	bool is_in_name = *path && *path != '/';

	if (is_given_up(naive) || ++naive->steps == STEPS_MAX)
		return false;
	if (naive->open > 0 && (*pattern == ',' || *pattern == '}'))
		return match_behind(naive, path);
	switch (*pattern) {
	case '\0':
		return !*path;
	case '{':
		return match_braces(naive, pattern, path);
	case '*':
		return match_stars(naive, pattern, path);
	case '?':
		return is_in_name && match(naive, pattern + 1, path + 1);
	case '[':
		return is_in_name && in_class(pattern, (unsigned char)*path) &&
		       match(naive, class_end(pattern), path + 1);
	case '\\':
		pattern++;
		break;
	default:
		break;
	}
	return *pattern == *path && match(naive, pattern + 1, path + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	CLEANUP(fuzz_text_fini) struct span pattern = fuzz_text(&input);
	CLEANUP(fuzz_text_fini) struct span path = fuzz_text(&input);
	struct naive naive = {.path = path.data};
	const char *reason = NULL;

	if (!glob_is_valid(pattern.data, &reason)) {
		if (!reason)
			fuzz_stop("a pattern is refused without a reason", pattern);
		return 0;
	}
	bool is_match = glob_match(pattern.data, path.data);
	bool is_naive = match(&naive, pattern.data, path.data);
	if (!is_given_up(&naive) && is_match != is_naive)
		fuzz_stop(is_match ? "matches, and should not" : "does not match, and should",
			pattern);
	return 0;
}
