/*
 * plyfs doctor: looks for what is wrong with this machine, with the mounts, and with settings, and
 * names the remedy of each fault. It changes nothing.
 *
 * A mount or a layer may never answer, so children look at them (probe.h).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "clock.h"
#include "command.h"
#include "descriptor.h"
#include "doctor_report.h"
#include "document.h"
#include "fault_list.h"
#include "filter.h"
#include "fuse_settings.h"
#include "guard.h"
#include "handover.h"
#include "inotify.h"
#include "landlock.h"
#include "layer_choice.h"
#include "layer_walk.h"
#include "message.h"
#include "mirror_process.h"
#include "mount_option.h"
#include "mount_table.h"
#include "mounted_settings.h"
#include "outside.h"
#include "plyfs_mount.h"
#include "report.h"
#include "run_result.h"
#include "sandbox.h"
#include "strategy.h"
#include "text.h"
#include "user.h"

/* Milliseconds for going through the directories of given layers: less than PROBE_MS. */
#define WALK_MS 3000

/* Number of inotify instances of a mount: one for its layers, one for the names on the way. */
#define INSTANCES 2

struct doctor {
	struct doctor_report report;
	struct mount_options options; /* of a mount to be made */
	struct path_list answering;   /* the mounts that have answered; the paths are borrowed */
	struct path_list given;       /* settings to examine; empty: those of the mounts */
};

static void examine_device(struct doctor_report *report)
{
	static const char device[] = "/dev/fuse";
	CLEANUP(closep) int fd = open(device, O_RDWR | O_CLOEXEC);
	bool is_denied = fd < 0 && errno == EACCES;

	if (is_denied)
		doctor_report(report, device, REMEDY("chmod 666", device),
			"this user can't open it, and so can't mount");
	else
		doctor_report(report, device, REMEDY_IF(fd < 0, "modprobe fuse"),
			"can't be opened (%m), so nothing can be mounted, and only 'plyfs render' "
			"works; a container needs --device=%s",
			device);
}

/* An ordinary user mounts through fusermount3, which has the rights of root. */
static void examine_right_to_mount(struct doctor *doctor)
{
	char path[PATH_MAX];
	struct stat found = {0};

	if (geteuid() == 0) {
		doctor_report(&doctor->report, "CAP_SYS_ADMIN",
			REMEDY_IF(!sandbox_has_capability(CAP_SYS_ADMIN),
				"give it to the container (--cap-add=SYS_ADMIN)"),
			"root lacks this capability here, so nothing can be mounted, and only "
			"'plyfs render' works");
		return;
	}
	bool is_found = program_find(getenv("PATH"), "fusermount3", path) == 0 &&
			stat(path, &found) == 0 && found.st_uid == 0 && (found.st_mode & S_ISUID);
	doctor_report(&doctor->report, "fusermount3",
		REMEDY_IF(!is_found, "apt install --reinstall fuse3"),
		"is not installed as a set-uid program of root, so only root can mount");
	doctor_report(&doctor->report, FUSE_SETTINGS,
		REMEDY_IF(doctor->options.is_shared && !fuse_settings_allow_others(),
			"echo user_allow_other >>", FUSE_SETTINGS),
		"has no line 'user_allow_other', so only root can mount with -o allow_other");
}

static void examine_kernel(struct doctor_report *report)
{
	struct landlock landlock = {.fd = -1};
	struct utsname names = {0};

	int r = landlock_new(SANDBOX_WORKER, &landlock);
	closep(&landlock.fd);
	doctor_report(report, "Landlock",
		REMEDY_IF(r < 0, "boot Linux 5.13 or newer with landlock in the option lsm="),
		"the kernel does not offer it here, so a source that exploits a bug in plyfs "
		"reaches all files of the user who mounts");
	r = filter_prepare_worker();
	doctor_report(report, "seccomp",
		REMEDY_IF(r != 0, r == FILTER_NOT_BUILT ? "install a plyfs built with libseccomp"
							: "boot Linux with CONFIG_SECCOMP_FILTER"),
		"it is not available, so a source that exploits a bug in plyfs can make any system "
		"call");
	uname(&names);
	doctor_report(report, "kernel", NOTE, "Linux %s, Landlock's version %d", names.release,
		landlock.abi);
}

static void examine_inotify(struct doctor_report *report)
{
	int fds[INSTANCES];
	bool is_short = false;

	for (size_t i = 0; i < INSTANCES; i++) {
		fds[i] = inotify_init1(IN_CLOEXEC);
		is_short |= fds[i] < 0;
	}
	for (size_t i = 0; i < INSTANCES; i++)
		closep(&fds[i]);
	doctor_report(report, "inotify",
		REMEDY_IF(is_short, "sysctl fs.inotify.max_user_instances=1024"),
		"this user can't have %d more instances, so nothing can be mounted", INSTANCES);
}

struct searched_programs {
	struct doctor_report *report;
	const struct program **items;
	size_t count, capacity;
};

static void search_program(struct doctor_report *report, const struct program *program,
	const char *name, bool is_check)
{
	const char *cost = !is_check              ? "it learns of no change"
			   : program->is_optional ? "its files are shown unchecked"
						  : "its files are not shown";
	struct problem problem;
	char path[PATH_MAX];

	int r = program_find(CHILD_PATH, name, path);
	const char *why = r == -EACCES ? "can't be executed" : "is not installed";
	if (r == 0)
		problem_at(&problem, program->place, "the program '%s' is installed", name);
	else
		problem_at(&problem, program->place, "the program '%s' %s, so %s", name, why, cost);
	doctor_report_problem(report, &problem, r == 0 ? NOTE : REMEDY(run_missing_remedy(why)));
}

/* Returns whether the program can be run as its user. */
static bool examine_user(struct doctor_report *report, const struct program *program, bool is_check)
{
	CLEANUP(freep) char *text = NULL;
	struct problem problem;
	struct passwd user;

	if (!program->user || user_find(program->user, &user, &text) != USER_UNKNOWN)
		return true;
	problem_at(&problem, program->place,
		"there is no user '%s' to run the program '%s' as, so %s", program->user,
		program->words[0], is_check ? "its files are not shown" : "it learns of no change");
	doctor_report_problem(report, &problem, REMEDY("add the user, or correct 'user'"));
	return false;
}

static void examine_program(
	struct searched_programs *searched, const struct program *program, bool is_check)
{
	char name[PROGRAM_NAME_MAX];

	if (!program)
		return;
	for (size_t i = 0; i < searched->count; i++)
		if (program_equal(program, searched->items[i]))
			return;
	/* Without memory for it, the program may be reported again. */
	(void)array_push(searched->items, searched->count, searched->capacity, program);
	if (!examine_user(searched->report, program, is_check))
		return;
	search_program(searched->report, program, program->words[0], is_check);
	if (program_name_in_script(program, name))
		search_program(searched->report, program, name, is_check);
}

static void examine_library(
	struct doctor_report *report, const char *name, const char *package, const char *cost)
{
	doctor_report(report, name,
		REMEDY_IF(!dlopen(name, RTLD_LAZY | RTLD_LOCAL), "apt install", package),
		"is not installed, so %s", cost);
}

static void examine_mirror_user(struct doctor_report *report, const struct store_spec *store)
{
	struct mirror_identity identity;
	struct problem problem;

	/* The settings may be root's, who may run a mirror as another user. */
	if (mirror_identity_find(store, &identity, &problem) == PROBLEM &&
		identity.uid == geteuid())
		doctor_report_problem(report, &problem, REMEDY(NULL));
	free(identity.text);
}

static void examine_needs(struct doctor_report *report, const struct settings *settings)
{
	struct searched_programs searched = {.report = report};
	bool has_parts = false, has_etcd = false, has_git = false;
	const struct rule *rule;
	char path[PATH_MAX];

	examine_program(&searched, settings->options.on_change, false);
	for (size_t i = 0; (rule = settings_rule_at(settings, i)); i++) {
		examine_program(&searched, rule->check, true);
		examine_program(&searched, rule->on_change, false);
		has_parts |= rule->options.strategy &&
			     strcmp(rule->options.strategy->name, "cloud-init") == 0;
	}
	for (size_t i = 0; i < settings->spec_count; i++) {
		const struct store_spec *store = settings->specs[i].store;

		has_etcd |= store && strcmp(store->kind, "etcd") == 0;
		has_git |= store && strcmp(store->kind, "git") == 0;
		if (store)
			examine_mirror_user(report, store);
	}
	free(searched.items);
	if (has_parts)
		examine_library(report, "libgmime-3.0.so.0", "libgmime-3.0-0",
			"a file of cloud-init that is a MIME message can't be read");
	if (has_etcd)
		examine_library(report, "libcurl.so.4", "libcurl4",
			"no mirror can copy a layer out of etcd");
	if (has_git)
		doctor_report(report, "git",
			REMEDY_IF(
				program_find(getenv("PATH"), "git", path) != 0, "apt install git"),
			"is not installed, so no mirror can copy a layer out of git");
}

static void examine_trust(struct doctor_report *report, const struct settings *settings)
{
	const struct trusted file = {"is to get only a plyfs.yaml", settings->text.path,
		settings->text.place,
		settings->text.document ? settings->text.document->roots[0] : NULL,
		&settings->text.read, 0};
	struct problem problem;

	if (!settings->text.path || outside_trust(&file, &problem) != PROBLEM)
		return;
	problem_reword(
		&problem, &problem, "%s; another user decides what is shown", problem.message);
	doctor_report_problem(report, &problem, REMEDY(NULL));
}

/* Returns the remedy `all`, for the whole layer; or `one`, as chmod -R follows no link. */
static struct remedy walk_remedy(
	const struct walk_fault *fault, const char *layer, const char *all, const char *one)
{
	return fault->count > fault->linked ? REMEDY(all, layer) : REMEDY(one, fault->first);
}

static void report_unreadable(
	struct doctor_report *report, const char *path, const struct walk_fault *unreadable)
{
	static const char *const for_root[] = {"give plyfs the capability CAP_DAC_READ_SEARCH",
		"have the server of its file system let root read it, or mount as a user who may"};
	char all[sizeof("setfacl -R -m u::rX") + 3 * sizeof(uid_t)];
	char one[sizeof("setfacl -m u::rX") + 3 * sizeof(uid_t)];

	if (unreadable->count == 0)
		return;
	snprintf(all, sizeof(all), "setfacl -R -m u:%u:rX", (unsigned)geteuid());
	snprintf(one, sizeof(one), "setfacl -m u:%u:rX", (unsigned)geteuid());
	/* Modes and access lists bind root only where it lacks the capability. */
	struct remedy remedy =
		geteuid() == 0 ? REMEDY(for_root[sandbox_has_capability(CAP_DAC_READ_SEARCH)])
			       : walk_remedy(unreadable, path, all, one);
	doctor_report(report, path, remedy,
		"this user can't read %zu of its files and directories, such as %s, so a mount of "
		"this user does not show what they hold",
		unreadable->count, unreadable->first);
}

static void report_walk(
	struct doctor_report *report, const char *path, const struct layer_walk *walk)
{
	if (walk->unreadable.count == 0 && walk->writable.count == 0)
		doctor_report(report, path, IN_ORDER, "%s", "");
	report_unreadable(report, path, &walk->unreadable);
	if (walk->writable.count > 0)
		doctor_report(report, path,
			walk_remedy(&walk->writable, path, "chmod -R o-w", "chmod o-w"),
			"every user can write to %zu of its files and directories, such as %s, and "
			"so decides what others read",
			walk->writable.count, walk->writable.first);
}

/* Examines a layer that is open. Returns the number of inotify watches that it needs. */
static size_t examine_layer(struct doctor_report *report, const struct settings *settings,
	const struct layer *layer, int64_t end_ms)
{
	bool is_remote = layer_fd_is_remote(layer->dirfd);
	struct layer_walk walk = {0};

	if (is_remote)
		doctor_report(report, layer->path,
			REMEDY("copy it to a local disk, or set poll_interval in plyfs.yaml"),
			"it lies on a network or FUSE file system, whose changes inotify does not "
			"report, so a change shows up to %u ms later",
			settings->options.poll_ms);
	bool is_whole = layer_walk(layer, end_ms, &walk);
	report_walk(report, layer->path, &walk);
	if (!is_whole)
		doctor_report(report, layer->path, NOTE, "only %zu directories were looked at",
			walk.directories);
	return is_remote ? 0 : walk.directories;
}

static void compare_watches(
	struct doctor_report *report, const struct settings *settings, size_t needed)
{
	size_t most = inotify_max();
	size_t allowed = settings->options.watches ? settings->options.watches : most / 2;
	char remedy[sizeof("sysctl fs.inotify.max_user_watches=") + 3 * sizeof(size_t)];
	size_t enough = 1u << 16;

	if (allowed == SIZE_MAX / 2)
		return; /* the kernel names no limit */
	while (enough / 4 < needed)
		enough *= 2;
	snprintf(remedy, sizeof(remedy), "sysctl fs.inotify.max_user_watches=%zu", enough);
	doctor_report(report, "inotify",
		REMEDY_IF(needed > allowed,
			settings->options.watches ? "raise 'watches' in plyfs.yaml" : remedy),
		"the layers have %zu directories, and a mount may have %zu watches, so changes in "
		"the others show up to %u ms later",
		needed, allowed, settings->options.poll_ms);
}

/* Opens each layer itself, so that one that can't be opened does not hide the faults of others. */
static int examine_layers(struct doctor_report *report, const struct settings *settings)
{
	int64_t end_ms = clock_ms() + WALK_MS;
	size_t needed = 0;

	for (size_t i = 0; i < settings->spec_count; i++) {
		CLEANUP(layer_freep) struct layer *layer = NULL;
		struct layer_spec spec = settings->specs[i];
		struct problem problem;

		int r = layer_spec_open(
			&spec, (unsigned)i, &settings->around, settings->arena, &layer, &problem);
		if (r < 0)
			return r;
		/* A mount gets the state of a store. */
		bool is_to_come = spec.store && access(spec.at, F_OK) < 0;
		if (r == PROBLEM)
			doctor_report_problem(report, &problem, is_to_come ? NOTE : REMEDY(NULL));
		else if (layer->dirfd < 0)
			doctor_report(report, layer->path, NOTE, "it is optional, and not there");
		else
			needed += examine_layer(report, settings, layer, end_ms);
	}
	compare_watches(report, settings, needed);
	return 0;
}

/* In a child: examines the settings of a mount, or those that a word of the command line names. */
static int examine_settings(void *context, const char *word, int out)
{
	const struct doctor *doctor = context;
	struct doctor_report report = {.most = doctor->report.most, .out = out};
	struct layer_choice choice = {0};
	struct settings *settings;
	struct problem problem;
	bool is_mounted = doctor->given.count == 0;

	if (!is_mounted)
		choice = layer_choice_guess(word);
	int r = is_mounted      ? mounted_settings(word, &choice.around, &settings, &problem)
		: choice.config ? settings_outline(&choice.around, word, &settings, &problem)
				: settings_from_layers(&choice.around, word, &settings, &problem);
	if (r == PROBLEM)
		doctor_report_problem(&report, &problem, is_mounted ? NOTE : REMEDY(NULL));
	if (r != 0)
		return r == PROBLEM ? 0 : r;
	if (settings->warning.message[0])
		doctor_report_problem(&report, &settings->warning, REMEDY(NULL));
	examine_trust(&report, settings);
	examine_needs(&report, settings);
	/* The status of a mount has what is wrong with its layers. */
	return is_mounted ? 0 : examine_layers(&report, settings);
}

static int take_findings(void *context, const char *word, int result, struct span text)
{
	struct doctor *doctor = context;

	if (result < 0)
		doctor_report(&doctor->report, word, REMEDY("look after its file systems"),
			"its settings and layers could not be examined: %s",
			result == -ETIMEDOUT ? "that took too long" : text_error(result));
	doctor_report_take(&doctor->report, text);
	return 0;
}

static void examine_version(
	struct doctor_report *report, const char *mountpoint, const char *version, dev_t dev)
{
	pid_t pid = handover_server(dev);
	char renewal[sizeof("kill -USR2 ") + 3 * sizeof(pid)];

	snprintf(renewal, sizeof(renewal), "kill -USR2 %d", (int)pid);
	bool is_newer = strverscmp(version, PLYFS_VERSION) > 0;
	doctor_report(report, mountpoint,
		REMEDY_IF(strcmp(version, PLYFS_VERSION) != 0,
			is_newer  ? "use the command of that version"
			: pid > 0 ? renewal
				  : "restart its unit, or unmount and mount again"),
		"plyfs %s serves it, and this is plyfs " PLYFS_VERSION ", %s", version,
		is_newer ? "which may misread its status" : "which has mended faults of that");
}

/* Reports a text of the status that has its own remedy. Returns whether there is one. */
static bool report_reason(struct doctor_report *report, const char *mountpoint,
	const struct node *map, const char *name)
{
	const char *reason = report_text(map, name);

	if (*reason)
		doctor_report(report, mountpoint, REMEDY(NULL), "%s", reason);
	return *reason;
}

static void examine_faults(
	struct doctor_report *report, const char *mountpoint, const struct node *status)
{
	const struct node *processes = report_get(status, "processes");
	const struct node *watches = report_get(status, "watches");
	const struct node *sandbox = report_get(status, "sandbox");
	double others = fault_list_count(status);
	size_t most = inotify_max();

	for (uint32_t i = 0; i < report_count(processes); i++)
		others -= report_reason(report, mountpoint, processes->seq.items[i], "reason");
	if (!report_reason(report, mountpoint, watches, "error"))
		report_reason(report, mountpoint, report_get(status, "polling"), "reason");
	if (others > 0)
		doctor_report(report, mountpoint, REMEDY("plyfs status", mountpoint),
			"it has %.0f error%s, so not everything is as the layers and plyfs.yaml "
			"say",
			others, others > 1 ? "s" : "");
	if (report_is(sandbox, "landlock", "off") || report_is(sandbox, "seccomp", "off"))
		doctor_report(report, mountpoint,
			REMEDY("mount it again without nosandbox, nolandlock and noseccomp"),
			"a mount option has turned its sandbox off, so a source that exploits a "
			"bug in plyfs reaches all that the user who mounts can reach");
	doctor_report(report, mountpoint, NOTE,
		"it has %.0f of %zu inotify watches, and the kernel looks up %s at a time",
		report_number(watches, "count"), most == SIZE_MAX ? 0 : most,
		report_is(status, "parallel_lookups", "true") ? "several names" : "one name");
}

/*
 * In a child: examines a mount by its status. Another user's status may have any text, even one
 * that looks like a remedy, and name any settings: -EACCES.
 */
static int examine_status(void *context, const char *mountpoint, int out)
{
	const struct doctor *doctor = context;
	struct doctor_report report = {.most = doctor->report.most, .out = out};
	CLEANUP(document_freep) struct document *document = NULL;
	struct table_mount entry;

	int parsed = plyfs_mount_report_within(mountpoint, &document);
	int r = parsed < 0 ? parsed : plyfs_mount_entry(mountpoint, &entry);
	if (r == 0 && entry.uid != geteuid())
		r = -EACCES;
	if (r < 0)
		return r;
	if (parsed != 0)
		return -EBADMSG;
	const struct node *status = document->roots[0];
	examine_version(&report, mountpoint, report_text(status, "version"), entry.dev);
	examine_faults(&report, mountpoint, status);
	return 0;
}

static int take_status(void *context, const char *mountpoint, int result, struct span text)
{
	struct doctor *doctor = context;
	char silence[PLYFS_MOUNT_SILENCE_MAX];

	if (result == -ETIMEDOUT) {
		plyfs_mount_silence(mountpoint, PROBE_OTHERS_MS, silence);
		doctor_report(&doctor->report, NULL, REMEDY("plyfs umount --force", mountpoint),
			"%s, so programs that look into it wait", silence);
	} else if (result == -EACCES) {
		doctor_report(&doctor->report, mountpoint, NOTE,
			"another user has mounted it, so its state was not looked at");
	} else if (result < 0) {
		doctor_report(&doctor->report, mountpoint, REMEDY("plyfs umount", mountpoint), "%s",
			result == -ENOTCONN
				? "the plyfs that served it has ended, so every access fails"
				: "its status can't be read, so another program may serve it");
	} else {
		doctor_report_take(&doctor->report, text);
		doctor->answering.paths[doctor->answering.count++] = (char *)(uintptr_t)mountpoint;
	}
	return 0;
}

static int examine_mounts(struct doctor *doctor)
{
	CLEANUP(path_list_fini) struct path_list mounted = {0};
	CLEANUP(freep) char **answering = NULL;

	int r = plyfs_mount_all(&mounted);
	if (r < 0)
		return r;
	doctor->answering.paths = answering = calloc(mounted.count + 1, sizeof(*answering));
	if (!answering)
		return -ENOMEM;
	r = plyfs_mount_each(&mounted, PROBE_OTHERS_MS, examine_status, take_status, doctor);
	if (r == 0 && doctor->given.count == 0)
		r = plyfs_mount_each(&doctor->answering, PROBE_OTHERS_MS, examine_settings,
			take_findings, doctor);
	return r;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct doctor doctor = {.report = {.out = -1}};
	struct doctor_report *report = &doctor.report;
	bool is_verbose = false;
	const struct command_option options[] = {
		{'o', "options", .take = mount_options_take, .context = &doctor.options},
		{'v', "verbose", .flag = &is_verbose},
		{0, "json"},
		{0, "color", .take = command_colour},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	doctor.given = (struct path_list){argv + optind, (size_t)(argc - optind)};
	report->most = is_verbose ? DIAGNOSIS_NOTE : DIAGNOSIS_FAULT;
	doctor_report_begin();
	examine_device(report);
	examine_right_to_mount(&doctor);
	examine_kernel(report);
	examine_inotify(report);
	int r = examine_mounts(&doctor);
	if (r == 0)
		r = plyfs_mount_each(
			&doctor.given, PROBE_MS, examine_settings, take_findings, &doctor);
	code = doctor_report_end(report);
	return r == 0 ? code : message_result(r, NULL, NULL);
}

const struct command command_doctor = {
	.name = "doctor",
	.synopsis = "[-v] [--json] [-o OPTION,...] [CONFIG | LAYER[:LAYER...]]...",
	.summary = "find what is wrong with this machine, mounts and settings",
	.help = "Looks at /dev/fuse, at the kernel's features and limits, at the mounts, and at "
		"the settings and layers that are given, or else at the settings of the mounts. "
		"Prints a line for each fault, with what it costs and the remedy, and exits with 1 "
		"if there is one. Changes nothing. Run it as the user who mounts.\n"
		"\n"
		"  -o, --options OPTION,...        options that a mount is to have\n"
		"  -v, --verbose                   print also what is in order\n"
		"      --color always|auto|never   auto: on a terminal, unless NO_COLOR is set\n"
		"      --json                      as JSON, for programs\n",
	.run = run,
};
