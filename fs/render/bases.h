/*
 * The bases of rendered files. With them, a later process can leave a file as it is, and read and
 * merge no sources, but only if everything that the file depends on is provably unchanged:
 *
 * 1. Its basis (compose_basis()) is the same. The basis covers the layers and stamps of all sources
 *    of the file, and a hash of the settings: the stamps of plyfs.yaml and of the facts, presets
 *    and schemas, the layers' directories and mounts, the environment, our user, and the program.
 * 2. The file is the one that plyfs wrote: an earlier process has seen the file's stamp together
 *    with the right bytes. If none has, plyfs reads the file's bytes.
 * 3. No stamp was racy when the content was read (source_is_young(); git's rule). A stamp is racy
 *    if it is so young that a later change could leave it the same. For a file with a racy stamp no
 *    basis is written, so the next process reads it.
 *
 * A file that depends on anything else, or that has a fault or a check, has no basis, and is made
 * again each time. After a reboot, and with --watch or --atomic, all files are made again.
 *
 * `.plyfs/bases` has the bases. Each line is true whatever has happened since: sources with this
 * basis give an object with this fingerprint, and an object with this stamp has that fingerprint.
 * So a line that is lost or out of date does no harm:
 *
 *      plyfs bases 1 8d0f22a77e6b4c51                        (the seed, a random number)
 *      3f2a6c0e11d09b54 7be1c1f0a7d3e2b9 0 app.yaml          (basis, fingerprint, stamp or 0)
 */
#pragma once

#include "rendered.h"
#include "settings.h"

/**
 * Reads the bases of the names in the manifest. Returns the seed for view_callbacks.basis_seed; 0
 * if bases can't be used now, because the settings are racy, or there is no random number.
 */
uint64_t bases_read(struct rendered *rendered, const struct settings *settings);

/** Writes the bases, if they have changed. Returns 0; or -errno, with the old file in place. */
int bases_write(struct rendered *rendered);

/** Notes in `owned` the basis of the version that was just put there; 0: it has no basis. */
void bases_note(struct rendered *rendered, struct owned *owned, uint64_t basis);

/**
 * Returns whether `basis` is the noted one and the file is as it was written. If so, reports the
 * file as unchanged.
 */
bool bases_keep(struct rendered *rendered, struct owned *owned, uint64_t basis);
