/* Extended attributes: they describe a version, from its layers to its fault. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "driver.h"

/* In the order in which they are listed. */
static const struct {
	const char *name;
	enum view_attribute attribute;
} attributes[] = {
	{"user.plyfs.layers", VIEW_LAYERS},
	{"user.plyfs.sources", VIEW_SOURCES},
	{"user.plyfs.strategy", VIEW_STRATEGY},
	{"user.plyfs.error", VIEW_ERROR},
};

#define ATTRIBUTE_COUNT (sizeof(attributes) / sizeof(*attributes))

/* Maximum bytes of all names together, each with its NUL. */
#define NAMES_MAX 128

static void reply_value(fuse_req_t req, const char *value, size_t length, size_t size)
{
	if (size == 0)
		fuse_reply_xattr(req, length);
	else if (size < length)
		fuse_reply_err(req, ERANGE);
	else
		fuse_reply_buf(req, value, length);
}

/*
 * Attributes of the system, which programs such as ls(1) ask for at every file. Programs remember
 * ENOTSUP for a whole file system. The kernel remembers ENODATA for the access lists of a file, if
 * it caches them for us.
 */
static int error_for_foreign(const struct session *session, const char *name)
{
	bool is_acl = strncmp(name, "system.posix_acl_", strlen("system.posix_acl_")) == 0;

	return is_acl && session->connection.wanted & FUSE_CAP_POSIX_ACL ? ENODATA : EOPNOTSUPP;
}

static int find(
	fuse_req_t req, struct session *session, fuse_ino_t ino, const char *name, char **ret)
{
	for (size_t i = 0; !control_has(ino) && i < ATTRIBUTE_COUNT; i++) {
		enum view_attribute attribute = attributes[i].attribute;
		if (strcmp(attributes[i].name, name) != 0)
			continue;
		if (attribute == VIEW_ERROR && !is_trusted(session, fuse_req_ctx(req)->uid))
			attribute = VIEW_PUBLIC_ERROR;
		return view_attribute(session->view, ino, attribute, ret);
	}
	return -ENODATA;
}

void attribute_get(
	fuse_req_t req, struct session *session, fuse_ino_t ino, const char *name, size_t size)
{
	CLEANUP(freep) char *value = NULL;

	if (strncmp(name, "user.", strlen("user.")) != 0) {
		fuse_reply_err(req, error_for_foreign(session, name));
		return;
	}
	int r = find(req, session, ino, name, &value);
	if (r == 0)
		reply_value(req, value, strlen(value), size);
	else
		fuse_reply_err(req, -r);
}

void attribute_list(fuse_req_t req, struct session *session, fuse_ino_t ino, size_t size)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	char names[NAMES_MAX];
	size_t length = 0;

	/* The kernel allows no user attributes on a link. */
	bool is_file = !control_has(ino) && view_version(session->view, ino, &version) == 0 &&
		       version->kind != VERSION_LINK;
	for (size_t i = 0; is_file && i < ATTRIBUTE_COUNT; i++) {
		CLEANUP(freep) char *value = NULL;
		if (view_attribute(session->view, ino, attributes[i].attribute, &value) < 0)
			continue;
		memcpy(names + length, attributes[i].name, strlen(attributes[i].name) + 1);
		length += strlen(attributes[i].name) + 1;
	}
	reply_value(req, names, length, size);
}
