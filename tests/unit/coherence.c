/*
 * Whatever changes in the layers, and whatever the kernel has cached or forgotten meanwhile: when
 * all is published, the view shows what a fresh view shows.
 */
#include "view_fixture.h"

#define STEPS 300
#define PATHS 24

static const char settings_text[] =
	"layers: [a, b, c]\n"
	"rules:\n"
	"  - {match: \"p/*.yaml\", strategy: pillar, options: {data_path: d0}}\n"
	"  - {match: \"r*\", strategy: concat}\n"
	"options: {on_error: fail, header: false}\n";

static uint64_t seed;

static unsigned pick(unsigned below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % below;
}

/* "d0/d1/f2.yaml": up to three directories deep. */
static void pick_path(char *path, size_t size, bool is_directory)
{
	static const char *const names[] = {"f0.yaml", "f1.yaml", "r0", "f2.yaml"};
	unsigned depth = pick(4);

	*path = '\0';
	for (unsigned i = 0; i < depth; i++)
		snprintf(path + strlen(path), size - strlen(path), "%s%s%u", *path ? "/" : "",
			pick(9) ? "d" : "p", pick(2));
	if (!is_directory)
		snprintf(path + strlen(path), size - strlen(path), "%s%s", *path ? "/" : "",
			pick(12) ? names[pick(4)] : "d1");
	else if (!*path)
		snprintf(path, size, "d%u", pick(2));
}

static void quietly(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A change that fails, because something is in the way, changes nothing. */
static void quietly(const char *format, ...)
{
	char command[TEXT_MAX];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(command + n, sizeof(command) - (size_t)n, " 2>/dev/null");
	if (system(command) < 0)
		fail();
}

static void put_text(FILE *file)
{
	if (!pick(4))
		fprintf(file, "_merge: f%u\n", pick(3));
	fprintf(file, "x%u: %u\n", pick(3), pick(3));
}

/*
 * A change through one of a file's names makes no event at the others: inotify(7) can't report it.
 */
static bool has_other_names(const char *path)
{
	struct stat stat;

	return lstat(path, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_nlink > 1;
}

static void write_text(const char *path, bool is_in_place)
{
	is_in_place = is_in_place && !has_other_names(path);
	FILE *file = fopen(is_in_place ? path : "staged", "we");

	if (!file)
		return;
	put_text(file);
	fclose(file);
	if (!is_in_place)
		(void)!rename("staged", path);
}

static void change_layers(void)
{
	char relative[256];
	char path[300];
	char other[300];
	bool is_directory = pick(3) == 0;

	pick_path(relative, sizeof(relative), is_directory);
	snprintf(path, sizeof(path), "%c/%s", "abc"[pick(3)], relative);
	pick_path(relative, sizeof(relative), is_directory);
	snprintf(other, sizeof(other), "%c/%s", "abc"[pick(3)], relative);
	if (is_directory) {
		switch (pick(8)) {
		case 0:
			quietly("rm -rf %s", path);
			break;
		case 1:
			quietly("mv -T %s %s", path, other);
			break;
		case 2:
			quietly("touch %s/.wh..wh..opq", path);
			break;
		case 3:
			quietly("rm %s/.wh..wh..opq", path);
			break;
		case 4:
			chmod(path, pick(2) ? 0755 : 0700);
			break;
		default:
			quietly("mkdir -p %s", path);
			write_text(strcat(path, "/f0.yaml"), true);
		}
		return;
	}
	char *slash = strrchr(path, '/');
	switch (pick(9)) {
	case 0:
		unlink(path);
		break;
	case 1:
		(void)!rename(path, other);
		break;
	case 2:
		(void)!symlink("f1.yaml", path);
		break;
	case 3:
		quietly("touch %.*s/.wh.%s", (int)(slash - path), path, slash + 1);
		break;
	case 4:
		quietly("rm %.*s/.wh.%s", (int)(slash - path), path, slash + 1);
		break;
	case 5:
		if (!has_other_names(path))
			chmod(path, pick(2) ? 0644 : 0600);
		break;
	case 6:
		(void)!link(path, other);
		break;
	default:
		write_text(path, pick(2));
	}
}

static void use_mount(void)
{
	char path[256];

	pick_path(path, sizeof(path), pick(2));
	switch (pick(6)) {
	case 0:
		listed(path);
		break;
	case 1:
		forget(path);
		break;
	case 2:
		listed("");
		break;
	default:
		shown(path);
	}
}

/* A name that the kernel has cached as absent is absent. */
static void assert_absences(struct view *fresh, uint64_t fresh_ino, const char *path)
{
	struct stat stat;
	uint64_t ino;

	assert_int_equal(kernel_find(path, &ino), 0);
	for (const struct dentry *dentry = dentries; dentry; dentry = dentry->next)
		if (dentry->parent == ino && !dentry->ino &&
			view_ask(fresh, fresh_ino, dentry->name, false, &stat) == 0)
			fail_msg("'%s' in '%s' is still absent", dentry->name, path);
}

/* Compares the listing with that of `fresh`, and everything below it. */
static void compare(struct view *fresh, uint64_t fresh_ino, const char *path)
{
	CLEANUP(freep) char *expected = list_text(fresh, fresh_ino);
	CLEANUP(freep) char *names = strdup(expected);
	char *rest = names;

	assert_absences(fresh, fresh_ino, path);
	if (strcmp(listed(path), expected) != 0)
		fail_msg("in '%s': lists\n%s-- not\n%s", path, listed(path), expected);
	for (char *name; (name = strsep(&rest, "\n")) && *name;) {
		bool is_directory = name[strlen(name) - 1] == '/';
		char below[PATH_MAX];
		struct stat stat;

		name[strcspn(name, "/@")] = '\0';
		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "", name);
		if (view_ask(fresh, fresh_ino, name, false, &stat) < 0)
			fail_msg("%s is listed and can't be looked up", below);
		struct stat now = stat_of(below);
		if (now.st_mode != stat.st_mode || now.st_uid != stat.st_uid)
			fail_msg("%s: mode %o, not %o", below, now.st_mode, stat.st_mode);
		if (is_directory) {
			compare(fresh, stat.st_ino, below);
			continue;
		}
		CLEANUP(version_unrefp) struct version *version = NULL;
		CLEANUP(version_unrefp) struct version *mine = NULL;
		assert_int_equal(view_version(fresh, stat.st_ino, &version), 0);
		assert_int_equal(view_version(view, now.st_ino, &mine), 0);
		if (!version_same(mine, version))
			fail_msg("%s: %o %u %d '%s', not %o %u %d '%.*s'", below, mine->mode,
				mine->uid, mine->kind, shown(below), version->mode, version->uid,
				version->kind, version->data ? (int)version->size : 0,
				version->data);
	}
}

static void compare_all(void)
{
	struct view *fresh = new_view(settings_text);
	char path[256];

	compare(fresh, VIEW_INO_ROOT, "");
	for (int i = 0; i < PATHS; i++) {
		pick_path(path, sizeof(path), false);
		shown(path);
	}
	view_freep(&fresh);
}

static void try_seed(uint64_t number)
{
	seed = number * 7919 + 1;
	write_file("plyfs.yaml", settings_text);
	for (int i = 0; i < 30; i++)
		change_layers();
	start(settings_text);
	for (int i = 0; i < STEPS; i++) {
		switch (pick(4)) {
		case 0:
			use_mount();
			break;
		case 1:
			publish_ready();
			break;
		default:
			change_layers();
		}
		if (!pick(100)) {
			view->queue.is_overflowed = true;
		}
		is_hidden = number % 5 == 4 && pick(2);
		if (pick(30))
			continue;
		publish_all();
		compare_all();
	}
}

VIEW_TEST(what_is_shown_is_what_a_fresh_view_shows)
{
	const char *chosen = getenv("PLYFS_TEST_SEED");
	uint64_t first = chosen ? strtoull(chosen, NULL, 10) : 0;

	for (uint64_t number = first; number < first + (chosen ? 1 : 5); number++) {
		if (number > first)
			assert_int_equal(set_up(state), 0);
		print_message("# seed %llu\n", (unsigned long long)number);
		try_seed(number);
		if (number + 1 < first + (chosen ? 1 : 5))
			assert_int_equal(tear_down(state), 0);
	}
}
