/*
 * Paused requests: each waits until the file of a placeholder inode (placeholder.h) is composed.
 * Then the request is handled as a new one. If the program that made the request gets a signal, the
 * request ends with EINTR.
 */
#pragma once

#include "driver.h"

/**
 * Returns whether the present request must wait for `ino`. If so, the caller must not answer the
 * request: it is handled again when the file is composed, or ends with an error.
 */
bool paused_waits(fuse_req_t req, fuse_ino_t ino);
