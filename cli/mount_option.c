#include "mount_option.h"

#include <sys/mount.h>

#include "command.h"
#include "message.h"
#include "word.h"

/* Maximum size of a word, in bytes; no option is longer. */
#define WORD_MAX 256

#define OWN_WORDS MOUNT_OPTION_WORDS ", norealtime, unpublished, exec, symfollow"

/*
 * Words of mount(8) that are always true of a plyfs, or that concern only mount(8). A plyfs is
 * read-only, without devices and set-id programs, even with `rw`, `dev` or `suid`, which mount(8)
 * passes as its defaults. Nothing is written, so times of access and ways of writing make no
 * difference.
 */
#define COMMON_WORDS                                                                               \
	"defaults, ro, rw, suid, nosuid, dev, nodev, auto, noauto, user, nouser, users, nousers, " \
	"owner, noowner, group, nogroup, nofail, _netdev, netdev, async, sync, dirsync, atime, "   \
	"noatime, diratime, nodiratime, relatime, norelatime, strictatime, nostrictatime, "        \
	"lazytime, nolazytime, iversion, noiversion, mand, nomand, silent, loud, comment, "        \
	"uhelper, helper"

/* Words of mount(8) whose effect a plyfs can't have. */
static const struct {
	const char *words;
	const char *reason;
} refused[] = {
	{"remount", "is not needed: a change of plyfs.yaml takes effect at once; to change the "
		    "mount's own options, unmount and mount again"},
	{"bind, rbind, move", "is for an existing mount; mount the plyfs first, and then call "
			      "mount --bind, --rbind or --move"},
	{"shared, rshared, slave, rslave, rprivate, unbindable, runbindable",
		"is for an existing mount; mount the plyfs first, and then call mount "
		"--make-shared, or as you need it"},
	{"context, fscontext, defcontext, rootcontext",
		"is not possible: plyfs gives its files no SELinux context; leave it out"},
	{"loop, offset, sizelimit, encryption",
		"is for the images of disks, and plyfs shows directories; leave it out"},
	{"X-mount.subdir, X-mount.owner, X-mount.group, X-mount.mode, X-mount.idmap",
		"is for mount(8) alone; call mount -t fuse.plyfs"},
};

/* Reads a directory's mode; "": the default. Returns whether it is a mode. */
static bool read_mode(struct span text, unsigned *ret)
{
	*ret = text.len ? 0 : 0755;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '7' || *ret > 0777)
			return false;
		*ret = *ret * 8 + (unsigned)(text.data[i] - '0');
	}
	return *ret;
}

static int refuse(struct span name, bool has_value, struct problem *problem)
{
	int len = (int)(name.len < WORD_MAX ? name.len : WORD_MAX);
	struct span nearest;

	if (has_value && word_index(OWN_WORDS, name) >= 0)
		return problem_set(problem, NULL, 0, 0,
			"the mount option '%.*s' takes no value; leave it out", len, name.data);
	if (word_nearest(MOUNT_OPTION_WORDS, name, &nearest))
		return problem_set(problem, NULL, 0, 0,
			"there is no mount option '%.*s'; did you mean '%.*s'?", len, name.data,
			(int)nearest.len, nearest.data);
	return problem_set(problem, NULL, 0, 0,
		"there is no mount option '%.*s'; there are: " MOUNT_OPTION_WORDS ", and those of "
		"mount(8) that plyfs(1) lists",
		len, name.data);
}

static void set(struct span name, int own, struct mount_options *options)
{
	uint64_t *attributes = &options->flags.attributes;
	/* In the order of OWN_WORDS; NULL: it is not a flag. */
	bool *const flags[] = {
		&options->is_shared,
		&options->flags.is_private,
		NULL,
		NULL,
		&options->switches.has_no_sandbox,
		&options->switches.has_no_landlock,
		&options->switches.has_no_seccomp,
		&options->flags.is_debugging,
		NULL,
		NULL,
		&options->flags.may_be_system,
		&options->has_norealtime,
		&options->flags.is_unpublished,
		NULL,
		NULL,
	};

	if (flags[own])
		*flags[own] = true;
	else if (span_is(name, "noexec"))
		*attributes |= MOUNT_ATTR_NOEXEC;
	else if (span_is(name, "exec"))
		*attributes &= ~(uint64_t)MOUNT_ATTR_NOEXEC;
	else if (span_is(name, "nosymfollow"))
		*attributes |= MOUNT_ATTR_NOSYMFOLLOW;
	else if (span_is(name, "symfollow"))
		*attributes &= ~(uint64_t)MOUNT_ATTR_NOSYMFOLLOW;
	else
		options->header = span_is(name, "header") ? HEADER_ON : HEADER_OFF;
}

/* Since util-linux 2.39, a flag has a value if it is for the mount, for the file system, or for the
 * mounts below. To a plyfs they are the same. */
static bool is_flag(struct span name, struct span value)
{
	return word_index("noexec, exec, nosymfollow, symfollow", name) >= 0 &&
	       word_index("vfs, fs, recursive", value) >= 0;
}

/* Takes the first option from *text. As in mount(8), there may be commas in double quotes. */
static int take_word(const char **text, struct span *ret, struct problem *problem)
{
	bool is_quoted = false;
	size_t len = 0, name_len = strcspn(*text, "=,\"");

	for (; (*text)[len] && (is_quoted || (*text)[len] != ','); len++)
		is_quoted ^= (*text)[len] == '"';
	if (is_quoted)
		return problem_set(problem, NULL, 0, 0,
			"the quoted text of the mount option '%.*s' has no end; write '\"' there",
			(int)(name_len < WORD_MAX ? name_len : WORD_MAX), *text);
	*ret = (struct span){*text, len};
	*text += len;
	return 0;
}

static int take(struct span word, struct mount_options *options, struct problem *problem)
{
	struct span name = {word.data, word.len}, value = {0};
	const char *equals = word.len ? memchr(word.data, '=', word.len) : NULL;

	if (equals) {
		name.len = (size_t)(equals - word.data);
		value = (struct span){equals + 1, word.len - name.len - 1};
	}
	int own = equals && !is_flag(name, value) ? -1 : word_index(OWN_WORDS, name);
	if (own >= 0) {
		set(name, own, options);
		return 0;
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (word_index(refused[i].words, name) >= 0)
			return problem_set(problem, NULL, 0, 0, "the mount option '%.*s' %s",
				(int)name.len, name.data, refused[i].reason);
	if (span_is(name, "X-mount.mkdir") && !read_mode(value, &options->mkdir_mode))
		return problem_set(problem, NULL, 0, 0,
			"the mount option 'X-mount.mkdir=%.*s' has no mode; write a mode of "
			"mkdir(2), as in 'X-mount.mkdir=0750'",
			(int)value.len, value.data);
	/* x-…: comments for other programs, for example systemd's x-systemd.automount. */
	if (word_index(COMMON_WORDS, name) >= 0 ||
		(name.len > 1 && (name.data[0] == 'x' || name.data[0] == 'X') &&
			name.data[1] == '-'))
		return 0;
	if (span_is(name, "coherence"))
		return problem_set(problem, "-o coherence", 0, 0,
			"belongs in a plyfs.yaml, as 'options: {coherence: strict}'");
	return refuse(name, equals != NULL, problem);
}

static int read_words(const char *text, struct mount_options *options, struct problem *problem)
{
	struct mount_options found = *options;

	while (*text) {
		struct span word;
		int r = take_word(&text, &word, problem);

		if (r == 0 && word.len)
			r = take(word, &found, problem);
		if (r != 0)
			return r;
		text += *text == ',';
	}
	if (found.flags.is_private && found.is_shared)
		return problem_set(problem, NULL, 0, 0,
			"the mount options 'private' and 'allow_other' contradict each other; "
			"give one");
	*options = found;
	return 0;
}

int mount_options_take(const struct command *command, void *context, const char *text)
{
	struct problem problem;
	int r = read_words(text, context, &problem);

	(void)command;
	if (r == 0)
		return EXIT_DONE;
	message_result(r, &problem, NULL);
	return EXIT_WRONG_USE;
}
