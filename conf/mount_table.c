#include "mount_table.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "hash.h"

/* A line of mountinfo is shorter than this up to the file system's type: it has two paths, in which
 * a byte may take four. */
#define LINE_BYTES ((size_t)8 * PATH_MAX + 256)

/* Decodes \ooo. If the path was too long, the text may end within one. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '\\' && strspn(from + 1, "01234567") >= 3) {
			*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
				       (from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/* Reads a number from the options, the last field; the source before may have any text. */
static unsigned option_number(const char *rest, const char *name)
{
	const char *options = strrchr(rest, ' ');
	const char *at = options ? strstr(options, name) : NULL;

	return at ? (unsigned)strtoul(at + strlen(name), NULL, 10) : 0;
}

/* Copies a field, which is cut if it is too long. Returns what comes after the field. */
static const char *take_field(const char *at, char *to, size_t size)
{
	at += strspn(at, " ");
	size_t length = strcspn(at, " ");
	size_t taken = length < size ? length : size - 1;

	memcpy(to, at, taken);
	to[taken] = '\0';
	return at + length;
}

/*
 * Parses "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw". Not with sscanf(3):
 * every mount that comes makes all daemons parse the whole table.
 */
static bool parse_mount(const char *line, struct table_mount *mount)
{
	char *at;

	mount->id = (int)strtol(line, &at, 10);
	mount->parent = (int)strtol(at, &at, 10);
	unsigned major_id = (unsigned)strtoul(at, &at, 10);
	if (*at != ':')
		return false;
	unsigned minor_id = (unsigned)strtoul(at + 1, &at, 10);
	const char *rest = take_field(at, mount->root, sizeof(mount->root));
	rest = take_field(rest, mount->path, sizeof(mount->path));
	rest = strstr(rest, " - ");
	if (!rest)
		return false;
	rest = take_field(rest + 3, mount->type, sizeof(mount->type));
	unescape(mount->root);
	unescape(mount->path);
	bool is_fuse = strncmp(mount->type, "fuse", 4) == 0;
	mount->uid = is_fuse ? option_number(rest, "user_id=") : 0;
	mount->gid = is_fuse ? option_number(rest, "group_id=") : 0;
	mount->dev = makedev(major_id, minor_id);
	mount->digest = hash_bytes(hash_seed(), span_of(line));
	return true;
}

/* A reader of the table of mounts, which needs no memory and no descriptor. */
struct mount_table {
	int fd;
	off_t offset; /* of the next byte to read */
	size_t begin; /* start of the bytes that were read but not returned */
	size_t end;
	bool is_rest; /* the next bytes belong to a line that was too long */
	char bytes[LINE_BYTES + 1];
};

/* Returns 1 with the next line, cut if it is too long; 0 after the last; or -errno. */
static int next_line(struct mount_table *table, const char **ret)
{
	for (;;) {
		char *line = table->bytes + table->begin;
		char *end = memchr(line, '\n', table->end - table->begin);
		bool is_rest = table->is_rest;

		if (end || table->end - table->begin == LINE_BYTES) {
			table->is_rest = !end;
			end = end ? end : line + LINE_BYTES;
			*end = '\0';
			table->begin =
				table->is_rest ? table->end : (size_t)(end + 1 - table->bytes);
			*ret = line;
			if (is_rest)
				continue;
			return 1;
		}
		table->end -= table->begin;
		table->begin = 0;
		memmove(table->bytes, line, table->end);
		ssize_t n = pread(table->fd, table->bytes + table->end, LINE_BYTES - table->end,
			table->offset);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return 0;
		table->end += n > 0 ? (size_t)n : 0;
		table->offset += n > 0 ? n : 0;
	}
}

bool mount_table_is_remote(const struct table_mount *mount)
{
	static const char *const types[] = {"fuse", "nfs", "cifs", "smb", "9p", "ceph", "afs",
		"coda", "autofs", "lustre", "gfs2", "ocfs2", "virtiofs"};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strncmp(mount->type, types[i], strlen(types[i])) == 0 &&
			strcmp(mount->type, "fusectl") != 0)
			return true;
	return false;
}

struct device {
	dev_t dev;
	int result; /* 0: local; -EREMOTE */
};

static bool take_device(void *context, const struct table_mount *mount)
{
	struct device *device = context;

	if (mount->dev != device->dev)
		return false;
	device->result = mount_table_is_remote(mount) ? -EREMOTE : 0;
	return true;
}

int mount_table_check(dev_t dev)
{
	static struct device known[16];
	static size_t count;
	static int watch_fd = -1;
	struct device device = {.dev = dev};

	if (watch_fd < 0)
		watch_fd = open(MOUNT_TABLE, O_RDONLY | O_CLOEXEC);
	/* Before it is read: if a mount has gone, another one may have its device by now. */
	struct pollfd change = {.fd = watch_fd, .events = POLLPRI};
	if (watch_fd < 0 || poll(&change, 1, 0) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (known[i].dev == dev)
			return known[i].result;
	int r = mount_table_each(-1, take_device, &device);
	if (r < 0)
		return r;
	count %= sizeof(known) / sizeof(*known);
	known[count++] = device;
	return device.result;
}

int mount_table_each(
	int mounts_fd, bool (*each)(void *context, const struct table_mount *mount), void *context)
{
	CLEANUP(closep)
	int opened = mounts_fd < 0 ? open(MOUNT_TABLE, O_RDONLY | O_CLOEXEC) : -1;
	struct mount_table table = {.fd = mounts_fd < 0 ? opened : mounts_fd};
	struct table_mount mount;
	const char *line = NULL;
	int r;

	if (table.fd < 0)
		return -errno;
	while ((r = next_line(&table, &line)) > 0)
		if (parse_mount(line, &mount) && each(context, &mount))
			return 1;
	return r;
}
