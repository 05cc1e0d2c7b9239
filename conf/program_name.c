/*
 * The name of a program as people know it. Its words may begin with a shell, env(1) or timeout(1),
 * whose name would not show which program has complained.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "word.h"

#define SHELLS "sh, bash, dash, ash, ksh, mksh, zsh"

/* Programs that run the script in their first argument. */
#define INTERPRETERS "python, python3, perl, ruby, node, lua"

/* Programs and builtins with which scripts prepare and report. None of them checks the content. */
#define GLUE                                                                                       \
	"., :, [, [[, alias, awk, basename, break, builtin, case, cat, cd, chmod, chown, "         \
	"continue, cp, cut, date, dirname, echo, esac, eval, exit, export, false, find, for, "     \
	"function, grep, head, in, install, kill, let, ln, local, ls, mkdir, mktemp, mv, printf, " \
	"pwd, read, readlink, readonly, realpath, return, rm, rmdir, sed, set, shift, shopt, "     \
	"sleep, sort, source, stat, tail, tee, test, tr, trap, true, ulimit, umask, uniq, unset, " \
	"wait, wc, xargs"

/* Words after which another command begins. */
#define KEYWORDS "!, {, }, exec, if, then, elif, else, fi, while, until, do, done, time, eval"

/* Commands that only find whether a program exists. */
#define FINDERS "command, type, which, hash"

/* Programs that start another program. */
static const struct wrapper {
	const char *name;
	const char *valued;   /* letters of the options whose value is the next word */
	unsigned positionals; /* number of words before the command */
} wrappers[] = {
	{"env", "uCS", 0},
	{"timeout", "ks", 1},
	{"nice", "n", 0},
	{"ionice", "cn", 0},
	{"nohup", "", 0},
	{"setsid", "", 0},
	{"stdbuf", "ioe", 0},
	{"sudo", "ugCp", 0},
	{"doas", "uC", 0},
	{"setpriv", "", 0},
	{"unshare", "", 0},
	{"chrt", "", 1},
	{"taskset", "", 1},
	{"flock", "wE", 1},
};

static struct span base_of(struct span word)
{
	const char *slash = memrchr(word.data, '/', word.len);

	if (!slash)
		return word;
	return (struct span){slash + 1, (size_t)(span_end(word) - slash) - 1};
}

static bool is_one_of(const char *words, struct span word)
{
	return word.len > 0 && word_index(words, word) >= 0;
}

static const struct wrapper *wrapper_of(struct span name)
{
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++)
		if (span_is(name, wrappers[i].name))
			return &wrappers[i];
	return NULL;
}

static bool is_assignment(struct span word)
{
	size_t i = 0;

	while (i < word.len && (isalnum((unsigned char)word.data[i]) || word.data[i] == '_'))
		i++;
	return i > 0 && i < word.len && word.data[i] == '=';
}

/* Returns whether the word is a plain name, which neither the shell nor plyfs has to expand. */
static bool is_name(struct span word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!isalnum((unsigned char)word.data[i]) && !strchr("_-.+/", word.data[i]))
			return false;
	return word.len > 0 && word.data[0] != '-' && base_of(word).len > 0;
}

/* The state of reading a wrapper's words, after its name. */
struct wrapped {
	const struct wrapper *wrapper;
	unsigned positionals;
	bool is_value; /* the next word is the value of an option */
};

/* Returns whether `word` still belongs to the wrapper itself. */
static bool take_own(struct wrapped *wrapped, struct span word)
{
	bool was_value = wrapped->is_value;

	wrapped->is_value = false;
	if (was_value || is_assignment(word))
		return true;
	if (word.len > 1 && word.data[0] == '-') {
		wrapped->is_value = word.len == 2 && strchr(wrapped->wrapper->valued, word.data[1]);
		return true;
	}
	return wrapped->positionals < wrapped->wrapper->positionals && ++wrapped->positionals;
}

/* A word's place in a script. */
enum word_place {
	WORD_NONE,  /* there is no word left */
	WORD_OTHER, /* behind another word, in the same line */
	WORD_FIRST, /* a command begins */
};

/* `before` is the byte before; the & of 2>&1 ends nothing. */
static bool ends_command(char before, char byte)
{
	return strchr(";&|(){}\n`", byte) && !(byte == '&' && (before == '>' || before == '<'));
}

/* Skips a quoted text, or one byte. */
static void skip_quoted(struct span *rest)
{
	const char *end = span_end(*rest), *at = rest->data;
	char quote = *at++;

	if (quote == '\\' && at < end)
		at++;
	else if (quote == '\'' || quote == '"')
		while (at < end && *at++ != quote)
			;
	rest->len = (size_t)(end - at);
	rest->data = at;
}

/* Takes the next word as it is written, with its quotes. */
static enum word_place next_word(struct span *rest, struct span *ret)
{
	enum word_place place = WORD_OTHER;

	while (rest->len &&
		(isspace((unsigned char)*rest->data) || ends_command(' ', *rest->data))) {
		if (ends_command(' ', *rest->data))
			place = WORD_FIRST;
		rest->data++;
		rest->len--;
	}
	if (rest->len && *rest->data == '#') {
		while (rest->len && *rest->data != '\n') {
			rest->data++;
			rest->len--;
		}
		return next_word(rest, ret);
	}
	*ret = (struct span){rest->data, 0};
	for (char before = ' '; rest->len && !isspace((unsigned char)*rest->data) &&
				!ends_command(before, *rest->data);
		before = rest->data[-1])
		skip_quoted(rest);
	ret->len = (size_t)(rest->data - ret->data);
	return ret->len > 0 ? place : WORD_NONE;
}

/* Finds the first program of a script that does more than prepare and report. */
static bool find_in_script(struct span text, struct span *ret)
{
	struct wrapped wrapped = {0};
	bool begins = true, is_asked = false;
	struct span word;

	for (enum word_place place; (place = next_word(&text, &word)) != WORD_NONE;) {
		struct span name = base_of(word);

		begins |= place == WORD_FIRST;
		if (begins && (is_one_of(KEYWORDS, word) || is_assignment(word)))
			continue;
		if (begins || (wrapped.wrapper && !take_own(&wrapped, word))) {
			is_asked = is_one_of(FINDERS, name);
			wrapped = (struct wrapped){.wrapper = wrapper_of(name)};
			begins = false;
			if (is_asked || wrapped.wrapper || is_one_of(GLUE, name) ||
				is_one_of(SHELLS, name))
				continue;
		} else if (wrapped.wrapper || !is_asked || word.data[0] == '-') {
			continue;
		}
		is_asked = false;
		if (!is_name(word))
			continue;
		*ret = name;
		return true;
	}
	return false;
}

/* Finds, in a shell's words, the program of its script, or the script's name. */
static bool find_in_shell(const char **word, struct span *ret)
{
	bool is_text = false;

	for (word++; *word && (**word == '-' || **word == '+'); word++) {
		if ((*word)[1] != '-' && strchr(*word, 'c'))
			is_text = true;
		if (strcmp(*word, "-o") == 0 && word[1])
			word++;
	}
	if (!*word)
		return false;
	if (is_text)
		return find_in_script(span_of(*word), ret);
	*ret = base_of(span_of(*word));
	return is_name(span_of(*word));
}

static bool find_in_interpreter(const char **word, struct span *ret)
{
	bool is_module = word[1] && strcmp(word[1], "-m") == 0;
	const char *script = word[1] ? word[is_module ? 2 : 1] : NULL;

	if (!script || !is_name(span_of(script)))
		return false;
	*ret = base_of(span_of(script));
	return true;
}

void program_name(const struct program *program, char name[PROGRAM_NAME_MAX])
{
	const char **word = program->words;
	struct span found = base_of(span_of(*word)), inner;

	for (const struct wrapper *wrapper; (wrapper = wrapper_of(found));) {
		struct wrapped wrapped = {.wrapper = wrapper};

		for (word++; *word && take_own(&wrapped, span_of(*word)); word++)
			;
		if (!*word || !is_name(span_of(*word)))
			break;
		found = base_of(span_of(*word));
	}
	if (*word && ((is_one_of(SHELLS, found) && find_in_shell(word, &inner)) ||
			     (is_one_of(INTERPRETERS, found) && find_in_interpreter(word, &inner))))
		found = inner;
	snprintf(name, PROGRAM_NAME_MAX, "%.*s", (int)found.len, found.data);
}

bool program_name_in_script(const struct program *program, char name[PROGRAM_NAME_MAX])
{
	bool has_script = program->words[1] && strcmp(program->words[1], "-c") == 0;
	const char *script = has_script ? program->words[2] : NULL;

	program_name(program, name);
	const char *at = script ? strstr(script, name) : NULL;
	if (!at || (at > script && at[-1] == '/'))
		return false;
	at += strlen(name);
	return at[strspn(at, " ")] != '(';
}
