#!/bin/bash
# After any changes, `plyfs render` into its tree gives what it gives in an empty directory. AGAIN_ROUNDS, AGAIN_SEED:
# for longer runs.
again=$(realpath "$(dirname "$0")/again.py")
. "$(dirname "$0")/cli.sh"

need python3
python3 "$again" "$PLYFS" "${AGAIN_ROUNDS:-12}" "${AGAIN_SEED:-$RANDOM}"
