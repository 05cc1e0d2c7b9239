/*
 * Layers that mirrors keep, for who mounts or renders: their mirrors are started, and waited for,
 * before the layers are opened.
 */
#pragma once

#include "layer_choice.h"
#include "supervisor.h"

/**
 * Starts the supervisor of the choice's plyfs.yaml, which must be found from `around.directory`;
 * without one *ret stays NULL. Waits for a state of each layer, as supervisor_wait(). Returns
 * EXIT_DONE with *ret for supervisor_freep(), or EXIT_FAILED when it has complained. Before there
 * are threads.
 */
int store_layers_start(const struct layer_choice *choice, bool is_fresh,
	const struct supervisor_options *options, struct supervisor **ret);

/** For the options: tells the service manager how the mirrors are. */
void store_layers_report_status(void *context, const char *text);
