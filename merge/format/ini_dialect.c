/*
 * The table of dialects. Each property is in the table because a program has it
 * (ini_dialects_compare.py).
 *
 *      mysql         my_default.c: "#" begins a comment anywhere outside of quotes, ";" only a
 *                    comment line; group names in any case; an option before the first group is an
 *                    error. A server reads several groups, in the order of the file.
 *      php           zend_ini_scanner.l, php_ini.c: only the sections [PATH=…] and [HOST=…] have a
 *                    meaning; each lasts until the next of them.
 *      git           config.c: a value continues after a backslash, and comments begin outside of
 * "". wireguard     config.c, wg-quick: only "#" begins a comment, anywhere; keys in any case.
 *      configparser  ConfigParser() with its defaults: strict, without comments behind values.
 *      grafana       go-ini as Grafana calls it: "#" and ";" begin comments anywhere except in `…`
 *                    and """…""".
 */
#include "ini.h"
#include "ini_check.h"

#include <stdio.h>

#define MYSQL_LISTS                                                                                \
	"plugin_load_add,binlog_do_db,binlog_ignore_db,replicate_do_db,replicate_ignore_db,"       \
	"replicate_do_table,replicate_ignore_table,replicate_wild_do_table,"                       \
	"replicate_wild_ignore_table,replicate_rewrite_db,ignore_db_dir,ignore_db_dirs,"           \
	"performance_schema_instrument,!include,!includedir"

#define GIT_LISTS                                                                                  \
	"fetch,push,pushurl,insteadof,pushinsteadof,helper,path,directory,hiderefs,extraheader,"   \
	"displayref,rewriteref,suffix,excludedecoration,repo"

#define WIREGUARD_NAMES                                                                            \
	"Interface,Peer,PrivateKey,ListenPort,FwMark,Address,DNS,MTU,Table,PreUp,PostUp,PreDown,"  \
	"PostDown,SaveConfig,PublicKey,PresharedKey,AllowedIPs,Endpoint,PersistentKeepalive"

/* For files of an unknown program: loses nothing. */
static const struct ini_dialect ini = {
	.title = "INI",
	.comments = ";#",
	.inline_comments = "",
	.quotes = "",
	.escaping = "",
	.separators = "=:",
	.colon_yields = true,
	.goes_on = INI_INDENT,
	.keys = INI_DOUBT,
	.sections = INI_DOUBT,
	.has_null = true,
	.has_root_keys = true,
};

#define MYSQL_CLIENT(name, other) "client,client-server,client-mariadb," name "," other

/* The groups that the server reads, and those that each client program reads. */
static const char *const mysql_groups[] = {"mysqld,server,mariadb,mariadbd,client-server,galera",
	MYSQL_CLIENT("mysql", "mariadb-client"), MYSQL_CLIENT("mysqldump", "mariadb-dump"),
	MYSQL_CLIENT("mysqladmin", "mariadb-admin"), MYSQL_CLIENT("mysqlcheck", "mariadb-check"),
	MYSQL_CLIENT("mysqlimport", "mariadb-import"), MYSQL_CLIENT("mysqlshow", "mariadb-show"),
	MYSQL_CLIENT("mysqlslap", "mariadb-slap"), MYSQL_CLIENT("mysqlbinlog", "mariadb-binlog"),
	MYSQL_CLIENT("mysql_upgrade", "mariadb-upgrade"), NULL};

static const struct ini_dialect mysql = {
	.title = "a file of MySQL's",
	.comments = "#;",
	.inline_comments = "#",
	.quotes = "\"'",
	.escaping = "\"'",
	.quote = "\"",
	.separators = "=",
	.keys = INI_LAST,
	.sections = INI_LAST,
	.fold = {.how = FOLD_DASH | FOLD_PREFIX},
	.section_fold = {.how = FOLD_CASE | FOLD_BLANKS},
	.list_keys = MYSQL_LISTS,
	.together = mysql_groups,
	.includes = "!",
	.has_null = true,
};

static const struct ini_dialect php = {
	.title = "a php.ini",
	.comments = ";",
	.inline_comments = ";",
	.quotes = "\"'",
	.escaping = "\"",
	.quote = "\"",
	.operators = "=&|^~!()",
	.separators = "=",
	.keys = INI_LAST,
	.sections = INI_LAST,
	.list_keys = "extension,zend_extension",
	.list_suffix = "[]",
	.meaningful = "PATH,HOST",
	.quotes_end = true,
	.has_null = true,
	.has_root_keys = true,
};

static const struct ini_dialect git = {
	.title = "a file of git's",
	.comments = "#;",
	.inline_comments = "#;",
	.quotes = "\"",
	.escaping = "\"",
	.quote = "\"",
	.escapes = "\\\"ntb\n",
	.separators = "=",
	.goes_on = INI_BACKSLASH,
	.keys = INI_LIST,
	.sections = INI_LAST,
	.fold = {.how = FOLD_CASE},
	.section_fold = {.how = FOLD_HEAD},
	.list_keys = GIT_LISTS,
	.quotes_end = true,
	.escapes_outside = true,
	.has_null = true,
	.joins_headers = true,
};

static const struct ini_dialect wireguard = {
	.title = "a file of WireGuard's",
	.comments = "#",
	.inline_comments = "#",
	.quotes = "",
	.escaping = "",
	.separators = "=",
	.keys = INI_LAST,
	.sections = INI_LAST,
	.fold = {.how = FOLD_CASE, .names = WIREGUARD_NAMES},
	.section_fold = {.how = FOLD_CASE, .names = WIREGUARD_NAMES},
	.list_keys = "Address,DNS,AllowedIPs,PreUp,PostUp,PreDown,PostDown",
	.list_section = "Peer",
	.by = "PublicKey",
};

static const struct ini_dialect configparser = {
	.title = "a file of configparser's",
	.comments = "#;",
	.inline_comments = "",
	.quotes = "",
	.escaping = "",
	.separators = "=:",
	.goes_on = INI_INDENT,
	.keys = INI_REFUSE,
	.sections = INI_REFUSE,
	.fold = {.how = FOLD_CASE},
	.has_long_names = true,
};

static const struct ini_dialect grafana = {
	.title = "a grafana.ini",
	.comments = ";#",
	.inline_comments = "#;",
	.quotes = "`",
	.escaping = "",
	.quote = "\"\"\"",
	.separators = "=:",
	.goes_on = INI_BACKSLASH,
	.keys = INI_LAST,
	.sections = INI_LAST,
	.root = "DEFAULT",
	.quotes_lead = true,
	.quotes_end = true,
	.has_root_keys = true,
	.has_long_names = true,
};

static bool ends_with(struct span text, const char *end)
{
	size_t len = strlen(end);

	return text.len > len && memcmp(text.data + text.len - len, end, len) == 0;
}

bool ini_is_list_key(const struct ini_dialect *dialect, struct span key)
{
	if (dialect->list_keys && span_is_in(key, dialect->list_keys, ","))
		return true;
	return dialect->list_suffix && ends_with(key, dialect->list_suffix);
}

bool ini_is_list(const struct ini_dialect *dialect, struct span key)
{
	return dialect->keys == INI_LIST || ini_is_list_key(dialect, key);
}

bool ini_is_list_section(const struct ini_dialect *dialect, struct span name)
{
	return dialect->list_section &&
	       spelling_means(&dialect->section_fold, name, span_of(dialect->list_section));
}

static bool begins_alike(struct span text, struct span begin)
{
	for (size_t i = 0; i < begin.len; i++)
		if (i >= text.len || (text.data[i] & ~0x20) != begin.data[i])
			return false;
	return true;
}

bool ini_has_meaning(const struct ini_dialect *dialect, struct span name)
{
	if (dialect->root && span_is(name, dialect->root))
		return false;
	for (const char *at = dialect->meaningful; at && *at;) {
		struct span word = {at, strcspn(at, ",")};

		if (begins_alike(name, word))
			return true;
		at += word.len + (at[word.len] == ',');
	}
	return !dialect->meaningful;
}

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
static struct ini_scan scan_leading(const struct ini_dialect *dialect, struct span line,
	size_t value, const struct ini_scan *before)
{
	struct span rest = {line.data + value, line.len - value};
	struct ini_scan scan = {.len = trimmed(line, line.len)};
	struct span quote = {NULL, 0};
	size_t i = value;

	if (!before && rest.len > strlen(dialect->quote) && span_begins(rest, dialect->quote))
		quote = span_of(dialect->quote);
	else if (!before && rest.len && is_one_of(dialect->quotes, *rest.data))
		quote = (struct span){rest.data, 1};
	if (quote.len) {
		size_t end = find_last(
			(struct span){rest.data + quote.len, rest.len - quote.len}, quote);

		if (end)
			scan.len = value + quote.len + end;
		else
			scan.quote = *quote.data;
		return scan;
	}
	scan.goes_on = scan.len > value && line.data[scan.len - 1] == '\\';
	while (!before && !scan.goes_on && i < scan.len &&
		!is_one_of(dialect->inline_comments, line.data[i]))
		i++;
	if (!before && !scan.goes_on)
		scan.len = trimmed(line, i);
	return scan;
}

struct ini_scan ini_scan(const struct ini_dialect *dialect, struct span line, size_t value,
	const struct ini_scan *before)
{
	struct ini_scan scan = {.quote = before ? before->quote : '\0'};
	size_t i = 0;

	if (dialect->quotes_lead)
		return scan_leading(dialect, line, value, before);
	for (; i < line.len; i++) {
		char c = line.data[i];
		bool escapes = scan.quote ? is_one_of(dialect->escaping, scan.quote)
					  : dialect->escapes_outside;

		if (c == '\\' && escapes) {
			scan.goes_on = ++i == line.len && dialect->goes_on == INI_BACKSLASH;
			continue;
		}
		if (scan.quote && c == scan.quote)
			scan.quote = '\0';
		else if (!scan.quote && is_one_of(dialect->quotes, c))
			scan.quote = c;
		else if (!scan.quote && is_one_of(dialect->inline_comments, c))
			break;
	}
	scan.len = trimmed(line, i < line.len ? i : line.len);
	return scan;
}

/* Returns the first of the characters that stands outside of quotes; NULL: none does. */
static const char *find_bare(
	const struct ini_dialect *dialect, struct span value, const char *characters)
{
	char quote = '\0';

	for (size_t i = 0; i < value.len; i++) {
		char c = value.data[i];

		if (quote && c == '\\' && is_one_of(dialect->escaping, quote))
			i++;
		else if (quote)
			quote = c == quote ? '\0' : quote;
		else if (is_one_of(dialect->quotes, c))
			quote = c;
		else if (is_one_of(characters, c))
			return value.data + i;
	}
	return NULL;
}

bool ini_has_fault(const struct ini_dialect *dialect, struct span value, struct ini_fault *ret)
{
	for (size_t i = 0; dialect->escapes && i + 1 < value.len; i++) {
		if (value.data[i] != '\\')
			continue;
		*ret = (struct ini_fault){
			"a backslash with no meaning", "write '\\\\' for a backslash"};
		if (!is_one_of(dialect->escapes, value.data[++i]))
			return true;
	}
	if (!dialect->operators || !find_bare(dialect, value, "="))
		return false;
	*ret = (struct ini_fault){"a '=' outside of quotes", "put it in quotes"};
	return true;
}

bool ini_is_computed(const struct ini_dialect *dialect, struct span value)
{
	bool has_constant = false, is_expression = true;

	for (size_t i = 0; dialect->operators && i < value.len; i++) {
		char c = value.data[i];
		bool is_letter = c == '_' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		has_constant |= is_letter;
		is_expression &= is_letter || c == ' ' || is_one_of(dialect->operators, c);
	}
	return dialect->operators && find_bare(dialect, value, dialect->operators) &&
	       !(is_expression && has_constant);
}

static const struct format *const rows[] = {&format_mysql, &format_php, &format_git,
	&format_wireguard, &format_configparser, &format_grafana};

void ini_names(bool (*is_fit)(const struct ini_dialect *dialect, const struct pair *about),
	const struct pair *about, char *out, size_t size)
{
	size_t len = 0;

	*out = '\0';
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (is_fit(rows[i]->dialect, about) && len < size)
			len += (size_t)snprintf(
				out + len, size - len, "%s%s", len ? ", " : "", rows[i]->name);
}

#define FORMAT(id, has_repeats, begin, ends, check, says)                                          \
	const struct format format_##id = {                                                        \
		.name = #id,                                                                       \
		.summary = says,                                                                   \
		.suffixes = ends,                                                                  \
		.comment = begin,                                                                  \
		.nothing = "",                                                                     \
		.divider = "",                                                                     \
		.has_sections = true,                                                              \
		.repeats = has_repeats,                                                            \
		.dialect = &id,                                                                    \
		.read = ini_read,                                                                  \
		.write = ini_write,                                                                \
		.edit = ini_edit,                                                                  \
		.check_merged = check,                                                             \
	}

FORMAT(ini, false, ";", "ini", ini_check_merged,
	"INI of an unknown program: sections are maps, values are texts with their quotes, a key "
	"with no '=' is null; a merge that would lose something is refused");
FORMAT(mysql, true, "#", "", ini_check_groups,
	"INI as MySQL and MariaDB read my.cnf: bind-address and bind_address are one key");
FORMAT(php, true, ";", "", NULL,
	"INI as PHP reads php.ini: sections other than [PATH=...] and [HOST=...] have no meaning, "
	"'extension' is a list");
FORMAT(git, true, "#", "", NULL,
	"INI as git reads its configuration: a key that comes again is a list, capitals in keys "
	"do not matter");
FORMAT(wireguard, true, "#", "", NULL, "INI as wg and wg-quick read it: [Peer] is a list of maps");
FORMAT(configparser, false, "#", "", NULL,
	"INI as Python's configparser reads it: setup.cfg, tox.ini; no key or section twice");
FORMAT(grafana, false, ";", "", NULL, "INI as Grafana reads grafana.ini, by go-ini");
