/*
 * A back-off: the pauses between attempts that fail in a row. Each pause is twice the one before,
 * up to a limit.
 *
 * The caller counts the failures, and sets the count to 0 when the pauses are to begin anew: after
 * a success, or when a new reason makes a success likely. Pauses are not random. If many programs
 * would try again at the same moment, their caller makes the pause random (mirror_jitter()).
 */
#pragma once

/* Both in the unit that the name of the variable has. */
struct backoff {
	unsigned first;
	unsigned limit;
};

/** Returns the pause after a failure. `before` is the number of failures before it, in a row. */
static inline unsigned backoff_pause(const struct backoff *backoff, unsigned before)
{
	unsigned pause = backoff->first;

	for (; before && pause < backoff->limit; before--)
		pause = pause < backoff->limit / 2 ? 2 * pause : backoff->limit;
	return pause;
}
