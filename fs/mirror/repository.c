#include "repository.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "text.h"
#include "tree.h"

/* Seconds. The first fetch may be large; the other commands are local. */
#define FETCH_TIMEOUT 3600
#define LOCAL_TIMEOUT 600

/* The time limit of a command that a user at a terminal waits for, in seconds. */
#define BLAME_TIMEOUT 20

/* Maximum size of the file with the key, in bytes. */
#define KEY_MAX ((size_t)1 << 20)

/* A part of git's warning that it has left out a reference; it ends with 0 all the same. */
#define SHALLOW "shallow roots are not allowed"

#define NEXT "refs/plyfs/next"
#define CURRENT "refs/plyfs/current"

#define ARGUMENTS_MAX 64

struct repository {
	char *url;
	char *state;
	char *verify;    /* the file with the key, or NULL */
	char *directory; /* STATE/git */
	char *keys;      /* STATE/keys: a keyring with one key, or a list of one signer */
	char *signers;   /* "gpg.ssh.allowedSignersFile=…" */
	char *protocol;  /* "protocol.https.allow=always" */
	const struct credentials *as;
	char **environment;
	size_t count;
	size_t capacity;
};

void repository_freep(struct repository **place)
{
	struct repository *repository = *place;

	if (!repository)
		return;
	for (size_t i = 0; i < repository->count; i++)
		free(repository->environment[i]);
	free(repository->environment);
	free(repository->url);
	free(repository->state);
	free(repository->verify);
	free(repository->directory);
	free(repository->keys);
	free(repository->signers);
	free(repository->protocol);
	free(repository);
}

/* Adds "NAME=VALUE". Returns 0 or -ENOMEM. */
static int add_variable(struct repository *repository, const char *name, const char *value)
{
	char *text = NULL;

	if (name && asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	int r = array_push(repository->environment, repository->count, repository->capacity, text);
	if (r < 0)
		free(text);
	return r;
}

/*
 * Makes git's environment: the variables for programs, keys and proxies are passed on, but none of
 * the user's that begins with GIT_.
 */
static int make_environment(struct repository *repository)
{
	static const char *const passed[] = {"PATH", "HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK",
		"http_proxy", "https_proxy", "no_proxy", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
		"SSL_CERT_FILE", "SSL_CERT_DIR"};
	const char *const fixed[][2] = {{"LC_ALL", "C"}, {"GIT_CONFIG_NOSYSTEM", "1"},
		{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_ATTR_NOSYSTEM", "1"},
		{"GIT_TERMINAL_PROMPT", "0"}, {"GIT_ASKPASS", "false"}, {"SSH_ASKPASS", "false"},
		{"GIT_SSH_COMMAND",
			"ssh -oBatchMode=yes -oConnectTimeout=10 -oServerAliveInterval=15"},
		{"GIT_NO_REPLACE_OBJECTS", "1"}, {"GIT_DIR", repository->directory},
		{"GNUPGHOME", repository->keys}, {"TMPDIR", repository->directory}};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(passed) / sizeof(*passed); i++)
		if (getenv(passed[i]))
			r = add_variable(repository, passed[i], getenv(passed[i]));
	for (size_t i = 0; r == 0 && i < sizeof(fixed) / sizeof(*fixed); i++)
		r = add_variable(repository, fixed[i][0], fixed[i][1]);
	/* The NULL at the end. */
	return r ? r : add_variable(repository, NULL, NULL);
}

/* Allows the protocol of the URL, and no other. */
static int set_protocol(struct repository *repository, struct problem *problem)
{
	const char *url = repository->url, *scheme = strstr(url, "://");
	const char *colon = strchr(url, ':'), *slash = strchr(url, '/');
	const char *host = scheme ? scheme + 3 : url;
	const char *at = scheme ? memchr(host, '@', strcspn(host, "/")) : NULL;

	if (*url == '-' || !*url || strstr(url, "::"))
		return problem_set(problem, url, 0, 0,
			"is no URL of a repository; one is like https://HOST/PATH");
	/* They would be visible in the status, in the log and in the list of processes. */
	if (at && (strncmp(url, "ssh", 3) != 0 || memchr(host, ':', (size_t)(at - host))))
		return problem_set(problem, "URL", 0, 0,
			"has a user or a password in it; put them into ~/.netrc, or use a key of "
			"ssh");
	if (scheme)
		return text_format(&repository->protocol, "protocol.%.*s.allow=always",
			(int)(scheme - url), url);
	return text_format(&repository->protocol, "protocol.%s.allow=always",
		colon && (!slash || colon < slash) ? "ssh" : "file");
}

/* Starts "git WORD..."; NULL ends the words. */
static int start_git(struct repository *repository, const char *const *words, int input,
	unsigned timeout_s, struct subprocess *ret)
{
	const char *const fixed[] = {"git", "-c", "core.hooksPath=/dev/null", "-c",
		"core.fsmonitor=", "-c", "core.attributesFile=/dev/null", "-c",
		"protocol.allow=never", "-c", repository->protocol, "-c", "http.lowSpeedLimit=1",
		"-c", "http.lowSpeedTime=30", "-c", "gpg.x509.program=false", "-c",
		repository->signers, "-c", "gc.autoDetach=false",
		/* Else objects that a reference names may be empty after a power failure. */
		"-c", "core.fsync=all"};
	const char *arguments[ARGUMENTS_MAX];
	size_t count = sizeof(fixed) / sizeof(*fixed);

	memcpy(arguments, fixed, sizeof(fixed));
	for (; *words && count + 1 < ARGUMENTS_MAX; words++)
		arguments[count++] = *words;
	arguments[count] = NULL;
	const struct subprocess_options options = {.arguments = (char *const *)arguments,
		.environment = repository->environment,
		.input = input,
		.as = repository->as,
		.timeout_s = timeout_s};
	return subprocess_start(ret, &options);
}

/* Reports the error of a git that did not end with 0. */
static int complain(
	const char *subject, int status, const struct subprocess *child, struct problem *problem)
{
	/* Parts of git's, ssh's and libcurl's messages. */
	static const struct {
		const char *error;
		const char *remedy;
	} known[] = {
		{"host key verification failed",
			"the host's key is unknown; add it to known_hosts of the mirror's user"},
		{"permission denied (",
			"the host refuses the login; give the mirror's user a key that it accepts"},
		{"authentication failed", "the host refuses the login; correct the user's .netrc"},
		{"could not read username",
			"the host wants a login; put it into the user's .netrc"},
		{"could not read password",
			"the host wants a login; put it into the user's .netrc"},
		{"could not resolve host",
			"the name of the host is unknown; correct the URL or the DNS"},
		{"failed to connect", "the host can't be reached; correct the URL, or start it"},
		{"connection refused", "the host can't be reached; correct the URL, or start it"},
		{"connection timed out", "the host does not answer; look at the network"},
		{"ssl certificate", "the host's certificate is not trusted; install its authority"},
		{"certificate verification failed",
			"the host's certificate is not trusted; install its authority"},
		{"dubious ownership", "the repository belongs to another user; see safe.directory "
				      "in git-config(1)"},
		{"does not appear to be a git repository",
			"there is no git repository; correct the URL"},
		{"repository not found", "there is no git repository; correct the URL"},
		{"' not found", "there is no git repository; correct the URL"},
		{"couldn't find remote ref", "there is no such reference; correct the ref"},
		{"does not exist", "there is no git repository; correct the URL"},
		{SHALLOW,
			"the repository is a shallow copy, without the commits before; complete it "
			"(git fetch --unshallow), or mirror what it was copied from"},
		{"no space left", "the disk is full; make room, or move the state"},
	};

	if (status == -ETIMEDOUT)
		return problem_set(problem, subject, 0, 0,
			"git takes too long, and was ended; look at the network");
	if (!child->error_len)
		return problem_set(problem, subject, 0, 0,
			"git fails and does not say why; try git ls-remote as the mirror's user");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcasestr(child->error, known[i].error))
			return problem_set(
				problem, subject, 0, 0, "%s (%s)", known[i].remedy, child->error);
	return problem_set(problem, subject, 0, 0, "git fails (%s)", child->error);
}

/* Runs git to its end. `line` (or NULL) gets its first line. */
static int run_git(struct repository *repository, const char *const *words, unsigned timeout_s,
	char line[REPOSITORY_ID_MAX], int *ret_status, struct problem *problem)
{
	CLEANUP(freep) struct subprocess *child = malloc(sizeof(*child));
	size_t len;
	int r;

	if (!child)
		return -ENOMEM;
	r = start_git(repository, words, -1, timeout_s, child);
	if (r < 0)
		return r;
	if (line && subprocess_read_until(child, '\n', line, REPOSITORY_ID_MAX, &len) < 0)
		*line = '\0';
	*ret_status = subprocess_end(child);
	if (*ret_status == 0 && strstr(child->error, SHALLOW))
		*ret_status = 1;
	if (*ret_status < 0 || *ret_status > 1)
		complain(repository->url, *ret_status, child, problem);
	else if (*ret_status == 1 && child->error_len)
		complain(repository->url, 1, child, problem);
	else
		problem_set(problem, repository->url, 0, 0,
			"git %s fails; try it by hand, as the mirror's user", words[0]);
	return 0;
}

/* Does the same, and returns PROBLEM if git fails. */
static int must_run(struct repository *repository, const char *const *words, unsigned timeout_s,
	char line[REPOSITORY_ID_MAX], struct problem *problem)
{
	int status;
	int r = run_git(repository, words, timeout_s, line, &status, problem);

	return r ? r : status ? PROBLEM : 0;
}

/* Removes the locks that a killed git has left. No other process uses this repository. */
static void remove_locks(const struct repository *repository)
{
	static const char *const names[] = {"HEAD.lock", "config.lock", "packed-refs.lock",
		"shallow.lock", "gc.pid", "gc.pid.lock", NEXT ".lock", CURRENT ".lock"};
	CLEANUP(closep) int fd = descriptor_open_directory(AT_FDCWD, repository->directory);

	for (size_t i = 0; fd >= 0 && i < sizeof(names) / sizeof(*names); i++)
		(void)unlinkat(fd, names[i], 0);
}

/*
 * Removes the packs that a git has not completed, as it was killed or its line broke off. git would
 * keep each for weeks, so repeated attempts would fill the disk. A complete pack whose reference
 * was never set has a file that makes git keep it for ever: without that, git tidies it up.
 */
static void remove_unfinished(const struct repository *repository)
{
	CLEANUP(freep) char *path = NULL;

	if (text_format(&path, "%s/objects/pack", repository->directory) < 0)
		return;
	CLEANUP(closep) int fd = descriptor_open_directory(AT_FDCWD, path);
	CLEANUP(dir_closep) DIR *packs = fd < 0 ? NULL : descriptor_list(fd);
	for (struct dirent *entry; packs && (entry = readdir(packs));)
		if (strncmp(entry->d_name, "tmp_", 4) == 0 ||
			strncmp(entry->d_name, ".tmp-", 5) == 0 || strstr(entry->d_name, ".keep"))
			(void)unlinkat(fd, entry->d_name, 0);
}

/* Makes STATE/keys anew, with only the key of the file in it. */
static int import_key(struct repository *repository, struct problem *problem)
{
	CLEANUP(freep) char *text = NULL;
	CLEANUP(closep) int state_fd = descriptor_open_directory(AT_FDCWD, repository->state);
	static const struct text_kind kind = {"key", "the key is", KEY_MAX};
	const char *path = repository->verify;
	size_t len;

	int r = text_read_file(path, path, &kind, NULL, &text, &len, problem);
	if (r != 0)
		return r;
	r = state_fd < 0 ? state_fd : tree_remove(state_fd, "keys");
	if (r == 0 && mkdir(repository->keys, 0700) < 0)
		r = -errno;
	if (r < 0)
		return r;
	CLEANUP(closep) int keys = descriptor_open_directory(AT_FDCWD, repository->keys);
	if (strncmp(text, "ssh-", 4) == 0 || strncmp(text, "ecdsa-", 6) == 0 ||
		strncmp(text, "sk-", 3) == 0) {
		CLEANUP(freep) char *signer = NULL;
		text[strcspn(text, "\r\n")] = '\0';
		if (keys < 0 || asprintf(&signer, "* %s\n", text) < 0)
			return -ENOMEM;
		return tree_write(keys, "signers", span_of(signer), 0600, false);
	}
	char *const arguments[] = {
		"gpg", "--batch", "--quiet", "--no-autostart", "--import", (char *)path, NULL};
	const struct subprocess_options options = {.arguments = arguments,
		.environment = repository->environment,
		.input = -1,
		.timeout_s = LOCAL_TIMEOUT};
	CLEANUP(freep) struct subprocess *child = malloc(sizeof(*child));
	r = child ? subprocess_start(child, &options) : -ENOMEM;
	if (r < 0)
		return r;
	int status = subprocess_end(child);
	return status == 0
		       ? 0
		       : problem_set(problem, path, 0, 0,
				 "is no public key that gpg or ssh understands: %s", child->error);
}

static int set_paths(struct repository *repository, const char *state)
{
	repository->state = strdup(state);
	if (!repository->state || asprintf(&repository->directory, "%s/git", state) < 0 ||
		asprintf(&repository->keys, "%s/keys", state) < 0 ||
		asprintf(&repository->signers, "gpg.ssh.allowedSignersFile=%s/keys/signers",
			state) < 0)
		return -ENOMEM;
	return 0;
}

static int make(struct repository *repository, const char *state, const char *verify, mode_t mode,
	struct problem *problem)
{
	const char *const init[] = {
		"init", "--quiet", "--bare", "--template=", "--", repository->directory, NULL};

	int r = set_paths(repository, state);
	if (r == 0)
		r = set_protocol(repository, problem);
	if (r == 0)
		r = make_environment(repository);
	if (r == 0 && verify) {
		repository->verify = strdup(verify);
		r = repository->verify ? import_key(repository, problem) : -ENOMEM;
	}
	if (r != 0)
		return r;
	remove_locks(repository);
	r = must_run(repository, init, LOCAL_TIMEOUT, NULL, problem);
	if (r == 0 && chmod(repository->directory, 0700 | (mode & 044) | (mode & 044) >> 2) < 0)
		r = -errno;
	return r;
}

int repository_open(const char *state, const char *url, const char *verify, mode_t mode,
	struct repository **ret, struct problem *problem)
{
	CLEANUP(repository_freep) struct repository *repository = calloc(1, sizeof(*repository));

	if (!repository)
		return -ENOMEM;
	repository->url = strdup(url);
	int r = repository->url ? make(repository, state, verify, mode, problem) : -ENOMEM;
	if (r == 0)
		*ret = take_ptr(repository);
	return r;
}

int repository_borrow(const char *state, const struct credentials *as, struct repository **ret)
{
	CLEANUP(repository_freep) struct repository *repository = calloc(1, sizeof(*repository));

	if (!repository)
		return -ENOMEM;
	repository->as = as;
	repository->url = strdup(state);
	repository->protocol = strdup("protocol.file.allow=never");
	int r = repository->url && repository->protocol ? set_paths(repository, state) : -ENOMEM;
	if (r == 0)
		r = make_environment(repository);
	if (r == 0)
		*ret = take_ptr(repository);
	return r;
}

/* Returns the path of a repository on this machine; NULL: it is on another one. */
static const char *local_path(const struct repository *repository)
{
	static const char scheme[] = "file://";
	const char *url = repository->url;

	if (strcmp(repository->protocol, "protocol.file.allow=always") != 0)
		return NULL;
	return strncmp(url, scheme, strlen(scheme)) == 0 ? url + strlen(scheme) : url;
}

static int refuse_owner(const struct repository *repository, uid_t owner, struct problem *problem)
{
	return problem_set(problem, repository->url, 0, 0,
		"the repository belongs to the user %u, and not to root or to the mirror's user, "
		"%u: give it to root, or run the mirror as its owner ('user' in plyfs.yaml)",
		(unsigned)owner, (unsigned)geteuid());
}

/*
 * Refuses a local repository of a user other than root and us. git would refuse it, too, and advise
 * to change a setting that our git does not read. The message names the owner. *ret becomes whether
 * the repository was found, at one of the places that git looks at. If not, git has to judge.
 */
static int check_owner(
	const struct repository *repository, const char *path, bool *ret, struct problem *problem)
{
	static const char *const parts[] = {"", "/.git", "/HEAD", ".git", ".git/.git", ".git/HEAD"};
	size_t len = strlen(path);

	*ret = false;
	while (len > 1 && path[len - 1] == '/')
		len--;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		CLEANUP(freep) char *name = NULL;
		struct stat found;

		if (*ret && i == 3)
			return 0;
		if (text_format(&name, "%.*s%s", (int)len, path, parts[i]) < 0)
			return -ENOMEM;
		if (stat(name, &found) < 0)
			continue;
		/* In a repository that users share, HEAD is the last writer's. */
		if (i % 3 < 2 && found.st_uid != 0 && found.st_uid != geteuid())
			return refuse_owner(repository, found.st_uid, problem);
		*ret |= i % 3 > 0;
	}
	return 0;
}

int repository_fetch(struct repository *repository, const char *ref, char id[REPOSITORY_ID_MAX],
	struct problem *problem)
{
	CLEANUP(freep) char *refspec = NULL;

	if (*ref == '-' || *ref == '+' || strpbrk(ref, ": *?[\\^~"))
		return problem_set(problem, ref, 0, 0, "is no reference; give a branch or a tag");
	if (asprintf(&refspec, "+%s:" NEXT, ref) < 0)
		return -ENOMEM;
	const char *local = local_path(repository);
	bool is_checked = false;
	int r = local ? check_owner(repository, local, &is_checked, problem) : 0;
	if (r != 0)
		return r;
	remove_unfinished(repository);
	const char *const fetch[] = {"fetch", "--quiet", "--no-tags", "--no-recurse-submodules",
		"--no-write-fetch-head", "--no-auto-maintenance", "--force",
		is_checked ? "--upload-pack=git -c safe.directory='*' upload-pack"
			   : "--upload-pack=git-upload-pack",
		"--", repository->url, refspec, NULL};
	/* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one word, of two literals */
	const char *const parse[] = {"rev-parse", "--quiet", "--verify", NEXT "^{commit}", NULL};
	r = must_run(repository, fetch, FETCH_TIMEOUT, NULL, problem);
	return r ? r : must_run(repository, parse, LOCAL_TIMEOUT, id, problem);
}

int repository_verify(struct repository *repository, const char *id, struct problem *problem)
{
	const char *const words[] = {"verify-commit", "--", id, NULL};
	struct problem ignored;
	int status;

	/* The file may have another key by now, in the place of one that is no longer trusted. */
	int r = import_key(repository, &ignored);
	if (r == PROBLEM)
		return problem_set(problem, repository->url, 0, 0, "%s: %s", repository->verify,
			ignored.message);
	if (r == 0)
		r = run_git(repository, words, LOCAL_TIMEOUT, NULL, &status, &ignored);
	if (r == 0 && status)
		r = problem_set(problem, repository->url, 0, 0,
			"the commit %s is not signed by the key that was given: %s", id,
			ignored.message);
	return r;
}

int repository_descent(struct repository *repository, const char *old, const char *id,
	enum repository_descent *ret, struct problem *problem)
{
	CLEANUP(freep) char *commit = NULL;
	int status;

	if (asprintf(&commit, "%s^{commit}", old) < 0)
		return -ENOMEM;
	const char *const exists[] = {"cat-file", "-e", commit, NULL};
	const char *const ancestor[] = {"merge-base", "--is-ancestor", old, id, NULL};
	const char *const common[] = {"merge-base", "--", old, id, NULL};

	*ret = DESCENT_UNKNOWN;
	int r = run_git(repository, exists, LOCAL_TIMEOUT, NULL, &status, problem);
	/* It was killed, or took too long. */
	if (r || status < 0)
		return r ? r : PROBLEM;
	if (status)
		return 0;
	r = run_git(repository, ancestor, LOCAL_TIMEOUT, NULL, &status, problem);
	if (r || status < 0 || status > 1)
		return r ? r : PROBLEM;
	*ret = DESCENT_NEWER;
	if (status == 0)
		return 0;
	r = run_git(repository, common, LOCAL_TIMEOUT, NULL, &status, problem);
	if (r || status < 0 || status > 1)
		return r ? r : PROBLEM;
	*ret = status == 0 ? DESCENT_OTHER : DESCENT_NONE;
	return 0;
}

int repository_keep(struct repository *repository, const char *id, struct problem *problem)
{
	const char *const keep[] = {"update-ref", CURRENT, id, NULL};
	const char *const tidy[] = {"gc", "--auto", "--quiet", NULL};
	struct problem ignored;
	int status;

	int r = must_run(repository, keep, LOCAL_TIMEOUT, NULL, problem);
	/* A failure is harmless: fetching works without it. */
	if (r == 0)
		(void)run_git(repository, tidy, FETCH_TIMEOUT, NULL, &status, &ignored);
	return r;
}

int repository_list(
	struct repository *repository, const char *id, const char *path, struct subprocess *ret)
{
	CLEANUP(freep) char *tree = NULL;

	if (asprintf(&tree, "%s:%s", id, path) < 0)
		return -ENOMEM;
	const char *const words[] = {"ls-tree", "-r", "-l", "-z", "--full-tree", tree, NULL};
	return start_git(repository, words, -1, LOCAL_TIMEOUT, ret);
}

int repository_read(struct repository *repository, int input, struct subprocess *ret)
{
	const char *const words[] = {"cat-file", "--batch", NULL};

	return start_git(repository, words, input, FETCH_TIMEOUT, ret);
}

int repository_blame(
	struct repository *repository, const char *id, const char *path, struct subprocess *ret)
{
	/* safe.directory: the caller has checked the owner. */
	const char *const words[] = {"-c", "safe.directory=*", "-c", "mailmap.blob=", "blame",
		"--incremental", "--root", "--no-textconv", id, "--", path, NULL};

	return start_git(repository, words, -1, BLAME_TIMEOUT, ret);
}
