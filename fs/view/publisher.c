#include "publisher.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "backoff.h"
#include "bytes.h"
#include "change_hook.h"
#include "cleanup.h"
#include "clock.h"
#include "coroutine.h"
#include "hash.h"
#include "layer_task.h"
#include "name_watch.h"
#include "refresh.h"
#include "settings_reader.h"
#include "state.h"

/* Quiet, after a change of plyfs.yaml or of a layer's path, before the settings are read again. */
#define RELOAD_QUIET_MS 20

/* Pauses before the settings are read again, if no event will report the end of a fault. */
static const struct backoff reload_pause_ms = {1000, 10000};

/*
 * Microseconds for which the publisher ignores further events after it has seen one. A save makes
 * several in a row: truncated, written, closed. If the publisher ran for each, it would have used
 * up its share of the processor at the close, and would then wait for milliseconds.
 */
#define BURST_US 100

enum reading_state {
	READING_RESTS,
	READING_RUNS, /* in a coroutine of its own: a layer may not answer */
	READING_ENDED,
};

/* A reading of the settings. While it runs, nothing else uses the publisher's watch and reader. */
struct reload {
	enum reading_state state;
	struct coroutine *coroutine;
	int result; /* 0 with `settings`; PROBLEM with `problem`; or -errno */
	struct settings *settings;
	struct problem problem;
};

struct publisher {
	struct view *view;
	struct publisher_options options;
	int stop_fd; /* eventfd */
	bool is_stopped;
	/* The names on the paths to plyfs.yaml and to the layers: when one of them leads elsewhere,
	 * the settings are read again. NULL: there was no inotify instance yet. */
	struct name_watch *watch;
	int64_t reload_ms; /* clock_ms() at which they are read again; 0: at once; INT64_MAX: not */
	unsigned delays;   /* of reload_pause_ms, in a row */
	uint64_t state;    /* fixed: the hash of the option `state` */
	struct settings_reader reader;
	struct reload reading;
	struct timespec settings_made; /* CLOCK_REALTIME: when they were read */
	struct fault *settings_fault;  /* NULL: none */
};

static uint64_t hash_state(const struct settings *settings)
{
	return hash_end(hash_bytes(
		hash_seed(), span_of(settings->options.state ? settings->options.state : "")));
}

int publisher_new(
	struct view *view, const struct publisher_options *options, struct publisher **ret)
{
	CLEANUP(publisher_freep) struct publisher *publisher = calloc(1, sizeof(*publisher));

	if (!publisher)
		return -ENOMEM;
	publisher->view = view;
	publisher->options = *options;
	/* The settings may have changed between their reading and their being watched. */
	publisher->reload_ms = 0;
	publisher->state = hash_state(view->composer.settings);
	clock_gettime(CLOCK_REALTIME, &publisher->settings_made);
	publisher->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	settings_reader_init(&publisher->reader, publisher->stop_fd);
	if (publisher->stop_fd < 0)
		return -errno;
	*ret = take_ptr(publisher);
	return 0;
}

void publisher_freep(struct publisher **place)
{
	struct publisher *publisher = *place;

	if (!publisher)
		return;
	if (publisher->stop_fd >= 0)
		close(publisher->stop_fd);
	settings_reader_fini(&publisher->reader);
	free(publisher->settings_fault);
	free(publisher);
}

void publisher_stop(struct publisher *publisher)
{
	publisher->is_stopped = true;
	eventfd_write(publisher->stop_fd, 1);
}

void publisher_carry_out(struct publisher *publisher, struct change *change)
{
	const struct publisher_options *options = &publisher->options;
	struct view *view = publisher->view;

	if (change->kind >= CHANGE_ATTRIBUTES) {
		options->ops->announce(options->context, change);
	} else {
		view_begin_change(view, change);
		int r = options->ops->publish(options->context, change);
		if (r == 0)
			view_apply_change(view, change->parent_ino, false, NULL);
		else if (r == PUBLISHER_COVERED)
			view_cover_change(view, change);
		change_hook_change(view, change);
	}
	view_end_change(view, change);
}

int publisher_publish(struct publisher *publisher)
{
	const struct publisher_options *options = &publisher->options;
	struct view *view = publisher->view;
	bool is_batch = false;
	struct change change;

	view->waker.publisher = coroutine_self();
	view->waker.count = 0;
	while (!publisher->is_stopped) {
		view_take_events(view);
		if (view_next_change(view, &change) == 0) {
			publisher_carry_out(publisher, &change);
			is_batch = true;
			continue;
		}
		/* The state of a change hook has changed, so batch_end() must report it. */
		is_batch |= change_hooks_have_ended(view);
		if (is_batch && options->ops->batch_end)
			options->ops->batch_end(options->context);
		is_batch = false;
		if (view_was_freed(view)) {
			malloc_trim(0);
			bytes_trim();
		}
		/* Layers that change all the time must not hold up new settings. */
		if (publisher->reading.state == READING_ENDED)
			return 0;
		/* A look may have met a writer. Events that have come meanwhile end the wait. */
		int timeout_ms = view_take_due(view);
		if (view_has_work(view))
			continue;
		int change_hooks_ms = change_hooks_run(view);
		return timeout_ms < 0 || (change_hooks_ms >= 0 && change_hooks_ms < timeout_ms)
			       ? change_hooks_ms
			       : timeout_ms;
	}
	return -1;
}

bool publisher_is_reading(const struct publisher *publisher)
{
	return publisher->reading.state != READING_RESTS;
}

bool publisher_settings_fault(struct publisher *publisher, struct fault *ret)
{
	bool has_fault = publisher->settings_fault;
	if (has_fault)
		*ret = *publisher->settings_fault;
	return has_fault;
}

/* Sets the settings' fault, and logs a new one. NULL: the new settings are in use, without one. */
static void set_settings_fault(struct publisher *publisher, struct fault *fault)
{
	struct view *view = publisher->view;
	char text[FAULT_TEXT_MAX] = "the settings can be used again";

	if (fault) {
		fault->made = publisher->settings_made;
		clock_gettime(CLOCK_REALTIME, &fault->since);
		fault_text(fault, NULL, text);
	}
	struct fault *old = publisher->settings_fault;
	bool is_news = old && fault ? !problem_equal(&old->problem, &fault->problem) : old != fault;
	if (old && fault)
		fault->since = old->since;
	/* While a layer was away, some lookups may have failed: look at everything again. */
	view->queue.is_overflowed |= old && !fault;
	publisher->settings_fault = fault;
	if (is_news)
		view_log(view, text, fault ? &fault->problem : NULL);
	free(old);
}

static void reload_later(struct publisher *publisher)
{
	publisher->reload_ms = clock_ms() + backoff_pause(&reload_pause_ms, publisher->delays++);
}

static void reload_now(struct publisher *publisher)
{
	publisher->reload_ms = 0;
	publisher->delays = 0;
}

static int read_again(struct publisher *publisher, struct settings **ret, struct problem *problem)
{
	const struct publisher_options *options = &publisher->options;
	const struct settings *before = publisher->view->composer.settings;
	CLEANUP(settings_unrefp) struct settings *outline = NULL;

	int r = settings_reader_begin(
		&publisher->reader, publisher->watch, before->options.answer_ms);
	if (r < 0)
		return r;
	name_watch_renew(publisher->watch);
	r = settings_reader_read(&publisher->reader, before, options->dev, &outline, ret, problem);
	/* A name that was not watched before may have changed just before it was. */
	if (name_watch_end_renewal(publisher->watch))
		publisher->reload_ms = 0;
	if (outline && options->take_outline)
		options->take_outline(options->context, outline);
	return r;
}

static void run_reading(void *context)
{
	struct publisher *publisher = context;
	struct reload *reading = &publisher->reading;

	reading->result = read_again(publisher, &reading->settings, &reading->problem);
	settings_reader_end(&publisher->reader);
	reading->state = READING_ENDED;
	view_wake(publisher->view);
}

/* Waits for the end of the reading, if one runs. */
static void finish_reading(struct publisher *publisher)
{
	coroutine_join(take_ptr(publisher->reading.coroutine));
	publisher->reading.state = READING_RESTS;
}

/* Makes the view show the settings that were read. Returns 0; or PROBLEM, with nothing changed. */
static int take_settings(struct publisher *publisher, struct problem *problem)
{
	CLEANUP(settings_unrefp)
	struct settings *settings = take_ptr(publisher->reading.settings);
	struct view *view = publisher->view;

	*problem = publisher->reading.problem;
	int r = publisher->reading.result;
	if (r == 0 && !settings_equal(settings, view->composer.settings))
		r = view_reload(view, settings);
	const struct settings_reader *reader = &publisher->reader;
	if (r < 0 || reader->unwatched || (r == PROBLEM && reader->failures))
		reload_later(publisher);
	else
		publisher->delays = 0;
	if (r < 0)
		return problem_set(problem, view->composer.settings->text.path, 0, 0,
			"the settings can't be read again: %s; it is tried again", strerror(-r));
	return r;
}

/* Returns an option of a mount that has changed and takes effect at the next; NULL: none. */
static const char *find_fixed(const struct publisher *publisher, const struct settings *settings)
{
	if (!publisher->options.dev)
		return NULL;
	if ((settings->options.coherence == COHERENCE_STRICT) != view_is_strict(publisher->view))
		return "coherence";
	return hash_state(settings) != publisher->state ? "state" : NULL;
}

/* Reads the settings again: plyfs.yaml was edited, or a layer's path leads to another directory. */
static void begin_reload(struct publisher *publisher)
{
	if (publisher->options.reload)
		publisher->options.reload(publisher->options.context);
	publisher->reading = (struct reload){.state = READING_RUNS};
	if (coroutine_new(run_reading, publisher, &publisher->reading.coroutine) < 0) {
		publisher->reading.state = READING_RESTS;
		reload_later(publisher);
	}
}

static void end_reload(struct publisher *publisher)
{
	const struct settings *settings;
	struct fault *fault = calloc(1, sizeof(*fault));

	finish_reading(publisher);
	if (!fault) {
		settings_unref(take_ptr(publisher->reading.settings));
		reload_later(publisher);
		return;
	}
	fault->serves = FAULT_SERVES_SETTINGS;
	int r = take_settings(publisher, &fault->problem);
	/* The publisher's end may have cancelled it. */
	if (r != 0 && publisher->is_stopped) {
		free(fault);
		return;
	}
	if (r == 0) {
		clock_gettime(CLOCK_REALTIME, &publisher->settings_made);
		settings = publisher->view->composer.settings;
		fault->serves = FAULT_SERVES_OTHER_SETTINGS;
		const char *name = find_fixed(publisher, settings);
		if (name)
			r = problem_set(&fault->problem, settings->text.path, 0, 0,
				"'%s' takes effect at the next mount; unmount and mount again",
				name);
	}
	if (r == 0)
		free(take_ptr(fault));
	set_settings_fault(publisher, fault);
}

/* Makes the inotify instance. Returns false, and tries again later, if there can be none. */
static bool follow_settings(struct publisher *publisher)
{
	const struct settings *settings = publisher->view->composer.settings;
	int r = name_watch_new(&publisher->watch);

	if (r == 0)
		return true;
	reload_later(publisher);
	struct fault *fault = calloc(1, sizeof(*fault));
	if (!fault)
		return false;
	fault->serves = FAULT_SERVES_SETTINGS;
	problem_set(&fault->problem, settings->text.path, 0, 0,
		"changes of the settings are not seen: %s; it is tried again",
		r == -EMFILE ? "too many programs watch files; raise the limit: "
			       "sysctl fs.inotify.max_user_instances=1024"
			     : strerror(-r));
	set_settings_fault(publisher, fault);
	return false;
}

/* Waits for the descriptors, or until the view wakes the publisher. */
static int poll_or_wake(struct view *view, struct pollfd *polled, nfds_t count, long us)
{
	const struct timespec timeout = {us / 1000000, us % 1000000 * 1000};
	static const struct timespec none;

	return coroutine_poll(polled, count,
		view->waker.count ? &none
		: us < 0          ? NULL
				  : &timeout,
		&view->waker.queue);
}

/* Waits for work. `events` is the descriptor of the layers' events. */
static void wait_for(struct view *view, struct pollfd *polled, nfds_t count, struct pollfd *events,
	int timeout_ms)
{
	/* While a deadline is pending, ignore further events for a moment: see BURST_US. */
	if (timeout_ms > 0) {
		int fd = events->fd;
		events->fd = -1;
		int n = poll_or_wake(view, polled, count, BURST_US);
		events->fd = fd;
		if (n != 0 || view->waker.count)
			return;
	}
	poll_or_wake(view, polled, count, timeout_ms < 0 ? -1 : timeout_ms * 1000L);
}

/* Returns the milliseconds until settings must be read, at most `timeout_ms`; -1: for ever. */
static int until_reload(const struct publisher *publisher, int timeout_ms)
{
	int64_t left_ms = publisher->reload_ms ? publisher->reload_ms - clock_ms() : 0;

	if (left_ms < RELOAD_QUIET_MS)
		left_ms = RELOAD_QUIET_MS;
	return timeout_ms < 0 || timeout_ms > left_ms ? (int)left_ms : timeout_ms;
}

/* Waits, and runs the hooks and reloads that are due. Returns false when the publisher must end. */
static bool wait_for_work(struct publisher *publisher, int timeout_ms)
{
	enum { STOP, EVENTS, SETTINGS, OWN };
	bool is_reading = publisher->reading.state == READING_RUNS;
	bool was_due = !is_reading && publisher->reload_ms < INT64_MAX;
	struct publisher_hook *hooks = publisher->options.hooks;
	struct pollfd polled[OWN + PUBLISHER_HOOKS] = {
		[STOP] = {.fd = publisher->stop_fd, .events = POLLIN},
		[EVENTS] = {.fd = inotify_fd(publisher->view->watch.inotify), .events = POLLIN},
		[SETTINGS] = {.fd = publisher->watch && !is_reading
					    ? name_watch_fd(publisher->watch)
					    : -1,
			.events = POLLIN},
	};

	if (publisher->reading.state == READING_ENDED) {
		end_reload(publisher);
		return true;
	}
	for (size_t i = 0; i < PUBLISHER_HOOKS; i++)
		polled[OWN + i] = (struct pollfd){
			.fd = hooks[i].handle ? hooks[i].fd : -1, .events = hooks[i].events};
	if (was_due)
		timeout_ms = until_reload(publisher, timeout_ms);
	wait_for(publisher->view, polled, OWN + PUBLISHER_HOOKS, &polled[EVENTS], timeout_ms);
	if (polled[STOP].revents)
		return false;
	if (!is_reading)
		settings_reader_reap(&publisher->reader);
	bool is_quiet = !polled[SETTINGS].revents;
	if (!is_quiet && name_watch_has_event(publisher->watch))
		reload_now(publisher);
	for (size_t i = 0; i < PUBLISHER_HOOKS; i++)
		if (polled[OWN + i].revents &&
			hooks[i].handle(publisher->options.context, &hooks[i])) {
			reload_now(publisher);
			is_quiet = false;
		}
	if (was_due && is_quiet && clock_ms() >= publisher->reload_ms) {
		publisher->reload_ms = INT64_MAX;
		if (publisher->watch || follow_settings(publisher))
			begin_reload(publisher);
	}
	return true;
}

void publisher_run(struct publisher *publisher)
{
	layer_tasks_patience(LAYER_HURRY_MS);
	/* Requests are answered by now: our mount may lie over plyfs.yaml. */
	follow_settings(publisher);
	while (wait_for_work(publisher, publisher_publish(publisher)))
		;
	finish_reading(publisher);
	settings_unref(take_ptr(publisher->reading.settings));
	name_watch_free(take_ptr(publisher->watch));
}
