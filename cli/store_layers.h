/*
 * Mirrors of layers, for commands that mount or render: starts the mirrors and waits for them
 * before the layers are opened.
 */
#pragma once

#include "layer_choice.h"
#include "supervisor.h"

/**
 * Starts the supervisor for the plyfs.yaml of the choice, which is found from `around.directory`;
 * without a plyfs.yaml *ret stays NULL. Waits for a state of each layer, as supervisor_wait().
 * Returns EXIT_DONE with *ret for supervisor_freep(), or EXIT_FAILED after an error message. Call
 * it before threads are started.
 */
int store_layers_start(const struct layer_choice *choice, bool is_fresh,
	const struct supervisor_options *options, struct supervisor **ret);

/** Sends the mirrors' state to the service manager, as a function of supervisor_options. */
void store_layers_report_status(void *context, const char *text);
