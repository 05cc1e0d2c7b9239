/*
 * Origins of the strategy cloud-init: for each decision, the origin of the value that it is about.
 * Noting origins changes nothing else.
 */

#include "origin_fixture.h"
#include "repeat.h"
#include "skip.h"
#include "test.h"

static const char script[] =
	"local M = {}\n"
	"function M:on_dict(value, with)\n"
	"  if with.keep then return value end\n"
	"  if with.take then return with end\n"
	"  if with.change then\n"
	"    local r = dict(value); r.x = with.x; r.y = with.x; return r\n"
	"  end\n"
	"  if with.make then return dict({made = with.x}) end\n"
	"  local r = dict(value)\n"
	"  if with.turns then\n"
	"    local a, b = r.k, with.k\n"
	"    for i = 1, with.turns do a, b = self.merger:merge(a, b), a end\n"
	"    r.k = a\n"
	"    return r\n"
	"  end\n"
	"  for k, v in pairs(with) do\n"
	"    r[k] = r[k] == nil and v or self.merger:merge(r[k], v)\n"
	"  end\n"
	"  return r\n"
	"end\n"
	"function M:on_list(value, with) return self.merger:merge(value[1], with[1]) end\n"
	"function M:on_str(value, with)\n"
	"  if with == 'keep' then return value end\n"
	"  if with == 'join' then return value .. with end\n"
	"  return with\n"
	"end\n"
	"return M\n";

static int find_script(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem)
{
	static const struct merge_input input = {
		.source = {.name = "mergers/m_mine.lua", .layer = "site"},
		.text = {script, sizeof(script) - 1},
	};

	(void)context;
	(void)directory;
	(void)problem;
	if (strcmp(name, "m_mine.lua") != 0)
		return MERGE_ABSENT;
	*ret = &input;
	*count = 1;
	return 0;
}

/* A merge whose sources may name the script. */
static void set_with_script(struct setting *setting, const struct row *row)
{
	static const struct merge_environment environment = {.find = find_script};

	set_row(setting, "cloud-init", row);
	setting->request.environment = &environment;
}

/* Whether the core was built with a reader of the text; without one the text is refused. */
static bool is_built_in(const struct row *row)
{
	CLEANUP(setting_fini) struct setting setting;

	set_with_script(&setting, row);
	return run(&setting) == 0 || !strstr(setting.problem.message, "plyfs was built without");
}

#define HOW(text) "merge_how: " text "\n"

TEST(dict_reports_what_it_did)
{
	static const struct row rows[] = {
		{{"k: 1\n", "k: 2\n", "k: 3\n"}, "k",
			"c:1:4\nLOST a:1:4 dict(replace)\nLOST b:1:4 dict(replace)", "replace"},
		{{"k: 1\n", "l: 2\n"}, "", "a:1:1\nPART b:1:1 dict(replace)", "the default's keys"},
		{{"k: 1\n", "l: 2\n"}, "l", "b:1:4", "a key in one of them"},
		{{"k: 1\n", HOW("dict()") "k: 2\n"}, "k",
			"a:1:4\nLOST b:2:4 dict(no_replace): the old value is kept (b:1:12)",
			"no_replace"},
		{{"m: {k: 1}\n", HOW("dict()") "m: {l: 2}\n"}, "m",
			"a:1:4\nPART b:2:4 dict(no_replace) (b:1:12)", "maps recurse"},
		{{"k: 1\n", "merge_type: dict(replace)\nk: 2\n"}, "k",
			"b:2:4\nLOST a:1:4 dict(replace) (b:1:13)", "a part's own word"},
		{{"k: 1\n", HOW("dict()") "k: 2\n"}, "",
			"a:1:1\nPART b:1:1 dict(no_replace) (b:1:12)\n-merge_how\n"
			"LOST b:1:12 says how the part is merged",
			"merge_how is taken out"},
		{{"merge_how: null\nmerge_type: dict()\nk: 1\n", HOW("dict()") "l: 2\n"}, "",
			"a:1:1\nPART b:1:1 dict(no_replace) (b:1:12)\n-merge_how\n"
			"LOST b:1:12 says how the part is merged\n-merge_type\n"
			"LOST a:2:13 says how the part is merged\n-merge_how\n"
			"LOST a:1:12 says how the part is merged",
			"of each part"},
		{{"k: 1\nl: 2\n", HOW("dict(allow_delete)") "k: null\n"}, "",
			"a:1:1\nPART b:1:1 dict(no_replace) (b:1:12)\n-merge_how\n"
			"LOST b:1:12 says how the part is merged\n-k\n"
			"LOST a:1:4 dict(allow_delete) (b:2:4)\n"
			"REMOVED b:2:4 dict(allow_delete) (b:2:4)",
			"allow_delete"},
		{{"k: 1\nl: 2\n", HOW("dict(allow_delete)") "k: null\n", "k: 3\n"}, "k",
			"c:1:4\nLOST a:1:4 dict(allow_delete) (b:2:4)\n"
			"REMOVED b:2:4 dict(allow_delete) (b:2:4)",
			"back after a deletion"},
		{{"k: 1\n", HOW("dict(allow_delete)") "k: null\n", "k: 3\n"}, "k",
			"c:1:4\nLOST a:1:4 dict(allow_delete) (b:2:4)\n"
			"REMOVED b:2:4 dict(allow_delete) (b:2:4)",
			"back where nothing was left"},
		{{"m: {}\n", HOW("dict()") "m: {k: 1}\n"}, "m",
			"a:1:4\nPART b:2:4 dict(no_replace) (b:1:12)", "into an empty map"},
		{{"m: {}\n", HOW("dict(recurse_list)") "m: [1]\n"}, "m",
			"a:1:4\n"
			"LOST b:2:4 dict(): a value of another kind is not merged into a dict "
			"(b:1:12)",
			"another kind"},
		{{"k: 1\n", HOW("dict(recurse_str)") "k: x\n"}, "k",
			"a:1:4\nLOST b:2:4 no merger handles an int: the old value is kept "
			"(b:1:12)",
			"no merger for the kind"},
		{{"m: {k: 1}\n", HOW("dict(recurse_list)") "m: [1]\n", HOW("dict()") "m: {}\n"},
			"m",
			"a:1:4\n"
			"LOST b:2:4 dict(): a value of another kind is not merged into a dict "
			"(b:1:12)\n"
			"PART c:2:4 dict(no_replace) (c:1:12)",
			"a map that was kept and is changed later"},
		{{"k: 1\n", HOW("list()") "k: 2\n"}, "",
			"a:1:1\n"
			"LOST b:1:1 no merger handles a dict: the old value is kept (b:1:12)\n"
			"-merge_how\nLOST b:1:12 says how the part is merged",
			"no merger for a part"},
		{{HOW("dict(no_replace)") "k: 1\n", "k: 2\n"}, "k",
			"a:2:4\nLOST b:1:4 dict(no_replace): the old value is kept (a:1:12)",
			"the stack's part before", "mergers: stack"},
		{{"x: 1\ny: 2\n", "x: &i 3\ny: *i\n"}, "y", "b:1:4\nLOST a:2:4 dict(replace)",
			"an alias' other place"},
	};

	CHECK("cloud-init", rows);
}

TEST(list_reports_what_it_did)
{
	static const struct row rows[] = {
		{{"l: [1]\n", HOW("dict(recurse_list)+list(append)") "l: [2]\n"}, "l",
			"a:1:4\nPART b:2:4 list(append) (b:1:12)", "append"},
		{{"l: [1]\n", HOW("dict(recurse_list)+list(prepend)") "l: [2]\n"}, "l",
			"a:1:4\nPART b:2:4 list(prepend) (b:1:12)", "prepend"},
		{{"l: [1]\n", HOW("dict(recurse_list)+list(no_replace)") "l: [2]\n"}, "l",
			"a:1:4\nLOST b:2:4 list(no_replace): the old value is kept (b:1:12)",
			"no_replace"},
		{{"l: [1]\n", HOW("dict(recurse_list)+list()") "l: [2, 3]\n"}, "l/0",
			"b:2:5\nLOST a:1:5 list(replace): item by item (b:1:12)", "item by item"},
		{{"l: [1]\n", HOW("dict(recurse_list)+list()") "l: [2, 3]\n"}, "l",
			"a:1:4\nPART b:2:4 list(replace): item by item (b:1:12)\n"
			"LOST b:2:8 list(replace): the list stays as long as it was (b:1:12)",
			"a longer new list"},
		{{"l: [{k: 1}]\n", HOW("dict(recurse_list)+list(recurse_dict)") "l: [{m: 2}]\n"},
			"l/0", "a:1:5\nPART b:2:5 dict(no_replace) (b:1:12)", "items recurse"},
		{{"l: [1]\n", HOW("dict(recurse_str)+list()") "l: x\n"}, "l",
			"b:2:4\nLOST a:1:4 list(replace) (b:1:12)", "no list"},
		{{"l: [1]\n", "merge_how:\n- {name: dict, settings: [recurse_list]}\n"
			      "- {name: list, settings: [append]}\nl: [2]\n"},
			"l", "a:1:4\nPART b:4:4 list(append) (b:2:1)",
			"settings written as a list"},
		{{"l: [1]\n", "l: [2]\n"}, "l", "a:1:4\nPART b:1:4 list(append)",
			"the option's default", "default: list(append)+dict(recurse_list)"},
	};

	CHECK("cloud-init", rows);
}

TEST(str_reports_what_it_did)
{
	static const struct row rows[] = {
		{{"s: a\n", HOW("dict(recurse_str)+str(append)") "s: b\n",
			 HOW("dict(recurse_str)+str(append)") "s: c\n"},
			"s",
			"a:1:4\nPART b:2:4 str(append) (b:1:12)\nPART c:2:4 str(append) (c:1:12)",
			"append"},
		{{"s: a\n", HOW("dict(recurse_str)+str(append)") "s: b\n", "s: c\n"}, "s",
			"c:1:4\nLOST a:1:4 dict(replace)\nLOST b:2:4 dict(replace)",
			"what was joined is lost"},
		{{"s: a\n", HOW("dict(recurse_str)+str()") "s: b\n"}, "s",
			"b:2:4\nLOST a:1:4 str(): the new value is taken (b:1:12)", "the new one"},
	};

	CHECK("cloud-init", rows);
}

#define PATCH(operations) "#cloud-config-jsonp\n[" operations "]\n"

TEST(a_patch_reports_what_it_did)
{
	static const struct row rows[] = {
		{{"k: 1\n", PATCH("{\"op\":\"add\",\"path\":\"/k\",\"value\":2}")}, "k",
			"b:2:34\nLOST a:1:4 JSON Patch: add (b:2:2)", "add over a value"},
		{{"k: 1\n", PATCH("{\"op\":\"add\",\"path\":\"/l\",\"value\":2}")}, "",
			"a:1:1\nPART b:2:2 JSON Patch: add (b:2:2)", "add a key"},
		{{"l: [1]\n", PATCH("{\"op\":\"add\",\"path\":\"/l/0\",\"value\":2}")}, "l",
			"a:1:4\nPART b:2:2 JSON Patch: add (b:2:2)", "add an item"},
		{{"k: 1\n", PATCH("{\"op\":\"add\",\"path\":\"\",\"value\":{}}")}, "",
			"b:2:32\nLOST a:1:1 JSON Patch: add (b:2:2)", "add the root"},
		{{"k: 1\n", PATCH("{\"op\":\"replace\",\"path\":\"/k\",\"value\":2}")}, "k",
			"b:2:38\nLOST a:1:4 JSON Patch: replace (b:2:2)", "replace"},
		{{"l: [1]\n", PATCH("{\"op\":\"replace\",\"path\":\"/l/0\",\"value\":2}")}, "l/0",
			"b:2:40\nLOST a:1:5 JSON Patch: replace (b:2:2)", "replace an item"},
		{{"k: 1\n", PATCH("{\"op\":\"replace\",\"path\":\"\",\"value\":null}"), "k: 2\n"},
			"",
			"c:1:1\nLOST a:1:1 JSON Patch: replace (b:2:2)\n"
			"LOST b:2:36 an empty document becomes a map",
			"replace the root with nothing, and go on"},
		{{"k: 1\nl: 2\n", "k: 3\n", PATCH("{\"op\":\"remove\",\"path\":\"/k\"}")}, "",
			"a:1:1\nPART b:1:1 dict(replace)\n-k\nLOST a:1:4 dict(replace)\n"
			"LOST b:1:4 JSON Patch: remove (c:2:2)\n"
			"REMOVED c:2:2 JSON Patch: remove (c:2:2)",
			"remove"},
		{{"l: [1, 2]\n", PATCH("{\"op\":\"remove\",\"path\":\"/l/1\"}")}, "l",
			"a:1:4\n-1\nLOST a:1:8 JSON Patch: remove (b:2:2)\n"
			"REMOVED b:2:2 JSON Patch: remove (b:2:2)",
			"remove an item"},
		{{"k: 1\n", PATCH("{\"op\":\"remove\",\"path\":\"/k\"},"
				  "{\"op\":\"add\",\"path\":\"/k\",\"value\":2}")},
			"k",
			"b:2:62\nLOST a:1:4 JSON Patch: remove (b:2:2)\n"
			"REMOVED b:2:2 JSON Patch: remove (b:2:2)",
			"back after a removal"},
		{{"k: 1\n", "k: 2\n", PATCH("{\"op\":\"move\",\"from\":\"/k\",\"path\":\"/l\"}")},
			"l", "b:1:4\nLOST a:1:4 dict(replace)\nPART c:2:2 JSON Patch: move (c:2:2)",
			"move"},
		{{"k: 1\n", "k: 2\n", PATCH("{\"op\":\"move\",\"from\":\"/k\",\"path\":\"/l\"}")},
			"",
			"a:1:1\nPART b:1:1 dict(replace)\nPART c:2:2 JSON Patch: move (c:2:2)\n-k\n"
			"LOST b:1:4 JSON Patch: move (c:2:2)\n"
			"REMOVED c:2:2 JSON Patch: move (c:2:2)",
			"where it was moved from"},
		{{"m: {k: 1}\n", "m: {k: 2}\n",
			 PATCH("{\"op\":\"copy\",\"from\":\"/m\",\"path\":\"/n\"}")},
			"n", "b:1:4\nLOST a:1:4 dict(replace)\nPART c:2:2 JSON Patch: copy (c:2:2)",
			"copy"},
		{{"m: {k: 1}\n", HOW("dict()+str(append)") "m: {k: 2}\n",
			 PATCH("{\"op\":\"copy\",\"from\":\"/m\",\"path\":\"/n\"}")},
			"n/k", "a:1:8\nLOST b:2:8 dict(no_replace): the old value is kept (b:1:12)",
			"what is in a copy"},
		{{"s: a\n", HOW("dict(recurse_str)+str(append)") "s: b\n",
			 PATCH("{\"op\":\"copy\",\"from\":\"/s\",\"path\":\"/t\"},"
			       "{\"op\":\"replace\",\"path\":\"/t\",\"value\":2}")},
			"s", "a:1:4\nPART b:2:4 str(append) (b:1:12)", "what a copy was made of"},
		{{"k: 1\n", PATCH("{\"op\":\"test\",\"path\":\"/k\",\"value\":1}")}, "k", "a:1:4",
			"test"},
		{{"x: &m {k: 1}\ny: *m\n",
			 PATCH("{\"op\":\"replace\",\"path\":\"/x/k\",\"value\":2}")},
			"y/k", "b:2:40\nLOST a:1:11 JSON Patch: replace (b:2:2)",
			"an aliased value, everywhere"},
		{{"x: &m {k: 1}\ny: *m\n", HOW("dict()") "x: {l: 0}\n",
			 PATCH("{\"op\":\"replace\",\"path\":\"/x/k\",\"value\":2}")},
			"y/k", "a:1:11", "an aliased value that was merged"},
	};

	CHECK("cloud-init", rows);
}

TEST(parts_of_a_source_have_their_places_in_it)
{
	static const struct row rows[] = {
		{{"#cloud-config-archive\n- |\n  k: 1\n- |\n  #cloud-config\n  k: 2\n"}, "k",
			"a:6:6\nLOST a:3:6 dict(replace)", "an archive"},
		{{"#cloud-config-archive\n- |\n  k: 1\n- type: text/cloud-config\n"
		  "  Merge-Type: dict()\n  content: |\n    k: 2\n"},
			"k", "a:3:6\nLOST a:7:8 dict(no_replace): the old value is kept (a:5:15)",
			"an archive's header"},
	};

	CHECK("cloud-init", rows);
}

TEST(parts_of_a_message_have_their_places_in_it)
{
	static const struct row rows[] = {
		{{"k: 1\n", "MIME-Version: 1.0\nContent-Type: text/cloud-config\n"
			    "Merge-Type: dict()\n\nk: 2\n"},
			"k", "a:1:4\nLOST b:5:4 dict(no_replace): the old value is kept (b:3:1)",
			"a message's header"},
		{{"k: 1\n", "MIME-Version: 1.0\nContent-Type: text/cloud-config\n"
			    "Merge-Type: dict()\n\nk: 2\nmerge_how: dict(replace)\n"},
			"k", "b:5:4\nLOST a:1:4 dict(replace) (b:6:12)",
			"a part's own word before the header's"},
	};

	if (!is_built_in(&rows[0]))
		skip_because("plyfs was built without GMime");
	CHECK("cloud-init", rows);
}

#define MINE "mergers_path: mergers"

TEST(a_merger_in_lua_had_a_say)
{
	static const struct row rows[] = {
		{{"k: 1\n", HOW("mine()") "keep: 1\nk: 2\n"}, "",
			"a:1:1\nLOST b:1:1 merger mine (m_mine.lua) (b:1:12)\n-merge_how\n"
			"LOST b:1:12 says how the part is merged",
			"the old one is kept", MINE},
		{{"k: 1\n", HOW("mine()") "take: 1\nk: 2\n"}, "",
			"b:1:1\nLOST a:1:1 merger mine (m_mine.lua) (b:1:12)\n-merge_how\n"
			"LOST b:1:12 says how the part is merged",
			"the new one is taken", MINE},
		{{"k: 1\n", "l: 1\n", HOW("mine()") "change: 1\nx: 3\n"}, "",
			"a:1:1\nPART b:1:1 dict(replace)\n"
			"PART c:1:1 merger mine (m_mine.lua) (c:1:12)\n-merge_how\n"
			"LOST c:1:12 says how the part is merged",
			"a copy that was changed", MINE},
		{{"k: 1\n", HOW("mine()") "make: 1\nx: 3\n"}, "",
			"made\nPART a:1:1 merger mine (m_mine.lua) (b:1:12)\n"
			"PART b:1:1 merger mine (m_mine.lua) (b:1:12)\n-merge_how\n"
			"LOST b:1:12 says how the part is merged",
			"a new value", MINE},
		{{"k: 1\n", HOW("mine()") "make: 1\nx: 3\n", HOW("mine()") "change: 1\nx: 4\n"}, "",
			"made\nPART a:1:1 merger mine (m_mine.lua) (b:1:12)\n"
			"PART b:1:1 merger mine (m_mine.lua) (b:1:12)\n"
			"PART c:1:1 merger mine (m_mine.lua) (c:1:12)\n-merge_how\n"
			"LOST c:1:12 says how the part is merged\n-merge_how\n"
			"LOST b:1:12 says how the part is merged",
			"a new value, changed again", MINE},
		{{"k: 1\n", HOW("mine()") "make: 1\nx: 3\n"}, "made", "b:3:4",
			"the values in a new one keep theirs", MINE},
		{{"k: 1\n", HOW("mine()") "change: 1\nx: 3\n", HOW("dict()") "x: 4\n"}, "y",
			"b:3:4", "one value that it put at two places", MINE},
		{{"l: [a]\n", HOW("mine()+list(append)") "l: [b]\n"}, "l",
			"b:2:5\nLOST a:1:5 merger mine (m_mine.lua) (b:1:12)",
			"what it left to the other mergers", MINE},
		{{"k: a\n", HOW("str()+mine()") "turns: 99\nk: b\n"}, "k",
			"b:3:4\nLOST a:1:4 str(): the new value is taken (b:1:12)",
			"values that it merged in turn", MINE},
		{{"s: a\n", HOW("dict(recurse_str)+mine()") "s: keep\n"}, "s",
			"a:1:4\nLOST b:2:4 merger mine (m_mine.lua) (b:1:12)",
			"a text that is kept", MINE},
		{{"s: a\n", HOW("dict(recurse_str)+mine()") "s: join\n"}, "s",
			"made\nPART a:1:4 merger mine (m_mine.lua) (b:1:12)\n"
			"PART b:2:4 merger mine (m_mine.lua) (b:1:12)",
			"a text that is made", MINE},
	};

	if (!is_built_in(&rows[0]))
		skip_because("plyfs was built without Lua");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct setting setting;
		set_with_script(&setting, &rows[i]);
		check_origin(&setting, &rows[i]);
	}
}

/* Returns the bytes that the merge of the sources takes with origins; the texts are in `row`. */
static size_t bytes_for(const struct row *row)
{
	CLEANUP(setting_fini) struct setting setting;

	set_row(&setting, "cloud-init", row);
	must_run(&setting);
	return arena_bytes(setting.result->arena);
}

#define LAST_TEST "{\"op\":\"test\",\"path\":\"/x/k\",\"value\":\"a\"}]\n"

TEST(a_long_history_is_not_reported_for_each_of_many_places)
{
	CLEANUP(freep) char *base = repeat("x: &m {k: a}\n", 2000, "y@: *m\n", "");
	CLEANUP(freep)
	char *patch = repeat("#cloud-config-jsonp\n[", 2000,
		"{\"op\":\"replace\",\"path\":\"/x/k\",\"value\":\"a\"},\n", LAST_TEST);
	CLEANUP(freep)
	char *site = repeat("merge_how: dict(recurse_str)+str()\n", 2000, "y@: {k: b}\n", "");
	const struct row row = {.sources = {base, patch, site}};

	assert_true(bytes_for(&row) < 32u << 20);
}

TEST(a_value_that_is_moved_to_and_fro_costs_what_the_moves_do)
{
	CLEANUP(freep)
	char *patch = repeat("#cloud-config-jsonp\n[", 2000,
		"{\"op\":\"move\",\"from\":\"/x\",\"path\":\"/y\"},\n"
		"{\"op\":\"move\",\"from\":\"/y\",\"path\":\"/x\"},\n",
		LAST_TEST);
	const struct row row = {.sources = {"x: {k: a}\n", patch}};

	assert_true(bytes_for(&row) < 32u << 20);
}
