#!/bin/bash
. "$(dirname "$0")/../cli/cli.sh"

mkdir home bin
export HOME=$directory/home PATH=$directory/bin:$PATH
ln -s "$PLYFS" bin/plyfs
missing=()
if command -v zsh >/dev/null; then
	zsh -n "$COMPLETION/_plyfs"
	head -1 "$COMPLETION/_plyfs" | grep -qx '#compdef plyfs'
	# The words that go to the list: a word without a description has no colon behind it.
	zsh -f -c '
		_call_program() { shift; eval "$@" }
		_describe() { print -rl -- "${(P@)4}" }
		words=(plyfs blame --color "") CURRENT=4 PREFIX=
		source $1' - "$COMPLETION/_plyfs" >words
	# KEYs of a file.
	mkdir -p zsh
	printf 'server: {port: 80}\n' >zsh/app.yaml
	zsh -f -c '
		_call_program() { shift; eval "$@" }
		_describe() { print -rl -- "${(P@)4}" }
		words=(plyfs explain -l zsh app.yaml .ser) CURRENT=6 PREFIX=.ser
		source $1' - "$COMPLETION/_plyfs" >keys
	[ "$(sort keys | tr '\n' ' ')" = '.server .server.port ' ] || fail "zsh offers $(cat keys)"
	[ "$(sort words | tr '\n' ' ')" = 'always auto never ' ] || fail "zsh offers $(cat words)"
else
	missing+=(zsh)
fi
if command -v fish >/dev/null; then
	fish --no-execute "$COMPLETION/plyfs.fish"
	[ "$(fish -c "source $COMPLETION/plyfs.fish; complete -C 'plyfs merge -s salt --set t'" |
		cut -f1)" = tags= ] || fail "fish offers no options"
	mkdir vendor
	printf 'server: {port: 80}\n' >vendor/app.yaml
	[ "$(fish -c "source $COMPLETION/plyfs.fish; complete -C 'plyfs explain -l vendor app.yaml ser'" |
		cut -f1 | tr '\n' ' ')" = 'server server.port ' ] || fail "fish offers no KEYs"
	[ "$(fish -c "source $COMPLETION/plyfs.fish; complete -C 'plyfs cat -l low:ven'" |
		cut -f1)" = low:vendor/ ] || fail "fish offers no directories"
else
	missing+=(fish)
fi
[ ${#missing[@]} -eq 0 ] || skip "not installed: ${missing[*]}"
