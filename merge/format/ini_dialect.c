/*
 * The table of dialects. Each property is in the table because a program has it
 * (ini_dialects_compare.py).
 *
 *      mysql         my_default.c: "#" begins a comment anywhere outside of quotes, ";" only a
 *                    comment line; group names in any case; an option before the first group is an
 *                    error. A server reads several groups, in the order of the file.
 *      php           zend_ini_scanner.l, php_ini.c: only the sections [PATH=…] and [HOST=…] have a
 *                    meaning; each lasts until the next of them.
 *      git           config.c: a value continues after a backslash; comments begin outside of "".
 *      wireguard     config.c, wg-quick: only "#" begins a comment, anywhere; keys in any case.
 *      configparser  ConfigParser() with its defaults: strict, without comments behind values.
 *      grafana       go-ini as Grafana calls it: "#" and ";" begin comments anywhere except in `…`
 *                    and """…""".
 */
#include "ini_dialect.h"
#include "ini_check.h"

#include <stdio.h>

#define MYSQL_LISTS                                                                                \
	"plugin_load_add,binlog_do_db,binlog_ignore_db,replicate_do_db,replicate_ignore_db,"       \
	"replicate_do_table,replicate_ignore_table,replicate_wild_do_table,"                       \
	"replicate_wild_ignore_table,replicate_rewrite_db,ignore_db_dir,ignore_db_dirs,"           \
	"optimizer_switch,performance_schema_instrument,!include,!includedir"

#define GIT_LISTS                                                                                  \
	"fetch,push,pushurl,insteadof,pushinsteadof,helper,path,directory,hiderefs,extraheader,"   \
	"displayref,rewriteref,suffix,excludedecoration,repo,ignorerevsfile,pushoption,"           \
	"curloptresolve,active,procreceiverefs"

#define WIREGUARD_NAMES                                                                            \
	"Interface,Peer,PrivateKey,ListenPort,FwMark,Address,DNS,MTU,Table,PreUp,PostUp,PreDown,"  \
	"PostDown,SaveConfig,PublicKey,PresharedKey,AllowedIPs,Endpoint,PersistentKeepalive"

/* For files of an unknown program: loses nothing. */
static const struct ini_dialect ini = {
	.title = "INI",
	.comments = ";#",
	.separators = "=:",
	.keys = INI_DOUBT,
	.has_null = true,
	.value =
		{.comments = "", .quotes = "", .escaping = "", .goes_on = INI_INDENT, .ends = "\r"},
	.sections = {.again = INI_DOUBT, .has_root_keys = true},
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
	.separators = "=",
	.keys = INI_LAST,
	.fold = {.how = FOLD_DASH | FOLD_PREFIX},
	.includes = "!",
	.has_null = true,
	.value = {.comments = "#", .quotes = "\"'", .escaping = "\"'", .quote = "\""},
	.lists = {.keys = MYSQL_LISTS,
		.switches = "optimizer_switch,performance_schema_instrument"},
	.sections = {.again = INI_LAST,
		.fold = {.how = FOLD_CASE | FOLD_BLANKS},
		.together = mysql_groups},
};

static const struct ini_dialect php = {
	.title = "a php.ini",
	.comments = ";",
	.separators = "=",
	.keys = INI_LAST,
	.has_null = true,
	.value = {.comments = ";",
		.quotes = "\"'",
		.escaping = "\"",
		.quote = "\"",
		.operators = "=&|^~!()",
		.quoting = INI_QUOTE_ENDS,
		.ends = "\r"},
	.lists = {.keys = "extension,zend_extension", .suffix = "[]"},
	.sections = {.again = INI_LAST, .meaningful = "PATH,HOST", .has_root_keys = true},
};

static const struct ini_dialect git = {
	.title = "a file of git's",
	.comments = "#;",
	.separators = "=",
	.keys = INI_LIST,
	.fold = {.how = FOLD_CASE},
	.has_null = true,
	.value = {.comments = "#;",
		.quotes = "\"",
		.escaping = "\"",
		.quote = "\"",
		.escapes = "\\\"ntb\n",
		.goes_on = INI_BACKSLASH,
		.quoting = INI_QUOTE_ENDS},
	.lists = {.keys = GIT_LISTS},
	.sections = {.again = INI_LAST, .fold = {.how = FOLD_HEAD}, .header = INI_HEADER_JOINED},
};

static const struct ini_dialect wireguard = {
	.title = "a file of WireGuard's",
	.comments = "#",
	.separators = "=",
	.keys = INI_LAST,
	.fold = {.how = FOLD_CASE, .names = WIREGUARD_NAMES},
	.value = {.comments = "#", .quotes = "", .escaping = ""},
	.lists = {.keys = "Address,DNS,AllowedIPs,PreUp,PostUp,PreDown,PostDown",
		.section = "Peer",
		.by = "PublicKey"},
	.sections = {.again = INI_LAST, .fold = {.how = FOLD_CASE, .names = WIREGUARD_NAMES}},
};

static const struct ini_dialect configparser = {
	.title = "a file of configparser's",
	.comments = "#;",
	.separators = "=:",
	.keys = INI_REFUSE,
	.fold = {.how = FOLD_CASE},
	.value =
		{.comments = "", .quotes = "", .escaping = "", .goes_on = INI_INDENT, .ends = "\r"},
	.sections = {.again = INI_REFUSE, .header = INI_HEADER_LONG},
};

static const struct ini_dialect grafana = {
	.title = "a grafana.ini",
	.comments = ";#",
	.separators = "=:",
	.keys = INI_LAST,
	.value = {.comments = "#;",
		.quotes = "`",
		.escaping = "",
		.quote = "\"\"\"",
		.goes_on = INI_BACKSLASH,
		.quoting = INI_QUOTE_LEADS},
	.sections = {.again = INI_LAST,
		.root = "DEFAULT",
		.has_root_keys = true,
		.header = INI_HEADER_LONG},
};

static bool ends_with(struct span text, const char *end)
{
	size_t len = strlen(end);

	return text.len > len && memcmp(span_end(text) - len, end, len) == 0;
}

bool ini_is_list_key(const struct ini_dialect *dialect, struct span key)
{
	if (dialect->lists.keys && span_is_in(key, dialect->lists.keys, ","))
		return true;
	return dialect->lists.suffix && ends_with(key, dialect->lists.suffix);
}

bool ini_is_list(const struct ini_dialect *dialect, struct span key)
{
	return dialect->keys == INI_LIST || ini_is_list_key(dialect, key);
}

bool ini_is_list_section(const struct ini_dialect *dialect, struct span name)
{
	return dialect->lists.section &&
	       spelling_means(&dialect->sections.fold, name, span_of(dialect->lists.section));
}

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

size_t ini_plain_length(struct span text, const char *others)
{
	size_t i = 0;

	while (i < text.len &&
		(is_letter(text.data[i]) || (text.data[i] && strchr(others, text.data[i]))))
		i++;
	return i;
}

bool ini_is_name(const struct ini_dialect *dialect, struct span name)
{
	bool is_plain = dialect->sections.header != INI_HEADER_JOINED;
	size_t head = is_plain ? name.len : ini_plain_length(name, "-.0123456789"), i = head;

	if (i == name.len)
		return true;
	while (i < name.len && (name.data[i] == ' ' || name.data[i] == '\t'))
		i++;
	if (!head || i == head || name.data[i] != '"')
		return false;
	for (i++; i < name.len && name.data[i] != '"'; i++)
		i += name.data[i] == '\\';
	return i + 1 == name.len;
}

bool ini_is_key(const struct ini_dialect *dialect, struct span key)
{
	return dialect->sections.header != INI_HEADER_JOINED ||
	       (ini_plain_length(key, "-0123456789") == key.len && is_letter(*key.data));
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
	if (dialect->sections.root && span_is(name, dialect->sections.root))
		return false;
	for (const char *at = dialect->sections.meaningful; at && *at;) {
		struct span word = {at, strcspn(at, ",")};

		if (begins_alike(name, word))
			return true;
		at += word.len + (at[word.len] == ',');
	}
	return !dialect->sections.meaningful;
}

#define FORMAT(id, again, begin, ends, check, says)                                                \
	const struct format format_##id = {                                                        \
		.name = #id,                                                                       \
		.summary = says,                                                                   \
		.suffixes = ends,                                                                  \
		.comment = begin,                                                                  \
		.nothing = "",                                                                     \
		.divider = "",                                                                     \
		.has_sections = true,                                                              \
		.repeats = again,                                                                  \
		.dialect = &id,                                                                    \
		.read = ini_read,                                                                  \
		.write = ini_write,                                                                \
		.edit = ini_edit,                                                                  \
		.check_merged = check,                                                             \
	}

FORMAT(ini, FORMAT_REPEATS_NOT, ";", "ini", ini_check_merged,
	"INI of an unknown program; a merge whose result depends on the program is refused");
FORMAT(mysql, FORMAT_REPEATS, "#", "", ini_check_groups,
	"INI as MySQL and MariaDB read my.cnf: bind-address and bind_address are one key");
FORMAT(php, FORMAT_REPEATS, ";", "", NULL,
	"INI as PHP reads php.ini: sections other than [PATH=...] and [HOST=...] have no meaning, "
	"'extension' is a list");
FORMAT(git, FORMAT_REPEATS, "#", "", NULL,
	"INI as git reads its configuration: a key that comes again is a list, capitals in keys "
	"do not matter");
FORMAT(wireguard, FORMAT_REPEATS, "#", "", NULL,
	"INI as wg and wg-quick read it: [Peer] is a list of maps");
FORMAT(configparser, FORMAT_REPEATS_NOT, "#", "", NULL,
	"INI as Python's configparser reads it, such as setup.cfg and tox.ini; a key or section "
	"that comes twice is an error");
FORMAT(grafana, FORMAT_REPEATS_NOT, ";", "", NULL,
	"INI as Grafana reads grafana.ini, with the library go-ini");
