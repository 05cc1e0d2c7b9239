/*
 * A guard: a process that runs one command, and outlives everything that the command starts.
 *
 *      runner ──fork──▶ guard ──fork──▶ child, which becomes the program
 *                         │
 *                         ├─ reads the program's output, and stores its beginning
 *                         ├─ when the time is up, or the program or the runner ends: sends
 *                         │  SIGKILL to the program's group, and to processes that have left it
 *                         └─ sends the result
 *
 * The guard sends two messages, each a struct run_result. It sends the first one before the program
 * starts, with RUN_GONE and the path of the workspace (workspace.h). The second one has the result.
 * If the guard is killed in between, the runner passes on the first one, and removes the workspace.
 */
#pragma once

#include "run_command.h"
#include "run_result.h"

/* Number of messages of a guard, which sends the last one after removing its workspace. */
#define GUARD_MESSAGES 2

/**
 * Is called in a process of coroutine_fork(). Closes all descriptors but `socket` and
 * command->file, runs the command in a workspace, removes the workspace, and sends the result.
 */
__attribute__((noreturn)) void guard_run(const struct run_command *command, int socket);
