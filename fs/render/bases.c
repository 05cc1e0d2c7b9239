#include "bases.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "hash.h"
#include "layer.h"
#include "layer_spec.h"
#include "rendered_state.h"
#include "sandbox.h"
#include "source_cache.h"

/* Linux 6.8; older headers lack it. */
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x00004000U
#endif

#define NAME "bases"
#define HEAD "plyfs bases 1 "

static uint64_t hash_text(uint64_t hash, const char *text)
{
	return text ? hash_bytes(hash, span_of(text)) : hash_add(hash, 0);
}

/* Adds a file that the settings were read from. 0: it is racy, or another one was. */
static uint64_t hash_read(uint64_t hash, const char *path, const struct stat *read)
{
	if (!hash || (path && source_is_racy(read)))
		return 0;
	return stamp_hash(hash_text(hash, path), read) | 1;
}

static uint64_t hash_environment(uint64_t hash, const struct settings_environment *around)
{
	/* Rules can have these specifiers. `around` lacks this machine's own values. */
	for (const char *letter = "Hmuow"; *letter; letter++) {
		char value[PATH_MAX];
		struct problem problem;
		int r = layer_specifier(*letter, around, NULL, value, &problem);

		hash = r == 0 ? hash_text(hash, value) : hash_add(hash, 0);
	}
	hash = hash_text(hash, around->directory);
	for (size_t i = 0; i < SETTINGS_FACTS_MAX && around->facts[i]; i++)
		hash = hash_text(hash, around->facts[i]);
	return hash;
}

/*
 * Adds the mount that a directory is in: another image of a file system may have files with the
 * same stamps. No mount has the number of an earlier one (Linux 6.8). An older kernel does not know
 * it; there, a file system that may be such an image has no bases: 0.
 */
static uint64_t hash_mount(uint64_t hash, int fd)
{
	struct statfs system;
	struct statx found;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID_UNIQUE, &found) == 0 &&
		(found.stx_mask & STATX_MNT_ID_UNIQUE))
		return hash_add(hash, found.stx_mnt_id) | 1;
	if (fstatfs(fd, &system) < 0 || (system.f_flags & ST_RDONLY) ||
		system.f_type == OVERLAYFS_SUPER_MAGIC)
		return 0;
	return hash | 1;
}

/* 0: unknown. */
static uint64_t hash_layers(uint64_t hash, const struct settings *settings)
{
	for (size_t i = 0; hash && i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];

		hash = hash_text(hash_text(hash, layer->name), layer->path);
		hash = hash_add(hash_add(hash, layer->dev), layer->ino);
		hash = layer->dirfd < 0 ? hash | 1 : hash_mount(hash, layer->dirfd);
	}
	return hash;
}

/* All that a version depends on besides its sources. 0: unknown. */
static uint64_t hash_settings(uint64_t hash, const struct settings *settings)
{
	const struct settings_text *text;
	struct stat program;

	if (stat("/proc/self/exe", &program) < 0)
		return 0;
	hash = hash_text(stamp_hash(hash, &program), PLYFS_VERSION);
	hash = hash_add(hash_add(hash, geteuid()), getegid());
	/* The capabilities decide which sources can be read, and which rights a file can get. */
	hash = hash_add(hash, sandbox_has_capability(CAP_DAC_OVERRIDE));
	hash = hash_add(hash, sandbox_has_capability(CAP_DAC_READ_SEARCH));
	hash = hash_add(hash, sandbox_has_capability(CAP_CHOWN));
	hash = hash_add(hash, settings->options.header);
	hash = hash_layers(hash_environment(hash, &settings->around) | 1, settings);
	for (size_t i = 0; (text = settings_text_at(settings, i)); i++)
		hash = hash_read(hash, text->path, &text->read);
	return hash;
}

static uint64_t hash_fingerprint(const struct rendered *rendered, const struct owned *owned)
{
	const struct fingerprint *fingerprint = &owned->fingerprint;
	uint64_t hash = hash_add(rendered->seed, fingerprint->mode);

	hash = hash_add(hash_add(hash, fingerprint->uid), fingerprint->gid);
	return hash_add(hash, fingerprint->hash);
}

/* Parses "3f2a6c0e11d09b54 7be1c1f0a7d3e2b9 0 app.yaml". A line that is wrong is left out. */
static void take_line(struct rendered *rendered, char *line)
{
	uint64_t words[3];

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		words[i] = manifest_read_hash(&line);
		if (*line++ != ' ')
			return;
	}
	char *path = manifest_read_path(line);
	struct owned *owned = path ? manifest_find(rendered->manifest, path) : NULL;
	if (!owned || manifest_is_in_doubt(rendered->manifest, owned) ||
		words[1] != hash_fingerprint(rendered, owned))
		return;
	owned->basis = words[0];
	owned->stamp = words[2];
}

static void read_lines(struct rendered *rendered, FILE *in)
{
	CLEANUP(freep) char *line = NULL;
	size_t size = 0;
	ssize_t len = getline(&line, &size, in);

	if (len <= 0 || strncmp(line, HEAD, strlen(HEAD)) != 0)
		return;
	rendered->seed = strtoull(line + strlen(HEAD), NULL, 16);
	/* A power failure may have left a file without its bytes, but with its stamp. */
	if (rendered->has_rebooted)
		return;
	while (rendered->seed && (len = getline(&line, &size, in)) > 0) {
		line[len - 1] = line[len - 1] == '\n' ? '\0' : line[len - 1];
		take_line(rendered, line);
	}
}

uint64_t bases_read(struct rendered *rendered, const struct settings *settings)
{
	CLEANUP(closep)
	int fd = rendered->own_fd < 0 ? -1 : descriptor_open_file(rendered->own_fd, NAME);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	rendered->seed = 0;
	if (in) {
		fd = -1;
		read_lines(rendered, in);
		fclose(in);
	}
	if (!rendered->seed && getrandom(&rendered->seed, sizeof(rendered->seed), GRND_NONBLOCK) !=
				       sizeof(rendered->seed))
		rendered->seed = 0;
	return rendered->seed ? hash_settings(rendered->seed, settings) : 0;
}

static int make_text(struct rendered *rendered, char **ret, size_t *len)
{
	FILE *out = open_memstream(ret, len);
	const struct owned *owned;

	if (!out)
		return -ENOMEM;
	fprintf(out, HEAD "%" PRIx64 "\n", rendered->seed);
	for (size_t i = 0; (owned = manifest_at(rendered->manifest, i)); i++) {
		if (!owned->basis || !owned->fingerprint.mode)
			continue;
		fprintf(out, "%" PRIx64 " %" PRIx64 " %" PRIx64 " ", owned->basis,
			hash_fingerprint(rendered, owned), owned->stamp);
		manifest_put_path(out, owned->path);
	}
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

int bases_write(struct rendered *rendered)
{
	CLEANUP(freep) char *text = NULL;
	size_t len;

	if (!rendered->has_new_bases || !rendered->seed || rendered->options.mode == RENDER_DRY)
		return 0;
	int r = make_text(rendered, &text, &len);
	if (r == 0)
		r = rendered_write_own(rendered, NAME, text, len);
	rendered->has_new_bases = r < 0;
	return r;
}

void bases_note(struct rendered *rendered, struct owned *owned, uint64_t basis)
{
	rendered->has_new_bases |= basis != owned->basis || owned->stamp;
	owned->basis = basis;
	owned->stamp = 0;
}

/* Returns whether the object at the name is the one that was written, with its rights. */
static bool is_intact(struct rendered *rendered, struct owned *owned)
{
	const struct fingerprint *was = &owned->fingerprint;
	struct stat stat;

	if (!rendered->tree || layer_stat(rendered->tree, owned->path, &stat) < 0)
		return false;
	uint64_t stamp = stamp_hash(rendered->seed, &stat) | 1;
	struct fingerprint now = {stat.st_mode, stat.st_uid, stat.st_gid, was->hash};
	if (stamp == owned->stamp)
		return fingerprint_equal(&now, was);
	bool is_racy = source_is_racy(&stat);
	if (rendered_look(rendered, owned, &now) < 0 || !fingerprint_equal(&now, was))
		return false;
	if (!is_racy) {
		owned->stamp = stamp;
		rendered->has_new_bases = true;
	}
	return true;
}

bool bases_keep(struct rendered *rendered, struct owned *owned, uint64_t basis)
{
	if (!basis || basis != owned->basis || !is_intact(rendered, owned))
		return false;
	rendered_report_outcome(rendered, OUTCOME_UNCHANGED, owned);
	return true;
}
