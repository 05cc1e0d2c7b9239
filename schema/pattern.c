#include "pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Limit of the memory that one match may use for backtracking, in kilobytes. */
#define MATCH_HEAP_KB (64u << 10)

/* Limit of nested groups. */
#define GROUP_DEPTH_MAX 200

/* Bytes that are searched in the time of a step. */
#define BYTES_A_STEP 32

struct pattern {
	pcre2_code *code;
};

struct matcher {
	pcre2_match_data *data;
	pcre2_match_context *context;

	/* of the current match */
	uint64_t *work;
	size_t last; /* offset at which the last item of the pattern was tried */
};

/* Translates the errors that pattern_text() leaves to the library. */
static const char *reason_of(int error)
{
	switch (error) {
	case PCRE2_ERROR_QUANTIFIER_OUT_OF_ORDER:
		return "the numbers in '{}' stand in the wrong order; write the smaller one first";
	case PCRE2_ERROR_QUANTIFIER_TOO_BIG:
		return "a number in '{}' is greater than 65535";
	case PCRE2_ERROR_DUPLICATE_SUBPATTERN_NAME:
		return "two groups have the same name; rename one of them";
	case PCRE2_ERROR_SUBPATTERN_NAME_TOO_LONG:
		return "a group's name has more than 32 characters";
	case PCRE2_ERROR_BAD_SUBPATTERN_REFERENCE:
		return "it refers to a group that it does not have";
	case PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH:
	case PCRE2_ERROR_LOOKBEHIND_TOO_COMPLICATED:
	case PCRE2_ERROR_LOOKBEHIND_TOO_LONG:
		return "the text in '(?<=' or '(?<!' must have one length, without '*' and '+'";
	case PCRE2_ERROR_UNKNOWN_UNICODE_PROPERTY:
	case PCRE2_ERROR_MALFORMED_UNICODE_PROPERTY:
		return "a '\\p{}' names no property that is known, such as Lu or Letter";
	case PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP:
		return "its groups stand in each other too deep";
	case PCRE2_ERROR_PATTERN_TOO_LARGE:
	case PCRE2_ERROR_PATTERN_TOO_COMPLICATED:
	case PCRE2_ERROR_TOO_MANY_NAMED_SUBPATTERNS:
		return "it is too large; split it with 'allOf' or 'anyOf'";
	default:
		return "it is no regular expression of ECMA-262, or one that can't be used here; "
		       "write it in a simpler way";
	}
}

static int compile(const char *text, size_t len, struct pattern *pattern, char *reason)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	PCRE2_SIZE offset;
	int error;

	if (!context)
		return -ENOMEM;
	pcre2_set_parens_nest_limit(context, GROUP_DEPTH_MAX);
	pattern->code = pcre2_compile((PCRE2_SPTR)text, len,
		PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_MATCH_UNSET_BACKREF | PCRE2_AUTO_CALLOUT |
			PCRE2_NEVER_BACKSLASH_C,
		&error, &offset, context);
	pcre2_compile_context_free(context);
	if (pattern->code)
		return 0;
	if (error == PCRE2_ERROR_HEAP_FAILED || error == PCRE2_ERROR_NOMEMORY)
		return -ENOMEM;
	snprintf(reason, PATTERN_REASON_MAX, "%s", reason_of(error));
	return PATTERN_BAD;
}

int pattern_new(struct span text, struct pattern **ret, char reason[PATTERN_REASON_MAX])
{
	char *carried = NULL;
	size_t len = 0;

	if (text.len > PATTERN_BYTES_MAX) {
		snprintf(
			reason, PATTERN_REASON_MAX, "it has more than %u bytes", PATTERN_BYTES_MAX);
		return PATTERN_BAD;
	}
	int r = pattern_text(text, &carried, &len, reason);
	if (r != 0)
		return r;
	struct pattern *pattern = calloc(1, sizeof(*pattern));
	r = pattern ? compile(carried, len, pattern, reason) : -ENOMEM;
	free(carried);
	if (r != 0) {
		free(pattern);
		return r;
	}
	*ret = pattern;
	return 0;
}

void pattern_free(struct pattern *pattern)
{
	if (pattern)
		pcre2_code_free(pattern->code);
	free(pattern);
}

/* Runs before each item of the pattern. The work is the number of bytes searched since the last
 * one. */
static int count_work(pcre2_callout_block *block, void *context)
{
	struct matcher *matcher = context;
	size_t at = block->current_position;
	size_t passed = at > matcher->last ? at - matcher->last : 0;
	uint64_t steps = 1 + passed / BYTES_A_STEP;

	matcher->last = at;
	if (steps > *matcher->work)
		return PCRE2_ERROR_CALLOUT;
	*matcher->work -= steps;
	return 0;
}

struct matcher *matcher_new(void)
{
	struct matcher *matcher = calloc(1, sizeof(*matcher));

	if (!matcher)
		return NULL;
	matcher->data = pcre2_match_data_create(1, NULL);
	matcher->context = pcre2_match_context_create(NULL);
	if (!matcher->data || !matcher->context) {
		matcher_free(matcher);
		return NULL;
	}
	pcre2_set_heap_limit(matcher->context, MATCH_HEAP_KB);
	pcre2_set_match_limit(matcher->context, UINT32_MAX);
	pcre2_set_callout(matcher->context, count_work, matcher);
	return matcher;
}

void matcher_free(struct matcher *matcher)
{
	if (!matcher)
		return;
	pcre2_match_data_free(matcher->data);
	pcre2_match_context_free(matcher->context);
	free(matcher);
}

int pattern_match(const struct pattern *pattern, struct matcher *matcher, struct span text,
	uint64_t *work, bool *ret)
{
	uint64_t length = 1 + text.len / BYTES_A_STEP;

	if (length > *work)
		return PATTERN_TOO_MUCH_WORK;
	*work -= length;
	matcher->work = work;
	matcher->last = 0;
	int r = pcre2_match(pattern->code, (PCRE2_SPTR)(text.data ? text.data : ""), text.len, 0, 0,
		matcher->data, matcher->context);
	*ret = r >= 0;
	if (r >= 0 || r == PCRE2_ERROR_NOMATCH)
		return 0;
	if (r == PCRE2_ERROR_NOMEMORY)
		return -ENOMEM;
	/* No pattern of characters matches a text that is not UTF-8. */
	if (r <= PCRE2_ERROR_UTF8_ERR1 && r >= PCRE2_ERROR_UTF8_ERR21)
		return 0;
	return PATTERN_TOO_MUCH_WORK;
}
