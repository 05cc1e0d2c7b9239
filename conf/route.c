#include "route.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "followed_path.h"
#include "layer.h"

/* Limit of links, as in the kernel. */
#define LINKS_MAX 40

struct route {
	int at; /* the present directory, O_PATH; owned */
	unsigned links;
	char place[PATH_MAX]; /* of `at`; "" is the root */
	char rest[PATH_MAX];  /* the remaining path */
	int (*each)(void *context, const struct route_step *step);
	int (*check)(void *context, const char *path); /* or NULL */
	void *context;
};

/* Continues in the directory `fd`, to which no name has led. */
static int jump(struct route *route, int fd)
{
	struct route_step step = {.at = -1, .fd = fd, .rest = route->rest, .links = route->links};

	if (fd < 0)
		return -errno;
	closep(&route->at);
	route->at = fd;
	step.path = *route->place ? route->place : "/";
	return fstat(fd, &step.stat) < 0 ? -errno : route->each(route->context, &step);
}

static int begin(struct route *route)
{
	*route->place = '\0';
	return jump(route, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* Follows a magic link of the kernel's (/proc/self/fd/7), whose target may differ from its text. */
static int follow_kernels(struct route *route, const char *name)
{
	char place[PATH_MAX];
	int fd = openat(route->at, name, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (descriptor_path(fd, place) < 0)
		strcpy(place, "/");
	strcpy(route->place, strcmp(place, "/") == 0 ? "" : place);
	return jump(route, fd);
}

static int follow(struct route *route, const char *name, int link, const char *rest)
{
	char target[PATH_MAX];

	if (++route->links > LINKS_MAX)
		return -ELOOP;
	if (layer_is_kernels_own(link)) {
		memmove(route->rest, rest, strlen(rest) + 1);
		return follow_kernels(route, name);
	}
	ssize_t len = readlinkat(link, "", target, sizeof(target));
	if (len <= 0)
		return len < 0 ? -errno : -ENOENT;
	size_t left = strlen(rest);
	if ((size_t)len + 1 + left >= sizeof(route->rest))
		return -ENAMETOOLONG;
	memmove(route->rest + len + 1, rest, left + 1);
	memcpy(route->rest, target, (size_t)len);
	route->rest[len] = '/';
	return *target == '/' ? begin(route) : 0;
}

static int add_name(char place[PATH_MAX], const char *name)
{
	size_t len = strlen(place);

	if (strcmp(name, "..") == 0) {
		char *slash = strrchr(place, '/');
		if (slash)
			*slash = '\0';
		return 0;
	}
	if (len + 1 + strlen(name) >= PATH_MAX)
		return -ENAMETOOLONG;
	place[len] = '/';
	strcpy(place + len + 1, name);
	return 0;
}

/* Takes the next name. Returns 0, or the result that ends the route. */
static int take_step(struct route *route)
{
	char *name = route->rest + strspn(route->rest, "/"), path[PATH_MAX];
	char *end = name + strcspn(name, "/");
	char *rest = end + strspn(end, "/");

	*end = '\0';
	struct route_step step = {
		.at = route->at, .path = path, .rest = rest, .links = route->links};
	CLEANUP(freep) char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	step.name = copy;
	strcpy(path, route->place);
	int r = strcmp(copy, ".") == 0 ? 0 : add_name(path, copy);
	if (r == 0 && route->check)
		r = route->check(route->context, path);
	if (r != 0)
		return r;
	CLEANUP(closep) int fd = openat(route->at, copy, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	r = fd < 0 ? -errno : followed_path_uncover(&fd);
	if (r >= 0)
		r = descriptor_stat(fd, "", &step.stat);
	step.fd = r < 0 ? r : fd;
	if (!*path)
		step.path = "/";
	int result = route->each(route->context, &step);
	if (result != 0 || r < 0)
		return result ? result : r;
	if (S_ISLNK(step.stat.st_mode))
		return follow(route, copy, fd, rest);
	memmove(route->rest, rest, strlen(rest) + 1);
	strcpy(route->place, path);
	closep(&route->at);
	route->at = take_fd(&fd);
	return 0;
}

int route_each(const char *path, int (*check)(void *context, const char *path),
	int (*each)(void *context, const struct route_step *step), void *context)
{
	struct route route = {.at = -1, .each = each, .check = check, .context = context};
	char working[PATH_MAX] = "";
	const char *from = *path == '/' ? "/" : working;

	/* Not getcwd(3), which guesses if the kernel finds no path: a working directory outside of
	 * our root directory, or in what was unmounted, has none, but can be reached. */
	if (from == working && syscall(SYS_getcwd, working, sizeof(working)) < 0 && errno != ENOENT)
		return -errno;
	bool is_outside = *from != '/';
	if (is_outside)
		from = "";
	if (strlen(from) + 1 + strlen(path) >= sizeof(route.rest))
		return -ENAMETOOLONG;
	strcpy(stpcpy(stpcpy(route.rest, from), "/"), path);
	int r = is_outside ? jump(&route, open(".", O_PATH | O_DIRECTORY | O_CLOEXEC))
			   : begin(&route);
	while (r == 0 && route.rest[strspn(route.rest, "/")])
		r = take_step(&route);
	closep(&route.at);
	return r;
}
