#include "dropin_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expand.h"
#include "path.h"
#include "strategy.h"

/* Size of a message's list of suffixes, in bytes. */
#define LIST_MAX 200

/* The formats that a drop-in may have besides the file's own. WITH_TAGS, for a unit: YAML. */
enum other_formats { OTHERS_NONE, OTHERS_WITH_LISTS, OTHERS_WITH_TAGS };

/* The suffixes that the names of a file's drop-ins may have. */
struct suffixes {
	const struct node *given; /* by the rule; NULL: the other fields apply */
	const char *own;          /* "yaml"; NULL: the file has none */
	const char *format;       /* all of the file's format: "yaml,yml" */
	enum other_formats others;
};

static struct suffixes suffixes_of(const struct settings *settings, const char *path)
{
	const struct rule *rule = settings_rule(settings, path);
	const struct format *format = settings_format(settings, path);
	const char *name = path_name(path), *dot = strrchr(name, '.');
	bool is_unit = format == &format_systemd;
	/* systemd also reads the drop-ins of a unit itself, and reads no other format. */
	bool has_others = strategy_gives_trees(rule->options.strategy) &&
			  !(is_unit && rule->dropins == DROPINS_UAPI);
	return (struct suffixes){
		.given = rule->dropin_suffixes,
		/* ".bashrc" has no suffix. */
		.own = is_unit                         ? "conf"
		       : dot && (dot > name || format) ? dot + 1
						       : NULL,
		.format = !format || is_unit ? ""
			  : format->dialect  ? format_ini.suffixes
					     : format->suffixes,
		.others = !has_others ? OTHERS_NONE
			  : is_unit   ? OTHERS_WITH_TAGS
				      : OTHERS_WITH_LISTS,
	};
}

/* A suffix may be given with its dot. */
static bool ends_in(const char *name, struct span suffix)
{
	size_t length = strlen(name);

	if (suffix.len && suffix.data[0] == '.')
		suffix = (struct span){suffix.data + 1, suffix.len - 1};
	if (suffix.len == 0)
		return !strchr(name, '.');
	return length > suffix.len + 1 && name[length - suffix.len - 1] == '.' &&
	       memcmp(name + length - suffix.len, suffix.data, suffix.len) == 0;
}

static bool ends_in_given(const struct node *given, const char *name)
{
	if (node_is_scalar(given))
		return ends_in(name, given->text);
	for (uint32_t i = 0; i < given->seq.count; i++)
		if (ends_in(name, given->seq.items[i]->text))
			return true;
	return false;
}

static bool ends_in_format(const struct suffixes *suffixes, const char *name)
{
	const struct format *format = format_of_name(name);
	const char *dot = strrchr(name, '.');

	if (!dot)
		return false;
	if (span_is_in(span_of(dot + 1), suffixes->format, ","))
		return true;
	if (!format || suffixes->others == OTHERS_NONE)
		return false;
	return suffixes->others == OTHERS_WITH_TAGS ? format_has_tags(format)
						    : format_has_lists(format);
}

/* README also stands in directories whose other names have no suffix. */
static bool is_documentation(const char *name)
{
	return strcmp(name, "README") == 0;
}

const char dropin_not_named[] = "not a drop-in";

bool dropin_is_named(const struct settings *settings, const char *path, const char *name)
{
	const struct suffixes suffixes = suffixes_of(settings, path);

	/* If the rule names a backup's suffix, such files are drop-ins. */
	if (suffixes.given)
		return !strchr(".#", name[0]) && ends_in_given(suffixes.given, name);
	if (expand_is_ignored(name))
		return false;
	if (ends_in_format(&suffixes, name))
		return true;
	if (suffixes.own)
		return ends_in(name, span_of(suffixes.own));
	/* For example sudoers.d/web and sshd_config.d/50-site.conf. */
	return ends_in(name, span_of("conf")) ||
	       (ends_in(name, span_of("")) && !is_documentation(name));
}

/* Formats the suffixes: ".conf", ".conf or .rules". */
static void list_suffixes(const struct suffixes *suffixes, char *list, size_t size)
{
	const struct node *given = suffixes->given;
	uint32_t count = given && node_is_sequence(given) ? given->seq.count : 1;
	size_t length = 0;

	for (uint32_t i = 0; i < count && length < size; i++) {
		struct span one = !given ? span_of(suffixes->own ? suffixes->own : "conf")
				  : node_is_scalar(given) ? given->text
							  : given->seq.items[i]->text;
		bool has_dot = one.len && one.data[0] == '.';

		length += (size_t)snprintf(list + length, size - length, "%s%s%.*s",
			i == 0           ? ""
			: i + 1 == count ? " or "
					 : ", ",
			one.len == 0 ? "no suffix"
			: has_dot    ? ""
				     : ".",
			(int)one.len, one.data);
	}
}

/* Returns the reason, other than its suffix, why a name is not a drop-in's; NULL: there is none. */
static const char *reason_beside_ending(const char *name)
{
	if (strchr(".#", name[0]))
		return "begins with '.' or '#'";
	if (is_documentation(name))
		return "is that of documentation";
	return expand_is_ignored(name) ? "is a backup's" : NULL;
}

int dropin_refusal(const struct settings *settings, const char *path, const char *name, char **ret)
{
	const struct suffixes suffixes = suffixes_of(settings, path);
	const char *owner = path_name(path), *reason = reason_beside_ending(name);
	char ending[LIST_MAX] = "";
	int n;

	list_suffixes(&suffixes, ending, sizeof(ending));
	bool has_other_ending = suffixes.given ? !ends_in_given(suffixes.given, name)
				: suffixes.own
					? !ends_in(name, span_of(suffixes.own))
					: strchr(name, '.') && !ends_in(name, span_of("conf"));
	if (reason && (!has_other_ending || strchr(".#", name[0])))
		n = asprintf(ret, "not a drop-in of %s: its name %s; rename it", owner, reason);
	else
		n = asprintf(ret,
			"not a drop-in of %s: its name does not end in %s; rename it, or name its "
			"suffix in the rule's 'dropin_suffixes'",
			owner, ending);
	return n < 0 ? -ENOMEM : 0;
}

char *dropin_owner(const struct settings *settings, const char *directory)
{
	size_t length = strlen(path_name(directory)), suffix = strlen(DROPIN_SUFFIX);
	char *path;

	if (length <= suffix ||
		strcmp(directory + strlen(directory) - suffix, DROPIN_SUFFIX) != 0 ||
		!(path = strndup(directory, strlen(directory) - suffix)))
		return NULL;
	if (settings_rule(settings, path)->dropins)
		return path;
	free(path);
	return NULL;
}
