# shellcheck shell=bash
# Shared by the tests of the command that need no mount. Every test sources this file first. It then runs in a
# fresh directory, which is removed when the test ends. PLYFS is the command.
set -euo pipefail
trap 'echo "failed: line $LINENO: $BASH_COMMAND" >&2' ERR

: "${PLYFS:?the path of the plyfs command}"
export LC_ALL=C
unset NO_COLOR
umask 022

. "$(dirname "${BASH_SOURCE[0]}")/../proposals.sh"
directory=$(mktemp -d "${TMPDIR:-/tmp}/plyfs-test.XXXXXX")
# What "plyfs edit" keeps goes beside it.
export TMPDIR=$directory.tmp
trap 'rm -rf "$directory" "$TMPDIR"' EXIT
mkdir -m 1777 "$TMPDIR"
cd "$directory"

skip() {
	echo "skipped: $*"
	exit 77
}

# A build without FUSE can only render.
need_mounting() {
	[[ $("$PLYFS" help mount) != *'built without FUSE'* ]] || skip 'this plyfs was built without FUSE'
}

need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || skip "$tool is missing"
	done
}

# script(1) runs a command on a terminal of its own, for which it needs /dev/pts.
need_terminal() {
	need script
	script -qec true /dev/null &>/dev/null </dev/null || skip "there can be no terminal here"
}

fail() {
	echo "failed: $*" >&2
	exit 1
}

# runs CODE COMMAND...: the command exits with that code; its output is then in `out` and `err`.
runs() {
	local wanted=$1 code=0
	shift
	"$@" >out 2>err || code=$?
	[ $code -eq "$wanted" ] || fail "'$*' exits with $code, not $wanted: $(cat err)"
	! grep -E 'Sanitizer|runtime error' err || fail "'$*' is not clean"
	[ $code -ne 0 ] || [[ " $* " != *" explain "* ]] || proposals_work "$(cat out)"
}

# prints TEXT: standard output was exactly that.
prints() {
	[ "$(cat out)" = "$1" ] || fail "it prints: $(cat out); and not: $1"
}

# says TEXT: standard error was one line that begins with "plyfs: " and contains that.
says() {
	[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
	[[ $(cat err) == "plyfs: "*"$1"* ]] || fail "it says: $(cat err); and not: $1"
}
