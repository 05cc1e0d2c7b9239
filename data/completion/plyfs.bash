# shellcheck shell=bash
# Completion for bash. The command itself proposes what may follow: plyfs __complete WORD...

_plyfs() {
	local line=${COMP_LINE:0:COMP_POINT} typed current candidate kind=
	local -a words candidates=()

	# Not COMP_WORDS: there, a:b and a=b are three words each. Backslashes are taken away, as in
	# what the command would be given.
	# shellcheck disable=SC2162
	read -a words <<<"$line"
	[[ $line != *[[:space:]] ]] || words+=("")
	[ ${#words[@]} -gt 1 ] || return 0

	# The reply takes the place of the part behind the last word break.
	typed=${words[-1]}
	current=$typed
	[[ $COMP_WORDBREAKS != *=* ]] || current=${current##*=}
	[[ $COMP_WORDBREAKS != *:* ]] || current=${current##*:}

	COMPREPLY=()
	while IFS=$'\t' read -r candidate _; do
		case $candidate in
		:files) kind="file" ;;
		:directories) kind="directory" ;;
		*)
			candidate=${candidate#"${typed%"$current"}"}
			# A KEY may have quotes, brackets and blanks in it.
			[[ $candidate == *([[:alnum:]._,=:/-]) ]] || printf -v candidate %q "$candidate"
			candidates+=("$candidate")
			;;
		esac
	done < <("$1" __complete "${words[@]:1}" 2>/dev/null)

	if [ -n "$kind" ]; then
		# `filenames` marks directories, and writes spaces with a backslash. Outside of a completion, as in a
		# test, it can't be set.
		compopt -o filenames 2>/dev/null || true
		mapfile -t COMPREPLY < <(compgen -A "$kind" -- "$current")
		return 0
	fi
	COMPREPLY=("${candidates[@]}")
	# The value, or a name in the directory, follows without a space.
	[[ ${candidates[0]-} != *[=/] ]] || compopt -o nospace 2>/dev/null || true
	return 0
}
complete -F _plyfs plyfs
