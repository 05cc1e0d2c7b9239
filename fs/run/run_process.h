/*
 * The process plyfs-run: runs the commands of plyfs.yaml for a sandboxed daemon. A source may have
 * compromised the daemon, so plyfs-run reads plyfs.yaml itself, and runs no other commands. It has
 * no layer, no mount and no terminal.
 */
#pragma once

#include "run_message.h"
#include "settings.h"

/**
 * Runs the process: serves requests from `socket` until its other end is closed. Keeps the
 * descriptor `kept` open (-1: none), through which plyfs.yaml is found.
 */
__attribute__((noreturn)) void run_process(const struct settings *settings, int socket, int kept);
