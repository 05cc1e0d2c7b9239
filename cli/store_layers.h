/* The mirrors for layers that come out of stores. */
#pragma once

#include "layer_choice.h"
#include "supervisor.h"

/**
 * If the choice has a plyfs.yaml, starts the supervisor for it, and calls supervisor_wait() with
 * `is_fresh`. If it has none, leaves *ret unchanged. Returns EXIT_DONE with *ret for
 * supervisor_freep(); or EXIT_FAILED after a message. Call it before the layers are opened, and
 * before there are coroutines.
 */
int store_layers_start(const struct layer_choice *choice, bool is_fresh,
	const struct supervisor_options *options, struct supervisor **ret);

/** Is a supervisor_options.say: sends the mirrors' state to the service manager. */
void store_layers_report_status(void *context, const char *text);
