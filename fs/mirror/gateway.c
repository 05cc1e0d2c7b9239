#include "gateway.h"

/* libcurl's type checks are macros, which would call its functions directly. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "descriptor.h"
#include "json_put.h"
#include "json_stream.h"
#include "text.h"

#define LIBCURL_FUNCTIONS(X)                                                                       \
	X(easy_cleanup)                                                                            \
	X(easy_getinfo)                                                                            \
	X(easy_init)                                                                               \
	X(easy_setopt)                                                                             \
	X(easy_strerror)                                                                           \
	X(global_init)                                                                             \
	X(multi_add_handle)                                                                        \
	X(multi_cleanup)                                                                           \
	X(multi_info_read)                                                                         \
	X(multi_init)                                                                              \
	X(multi_perform)                                                                           \
	X(multi_poll)                                                                              \
	X(multi_remove_handle)                                                                     \
	X(slist_append)                                                                            \
	X(slist_free_all)

/* libcurl, loaded by dlopen(3) on demand: libcurl.easy_init() is curl_easy_init(). */
static struct {
#define LIBCURL_FIELD(name) __typeof__(curl_##name) *name;
	LIBCURL_FUNCTIONS(LIBCURL_FIELD)
#undef LIBCURL_FIELD
} libcurl;

#define ENDPOINTS_MAX 32

/* ms. A member that does not connect in that time counts as down. */
#define CONNECT_TIMEOUT 3000
#define LOGIN_TIMEOUT 10000

/* Seconds without a byte, after which the kernel probes whether the peer is still there. */
#define KEEPALIVE_IDLE 10
#define KEEPALIVE_INTERVAL 5

/* Maximum length of a token, in bytes. Servers accept no request with a much longer one. */
#define TOKEN_MAX ((size_t)4000)

/* Number of bytes that messages show of a reply that is not etcd's. */
#define ANSWER_SHOWN ((size_t)150)

/* Maximum size of the file with user and password, in bytes. */
#define USER_MAX 4096

/* In place of its result: an exchange has not ended. */
#define EXCHANGE_GOES_ON (-1)

/* One exchange with the gateway. */
struct exchange {
	CURL *easy;
	struct curl_slist *headers;
	struct json_stream answer;
	char *body;
	char error[CURL_ERROR_SIZE];
	int code;      /* a CURLcode, or EXCHANGE_GOES_ON */
	bool has_news; /* bytes have arrived since the last wait */
	int failure;   /* the result of storing the reply: JSON_STREAM_TOO_LONG or -ENOMEM */
};

struct gateway {
	struct gateway_options options;
	char *list; /* the endpoints' text, split in place */
	const char *endpoints[ENDPOINTS_MAX];
	size_t count;
	size_t present;
	char *token; /* or NULL */
	CURLM *multi;
	struct exchange call;
	struct exchange watch;
};

/* Loads and initialises libcurl. False: libcurl is missing, too old, or fails. */
static bool load_libcurl(void)
{
	void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
#define FIND(name)                                                                                 \
	libcurl.name = (__typeof__(libcurl.name))dlsym(library, "curl_" #name);                    \
	if (!libcurl.name)                                                                         \
		return false;
	LIBCURL_FUNCTIONS(FIND)
#undef FIND
	return libcurl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static void exchange_end(struct gateway *gateway, struct exchange *exchange)
{
	if (exchange->easy) {
		libcurl.multi_remove_handle(gateway->multi, exchange->easy);
		libcurl.easy_cleanup(exchange->easy);
	}
	libcurl.slist_free_all(exchange->headers);
	free(exchange->body);
	json_stream_clear(&exchange->answer);
	*exchange = (struct exchange){.answer = exchange->answer, .code = EXCHANGE_GOES_ON};
}

void gateway_freep(struct gateway **place)
{
	struct gateway *gateway = *place;

	if (!gateway)
		return;
	exchange_end(gateway, &gateway->call);
	exchange_end(gateway, &gateway->watch);
	json_stream_fini(&gateway->call.answer);
	json_stream_fini(&gateway->watch.answer);
	if (gateway->multi)
		libcurl.multi_cleanup(gateway->multi);
	free(gateway->list);
	free(gateway->token);
	free(gateway);
}

static int take_endpoint(struct gateway *gateway, char *url, struct problem *problem)
{
	size_t len = strlen(url);

	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return problem_set(
			problem, url, 0, 0, "is no endpoint; one is like https://HOST:2379");
	if (gateway->count == ENDPOINTS_MAX)
		return problem_set(problem, url, 0, 0, "is one endpoint too many; there may be 32");
	while (len > 0 && url[len - 1] == '/')
		url[--len] = '\0';
	gateway->endpoints[gateway->count++] = url;
	return 0;
}

static int take_endpoints(struct gateway *gateway, struct problem *problem)
{
	int r = 0;
	char *rest;

	/* Before the split: no message may show a part of a password, which may have a comma. */
	if (strpbrk(gateway->list, "@?# "))
		return problem_set(problem, "--endpoints", 0, 0,
			"an endpoint is like https://HOST:2379 and nothing else; user and password "
			"stand in a file, see --user-file");
	for (char *url = strtok_r(gateway->list, ",", &rest); r == 0 && url;
		url = strtok_r(NULL, ",", &rest))
		r = take_endpoint(gateway, url, problem);
	if (r == 0 && !gateway->count)
		r = problem_set(problem, "--endpoints", 0, 0,
			"there is none; one is like https://HOST:2379");
	/* Many mirrors start with the same list: each begins at a random endpoint. */
	if (r == 0) /* NOLINTNEXTLINE(cert-msc30-c,cert-msc50-cpp): spreads load, keeps no secret */
		gateway->present = (size_t)rand() % gateway->count;
	return r;
}

int gateway_check(const struct gateway_options *options, struct problem *problem)
{
	struct gateway gateway = {.list = strdup(options->endpoints)};
	int r = gateway.list ? take_endpoints(&gateway, problem) : -ENOMEM;

	free(gateway.list);
	return r;
}

int gateway_new(
	const struct gateway_options *options, struct gateway **ret, struct problem *problem)
{
	CLEANUP(gateway_freep) struct gateway *gateway = NULL;

	if (!load_libcurl())
		return problem_set(problem, NULL, 0, 0,
			"libcurl is missing, which plyfs needs to reach etcd; install "
			"libcurl.so.4, on Debian the package libcurl4");
	gateway = calloc(1, sizeof(*gateway));
	if (!gateway)
		return -ENOMEM;
	gateway->options = *options;
	gateway->call.answer.limit = gateway->watch.answer.limit = ETCD_REPLY_MAX;
	gateway->multi = libcurl.multi_init();
	gateway->list = strdup(options->endpoints);
	if (!gateway->multi || !gateway->list)
		return -ENOMEM;
	int r = take_endpoints(gateway, problem);
	if (r == 0)
		*ret = take_ptr(gateway);
	return r;
}

const char *gateway_endpoint(const struct gateway *gateway)
{
	return gateway->endpoints[gateway->present];
}

void gateway_limit(struct gateway *gateway, size_t bytes)
{
	gateway->call.answer.limit = bytes;
}

static void forget_token(struct gateway *gateway)
{
	free(gateway->token);
	gateway->token = NULL;
}

void gateway_next(struct gateway *gateway)
{
	exchange_end(gateway, &gateway->call);
	exchange_end(gateway, &gateway->watch);
	/* The token stays: all members know it, and a login costs a member a tenth of a second. */
	gateway->present = (gateway->present + 1) % gateway->count;
}

unsigned gateway_count(const struct gateway *gateway)
{
	return (unsigned)gateway->count;
}

/* libcurl's callback: a result other than `count` ends the transfer. */
static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct exchange *exchange = context;

	exchange->has_news = true;
	exchange->failure = json_stream_add(&exchange->answer, (struct span){bytes, size * count});
	return exchange->failure ? 0 : size * count;
}

static int add_headers(struct gateway *gateway, struct exchange *exchange)
{
	/* hasleader: a member that has lost the others ends the watch. */
	char token[TOKEN_MAX + 32];
	const char *const lines[] = {"Content-Type: application/json",
		"Expect:", "Grpc-Metadata-hasleader: true", gateway->token ? token : NULL, NULL};

	if (gateway->token)
		snprintf(token, sizeof(token), "Authorization: %s", gateway->token);
	for (const char *const *line = lines; *line; line++) {
		struct curl_slist *more = libcurl.slist_append(exchange->headers, *line);
		if (!more)
			return -ENOMEM;
		exchange->headers = more;
	}
	return 0;
}

static void set_options(
	const struct gateway *gateway, struct exchange *exchange, unsigned timeout_ms)
{
	const struct gateway_options *options = &gateway->options;
	CURL *easy = exchange->easy;

	libcurl.easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers);
	libcurl.easy_setopt(easy, CURLOPT_POSTFIELDS, exchange->body);
	libcurl.easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->error);
	libcurl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
	libcurl.easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
	libcurl.easy_setopt(easy, CURLOPT_PRIVATE, exchange);
	libcurl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	libcurl.easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	libcurl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	libcurl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT);
	libcurl.easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
	libcurl.easy_setopt(easy, CURLOPT_FRESH_CONNECT, (long)options->is_sent_once);
	libcurl.easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	libcurl.easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_IDLE);
	libcurl.easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_INTERVAL);
	if (options->ca)
		libcurl.easy_setopt(easy, CURLOPT_CAINFO, options->ca);
	if (options->cert)
		libcurl.easy_setopt(easy, CURLOPT_SSLCERT, options->cert);
	if (options->key)
		libcurl.easy_setopt(easy, CURLOPT_SSLKEY, options->key);
}

/* Begins an exchange. `timeout_ms` 0: it has no time limit. */
static int exchange_begin(struct gateway *gateway, struct exchange *exchange, const char *path,
	const char *body, unsigned timeout_ms)
{
	CLEANUP(freep) char *url = NULL;

	exchange_end(gateway, exchange);
	exchange->body = strdup(body);
	exchange->easy = libcurl.easy_init();
	if (!exchange->body || !exchange->easy ||
		asprintf(&url, "%s/v3/%s", gateway_endpoint(gateway), path) < 0)
		return -ENOMEM;
	int r = add_headers(gateway, exchange);
	if (r < 0)
		return r;
	set_options(gateway, exchange, timeout_ms);
	if (libcurl.easy_setopt(exchange->easy, CURLOPT_URL, url) != CURLE_OK ||
		libcurl.multi_add_handle(gateway->multi, exchange->easy) != CURLM_OK)
		return -ENOMEM;
	return 0;
}

/* Lets transfers proceed, after a wait of at most `timeout_ms`. */
static void run(struct gateway *gateway, unsigned timeout_ms, bool is_wakeable)
{
	struct curl_waitfd wake = {.fd = gateway->options.wake_fd, .events = CURL_WAIT_POLLIN};
	int running, left;

	if (timeout_ms)
		libcurl.multi_poll(gateway->multi, is_wakeable ? &wake : NULL, is_wakeable,
			(int)timeout_ms, NULL);
	libcurl.multi_perform(gateway->multi, &running);
	for (CURLMsg *message; (message = libcurl.multi_info_read(gateway->multi, &left));) {
		struct exchange *exchange = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		libcurl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
		exchange->code = (int)message->data.result;
	}
}

/* Returns the cause of a failed exchange, and the remedy. */
static const char *cause_of(int code)
{
	switch (code) {
	case CURLE_OK:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
		return "the connection was closed; look at etcd's log";
	case CURLE_COULDNT_RESOLVE_HOST:
		return "the name of the host is unknown; correct the endpoint or the DNS";
	case CURLE_COULDNT_CONNECT:
		return "can't be reached; start etcd, or correct the endpoint";
	case CURLE_OPERATION_TIMEDOUT:
		return "does not answer in time; look at the network and at etcd's load";
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		return "is no URL of etcd; write http://HOST:2379 or https://HOST:2379";
	case CURLE_PEER_FAILED_VERIFICATION:
		return "its certificate is not trusted; give the authority that signed it (cacert)";
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
		return "a file of cacert, cert or key can't be used; correct it";
	case CURLE_SSL_CONNECT_ERROR:
		return "no TLS connection can be made; use http:// if etcd has no TLS, or correct "
		       "cert and key";
	default:
		return "the exchange has failed";
	}
}

/* Fills the problem with etcd's own error, and the remedy, if one is known. Returns PROBLEM. */
static int refuse(const struct gateway *gateway, const char *error, struct problem *problem)
{
	static const struct {
		const char *error;
		const char *remedy;
	} known[] = {
		{"permission denied", "the user has no right to the prefix; grant it in etcd"},
		{"authentication failed", "etcd refuses the login; correct the user-file"},
		{"user name is empty", "etcd wants a login; give a user-file"},
		{"auth token", "etcd refuses the login; correct the user-file"},
		{"no leader", "the cluster has no leader; start its other members"},
		{"no space", "etcd's database is full; compact and defragment it"},
		{"too large", "the value is larger than etcd accepts; make it smaller"},
		{"timed out", "the cluster does not answer in time; look at its members"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strstr(error, known[i].error))
			return problem_set(problem, gateway_endpoint(gateway), 0, 0, "%s (%s)",
				known[i].remedy, error);
	return problem_set(problem, gateway_endpoint(gateway), 0, 0,
		"etcd refuses the request; look at its log (%s)", error);
}

/* Reports why the exchange has ended or failed. */
static int complain(
	const struct gateway *gateway, const struct exchange *exchange, struct problem *problem)
{
	const char *why = *exchange->error ? exchange->error
					   : libcurl.easy_strerror((CURLcode)exchange->code);

	if (exchange->failure == JSON_STREAM_TOO_LONG)
		return GATEWAY_TOO_LONG;
	if (exchange->failure < 0)
		return exchange->failure;
	return problem_set(problem, gateway_endpoint(gateway), 0, 0,
		exchange->code == CURLE_OK ? "%s" : "%s (%s)", cause_of(exchange->code), why);
}

/* Reads the reply of an exchange that has ended without an error. */
static int read_answer(const struct gateway *gateway, struct exchange *exchange,
	struct arena *arena, struct etcd_reply *ret, struct problem *problem)
{
	struct problem inner;
	struct span text;
	long http = 0;

	libcurl.easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &http);
	if (json_stream_next(&exchange->answer, &text) != 0 || !text.len) {
		text = json_stream_rest(&exchange->answer);
		return problem_set(problem, gateway_endpoint(gateway), 0, 0,
			"answers with HTTP %ld and not like etcd's gateway: %.*s", http,
			(int)(text.len < ANSWER_SHOWN ? text.len : ANSWER_SHOWN), text.data);
	}
	int r = etcd_reply_read(text, arena, ret, &inner);
	if (r == PROBLEM)
		return problem_set(problem, gateway_endpoint(gateway), 0, 0, "%s", inner.message);
	if (r == 0 && ret->error)
		return refuse(gateway, ret->error, problem);
	if (r == 0 && http != 200)
		return problem_set(problem, gateway_endpoint(gateway), 0, 0,
			"answers with HTTP %ld; correct the endpoint, or the proxy before it",
			http);
	return r;
}

static int exchange_once(struct gateway *gateway, const char *path, const char *body,
	unsigned timeout_ms, struct arena *arena, struct etcd_reply *ret, struct problem *problem)
{
	struct exchange *call = &gateway->call;

	*ret = (struct etcd_reply){0};
	int r = exchange_begin(gateway, call, path, body, timeout_ms);
	while (r == 0 && call->code == EXCHANGE_GOES_ON)
		run(gateway, timeout_ms, false);
	if (r == 0 && (call->code != CURLE_OK || call->failure))
		r = complain(gateway, call, problem);
	else if (r == 0)
		r = read_answer(gateway, call, arena, ret, problem);
	exchange_end(gateway, call);
	return r;
}

/* Makes {"name": "…", "password": "…"} from the file's "NAME:PASSWORD". */
static int make_login(const struct gateway *gateway, char **ret, struct problem *problem)
{
	const char *path = gateway->options.user_file;
	CLEANUP(freep) char *text = NULL;
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len;

	int r = fd < 0 ? -errno : text_read(fd, USER_MAX, &text, &len);
	if (r < 0)
		return problem_set(problem, path, 0, 0, "can't be read: %s", text_error(r));
	text[strcspn(text, "\r\n")] = '\0';
	char *colon = strchr(text, ':');
	if (!colon)
		return problem_set(problem, path, 1, 0, "must be NAME:PASSWORD");
	*colon = '\0';
	FILE *out = open_memstream(ret, &len);
	if (!out)
		return -ENOMEM;
	json_put(JSON(out), "{'name': %s, 'password': %s}", text, colon + 1);
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

static int log_in(struct gateway *gateway, struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(freep) char *body = NULL;
	struct etcd_reply reply;

	int r = arena_new(&arena);
	if (r == 0)
		r = make_login(gateway, &body, problem);
	if (r == 0)
		r = exchange_once(
			gateway, "auth/authenticate", body, LOGIN_TIMEOUT, arena, &reply, problem);
	if (r != 0)
		return r;
	/* The token is sent in a header line, so it must not have an end of line. */
	if (!reply.token || reply.token[strcspn(reply.token, "\r\n")] ||
		strlen(reply.token) > TOKEN_MAX)
		return problem_set(problem, gateway_endpoint(gateway), 0, 0,
			"gives no usable token to the user in %s; correct the endpoint, or the "
			"proxy before it",
			gateway->options.user_file);
	gateway->token = strdup(reply.token);
	return gateway->token ? 0 : -ENOMEM;
}

/*
 * Returns whether the token has expired, is unknown to this member, or, if etcd signs tokens, is
 * from before the last change of a user or role.
 */
static bool wants_login(const struct gateway *gateway, const struct etcd_reply *reply)
{
	return gateway->options.user_file && reply->error &&
	       (reply->error_code == ETCD_UNAUTHENTICATED ||
		       strstr(reply->error, "invalid auth token") ||
		       strstr(reply->error, "revision of auth store is old") ||
		       strstr(reply->error, "revision in header is old"));
}

int gateway_call(struct gateway *gateway, const char *path, const char *body, unsigned timeout_ms,
	struct arena *arena, struct etcd_reply *ret, struct problem *problem)
{
	int r = 0;

	*ret = (struct etcd_reply){0};
	if (gateway->options.user_file && !gateway->token)
		r = log_in(gateway, problem);
	if (r == 0)
		r = exchange_once(gateway, path, body, timeout_ms, arena, ret, problem);
	if (r == PROBLEM && wants_login(gateway, ret)) {
		forget_token(gateway);
		r = log_in(gateway, problem);
		if (r == 0)
			r = exchange_once(gateway, path, body, timeout_ms, arena, ret, problem);
	}
	if (r == 0 && (!ret->cluster || !ret->revision))
		r = problem_set(problem, gateway_endpoint(gateway), 0, 0,
			"answers without a header; is this an endpoint of etcd?");
	return r;
}

int gateway_watch(struct gateway *gateway, const char *body)
{
	return exchange_begin(gateway, &gateway->watch, "watch", body, 0);
}

int gateway_wait(struct gateway *gateway, unsigned timeout_ms, struct problem *problem)
{
	struct exchange *watch = &gateway->watch;

	/* A message may have arrived during a call, and the next one may be far away. */
	if (watch->code == EXCHANGE_GOES_ON)
		run(gateway, watch->has_news ? 0 : timeout_ms, true);
	watch->has_news = false;
	/* Messages that arrived before the end are still read. */
	if (watch->code != EXCHANGE_GOES_ON &&
		(watch->failure || watch->answer.len == watch->answer.begin))
		return complain(gateway, watch, problem);
	return 0;
}

int gateway_message(struct gateway *gateway, struct arena *arena, struct etcd_reply *ret,
	bool *is_there, struct problem *problem)
{
	struct exchange *watch = &gateway->watch;
	struct problem inner;
	struct span text;

	*is_there = false;
	*ret = (struct etcd_reply){0};
	if (json_stream_next(&watch->answer, &text) != 0)
		return problem_set(problem, gateway_endpoint(gateway), 0, 0,
			"answers a watch with something that is no JSON; correct the endpoint, or "
			"the proxy before "
			"it");
	if (!text.len)
		return watch->code != EXCHANGE_GOES_ON ? complain(gateway, watch, problem) : 0;
	int r = etcd_reply_read(text, arena, ret, &inner);
	if (r == PROBLEM)
		return problem_set(problem, gateway_endpoint(gateway), 0, 0, "%s", inner.message);
	if (r == 0 && ret->error && wants_login(gateway, ret))
		forget_token(gateway);
	if (r == 0 && ret->error && ret->word != ETCD_CANCELED)
		return refuse(gateway, ret->error, problem);
	*is_there = r == 0;
	return r;
}
