#include "notifier.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "await.h"
#include "driver.h"

/* The argument of the thread. */
struct notifier_thread {
	struct fuse_session *fuse;
	int socket;
};

struct change_hook_request {
	uint64_t ino;
	char name[NAME_MAX + 1]; /* "": the listing */
};

static void *serve(void *context)
{
	struct notifier_thread thread = *(struct notifier_thread *)context;
	struct change_hook_request request;

	free(context);
	while (recv(thread.socket, &request, sizeof(request), 0) == sizeof(request)) {
		int r = *request.name
				? fuse_lowlevel_notify_inval_entry(thread.fuse, request.ino,
					  request.name, strlen(request.name))
				: fuse_lowlevel_notify_inval_inode(thread.fuse, request.ino, 0, 0);

		if (send(thread.socket, &r, sizeof(r), MSG_NOSIGNAL) < 0)
			break;
	}
	close(thread.socket);
	return NULL;
}

static int start(struct notifier *notifier, struct fuse_session *fuse)
{
	struct notifier_thread *thread = malloc(sizeof(*thread));
	int ends[2];

	if (!thread)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		free(thread);
		return -errno;
	}
	*thread = (struct notifier_thread){fuse, ends[1]};
	int r = pthread_create(&notifier->thread, NULL, serve, thread);
	if (r != 0) {
		free(thread);
		close(ends[0]);
		close(ends[1]);
		return -r;
	}
	notifier->socket = ends[0];
	return 0;
}

int notifier_tell(
	struct notifier *notifier, struct fuse_session *fuse, uint64_t ino, const char *name)
{
	struct change_hook_request request = {.ino = ino};
	int r = notifier->socket < 0 ? start(notifier, fuse) : 0;

	if (r < 0)
		return r;
	if (name && strlen(name) >= sizeof(request.name))
		return -ENAMETOOLONG;
	strcpy(request.name, name ? name : "");
	if (send(notifier->socket, &request, sizeof(request), MSG_NOSIGNAL) < 0)
		return -EPIPE;
	await_fd(notifier->socket, POLLIN, -1);
	return recv(notifier->socket, &r, sizeof(r), 0) == sizeof(r) ? r : -EPIPE;
}

void notifier_cancel(const struct notifier *notifier)
{
	if (notifier->socket >= 0)
		shutdown(notifier->socket, SHUT_RDWR);
}

void notifier_fini(struct notifier *notifier)
{
	if (notifier->socket < 0)
		return;
	notifier_cancel(notifier);
	pthread_join(notifier->thread, NULL);
	close(notifier->socket);
	notifier->socket = -1;
}
