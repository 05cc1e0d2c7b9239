# shellcheck shell=bash
# Shared by all tests that call `plyfs explain`: each command that explain proposes works. A test that is no script
# gives this file explain's output: bash proposals.sh TEXT.

# set_works WORD...: the proposed command works with a text, a number, or the value that is there.
set_works() {
	local layer=() there value
	[ "$1" != -L ] || { layer=("${@:1:2}") && shift 2; }
	there=$("$PLYFS" get --json "$@" 2>/dev/null) || true
	for value in new 1 "$there"; do
		"$PLYFS" set -n "${layer[@]}" "$@" "$value" 2>&1 && return
	done
	return 1
}

# proposals_work TEXT: each command in explain's output works with -n.
proposals_work() {
	local line words says
	while read -r line; do
		eval "words=(${line#*: plyfs })"
		if [ "${words[0]}" = set ]; then
			says=$(set_works "${words[@]:1:${#words[@]}-2}") || fail "explain proposes: $line; but: $says"
		else
			says=$("$PLYFS" "${words[0]}" -n "${words[@]:1}" 2>&1) || fail "explain proposes: $line; but: $says"
		fi
	done < <(grep -E '^(change it|take it back): plyfs ' <<<"$1")
}

# explain ARGUMENT...: as the command, whose proposals work.
explain() {
	local code=0 text
	text=$("$PLYFS" explain "$@") || code=$?
	[ $code -ne 0 ] || proposals_work "$text" >&2
	cat <<<"$text"
	return $code
}

if [ "$0" = "${BASH_SOURCE[0]}" ]; then
	fail() {
		echo "failed: $*" >&2
		exit 1
	}
	proposals_work "$1"
fi
