/*
 * The least cost of any FUSE file system: one file in one directory, cached by the kernel for ever,
 * with no request for a warm open, read or stat. Its cost beside the disk's own file system is the
 * kernel's price for FUSE on this machine. No FUSE file system can be faster.
 *
 *      bench-floor FILE MOUNTPOINT        shows FILE's content as MOUNTPOINT/app.yaml
 */
#define FUSE_USE_VERSION 314

#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "app.yaml"
#define NAME_INO 2
#define TEXT_MAX (1u << 20)
#define FOR_EVER 1e9

static char text[TEXT_MAX];
static size_t text_len;

static struct stat stat_of(fuse_ino_t ino)
{
	if (ino == FUSE_ROOT_ID)
		return (struct stat){.st_ino = ino, .st_mode = S_IFDIR | 0755, .st_nlink = 2};
	return (struct stat){.st_ino = ino,
		.st_mode = S_IFREG | 0444,
		.st_nlink = 1,
		.st_size = (off_t)text_len};
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->want &= ~(unsigned)FUSE_CAP_AUTO_INVAL_DATA;
	conn->want |= conn->capable & (FUSE_CAP_EXPLICIT_INVAL_DATA | FUSE_CAP_POSIX_ACL);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	const struct fuse_entry_param entry = {.ino = NAME_INO,
		.attr = stat_of(NAME_INO),
		.attr_timeout = FOR_EVER,
		.entry_timeout = FOR_EVER};

	if (parent == FUSE_ROOT_ID && strcmp(name, NAME) == 0)
		fuse_reply_entry(req, &entry);
	else
		fuse_reply_err(req, ENOENT);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *file)
{
	const struct stat stat = stat_of(ino);

	(void)file;
	fuse_reply_attr(req, &stat, FOR_EVER);
}

/* ENOSYS: the kernel needs not ask again. */
static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *file)
{
	(void)ino;
	(void)file;
	fuse_reply_err(req, ENOSYS);
}

static void op_read(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *file)
{
	size_t start = (size_t)offset < text_len ? (size_t)offset : text_len;

	(void)ino;
	(void)file;
	fuse_reply_buf(req, text + start, size < text_len - start ? size : text_len - start);
}

static const struct fuse_lowlevel_ops ops = {
	.init = op_init,
	.lookup = op_lookup,
	.getattr = op_getattr,
	.open = op_open,
	.read = op_read,
};

int main(int argc, char **argv)
{
	char *words[] = {argv[0], "-o", "ro,default_permissions,allow_other,fsname=floor"};
	struct fuse_args args = FUSE_ARGS_INIT(3, words);
	FILE *stream = argc == 3 ? fopen(argv[1], "r") : NULL;

	if (!stream) {
		fprintf(stderr, "usage: bench-floor FILE MOUNTPOINT\n");
		return 2;
	}
	text_len = fread(text, 1, sizeof(text), stream);
	fclose(stream);
	struct fuse_session *session = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	if (!session || fuse_session_mount(session, argv[2]) != 0 || daemon(1, 0) < 0)
		return 1;
	fuse_session_loop(session);
	fuse_session_unmount(session);
	fuse_session_destroy(session);
	fuse_opt_free_args(&args);
	return 0;
}
