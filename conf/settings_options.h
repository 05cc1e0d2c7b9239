/* The options of a mount: `options` in plyfs.yaml(5). */
#pragma once

#include "document.h"
#include "limit.h"
#include "problem.h"
#include "program.h"

enum settings_coherence { COHERENCE_CACHED, COHERENCE_STRICT };
enum settings_on_error { ON_ERROR_LAST_GOOD, ON_ERROR_SKIP_LAYER, ON_ERROR_FAIL };

/* The command line may replace the option `header`. */
enum header_choice { HEADER_AS_SET, HEADER_ON, HEADER_OFF };

struct settings_options {
	enum settings_coherence coherence;
	enum settings_on_error on_error;
	const char *state;     /* directory for data that outlives the mount; NULL: none */
	enum node_schema yaml; /* YAML version of the sources; a rule may set another one */
	bool header;           /* merged files begin with a comment that names their sources */
	enum header_choice header_choice; /* HEADER_AS_SET: plyfs.yaml sets `header` */
	unsigned poll_ms; /* between two polls of a layer that inotify can't watch; default 1000 */
	unsigned answer_ms; /* time for a network or FUSE file system to answer; default 5000 */
	unsigned cache_mib; /* size of the cache of parsed sources */
	unsigned watches;   /* maximum number of inotify watches; 0: half of the user's limit */
	const struct program *on_change; /* default for rules and virtual files; NULL: none */
	struct limits limits;
};

struct settings_options settings_options_default(void);

/**
 * Reads `map`, the value of `options` in plyfs.yaml; NULL: none. Options that `map` lacks do not
 * change. If `map` has a former name of an option, fills *warning. Returns 0, PROBLEM or -ENOMEM.
 */
int settings_options_read(struct settings_options *options, const struct node *map,
	struct arena *arena, struct problem *warning, struct problem *problem);

/** Reads only the option `limits`. `map` is its value. Returns as settings_options_read(). */
int settings_options_read_limits(
	const struct node *map, struct limits *limits, struct problem *problem);
