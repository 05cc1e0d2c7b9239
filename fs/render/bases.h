/*
 * The bases of rendered files. A basis is a hash of the state of all that a file is made from. A
 * stamp (version.h) is what stat(2) says of the state of a file. A later process leaves a file as
 * it is, without reading its sources, if three conditions hold:
 *
 * 1. The basis (compose_basis()) has not changed. It covers the layers and stamps of all sources of
 *    the file, the settings and all files that they were read from, our user, and our executable.
 * 2. The rendered file is the one that plyfs wrote: an earlier process has noted its stamp, or
 *    plyfs reads the file and finds the right bytes.
 * 3. No stamp was racy when the content was read (source_is_racy(); git's rule). The stamp of a
 *    file is racy if the file changed so recently that another change could leave the stamp the
 *    same. A file with a racy source has no basis. A racy stamp of the rendered file is not noted.
 *
 * A file that depends on anything that condition 1 does not list, or that has a fault or a check,
 * has no basis, and is made again each time. After a reboot, and with --watch or --atomic, all
 * files are made again.
 *
 * The file `.plyfs/bases` has the bases. A line has a basis, a fingerprint (fingerprint.h), a stamp
 * and a path. It says: sources with this basis give a file or link with this fingerprint; and an
 * object at the path with this stamp has this fingerprint. A lost or old line is harmless. Example:
 *
 *      plyfs bases 1 8d0f22a77e6b4c51                        (the seed, a random number)
 *      3f2a6c0e11d09b54 7be1c1f0a7d3e2b9 0 app.yaml          (basis, fingerprint, stamp or 0)
 */
#pragma once

#include "rendered.h"
#include "settings.h"

/**
 * Reads the bases of the names in the manifest (manifest.h). Returns the value for
 * view_callbacks.basis_seed: a hash of the stored seed and the settings; 0: bases can't be used.
 */
uint64_t bases_read(struct rendered *rendered, const struct settings *settings);

/** Writes the bases, if they have changed. Returns 0; or -errno, with the old file in place. */
int bases_write(struct rendered *rendered);

/** Notes the basis of the version just written for `owned`. `basis` 0: it has none. */
void bases_note(struct rendered *rendered, struct owned *owned, uint64_t basis);

/**
 * Returns whether `basis` is the one noted for `owned`, and the file is as plyfs wrote it. If so,
 * reports the file as unchanged, and the caller must leave it as it is.
 */
bool bases_keep(struct rendered *rendered, struct owned *owned, uint64_t basis);
