/*
 * A helper: a process that is forked before its parent enters a sandbox, and does for it what that
 * forbids. It has a socket to its parent and ends with it.
 */
#pragma once

/**
 * In the new process: nothing of the parent's is left but `socket` and the descriptor `kept` (-1:
 * none), which keeps its number; standard streams are /dev/null; it is called `name` (at most 15
 * bytes), works in the root directory, and leaves it to the parent to be ended by signals. Returns
 * the socket.
 */
int helper_begin(const char *name, int socket, int kept);

/** In what a helper has forked, before it becomes a program: what was set for us is not its
 * business. */
void helper_reset_signals(void);
