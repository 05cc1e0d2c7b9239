#include "access_list.h"

#include <endian.h>
#include <errno.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <string.h>
#include <sys/xattr.h>

#include "descriptor.h"
#include "layer.h"

/* Size of the buffer, in bytes: a thousand entries. A longer list counts as unreadable. */
#define LIST_MAX 8192

/* The rights that the list gives, three bits each. */
struct acl_permissions {
	mode_t group, mask, other;
	mode_t users;  /* those that every named user has */
	mode_t groups; /* those that every named group has */
};

static void take_entry(const struct posix_acl_xattr_entry *entry, const struct stat *stat,
	struct acl_permissions *given)
{
	const mode_t bits = le16toh(entry->e_perm) & 07;
	const unsigned id = le32toh(entry->e_id);

	switch (le16toh(entry->e_tag)) {
	case ACL_USER_OBJ: /* the mode contains these, too */
		break;
	case ACL_USER:
		if (id != stat->st_uid)
			given->users &= bits;
		break;
	case ACL_GROUP_OBJ:
		given->group = bits;
		break;
	case ACL_GROUP:
		/* A user who is also in the file's group is let in by either entry. */
		if (id != stat->st_gid)
			given->groups &= bits;
		break;
	case ACL_MASK:
		given->mask = bits;
		break;
	case ACL_OTHER:
		given->other = bits;
		break;
	default:
		*given = (struct acl_permissions){0};
	}
}

/* A named user may be in the file's group or in none, so the entries are combined. */
void access_list_narrow(const void *list, size_t size, struct stat *stat)
{
	struct acl_permissions given = {.mask = 07, .users = 07, .groups = 07};
	struct posix_acl_xattr_header header = {0};
	struct posix_acl_xattr_entry entry;
	const char *at = list;

	if (size >= sizeof(header))
		memcpy(&header, at, sizeof(header));
	if (le32toh(header.a_version) == POSIX_ACL_XATTR_VERSION &&
		(size - sizeof(header)) % sizeof(entry) == 0)
		for (size_t done = sizeof(header); done < size; done += sizeof(entry)) {
			memcpy(&entry, at + done, sizeof(entry));
			take_entry(&entry, stat, &given);
		}
	mode_t group = given.group & given.users & given.mask;
	mode_t other = given.other & (given.users & given.groups & given.mask);
	stat->st_mode &= ~(mode_t)077 | group << 3 | other;
}

int access_list_heed(int fd, struct stat *stat)
{
	static const char name[] = "system.posix_acl_access";
	char list[LIST_MAX];
	ssize_t size;

	/* Only the owner has rights, so none can be removed. Links have no list. */
	if (!(stat->st_mode & 055) || S_ISLNK(stat->st_mode))
		return 0;
	size = fgetxattr(fd, name, list, sizeof(list));
	if (size < 0 && errno == EBADF) {
		/* The descriptor is O_PATH. */
		char path[DESCRIPTOR_LINK_MAX];
		descriptor_link(fd, path);
		size = getxattr(path, name, list, sizeof(list));
	}
	if (size < 0 && (errno == ENODATA || errno == ENOTSUP || errno == ENOSYS))
		return 0;
	bool is_long = errno == ERANGE || errno == E2BIG;
	if (size < 0 && !is_long && layer_says_nothing(-errno))
		return -errno;
	access_list_narrow(list, size < 0 ? 0 : (size_t)size, stat);
	return 0;
}
