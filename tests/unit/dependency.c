/*
 * A file that refers to others changes when one of them changes, comes, goes or moves, also if no
 * program has ever looked these up.
 */
#include "descriptor.h"
#include "view_fixture.h"

#define PILLAR                                                                                     \
	"layers: [a, b, c]\n"                                                                      \
	"rules:\n"                                                                                 \
	"  - {match: \"top/*.yaml\", strategy: pillar, options: {data_path: data}}\n"              \
	"  - {match: \"deep/*.yaml\", strategy: pillar, options: {data_path: one/two/three}}\n"

/* top/p.yaml refers to `path`, a file that has x: 1. */
static void start_with(const char *path)
{
	run("mkdir -p a/top a/data $(dirname a/%s) && echo 'x: 1' >a/%s", path, path);
	write_file("a/top/p.yaml", "_merge: n\ny: 1\n");
	start(PILLAR);
	assert_has("top/p.yaml", "x: 1\n");
}

VIEW_TEST(layer_that_adds_to_what_is_referred_to_is_followed)
{
	start_with("data/in/n.yaml");

	run("mkdir -p b/data/in && echo 'z: 1' >b/data/in/n.yaml");
	assert_comes_to_have("top/p.yaml", "z: 1\n");
	run("rm -r b/data");
	publish_all();
	assert_null(strstr(shown("top/p.yaml"), "z: 1\n"));
}

VIEW_TEST(reference_that_was_missing_is_mended_when_it_comes)
{
	static const struct {
		const char *file, *there, *comes;
	} rows[] = {
		{"top/p.yaml", "data", "echo 'x: 1' >a/data/n.yaml"},
		{"top/p.yaml", "data", "mkdir -p a/data/x/y/z && echo 'x: 1' >a/data/x/y/z/n.yaml"},
		{"deep/p.yaml", "",
			"mkdir -p a/one/two/three && echo 'x: 1' >a/one/two/three/n.yaml"},
		/* No program has looked at the directories above. */
		{"deep/p.yaml", "one/two",
			"mkdir three && echo 'x: 1' >three/n.yaml && mv three a/one/two/three"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		run("mkdir -p a/top a/deep a/%s && echo '_merge: n' >a/%s", rows[i].there,
			rows[i].file);
		start(PILLAR);
		assert_shown(rows[i].file, "EIO");
		assert_non_null(strstr(fault_of(rows[i].file).problem.message, "n"));
		publish_all();
		run("%s", rows[i].comes);
		assert_becomes(rows[i].file, "x: 1\n");
		assert_int_equal(count_of_view().faults, 0);
		tear_down(NULL);
		set_up(NULL);
	}
}

VIEW_TEST(data_path_that_goes_and_comes_is_followed)
{
	run("mkdir -p a/deep a/one/two/three && echo 'x: 1' >a/one/two/three/n.yaml");
	write_file("a/deep/p.yaml", "_merge: n\ny: 1\n");
	start(PILLAR);
	assert_has("deep/p.yaml", "x: 1\n");
	run("mv a/one gone");
	publish_all();
	assert_int_equal(count_of_view().faults, 1);
	run("echo 'x: 2' >gone/two/three/n.yaml && mv gone a/one");
	publish_all();
	assert_int_equal(count_of_view().faults, 0);
	assert_has("deep/p.yaml", "x: 2\n");
}

VIEW_TEST(reference_that_moves_to_another_directory_is_followed)
{
	start_with("data/one/n.yaml");
	make_directory("a/data/two");

	assert_int_equal(rename("a/data/one/n.yaml", "a/data/two/n.yaml"), 0);
	publish_all();
	assert_int_equal(count_of_view().faults, 0);
	replace_file("a/data/two/n.yaml", "x: 2\n");
	assert_comes_to_have("top/p.yaml", "x: 2\n");
}

VIEW_TEST(file_that_comes_to_stand_before_the_one_referred_to_is_taken)
{
	run("mkdir -p a/top a/data/one a/data/two");
	write_file("a/data/two/n.yaml", "x: two\n");
	write_file("a/top/p.yaml", "_merge: n\ny: 1\n");
	start(PILLAR);
	assert_has("top/p.yaml", "x: two\n");

	write_file("a/data/one/n.yaml", "x: one\n");
	assert_comes_to_have("top/p.yaml", "x: one\n");
	write_file("a/data/n.yaml", "x: top\n");
	assert_comes_to_have("top/p.yaml", "x: top\n");
	run("rm a/data/n.yaml a/data/one/n.yaml");
	assert_comes_to_have("top/p.yaml", "x: two\n");
}

VIEW_TEST(links_that_lead_back_are_not_followed_without_end)
{
	run("mkdir -p a/top a/data/in && ln -s . a/data/l1 && ln -s .. a/data/in/l2");
	run("ln -s ../in a/data/in/l3 && echo 'x: 1' >a/data/in/n.yaml");
	write_file("a/top/p.yaml", "_merge: n\ny: 1\n");
	start("layers:\n  - {path: a, follow: true}\nrules:\n"
	      "  - {match: \"top/*.yaml\", strategy: pillar, options: {data_path: data}}\n");
	assert_has("top/p.yaml", "x: 1\n");
}

VIEW_TEST(reference_that_is_whited_out_is_missing)
{
	start_with("data/n.yaml");
	make_directory("b/data");
	write_file("b/data/.wh.n.yaml", "");
	publish_all();
	assert_int_equal(count_of_view().faults, 1);
	assert_int_equal(unlink("b/data/.wh.n.yaml"), 0);
	publish_all();
	assert_int_equal(count_of_view().faults, 0);
}

VIEW_TEST(chain_of_references_is_followed_to_its_end)
{
	run("mkdir -p a/top a/data");
	write_file("a/data/n.yaml", "_merge: m\n");
	write_file("a/data/m.yaml", "x: 1\n");
	write_file("a/top/p.yaml", "_merge: n\ny: 1\n");
	start(PILLAR);
	assert_has("top/p.yaml", "x: 1\n");
	replace_file("a/data/m.yaml", "x: 2\n");
	assert_comes_to_have("top/p.yaml", "x: 2\n");
	assert_events("MOVED_TO top/p.yaml\n");
	replace_file("a/data/n.yaml", "z: 1\n");
	publish_all();
	assert_null(strstr(shown("top/p.yaml"), "x: "));
	replace_file("a/data/m.yaml", "x: 3\n");
	events_clear();
	publish_all();
	assert_events("");
}

VIEW_TEST(lost_events_beneath_what_only_references_look_at_are_made_up_for)
{
	start_with("data/in/n.yaml");
	replace_file("a/data/in/n.yaml", "x: 2\n");
	lose_events();
	assert_comes_to_have("top/p.yaml", "x: 2\n");
}

VIEW_TEST(names_found_for_references_are_listed_with_their_numbers)
{
	start_with("data/n.yaml");
	/* The kernel does not know the directory yet. */
	write_file("a/data/new.yaml", "x: 1\n");
	make_directory("a/data/dir");
	publish_all();
	assert_listed("data", "dir/\nn.yaml\nnew.yaml\n");
}

VIEW_TEST(rights_of_what_is_referred_to_hold_for_the_result)
{
	run("mkdir -p a/top a/data");
	write_file("a/data/n.yaml", "x: 1\n");
	write_file("a/top/p.yaml", "_merge: n\ny: 1\n");
	start(PILLAR);
	assert_int_equal(stat_of("top/p.yaml").st_mode & 0777, 0444);
	assert_int_equal(chmod("a/data/n.yaml", 0600), 0);
	publish_all();
	assert_int_equal(stat_of("top/p.yaml").st_mode & 0777, 0400);
}

VIEW_TEST(directory_that_hides_what_is_referred_to_hides_it_from_the_same_users)
{
	run("mkdir -p a/top a/data/secret");
	write_file("a/data/secret/n.yaml", "password: hunter2\n");
	assert_int_equal(chmod("a/data/secret", 0700), 0);
	write_file("a/top/p.yaml", "_merge: n\ny: 1\n");
	start(PILLAR);
	assert_has("top/p.yaml", "hunter2");
	assert_int_equal(stat_of("top/p.yaml").st_mode & 0777, 0400);
}

static void assert_both_have_mode(mode_t mode)
{
	assert_int_equal(stat_of("top/p.yaml").st_mode & 0777, mode);
	assert_int_equal(stat_of("v.yaml").st_mode & 0777, mode);
}

VIEW_TEST(directory_that_is_closed_or_opened_later_is_followed)
{
	run("mkdir -p a/top a/data/in a/p/q");
	write_file("a/data/in/n.yaml", "x: 1\n");
	write_file("a/top/p.yaml", "_merge: n\ny: 1\n");
	write_file("a/p/q/part.yaml", "z: 1\n");
	start(PILLAR "files: [{path: v.yaml, from: [\"p/q/*.yaml\"]}]\n");
	assert_both_have_mode(0444);

	run("chmod 700 a/data a/p");
	publish_all();
	assert_both_have_mode(0400);
	run("chmod 755 a/data a/p; chmod 700 a/data/in a/p/q");
	publish_all();
	assert_both_have_mode(0400);
	run("chmod 755 a/data/in a/p/q");
	publish_all();
	assert_both_have_mode(0444);
}

/* A pattern, by its first part or by a wildcard, leads there; also in a circle. */
VIEW_TEST(directory_at_the_path_of_a_virtual_file_has_no_sources)
{
	static const char *const files[] = {
		"{path: conf, from: ['conf/*.yaml']}",
		"{path: conf, from: ['co*/*.yaml', b.yaml]}",
		"{path: conf, from: ['d/*.yaml']}, {path: d, from: ['conf/*.yaml']}",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char yaml[256];
		run("mkdir a/conf a/d && echo 'x: 1' | tee a/conf/1.yaml a/d/1.yaml >a/b.yaml");
		snprintf(yaml, sizeof(yaml), "layers: [a]\nfiles: [%s]\n", files[i]);
		start(yaml);
		assert_listed("", i == 1 ? "b.yaml\nconf\nd/\n" : "b.yaml\nconf/\nd/\n");
		assert_shown(i == 1 ? "conf" : "conf/1.yaml", "x: 1\n");
		tear_down(NULL);
		set_up(NULL);
	}
}

VIEW_TEST(directory_guards_a_source_that_is_too_large_to_copy)
{
	make_directory("a/p");
	write_file("a/p/large.bin", "");
	assert_int_equal(truncate("a/p/large.bin", COMPOSE_HELD_BYTES + 1), 0);
	start("layers: [a]\nfiles: [{path: v.bin, from: [\"p/*.bin\"], strategy: last}]\n");
	assert_int_equal(stat_of("v.bin").st_mode & 0777, 0444);

	run("chmod 700 a/p");
	publish_all();
	assert_int_equal(stat_of("v.bin").st_mode & 0777, 0400);
}

VIEW_TEST(directory_guards_the_last_good_version_of_what_is_broken_in_it)
{
	make_directory("a/p");
	write_file("a/p/1.yaml", "x: 1\n");
	write_file("a/p/2.yaml", "y: 1\n");
	start("layers: [a]\nfiles: [{path: v.yaml, from: [\"p/*.yaml\"]}]\n");
	assert_int_equal(stat_of("v.yaml").st_mode & 0777, 0444);

	replace_file("a/p/2.yaml", "y: [\n");
	run("chmod 700 a/p");
	assert_becomes("v.yaml", "x: 1\ny: 1\n");
	assert_int_equal(stat_of("v.yaml").st_mode & 0777, 0400);
}

VIEW_TEST(directory_that_the_mount_has_above_the_result_guards_it_there_alone)
{
	run("mkdir -p a/etc/app.yaml.d");
	write_file("a/etc/app.yaml.d/10.yaml", "x: 1\n");
	run("chmod 700 a/etc");
	start("layers: [a, b]\nrules: [{match: \"etc/*.yaml\", dropins: true}]\n");
	assert_int_equal(stat_of("etc").st_mode & 0777, 0500);
	assert_int_equal(stat_of("etc/app.yaml").st_mode & 0777, 0444);

	run("chmod 700 a/etc/app.yaml.d");
	publish_all();
	assert_int_equal(stat_of("etc/app.yaml").st_mode & 0777, 0400);
}

int __real_close(int fd);
int __wrap_close(int fd);

static bool is_to_change;

/* A source has been read when it is closed; the version with it is not shown yet. */
int __wrap_close(int fd)
{
	char path[PATH_MAX];
	bool is_read = is_to_change && (fcntl(fd, F_GETFL) & O_PATH) == 0 &&
		       descriptor_path(fd, path) == 0 && strstr(path, "/a/data/n.yaml");
	int r = __real_close(fd);

	if (is_read) {
		is_to_change = false;
		replace_file("a/data/n.yaml", "x: 2\n");
		publish_all();
	}
	return r;
}

VIEW_TEST(reference_that_changes_while_it_is_read_for_the_first_time_is_followed)
{
	run("mkdir -p a/top a/data");
	write_file("a/data/n.yaml", "x: 1\n");
	write_file("a/top/p.yaml", "_merge: n\ny: 1\n");
	start(PILLAR);
	is_to_change = true;
	shown("top/p.yaml");
	assert_false(is_to_change);
	assert_comes_to_have("top/p.yaml", "x: 2\n");
}

VIEW_TEST(name_that_nobody_has_costs_no_memory)
{
	start("layers: [a]\nrules:\n  - {match: \"*.yaml\", strategy: deep, dropins: true}\n");
	assert_shown("no.yaml", "ENOENT");
	assert_null(view->dependency_indexes.indexes);
	run("mkdir a/no.yaml.d && echo 'x: 1' >a/no.yaml.d/x.yaml");
	assert_becomes("no.yaml", "x: 1\n");
}
