/*
 * Origins of the strategy cloud-init: for each decision, the origin of the value that it is about.
 * Noting origins changes nothing else.
 */

#include "origin_fixture.h"
#include "skip.h"
#include "test.h"

#define HOW(text) "merge_how: " text "\n"

TEST(dict_reports_what_it_did)
{
	static const struct row rows[] = {
		{"replace", NULL, {"k: 1\n", "k: 2\n", "k: 3\n"}, "k",
			"c:1:4\nLOST a:1:4 dict(replace)\nLOST b:1:4 dict(replace)"},
		{"the default's keys", NULL, {"k: 1\n", "l: 2\n"}, "",
			"a:1:1\nPART b:1:1 dict(replace)"},
		{"a key in one of them", NULL, {"k: 1\n", "l: 2\n"}, "l", "b:1:4"},
		{"no_replace", NULL, {"k: 1\n", HOW("dict()") "k: 2\n"}, "k",
			"a:1:4\nLOST b:2:4 dict(no_replace): the old value is kept (b:1:12)"},
		{"maps recurse", NULL, {"m: {k: 1}\n", HOW("dict()") "m: {l: 2}\n"}, "m",
			"a:1:4\nPART b:2:4 dict(no_replace) (b:1:12)"},
		{"a part's own word", NULL, {"k: 1\n", "merge_type: dict(replace)\nk: 2\n"}, "k",
			"b:2:4\nLOST a:1:4 dict(replace) (b:1:13)"},
		{"merge_how is taken out", NULL, {"k: 1\n", HOW("dict()") "k: 2\n"}, "",
			"a:1:1\nPART b:1:1 dict(no_replace) (b:1:12)\n-merge_how\n"
			"LOST b:1:12 says how the part is merged"},
		{"of each part", NULL,
			{"merge_how: null\nmerge_type: dict()\nk: 1\n", HOW("dict()") "l: 2\n"}, "",
			"a:1:1\nPART b:1:1 dict(no_replace) (b:1:12)\n"
			"-merge_how\nLOST b:1:12 says how the part is merged\n"
			"-merge_type\nLOST a:2:13 says how the part is merged\n"
			"-merge_how\nLOST a:1:12 says how the part is merged"},
		{"allow_delete", NULL, {"k: 1\nl: 2\n", HOW("dict(allow_delete)") "k: null\n"}, "",
			"a:1:1\nPART b:1:1 dict(no_replace) (b:1:12)\n"
			"-merge_how\nLOST b:1:12 says how the part is merged\n"
			"-k\nLOST a:1:4 dict(allow_delete) (b:2:4)\n"
			"REMOVED b:2:4 dict(allow_delete) (b:2:4)"},
		{"back after a deletion", NULL,
			{"k: 1\nl: 2\n", HOW("dict(allow_delete)") "k: null\n", "k: 3\n"}, "k",
			"c:1:4\nLOST a:1:4 dict(allow_delete) (b:2:4)\n"
			"REMOVED b:2:4 dict(allow_delete) (b:2:4)"},
		{"back where nothing was left", NULL,
			{"k: 1\n", HOW("dict(allow_delete)") "k: null\n", "k: 3\n"}, "k",
			"c:1:4\nLOST a:1:4 dict(allow_delete) (b:2:4)\n"
			"REMOVED b:2:4 dict(allow_delete) (b:2:4)"},
		{"into an empty map", NULL, {"m: {}\n", HOW("dict()") "m: {k: 1}\n"}, "m",
			"a:1:4\nPART b:2:4 dict(no_replace) (b:1:12)"},
		{"another kind", NULL, {"m: {}\n", HOW("dict(recurse_list)") "m: [1]\n"}, "m",
			"a:1:4\nLOST b:2:4 dict(): a value of another kind is not merged into a "
			"dict (b:1:12)"},
		{"no merger for the kind", NULL, {"k: 1\n", HOW("dict(recurse_str)") "k: x\n"}, "k",
			"a:1:4\nLOST b:2:4 no merger handles an int: the old value is kept "
			"(b:1:12)"},
		{"a map that was kept and is changed later", NULL,
			{"m: {k: 1}\n", HOW("dict(recurse_list)") "m: [1]\n",
				HOW("dict()") "m: {}\n"},
			"m",
			"a:1:4\nLOST b:2:4 dict(): a value of another kind is not merged into a "
			"dict (b:1:12)\nPART c:2:4 dict(no_replace) (c:1:12)"},
		{"no merger for a part", NULL, {"k: 1\n", HOW("list()") "k: 2\n"}, "",
			"a:1:1\nLOST b:1:1 no merger handles a dict: the old value is kept "
			"(b:1:12)\n-merge_how\nLOST b:1:12 says how the part is merged"},
		{"the stack's part before", "mergers: stack",
			{HOW("dict(no_replace)") "k: 1\n", "k: 2\n"}, "k",
			"a:2:4\nLOST b:1:4 dict(no_replace): the old value is kept (a:1:12)"},
		{"an alias' other place", NULL, {"x: 1\ny: 2\n", "x: &i 3\ny: *i\n"}, "y",
			"b:1:4\nLOST a:2:4 dict(replace)"},
	};

	CHECK("cloud-init", rows);
}

TEST(list_reports_what_it_did)
{
	static const struct row rows[] = {
		{"append", NULL, {"l: [1]\n", HOW("dict(recurse_list)+list(append)") "l: [2]\n"},
			"l", "a:1:4\nPART b:2:4 list(append) (b:1:12)"},
		{"prepend", NULL, {"l: [1]\n", HOW("dict(recurse_list)+list(prepend)") "l: [2]\n"},
			"l", "a:1:4\nPART b:2:4 list(prepend) (b:1:12)"},
		{"no_replace", NULL,
			{"l: [1]\n", HOW("dict(recurse_list)+list(no_replace)") "l: [2]\n"}, "l",
			"a:1:4\nLOST b:2:4 list(no_replace): the old value is kept (b:1:12)"},
		{"item by item", NULL, {"l: [1]\n", HOW("dict(recurse_list)+list()") "l: [2, 3]\n"},
			"l.0", "b:2:5\nLOST a:1:5 list(replace): item by item (b:1:12)"},
		{"a longer new list", NULL,
			{"l: [1]\n", HOW("dict(recurse_list)+list()") "l: [2, 3]\n"}, "l",
			"a:1:4\nPART b:2:4 list(replace): item by item (b:1:12)\n"
			"LOST b:2:8 list(replace): the list stays as long as it was (b:1:12)"},
		{"items recurse", NULL,
			{"l: [{k: 1}]\n",
				HOW("dict(recurse_list)+list(recurse_dict)") "l: [{m: 2}]\n"},
			"l.0", "a:1:5\nPART b:2:5 dict(no_replace) (b:1:12)"},
		{"no list", NULL, {"l: [1]\n", HOW("dict(recurse_str)+list()") "l: x\n"}, "l",
			"b:2:4\nLOST a:1:4 list(replace) (b:1:12)"},
		{"settings written as a list", NULL,
			{"l: [1]\n", "merge_how:\n- {name: dict, settings: [recurse_list]}\n"
				     "- {name: list, settings: [append]}\nl: [2]\n"},
			"l", "a:1:4\nPART b:4:4 list(append) (b:2:1)"},
		{"the option's default", "default: list(append)+dict(recurse_list)",
			{"l: [1]\n", "l: [2]\n"}, "l", "a:1:4\nPART b:1:4 list(append)"},
	};

	CHECK("cloud-init", rows);
}

TEST(str_reports_what_it_did)
{
	static const struct row rows[] = {
		{"append", NULL,
			{"s: a\n", HOW("dict(recurse_str)+str(append)") "s: b\n",
				HOW("dict(recurse_str)+str(append)") "s: c\n"},
			"s",
			"a:1:4\nPART b:2:4 str(append) (b:1:12)\n"
			"PART c:2:4 str(append) (c:1:12)"},
		{"what was joined is lost", NULL,
			{"s: a\n", HOW("dict(recurse_str)+str(append)") "s: b\n", "s: c\n"}, "s",
			"c:1:4\nLOST b:2:4 dict(replace)\nLOST a:1:4 dict(replace)"},
		{"the new one", NULL, {"s: a\n", HOW("dict(recurse_str)+str()") "s: b\n"}, "s",
			"b:2:4\nLOST a:1:4 str(): the new value is taken (b:1:12)"},
	};

	CHECK("cloud-init", rows);
}

#define PATCH(operations) "#cloud-config-jsonp\n[" operations "]\n"

TEST(a_patch_reports_what_it_did)
{
	static const struct row rows[] = {
		{"add over a value", NULL,
			{"k: 1\n", PATCH("{\"op\":\"add\",\"path\":\"/k\",\"value\":2}")}, "k",
			"b:2:34\nLOST a:1:4 JSON Patch: add (b:2:2)"},
		{"add a key", NULL,
			{"k: 1\n", PATCH("{\"op\":\"add\",\"path\":\"/l\",\"value\":2}")}, "",
			"a:1:1\nPART b:2:2 JSON Patch: add (b:2:2)"},
		{"add an item", NULL,
			{"l: [1]\n", PATCH("{\"op\":\"add\",\"path\":\"/l/0\",\"value\":2}")}, "l",
			"a:1:4\nPART b:2:2 JSON Patch: add (b:2:2)"},
		{"add the root", NULL,
			{"k: 1\n", PATCH("{\"op\":\"add\",\"path\":\"\",\"value\":{}}")}, "",
			"b:2:32\nLOST a:1:1 JSON Patch: add (b:2:2)"},
		{"replace", NULL,
			{"k: 1\n", PATCH("{\"op\":\"replace\",\"path\":\"/k\",\"value\":2}")}, "k",
			"b:2:38\nLOST a:1:4 JSON Patch: replace (b:2:2)"},
		{"replace an item", NULL,
			{"l: [1]\n", PATCH("{\"op\":\"replace\",\"path\":\"/l/0\",\"value\":2}")},
			"l.0", "b:2:40\nLOST a:1:5 JSON Patch: replace (b:2:2)"},
		{"replace the root with nothing, and go on", NULL,
			{"k: 1\n", PATCH("{\"op\":\"replace\",\"path\":\"\",\"value\":null}"),
				"k: 2\n"},
			"",
			"c:1:1\nLOST a:1:1 JSON Patch: replace (b:2:2)\n"
			"LOST b:2:36 an empty document becomes a map"},
		{"remove", NULL,
			{"k: 1\nl: 2\n", "k: 3\n", PATCH("{\"op\":\"remove\",\"path\":\"/k\"}")},
			"",
			"a:1:1\nPART b:1:1 dict(replace)\n-k\nLOST a:1:4 dict(replace)\n"
			"LOST b:1:4 JSON Patch: remove (c:2:2)\n"
			"REMOVED c:2:2 JSON Patch: remove (c:2:2)"},
		{"remove an item", NULL,
			{"l: [1, 2]\n", PATCH("{\"op\":\"remove\",\"path\":\"/l/1\"}")}, "l",
			"a:1:4\n-1\nLOST a:1:8 JSON Patch: remove (b:2:2)\n"
			"REMOVED b:2:2 JSON Patch: remove (b:2:2)"},
		{"back after a removal", NULL,
			{"k: 1\n", PATCH("{\"op\":\"remove\",\"path\":\"/k\"},"
					 "{\"op\":\"add\",\"path\":\"/k\",\"value\":2}")},
			"k",
			"b:2:62\nLOST a:1:4 JSON Patch: remove (b:2:2)\n"
			"REMOVED b:2:2 JSON Patch: remove (b:2:2)"},
		{"move", NULL,
			{"k: 1\n", "k: 2\n",
				PATCH("{\"op\":\"move\",\"from\":\"/k\",\"path\":\"/l\"}")},
			"l",
			"b:1:4\nLOST a:1:4 dict(replace)\n"
			"PART c:2:2 JSON Patch: move (c:2:2)"},
		{"where it was moved from", NULL,
			{"k: 1\n", "k: 2\n",
				PATCH("{\"op\":\"move\",\"from\":\"/k\",\"path\":\"/l\"}")},
			"",
			"a:1:1\nPART b:1:1 dict(replace)\nPART c:2:2 JSON Patch: move (c:2:2)\n"
			"-k\nLOST b:1:4 JSON Patch: move (c:2:2)\n"
			"REMOVED c:2:2 JSON Patch: move (c:2:2)"},
		{"copy", NULL,
			{"m: {k: 1}\n", "m: {k: 2}\n",
				PATCH("{\"op\":\"copy\",\"from\":\"/m\",\"path\":\"/n\"}")},
			"n",
			"b:1:4\nLOST a:1:4 dict(replace)\n"
			"PART c:2:2 JSON Patch: copy (c:2:2)"},
		{"what is in a copy", NULL,
			{"m: {k: 1}\n", HOW("dict()+str(append)") "m: {k: 2}\n",
				PATCH("{\"op\":\"copy\",\"from\":\"/m\",\"path\":\"/n\"}")},
			"n.k",
			"a:1:8\nLOST b:2:8 dict(no_replace): the old value is kept (b:1:12)"},
		{"what a copy was made of", NULL,
			{"s: a\n", HOW("dict(recurse_str)+str(append)") "s: b\n",
				PATCH("{\"op\":\"copy\",\"from\":\"/s\",\"path\":\"/t\"},"
				      "{\"op\":\"replace\",\"path\":\"/t\",\"value\":2}")},
			"s", "a:1:4\nPART b:2:4 str(append) (b:1:12)"},
		{"test", NULL, {"k: 1\n", PATCH("{\"op\":\"test\",\"path\":\"/k\",\"value\":1}")},
			"k", "a:1:4"},
		{"an aliased value, everywhere", NULL,
			{"x: &m {k: 1}\ny: *m\n",
				PATCH("{\"op\":\"replace\",\"path\":\"/x/k\",\"value\":2}")},
			"y.k", "b:2:40\nLOST a:1:11 JSON Patch: replace (b:2:2)"},
		{"an aliased value that was merged", NULL,
			{"x: &m {k: 1}\ny: *m\n", HOW("dict()") "x: {l: 0}\n",
				PATCH("{\"op\":\"replace\",\"path\":\"/x/k\",\"value\":2}")},
			"y.k", "a:1:11"},
	};

	CHECK("cloud-init", rows);
}

TEST(parts_of_a_source_have_their_places_in_it)
{
	static const struct row rows[] = {
		{"an archive", NULL,
			{"#cloud-config-archive\n- |\n  k: 1\n- |\n  #cloud-config\n  k: 2\n"}, "k",
			"a:6:6\nLOST a:3:6 dict(replace)"},
		{"an archive's header", NULL,
			{"#cloud-config-archive\n- |\n  k: 1\n- type: text/cloud-config\n"
			 "  Merge-Type: dict()\n  content: |\n    k: 2\n"},
			"k", "a:3:6\nLOST a:7:8 dict(no_replace): the old value is kept (a:5:15)"},
	};

	CHECK("cloud-init", rows);
}

TEST(parts_of_a_message_have_their_places_in_it)
{
	static const struct row rows[] = {
		{"a message's header", NULL,
			{"k: 1\n", "MIME-Version: 1.0\nContent-Type: text/cloud-config\n"
				   "Merge-Type: dict()\n\nk: 2\n"},
			"k", "a:1:4\nLOST b:5:4 dict(no_replace): the old value is kept (b:3:1)"},
		{"a part's own word before the header's", NULL,
			{"k: 1\n", "MIME-Version: 1.0\nContent-Type: text/cloud-config\n"
				   "Merge-Type: dict()\n\nk: 2\nmerge_how: dict(replace)\n"},
			"k", "b:5:4\nLOST a:1:4 dict(replace) (b:6:12)"},
	};

	if (!is_built_in(&rows[0]))
		skip_because("plyfs was built without GMime");
	CHECK("cloud-init", rows);
}

#define MINE "mergers_path: mergers"

TEST(a_merger_in_lua_had_a_say)
{
	static const struct row rows[] = {
		{"the old one is kept", MINE, {"k: 1\n", HOW("mine()") "keep: 1\nk: 2\n"}, "",
			"a:1:1\nLOST b:1:1 merger mine (m_mine.lua) (b:1:12)\n"
			"-merge_how\nLOST b:1:12 says how the part is merged"},
		{"the new one is taken", MINE, {"k: 1\n", HOW("mine()") "take: 1\nk: 2\n"}, "",
			"b:1:1\nLOST a:1:1 merger mine (m_mine.lua) (b:1:12)\n"
			"-merge_how\nLOST b:1:12 says how the part is merged"},
		{"a copy that was changed", MINE,
			{"k: 1\n", "l: 1\n", HOW("mine()") "change: 1\nx: 3\n"}, "",
			"a:1:1\nPART b:1:1 dict(replace)\n"
			"PART c:1:1 merger mine (m_mine.lua) (c:1:12)\n"
			"-merge_how\nLOST c:1:12 says how the part is merged"},
		{"a new value", MINE, {"k: 1\n", HOW("mine()") "make: 1\nx: 3\n"}, "",
			"?:0:0\nPART a:1:1 merger mine (m_mine.lua) (b:1:12)\n"
			"PART b:1:1 merger mine (m_mine.lua) (b:1:12)\n"
			"-merge_how\nLOST b:1:12 says how the part is merged"},
		{"a new value, changed again", MINE,
			{"k: 1\n", HOW("mine()") "make: 1\nx: 3\n",
				HOW("mine()") "change: 1\nx: 4\n"},
			"",
			"?:0:0\nPART a:1:1 merger mine (m_mine.lua) (b:1:12)\n"
			"PART b:1:1 merger mine (m_mine.lua) (b:1:12)\n"
			"PART c:1:1 merger mine (m_mine.lua) (c:1:12)\n"
			"-merge_how\nLOST c:1:12 says how the part is merged\n"
			"-merge_how\nLOST b:1:12 says how the part is merged"},
		{"the values in a new one keep theirs", MINE,
			{"k: 1\n", HOW("mine()") "make: 1\nx: 3\n"}, "made", "b:3:4"},
		{"one value that it put at two places", MINE,
			{"k: 1\n", HOW("mine()") "change: 1\nx: 3\n", HOW("dict()") "x: 4\n"}, "y",
			"b:3:4"},
		{"what it left to the other mergers", MINE,
			{"l: [a]\n", HOW("mine()+list(append)") "l: [b]\n"}, "l",
			"b:2:5\nLOST a:1:5 merger mine (m_mine.lua) (b:1:12)"},
		{"values that it merged in turn", MINE,
			{"k: a\n", HOW("str()+mine()") "turns: 99\nk: b\n"}, "k",
			"b:3:4\nLOST a:1:4 str(): the new value is taken (b:1:12)"},
		{"a text that is kept", MINE,
			{"s: a\n", HOW("dict(recurse_str)+mine()") "s: keep\n"}, "s",
			"a:1:4\nLOST b:2:4 merger mine (m_mine.lua) (b:1:12)"},
		{"a text that is made", MINE,
			{"s: a\n", HOW("dict(recurse_str)+mine()") "s: join\n"}, "s",
			"?:0:0\nPART a:1:4 merger mine (m_mine.lua) (b:1:12)\n"
			"PART b:2:4 merger mine (m_mine.lua) (b:1:12)"},
	};

	if (!is_built_in(&rows[0]))
		skip_because("plyfs was built without Lua");
	CHECK("cloud-init", rows);
}

/* Returns the bytes that the merge of the sources takes with origins; the texts are in `row`. */
static size_t bytes_for(const struct row *row)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	struct problem problem = {0};
	struct setting setting;

	set(&setting, "cloud-init", row);
	if (merge_run(&setting.request, &result, &problem) != 0)
		fail_msg("%s", problem.message);
	return arena_bytes(result->arena);
}

static char *repeat(const char *before, unsigned count, const char *each, const char *after)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	fputs(before, out);
	for (unsigned i = 0; i < count; i++) {
		for (const char *at = each; *at; at++)
			if (*at == '#')
				fprintf(out, "%u", i);
			else
				fputc(*at, out);
	}
	fputs(after, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

#define LAST_TEST "{\"op\":\"test\",\"path\":\"/x/k\",\"value\":\"a\"}]\n"

TEST(a_long_history_is_not_reported_for_each_of_many_places)
{
	CLEANUP(freep) char *base = repeat("x: &m {k: a}\n", 2000, "y#: *m\n", "");
	CLEANUP(freep)
	char *patch = repeat("#cloud-config-jsonp\n[", 2000,
		"{\"op\":\"replace\",\"path\":\"/x/k\",\"value\":\"a\"},\n", LAST_TEST);
	CLEANUP(freep)
	char *site = repeat("merge_how: dict(recurse_str)+str()\n", 2000, "y#: {k: b}\n", "");
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
