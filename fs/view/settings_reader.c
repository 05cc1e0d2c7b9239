#include "settings_reader.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "aside.h"
#include "await.h"
#include "cleanup.h"
#include "coroutine.h"
#include "descriptor.h"
#include "followed_path.h"
#include "forked.h"
#include "name_watch.h"
#include "outside.h"
#include "route.h"
#include "worker_message.h"

#define WATCHED (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ONLYDIR)

enum settings_request_kind { READ, FIND, OPEN, WATCH, TRUST, REQUESTS };

/* A request to the process. */
struct settings_request {
	enum settings_request_kind kind;
	const char *path;
	uint64_t number;
	const struct trusted *trusted; /* for TRUST */
};

/* Texts of a store that lie in its arena. */
#define STORE_TEXTS 10

static void list_texts(struct store *store, const char **ret[STORE_TEXTS])
{
	const char **texts[STORE_TEXTS] = {&store->prefix, &store->identity, &store->endpoint,
		&store->ref, &store->endpoints, &store->ca, &store->cert, &store->key,
		&store->user_file, &store->commit};

	memcpy(ret, texts, sizeof(texts));
}

static void put_store(struct record *answer, struct store *store)
{
	const char **texts[STORE_TEXTS];

	record_put(answer, store != NULL);
	if (!store)
		return;
	record_put(answer, store->kind);
	record_put_text(answer, store->state);
	record_put_text(answer, store->tree);
	record_put_text(answer, store->inner);
	record_put(answer, store->owner);
	record_put(answer, store->group);
	record_put(answer, store->is_shared);
	list_texts(store, texts);
	for (size_t i = 0; i < STORE_TEXTS; i++)
		record_put_text(answer, *texts[i]);
}

/* Returns NULL if there is none, or if the answer is damaged. */
static struct store *get_store(struct record *answer)
{
	CLEANUP(store_freep) struct store *store = NULL;
	const char **texts[STORE_TEXTS];

	if (!record_get_bool(answer))
		return NULL;
	store = store_new();
	if (!store || arena_new(&store->arena) < 0) {
		record_lack_memory(answer);
		return NULL;
	}
	store->kind = (enum store_kind)record_get_below(answer, STORE_GIT);
	store->state = record_get_text(answer);
	store->tree = record_get_text(answer);
	store->inner = record_get_text(answer);
	store->owner = (uid_t)record_get(answer);
	store->group = (gid_t)record_get(answer);
	store->is_shared = record_get_bool(answer);
	list_texts(store, texts);
	bool is_whole = store->state && store->tree && store->inner;
	for (size_t i = 0; is_whole && i < STORE_TEXTS; i++) {
		CLEANUP(freep) char *text = record_get_text(answer);
		*texts[i] = text ? arena_copy(store->arena, span_of(text)) : NULL;
		is_whole = *texts[i];
	}
	if (!is_whole)
		record_spoil(answer);
	return is_whole ? take_ptr(store) : NULL;
}

/* The process's side. */

struct service {
	pid_t daemon;
	int socket;
	int inotify_fd;
};

static void answer_read(const char *path, size_t size_max, struct record *answer)
{
	struct outside_file file;

	record_put_result(answer, outside_read(path, size_max, &file));
	record_put_stat(answer, &file.stat);
	record_put_bytes(answer, file.text, file.text ? file.len : 0);
	free(file.text);
}

static void answer_find(const char *path, struct record *answer)
{
	char found[PATH_MAX] = "";

	record_put_result(answer, outside_find(path, found));
	record_put_text(answer, found);
}

static void answer_open(const char *path, unsigned wanted, struct record *answer)
{
	struct outside_directory directory;

	record_put_result(answer, outside_open(path, wanted, &directory));
	record_put_fd(answer, directory.fd);
	record_put_stat(answer, &directory.stat);
	put_store(answer, directory.store);
	store_freep(&directory.store);
	closep(&directory.fd);
}

static void answer_trust(
	const char *place, uid_t user, struct record *request, struct record *answer)
{
	CLEANUP(freep) char *what = record_get_text(request);
	CLEANUP(freep) char *path = record_get_text(request);
	struct problem problem = {0};
	struct stat read;

	record_get_stat(request, &read);
	const struct trusted trusted = {what, path, place, NULL, read.st_mode ? &read : NULL, user};
	int r = record_end(request);
	if (r == 0)
		r = trust_check(&trusted, &problem);
	record_put_result(answer, r);
	record_put_text(answer, problem.message);
}

/* Returns whether the result is a shortage; ENOSPC: no inotify watch is left. */
static bool is_worth_a_retry(int result)
{
	return layer_is_shortage(result) || result == -ENOSPC;
}

struct watching {
	int inotify_fd;
	struct record *answer;
	uint64_t count;
};

/* Watches `name` in the directory `fd`. `name` "": the file `fd`, whose events have no name. */
static int watch_name(struct watching *watching, int fd, const char *name, uint32_t mask)
{
	char link[DESCRIPTOR_LINK_MAX];

	descriptor_link(fd, link);
	int wd = inotify_add_watch(watching->inotify_fd, link, mask | IN_MASK_ADD);
	if (wd < 0)
		return is_worth_a_retry(-errno) ? -errno : 0;
	record_put(watching->answer, (uint64_t)wd);
	record_put(watching->answer, mask);
	record_put_text(watching->answer, name);
	watching->count++;
	return 0;
}

/* Watches a component of the path, or of a link's target on it: each may be replaced. */
static int watch_step(void *context, const struct route_step *step)
{
	if (!step->name || strcmp(step->name, ".") == 0 || strcmp(step->name, "..") == 0)
		return 0; /* no name that could lead elsewhere */
	/* A hidden directory is found through /proc/self, which each process has of its own. */
	if (layer_is_kernels_own(step->at))
		return 0;
	/* For a directory on the path, only its replacement counts. */
	uint32_t mask = *step->rest ? WATCHED & ~(uint32_t)IN_CLOSE_WRITE : WATCHED;
	int r = watch_name(context, step->at, step->name, mask);
	/* Through another name, a write is no event of this directory. */
	if (r == 0 && step->fd >= 0 && S_ISREG(step->stat.st_mode) && step->stat.st_nlink > 1)
		r = watch_name(context, step->fd, "", IN_CLOSE_WRITE);
	return r;
}

static void answer_watch(const char *path, int inotify_fd, struct record *answer)
{
	size_t count = record_put_count(answer);
	struct watching watching = {inotify_fd, answer, 0};

	int r = route_each(path, NULL, watch_step, &watching);
	record_set_count(answer, count, watching.count);
	record_put_result(answer, is_worth_a_retry(r) ? r : 0);
}

/* Returns the answer for record_free(); NULL: no memory, or a request that makes no sense. */
static struct record *answer_to(struct record *request, int inotify_fd)
{
	struct record *answer = worker_message_new(WORKER_ANSWER);
	enum settings_request_kind kind =
		(enum settings_request_kind)record_get_below(request, REQUESTS - 1);
	CLEANUP(freep) char *path = record_get_text(request);
	uint64_t number = record_get(request);

	if (!answer || !path) {
		record_free(answer);
		return NULL;
	}
	switch (kind) {
	case READ:
		answer_read(path, number, answer);
		break;
	case FIND:
		answer_find(path, answer);
		break;
	case OPEN:
		answer_open(path, (unsigned)number, answer);
		break;
	case WATCH:
		answer_watch(path, inotify_fd, answer);
		break;
	case TRUST:
	case REQUESTS:
		answer_trust(path, (uid_t)number, request, answer);
		break;
	}
	return answer;
}

static void serve(void *context)
{
	const struct service *service = context;
	int kept[] = {service->socket, service->inotify_fd, followed_path_beneath()};
	enum worker_message ignored;
	struct record *request;
	int r = 0;

	prctl(PR_SET_NAME, "plyfs-settings");
	if (forked_keep_only(-1, kept, sizeof(kept) / sizeof(*kept)) < 0 ||
		!forked_dies_with(service->daemon))
		_exit(1);
	while (r == 0 && worker_message_receive(service->socket, &ignored, &request) == 0) {
		struct record *answer = answer_to(request, service->inotify_fd);
		r = answer ? worker_message_send(service->socket, answer) : -ENOMEM;
		record_free(answer);
		record_free(request);
	}
	_exit(0);
}

/* The daemon's side. */

/* Returns whether there is no process, or none any more. */
static bool reap(struct settings_process *process)
{
	if (process->pid && !forked_reap(process->pid, NULL))
		return false;
	free(process->path);
	*process = (struct settings_process){0};
	return true;
}

/* Returns a place for a process that is left alone; NULL: there are too many. */
static struct settings_process *find_place(struct settings_reader *reader)
{
	struct settings_process *place = NULL;

	for (size_t i = 0; i < SETTINGS_READERS_MAX; i++)
		if (reap(&reader->left[i]))
			place = &reader->left[i];
	return place;
}

/* Asks the process no more: it does not answer for `path`, or `error` has another reason. */
static void give_up(struct settings_reader *reader, const char *path, int error)
{
	closep(&reader->socket);
	reader->error = error;
	free(reader->process.path);
	reader->process.path = strdup(path);
	kill(reader->process.pid, SIGKILL);
}

static bool is_silent(struct settings_reader *reader, const char *path)
{
	(void)find_place(reader);
	for (size_t i = 0; i < SETTINGS_READERS_MAX; i++)
		if (reader->left[i].path && strcmp(reader->left[i].path, path) == 0)
			return true;
	return false;
}

/* Sends a request, and waits. Returns 0 with *ret for record_free(), or -errno. */
static int ask(
	struct settings_reader *reader, const struct settings_request *asked, struct record **ret)
{
	CLEANUP(record_freep) struct record *request = worker_message_new(WORKER_JOB);
	const struct trusted *trusted = asked->trusted;
	const struct stat none = {0};
	struct pollfd waited[] = {{.fd = reader->socket, .events = POLLIN},
		{.fd = reader->stop_fd, .events = POLLIN}};
	enum worker_message ignored;

	if (!request)
		return -ENOMEM;
	if (reader->socket < 0)
		return reader->error;
	if (is_silent(reader, asked->path))
		return -ETIMEDOUT;
	record_put(request, asked->kind);
	record_put_text(request, asked->path);
	record_put(request, asked->number);
	if (trusted) {
		record_put_text(request, trusted->what);
		record_put_text(request, trusted->path);
		record_put_stat(request, trusted->read ? trusted->read : &none);
	}
	int r = worker_message_send(reader->socket, request);
	if (r == 0 && (await_ms(waited, 2, (int)reader->answer_ms) < 0 || !waited[0].revents))
		r = waited[1].revents ? -ECANCELED : -ETIMEDOUT;
	if (r == 0)
		r = worker_message_receive(reader->socket, &ignored, ret);
	if (r < 0)
		give_up(reader, asked->path, r);
	return r;
}

/* Returns the result of a request whose answer was read. */
static int end_answer(const struct record *answer, int result)
{
	int r = record_end(answer);

	return r < 0 ? r : result;
}

/* Adds each name on `path` that exists to the watch: one of them may be replaced. Returns 0 or
 * -errno (-ENOSPC: no inotify watch is left). */
static int watch(struct settings_reader *reader, const char *path)
{
	CLEANUP(record_freep) struct record *answer = NULL;
	int r = ask(reader, &(struct settings_request){WATCH, path, 0, NULL}, &answer);
	for (size_t left = r < 0 ? 0 : record_get_count(answer, 8); r == 0 && left; left--) {
		int wd = (int)record_get_below(answer, INT_MAX);
		uint32_t mask = (uint32_t)record_get_below(answer, UINT32_MAX);
		CLEANUP(freep) char *name = record_get_text(answer);
		if (name)
			r = name_watch_add(reader->watch, wd, name, mask);
		else
			record_spoil(answer);
	}
	if (r < 0)
		return r;
	r = record_get_result(answer);
	return end_answer(answer, r);
}

static int read_there(void *context, const char *path, size_t size_max, struct outside_file *ret)
{
	CLEANUP(record_freep) struct record *answer = NULL;
	struct settings_reader *reader = context;

	reader->unwatched += watch(reader, path) < 0;
	int r = ask(reader, &(struct settings_request){READ, path, size_max, NULL}, &answer);
	if (r < 0)
		return r;
	r = record_get_result(answer);
	record_get_stat(answer, &ret->stat);
	struct span bytes = record_get_bytes(answer);
	if (bytes.len > size_max)
		record_spoil(answer);
	r = end_answer(answer, r);
	if (r < 0 || !S_ISREG(ret->stat.st_mode))
		return r;
	ret->text = span_dup(bytes);
	ret->len = bytes.len;
	return ret->text ? 0 : -ENOMEM;
}

static int find_there(void *context, const char *path, char ret[PATH_MAX])
{
	CLEANUP(record_freep) struct record *answer = NULL;

	int r = ask(context, &(struct settings_request){FIND, path, 0, NULL}, &answer);
	if (r < 0)
		return r;
	r = record_get_result(answer);
	CLEANUP(freep) char *found = record_get_text(answer);
	if (!found || strlen(found) >= PATH_MAX)
		record_spoil(answer);
	else
		strcpy(ret, found);
	return end_answer(answer, r);
}

/* Settings with a layer that does not answer stay out of use: its directory alone may open. */
static bool is_of_silent_layer(const struct settings *settings, const char *path)
{
	for (size_t i = 0; i < settings->layer_count; i++)
		if (layer_silence(settings->layers[i]) == LAYER_IS_SILENT &&
			strcmp(settings->layers[i]->place, path) == 0)
			return true;
	return false;
}

static int open_there(
	void *context, const char *path, unsigned wanted, struct outside_directory *ret)
{
	CLEANUP(record_freep) struct record *answer = NULL;
	struct settings_reader *reader = context;

	if (is_of_silent_layer(reader->old, path))
		return -ETIMEDOUT;
	reader->unwatched += watch(reader, path) < 0;
	int r = ask(reader, &(struct settings_request){OPEN, path, wanted, NULL}, &answer);
	if (r < 0)
		return r;
	r = record_get_result(answer);
	CLEANUP(closep) int fd = record_get_fd(answer);
	record_get_stat(answer, &ret->stat);
	CLEANUP(store_freep) struct store *store = get_store(answer);
	r = end_answer(answer, r);
	if (r < 0)
		return r;
	ret->fd = fd;
	ret->store = take_ptr(store);
	fd = -1;
	return 0;
}

static int trust_there(void *context, const struct trusted *trusted, struct problem *problem)
{
	CLEANUP(record_freep) struct record *answer = NULL;

	int r = ask(context,
		&(struct settings_request){TRUST, trusted->place, trusted->user, trusted}, &answer);
	if (r < 0)
		return r;
	r = record_get_result(answer);
	CLEANUP(freep) char *message = record_get_text(answer);
	r = end_answer(answer, r);
	if (r < 0 || !message[0])
		return r;
	return problem_at(problem, trusted->node, "%s", message);
}

void settings_reader_init(struct settings_reader *reader, int stop_fd)
{
	*reader = (struct settings_reader){.socket = -1, .stop_fd = stop_fd};
}

int settings_reader_begin(
	struct settings_reader *reader, struct name_watch *watch, unsigned answer_ms)
{
	int ends[2];

	reader->watch = watch;
	reader->answer_ms = answer_ms;
	if (reader->process.pid)
		return 0;
	reader->error = -ETIMEDOUT;
	if (!find_place(reader))
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	struct service service = {getpid(), ends[1], name_watch_fd(watch)};
	pid_t pid = coroutine_fork(serve, &service);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return pid;
	}
	reader->process = (struct settings_process){.pid = pid};
	reader->socket = ends[0];
	return 0;
}

/* The arguments of settings_again(), and its result. */
struct settings_reading {
	struct settings_reader *reader;
	dev_t own;
	struct settings **outline;
	struct settings **ret;
	struct problem *problem;
	int result;
};

static void read_aside(void *context)
{
	struct settings_reading *reading = context;
	const struct outside_delegate there = {read_there, find_there, open_there, trust_there,
		reading->reader, &reading->reader->failures};

	outside_delegate(&there);
	reading->result = settings_again(reading->reader->old, reading->own, reading->outline,
		reading->ret, reading->problem);
	outside_delegate(NULL);
}

/* Aside: the settings may be large, and requests are answered meanwhile. */
int settings_reader_read(struct settings_reader *reader, const struct settings *old, dev_t own,
	struct settings **outline, struct settings **ret, struct problem *problem)
{
	struct settings_reading reading = {reader, own, outline, ret, problem, 0};

	reader->old = old;
	reader->failures = reader->unwatched = 0;
	aside_run(read_aside, &reading);
	if (reading.result == PROBLEM && reader->error == -EPIPE)
		return problem_set(problem, NULL, 0, 0,
			"the settings can't be read again: the process that reads them was killed; "
			"it is tried again");
	return reading.result;
}

void settings_reader_end(struct settings_reader *reader)
{
	struct settings_process *process = &reader->process;
	bool answers = reader->socket >= 0;

	closep(&reader->socket);
	if (process->pid && answers && forked_await(process->pid, -1, (int)reader->answer_ms))
		process->pid = 0;
	if (reap(process))
		return;
	kill(process->pid, SIGKILL);
	/* settings_reader_begin() has seen that there is one, and no other process began since. */
	struct settings_process *place = find_place(reader);
	if (place)
		*place = *process;
	*process = (struct settings_process){0};
}

void settings_reader_reap(struct settings_reader *reader)
{
	(void)find_place(reader);
}

void settings_reader_fini(struct settings_reader *reader)
{
	settings_reader_end(reader);
	for (size_t i = 0; i < SETTINGS_READERS_MAX; i++)
		if (!reap(&reader->left[i]))
			free(reader->left[i].path);
}
