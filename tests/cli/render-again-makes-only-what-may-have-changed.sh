#!/bin/bash
# A file whose sources, settings and bytes are provably as they were is left as it is: nothing of it is read or merged.
# In doubt it is made again. Two seconds after a change, a stamp is no longer racy.
. "$(dirname "$0")/cli.sh"

mkdir -p vendor site/app.yaml.d facts
for name in app doc old; do
	printf 'name: %s\nport: 1\n' "$name" | tee "vendor/$name.yaml" >"site/$name.yaml"
done
printf 'one\n' >vendor/one.txt
ln -s one.txt vendor/link
printf '{}\n' >schema.json
cat >plyfs.yaml <<'end'
layers: [vendor, site]
rules:
  - {match: doc.yaml, schema: schema.json}
  - {match: old.yaml, strategy: last}
end
# again COUNT ARGUMENT...: renders again, and makes so many files.
again() {
	local count=$1
	shift
	runs 0 "$PLYFS" render -c plyfs.yaml "$@" tree
	runs 0 "$PLYFS" render -c plyfs.yaml "$@" fresh
	diff -r --no-dereference --exclude=.plyfs tree fresh || fail 'it is not what a fresh rendering is'
	rm -r fresh
	[ "$(made)" -eq "$count" ] || fail "line ${BASH_LINENO[0]}: it made $(made) files, not $count"
}
made() { sed -n 's/.*"compositions": \([0-9]*\),.*/\1/p' tree/.plyfs/status; }

# settled COUNT ARGUMENT...: the same when no stamp is racy any more. The first run that finds that notes it.
settled() {
	sleep 3
	runs 0 "$PLYFS" render -c plyfs.yaml "${@:2}" tree
	again "$@"
}

again 5
settled 0
sleep 3
again 0 # by now the stamps of the rendered files are known, too
inode=$(stat -c %i tree/.plyfs/bases tree/.plyfs/manifest)
again 0
[ "$(stat -c %i tree/.plyfs/bases tree/.plyfs/manifest)" = "$inode" ] || fail 'it writes though nothing has changed'

# A source with a time in the future stays racy: it is read each time.
touch -d '1 hour' vendor/doc.yaml
again 1
settled 1
touch vendor/doc.yaml
settled 0

# The same size and time, another mode, a touch, another link, a new file.
touch -r site/app.yaml stamp
printf 'name: APP\nport: 1\n' >site/app.yaml
touch -r stamp site/app.yaml
chmod 600 site/old.yaml
touch vendor/doc.yaml
ln -sfn new.yaml vendor/link
printf 'port: 2\n' >site/new.yaml
again 5
settled 0
# A file that has gone, one that has lost a source, a whiteout that comes and goes.
rm site/new.yaml site/old.yaml
touch site/.wh.one.txt
again 1
[ ! -e tree/new.yaml ] && [ ! -e tree/one.txt ]
settled 0
rm site/.wh.one.txt
again 1
settled 0

# A whiteout in a directory, beside a file of its own layer.
mkdir vendor/sub site/sub
printf 'low: 1\n' >vendor/sub/a.yaml
printf 'high: 1\n' >site/sub/a.yaml
again 1
settled 0
touch site/sub/.wh.a.yaml
again 1
! grep -q low tree/sub/a.yaml || fail 'the whiteout hides nothing'
rm -r vendor/sub site/sub
again 0

# Settings: a rule with drop-ins, a schema, another directory of a layer, an option, a check.
echo '  - {match: app.yaml, dropins: layers}' >>plyfs.yaml
printf 'drop: 1\n' >site/app.yaml.d/10.yaml
again 6
grep -q '^drop: 1' tree/app.yaml
settled 1 # a file with drop-ins is made each time
printf '{"type": "object"}\n' >schema.json
again 6
settled 1
cp -a site other
rm -r site
mv other site
again 6
settled 1
again 6 --no-header
again 1 --no-header
printf '  - {match: one.txt, check: [%s, -e, "%%f"]}\n' "$(type -P test)" >>plyfs.yaml
again 6 --no-header
settled 2 --no-header # a check judges its file each time
sed -i '$d' plyfs.yaml
settled 1 --no-header

# A rendered file that another program has changed or removed is put right, also with the same size and time.
touch -r tree/doc.yaml stamp
chmod u+w tree/doc.yaml
sed -i 's/doc/DOC/' tree/doc.yaml
touch -r stamp tree/doc.yaml
rm tree/one.txt tree/link
chmod 600 tree/old.yaml
again 5 --no-header
again 1 --no-header

# Bases that are damaged, lost or another tree's do no harm.
printf 'plyfs bases 1 zz\n' >tree/.plyfs/bases
again 6 --no-header
again 1 --no-header
sed -i '2,$s/^[0-9a-f]*/1/' tree/.plyfs/bases
again 6 --no-header
again 1 --no-header
rm tree/.plyfs/bases
again 6 --no-header
again 1 --no-header
sed -i 's/^\(plyfs render\) 2$/\1 1/' tree/.plyfs/manifest
runs 1 "$PLYFS" render -c plyfs.yaml tree
says "has a manifest that this plyfs can't read"
