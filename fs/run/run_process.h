/*
 * The process plyfs-run: runs the programs of plyfs.yaml for a daemon, which can't, and which may
 * be in the hands of whoever wrote what it reads. So it reads plyfs.yaml itself, and runs nothing
 * but what that names; it has no layer, no mount, no terminal and no thread.
 */
#pragma once

#include "run_message.h"
#include "settings.h"

/**
 * The process's body: serves requests that come from `socket` until its other end is closed. The
 * descriptor `kept`, or -1, stays open: the way to plyfs.yaml leads through it.
 */
__attribute__((noreturn)) void run_process(const struct settings *settings, int socket, int kept);
