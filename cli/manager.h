/*
 * The service manager that has started us, if one has: systemd, by the protocol of sd_notify(3).
 */
#pragma once

#include <stdbool.h>

/**
 * Tells a service manager that waits for it (systemd.service(5), Type=notify) that we are ready.
 */
void manager_ready(void);

/** Connects to the manager while that is still possible: before a sandbox is entered. */
void manager_find(void);

/**
 * Tells it `text`, lines as sd_notify(3) has them. Only what is_important waits for a manager that does
 * not listen.
 */
void manager_say(const char *text, bool is_important);

/**
 * Has it keep the descriptor until we are started again, (FDSTORE=1). Returns whether it has read that; one that
 * keeps no descriptors has closed its copy by then.
 */
bool manager_store(int fd);

/** What it has kept, which is the caller's; -1: nothing. Before descriptors that were inherited are closed. */
int manager_take_stored(void);

/** It need not keep that any more. */
void manager_drop_stored(void);
