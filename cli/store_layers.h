/*
 * The mirrors for layers that come out of stores. A command that mounts or renders starts the
 * mirrors, and waits for them, before it opens the layers.
 */
#pragma once

#include "layer_choice.h"
#include "supervisor.h"

/**
 * Starts the supervisor for the choice's plyfs.yaml, and calls supervisor_wait() with `is_fresh`.
 * Returns EXIT_DONE with *ret for supervisor_freep() (if the choice has no plyfs.yaml, *ret stays
 * unchanged); or EXIT_FAILED after an error message. Call it before there are coroutines.
 */
int store_layers_start(const struct layer_choice *choice, bool is_fresh,
	const struct supervisor_options *options, struct supervisor **ret);

/** Is a supervisor_options.say: sends the mirrors' state to the service manager. */
void store_layers_report_status(void *context, const char *text);
