#!/bin/bash
. "$(dirname "$0")/cli.sh"
# Nothing is lost: no change by another process while the editor is open, no typed text, and nothing that an editor
# can't show.

tells() { grep -qF -- "$1" err || fail "it says: $(cat err); and not: $1"; }
mkdir low high
use_editor() {
	printf '#!/bin/sh\n%s\n' "$1" >editor
	chmod +x editor
}
edits() {
	local code=$1
	shift
	EDITOR=./editor runs "$code" "$PLYFS" edit "$@"
}

# For a file of one layer the typed text is taken whole, but not over a change made meanwhile.
printf 'a: 1\nb: 1\n' >high/one.yaml
use_editor "$PLYFS set -l low:high one.yaml b 99 >/dev/null; sed -i 's/a: 1/a: 2/' \"\$1\""
edits 0 -l low:high one.yaml
[ "$(cat high/one.yaml)" = $'a: 2\nb: 99' ] || fail "it is: $(cat high/one.yaml)"
echo one >high/motd
use_editor 'if [ -e seen ]; then exit 0; fi; touch seen; echo two >high/motd; echo three >>"$1"'
edits 1 -l low:high motd
tells 'the file has changed meanwhile; edit it again as it is now'
tells 'the typed text is kept in '
[ "$(cat high/motd)" = two ] || fail "it is: $(cat high/motd)"
rm -r "$(sed -n 's/.*is kept in \(.*\)\/motd$/\1/p' err)"

# A directory that is no longer a layer is not written to.
printf 'a: 1\n' >low/both.yaml
printf 'b: 1\n' >high/both.yaml
use_editor 'mv high old; cp -a old high; sed -i "s/b: 1/b: 2/" "$1"'
edits 0 -l low:high both.yaml
[ "$(cat high/both.yaml old/both.yaml)" = $'b: 2\nb: 1' ] || fail "they are: $(head high/both.yaml old/both.yaml)"

# If the layers can't be opened again, the editor does not open again: the reason is printed once.
rm -r old
use_editor 'if [ -e old ]; then touch again; fi; mv high old; sed -i "s/b: 2/b: 3/" "$1"'
edits 1 -l low:high both.yaml
[ "$(wc -l <err)" -eq 2 ] || fail "it says: $(cat err)"
tells "the layer directory 'high' does not exist"
tells 'the typed text is kept in '
[ ! -e again ] || fail 'the editor was opened again'
kept=$(sed -n 's/.*is kept in \(.*\)$/\1/p' err)
grep -qx 'b: 3' "$kept" || fail "it is kept: $(cat "$kept")"
rm -r "$(dirname "$kept")"
mv old high

# A file that is no text is not shown as one. Comments that look like plyfs' are not taken for its own.
printf 'abc\n\0more\n' >high/binary
cp high/binary before
use_editor 'echo x >>"$1"'
edits 1 -l low:high binary
tells 'has a NUL byte'
cmp high/binary before
echo text >high/text
use_editor 'printf "a\0b" >"$1"'
edits 1 -l low:high text
tells 'has a NUL byte'
tells 'is kept in '
[ "$(cat high/text)" = text ]
rm -r "$(sed -n 's/.*is kept in \(.*\)\/text$/\1/p' err)"
printf '# plyfs: keep me\na: 1\n' >high/mine.yaml
edits() { EDITOR=true runs "$1" "$PLYFS" edit "${@:2}"; }
edits 0 -l low:high mine.yaml
tells 'nothing was changed'
[ "$(head -n 1 high/mine.yaml)" = '# plyfs: keep me' ] || fail "it is: $(cat high/mine.yaml)"

# ^C in the editor goes to the editor.
cat >terminal.py <<'END'
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.environ["EDITOR"] = "./editor"
    os.execv(sys.argv[1], [sys.argv[1], "edit", "-l", "low:high", "mine.yaml"])
while not os.path.exists("open"):
    time.sleep(0.02)
os.write(terminal, b"\x03")
try:
    while os.read(terminal, 1000):
        pass
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
need_terminal
need python3
cat >editor <<'END'
#!/bin/sh
trap 'touch interrupted' INT
touch open
until [ -e interrupted ]; do sleep 0.1; done
echo 'b: 2' >>"$1"
END
python3 terminal.py "$PLYFS" || fail "it ended with $?"
[ "$(cat high/mine.yaml)" = $'# plyfs: keep me\na: 1\nb: 2' ] || fail "it is: $(cat high/mine.yaml)"

# An editor that leaves no file, or something else in its place.
mkdir gone
echo 'a: 1' >gone/app.yaml
for VISUAL in 'rm -f' 'sh -c "rm \$1; mkfifo \$1" sh' 'sh -c "rm \$1; mkdir \$1" sh'; do
	export VISUAL
	code=0
	TMPDIR=$PWD timeout 30 "$PLYFS" edit -l gone app.yaml 2>err </dev/null || code=$?
	[ $code -eq 1 ] || fail "'$VISUAL' ends with $code: $(cat err)"
	grep -q 'the editor has left no file here; nothing is changed' err || fail "$(cat err)"
done
[ "$(cat gone/app.yaml)" = 'a: 1' ] || fail 'the file is changed'

# An editor's backup has the whole text, perhaps with secrets. It is named, and not removed: a swap file may be needed.
mkdir temporary
use_editor 'cp "$1" "$1~"; sed -i s/1/2/ "$1"'
EDITOR=./editor TMPDIR=$PWD/temporary VISUAL='' runs 0 "$PLYFS" edit -l gone app.yaml
tells "the editor has left files in $PWD/temporary/plyfs-edit-"
[ "$(cat temporary/*/app.yaml~)" = 'a: 1' ] || fail 'the backup is gone'
rm -r temporary/*
use_editor 'sed -i s/2/3/ "$1"'
EDITOR=./editor TMPDIR=$PWD/temporary VISUAL='' runs 0 "$PLYFS" edit -l gone app.yaml
rmdir temporary
[ ! -s err ] || fail "it says: $(cat err)"
