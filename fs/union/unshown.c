#include "unshown.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>

#include "own_names.h"
#include "path.h"

/* The caller's function. */
struct unshown_report {
	int (*each)(void *context, const struct layer *layer, const char *path, const char *what);
	void *context;
};

/* Returns the object's kind; NULL: it shows, or is a whiteout. */
static const char *what_is(const struct stat *stat)
{
	if (S_ISCHR(stat->st_mode))
		return union_is_whiteout_device(stat) ? NULL : "character device";
	return S_ISFIFO(stat->st_mode)   ? "FIFO"
	       : S_ISSOCK(stat->st_mode) ? "socket"
	       : S_ISBLK(stat->st_mode)  ? "block device"
					 : NULL;
}

static bool is_too_long(const char *path)
{
	return strlen(path) >= PATH_MAX;
}

static bool may_be_unshown(const struct layer *layer, const char *path, unsigned char type)
{
	bool is_link = type == DT_LNK && !layer->follow;

	if (union_is_mark(path_name(path)))
		return false;
	return is_too_long(path) || (type != DT_REG && type != DT_DIR && !is_link);
}

static int report(void *context, const struct layer *layer, const char *path)
{
	const struct unshown_report *to = context;
	const char *what = NULL;
	struct stat stat;

	/* An object that can't be examined is reported when it is merged. */
	if (!is_too_long(path) && layer_stat(layer, path, &stat) == 0)
		what = what_is(&stat);
	return what || is_too_long(path) ? to->each(to->context, layer, path, what) : 0;
}

int unshown_each(const struct settings *settings, const struct traversed *found,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *what),
	void *context)
{
	return own_names_each(&(struct own_names){
		settings, found, may_be_unshown, report, &(struct unshown_report){each, context}});
}
