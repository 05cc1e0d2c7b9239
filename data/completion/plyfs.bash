# shellcheck shell=bash
# Completion for bash. The command itself proposes what may follow: plyfs __complete WORD...

_plyfs() {
	local line=${COMP_LINE:0:COMP_POINT} typed='' current='' quote='' char has_word='' candidate kind='' i
	local -a words=() candidates=()

	# Not COMP_WORDS: there, a:b and a=b are three words each. Quotes and backslashes are taken away, as in what
	# the command would be given. The reply takes the place of `current`, the part behind the last word break.
	for ((i = 0; i < ${#line}; i++)); do
		char=${line:i:1}
		if [[ $char == [[:space:]] && ! $quote ]]; then
			[ -z "$has_word" ] || words+=("$typed")
			typed='' current='' has_word=''
			continue
		fi
		has_word=yes
		if [[ ($quote && $char == "$quote") || (! $quote && $char == [\'\"]) ]]; then
			[ "$quote" ] && quote='' || quote=$char
			current=''
			continue
		fi
		if [[ $char == \\ && $quote != \' ]]; then
			i=$((i + 1))
			typed+=${line:i:1} current+=${line:i:1}
			continue
		fi
		typed+=$char current+=$char
		[[ $quote || $char != [=:] || $COMP_WORDBREAKS != *$char* ]] || current=''
	done
	words+=("$typed")
	[ ${#words[@]} -gt 1 ] || return 0

	COMPREPLY=()
	while IFS=$'\t' read -r candidate _; do
		case $candidate in
		:files) kind="file" ;;
		:directories) kind="directory" ;;
		*)
			candidate=${candidate#"${typed%"$current"}"}
			# A KEY may have quotes, brackets and blanks in it.
			[[ $quote || $candidate == *([[:alnum:]._,=:/-]) ]] || printf -v candidate %q "$candidate"
			candidates+=("$candidate")
			;;
		esac
	done < <("$1" __complete "${words[@]:1}" 2>/dev/null)

	if [ -n "$kind" ]; then
		# `filenames` marks directories, and writes spaces with a backslash. Outside of a completion, as in a
		# test, it can't be set.
		compopt -o filenames 2>/dev/null || true
		# In quotes, LAYER:LAYER and --config=FILE are one word.
		typed=${current##*[:=]}
		mapfile -t COMPREPLY < <(compgen -A "$kind" -P "${current%"$typed"}" -- "$typed")
		return 0
	fi
	COMPREPLY=("${candidates[@]}")
	# The value, or a name in the directory, follows without a space.
	[[ ${candidates[0]-} != *[=/] ]] || compopt -o nospace 2>/dev/null || true
	return 0
}
complete -F _plyfs plyfs
