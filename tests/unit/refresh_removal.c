/*
 * A source that is removed, moved away or hidden by a higher layer disappears, once. Names that
 * it hid come back.
 */
#include "view_fixture.h"

VIEW_TEST(removed_file_is_one_delete)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	assert_listed("", "app.yaml\n");

	assert_int_equal(unlink("a/app.yaml"), 0);
	assert_becomes("app.yaml", "ENOENT");
	assert_listed("", "");
	assert_events("DELETE app.yaml\n");
}

VIEW_TEST(removed_file_that_nobody_looked_at_is_one_delete)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_listed("", "app.yaml\n");

	assert_int_equal(unlink("a/app.yaml"), 0);
	publish_all();
	assert_listed("", "");
	assert_shown("app.yaml", "ENOENT");
	assert_events("DELETE app.yaml\n");
}

/* A request before that is published does not suppress the event. */
VIEW_TEST(removed_file_that_the_kernel_forgot_and_is_asked_for_is_one_delete)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_listed("", "app.yaml\n");
	assert_shown("app.yaml", "x: 1\n");
	forget("app.yaml");

	assert_int_equal(unlink("a/app.yaml"), 0);
	assert_shown("app.yaml", "ENOENT");
	assert_becomes("app.yaml", "ENOENT");
	assert_listed("", "");
	assert_events("DELETE app.yaml\n");
}

VIEW_TEST(file_that_the_kernel_forgot_becomes_a_directory_by_a_delete)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_listed("", "app.yaml\n");
	assert_shown("app.yaml", "x: 1\n");
	forget("app.yaml");

	run("rm a/app.yaml && mkdir a/app.yaml && echo 'y: 1' >a/app.yaml/in.yaml");
	assert_shown("app.yaml/in.yaml", "ENOENT");
	assert_becomes("app.yaml/in.yaml", "y: 1\n");
	assert_listed("", "app.yaml/\n");
	assert_events("DELETE app.yaml\nCREATE,ISDIR app.yaml\n");
}

VIEW_TEST(renamed_file_goes_and_comes)
{
	write_file("a/one.yaml", "x: 1\n");
	start("a:b");
	assert_shown("one.yaml", "x: 1\n");
	assert_shown("two.yaml", "ENOENT");

	assert_int_equal(rename("a/one.yaml", "a/two.yaml"), 0);
	assert_becomes("one.yaml", "ENOENT");
	assert_shown("two.yaml", "x: 1\n");
	assert_events("MOVED_TO two.yaml\nDELETE one.yaml\n");
}

VIEW_TEST(removed_directory_goes_with_all_that_is_in_it)
{
	run("mkdir -p a/one/two && echo 'x: 1' >a/one/two/app.yaml");
	start("a:b");
	assert_shown("one/two/app.yaml", "x: 1\n");

	run("mv a/one gone");
	assert_becomes("one/two/app.yaml", "ENOENT");
	assert_shown("one", "ENOENT");
	assert_listed("", "");
	assert_events("DELETE one/two/app.yaml\nDELETE,ISDIR one/two\nDELETE,ISDIR one\n");

	run("mv gone a/one");
	assert_becomes("one/two/app.yaml", "x: 1\n");
}

VIEW_TEST(directory_removed_step_by_step_goes)
{
	run("mkdir -p a/one/two && echo 'x: 1' >a/one/two/app.yaml");
	start("a:b");
	assert_shown("one/two/app.yaml", "x: 1\n");

	run("rm -r a/one");
	assert_becomes("one", "ENOENT");
	assert_listed("", "");
}

VIEW_TEST(whiteout_hides_and_its_removal_uncovers)
{
	run("mkdir a/dir && echo 'x: 1' >a/dir/app.yaml && echo 'x: 1' >a/app.yaml");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("dir/app.yaml", "x: 1\n");

	write_file("b/.wh.app.yaml", "");
	write_file("b/.wh.dir", "");
	assert_becomes("app.yaml", "ENOENT");
	assert_shown("dir", "ENOENT");
	assert_shown(".wh.dir", "ENOENT");
	assert_listed("", "");

	run("rm b/.wh.app.yaml b/.wh.dir");
	assert_becomes("app.yaml", "x: 1\n");
	assert_shown("dir/app.yaml", "x: 1\n");
	assert_listed("", "app.yaml\ndir/\n");
}

VIEW_TEST(overlay_whiteout_hides)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	if (mknod("b/app.yaml", S_IFCHR, makedev(0, 0)) < 0)
		skip(); /* only root may make one */
	assert_becomes("app.yaml", "ENOENT");
	assert_listed("", "");
	assert_int_equal(unlink("b/app.yaml"), 0);
	assert_becomes("app.yaml", "x: 1\n");
}

VIEW_TEST(opaque_mark_hides_what_lies_below_and_its_removal_uncovers)
{
	run("mkdir a/dir b/dir && echo 'x: 1' >a/dir/app.yaml && echo 'y: 1' >b/dir/other.yaml");
	start("a:b");
	assert_listed("dir", "app.yaml\nother.yaml\n");
	assert_shown("dir/app.yaml", "x: 1\n");

	write_file("b/dir/.wh..wh..opq", "");
	publish_all();
	assert_listed("dir", "other.yaml\n");
	assert_shown("dir/app.yaml", "ENOENT");

	assert_int_equal(unlink("b/dir/.wh..wh..opq"), 0);
	publish_all();
	assert_listed("dir", "app.yaml\nother.yaml\n");
	assert_shown("dir/app.yaml", "x: 1\n");
}

VIEW_TEST(opaque_mark_at_the_root_hides_all_lower_layers)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	write_file("b/.wh..wh..opq", "");
	assert_becomes("app.yaml", "ENOENT");
	assert_listed("", "");
	assert_int_equal(unlink("b/.wh..wh..opq"), 0);
	assert_becomes("app.yaml", "x: 1\n");
}
