#!/bin/bash
# Runs a fuzz target on its seeds, and two seconds more, on the same inputs each time: a test must not fail by chance.
# With ROUNDS, TARGET is one without libFuzzer (replay.c).
#
#     run.sh TARGET SEEDS NAME [ROUNDS]
set -euo pipefail
target=$(realpath "$1")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
mkdir "$room/corpus"
python3 "$2" "$3" "$room/corpus"
if [ $# -eq 4 ]; then
	"$target" "$4" "$room/corpus"
	exit
fi
# -entropic=0: see scripts/fuzz. -error_exitcode: libFuzzer's own is 77, by which a test reports that it was skipped.
"$target" -seed=1 -entropic=0 -error_exitcode=1 -max_total_time=2 -max_len=4096 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
	-artifact_prefix="${TMPDIR:-/tmp}/fuzz-$3-" "$room/corpus"
