#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
# Two files that always change together: the states of both layers are directories, and one rename switches them.
publish() {
	mkdir "high/..$1"
	echo "n: $1" | tee "high/..$1/a.yaml" >"high/..$1/b.yaml"
	ln -s "..$1" high/..next
	mv -T high/..next high/..data
}
publish 0
ln -s ..data/a.yaml high/a.yaml
ln -s ..data/b.yaml high/b.yaml
printf 'layers: [low, {path: high, follow: true}]\noptions: {header: false}\n' >plyfs.yaml
pids=
for how in '' --atomic; do
	"$PLYFS" render --watch $how -c plyfs.yaml "out$how" 2>"log$how" &
	pids+=" $!"
done
ready() { [ -e out/b.yaml ] && [ -e out--atomic/b.yaml ]; }
eventually ready || fail 'it does not begin'

# Looks a directory up once, and compares the two files in it. If the directory is gone meanwhile, looks it up again.
cat >reader.py <<'END'
import os, sys
directory, mixes, pairs = sys.argv[1], 0, 0
while not os.path.exists("stop"):
    try:
        at = os.open(directory, os.O_PATH)
    except FileNotFoundError:  # the link was read, and its target has gone since
        continue
    try:
        texts = []
        for name in ("a.yaml", "b.yaml"):
            with os.fdopen(os.open(name, os.O_RDONLY, dir_fd=at)) as file:
                texts.append(file.read())
        pairs += 1
        mixes += texts[0] != texts[1]
    except FileNotFoundError:
        pass
    finally:
        os.close(at)
    if mixes and not os.path.exists(f"{sys.argv[2]}.mixed"):
        open(f"{sys.argv[2]}.mixed", "w").close()
print(mixes if pairs else "none read")
END
python3 reader.py out plain >plain &
readers=$!
python3 reader.py out--atomic/..data atomic >atomic &
readers+=" $!"
# At least so many, and until the twin has seen a mix.
last=0
until [ $last -ge 150 ] && { [ -e plain.mixed ] || [ $last -ge 3000 ]; }; do
	last=$((last + 1))
	publish $last
	rm -r "high/..$((last - 1))"
	sleep 0.03
done
for how in '' --atomic; do
	eventually is "out$how/a.yaml" "n: $last" && eventually is "out$how/b.yaml" "n: $last" || fail "out$how: $(cat "out$how"/*.yaml)"
done
touch stop
wait $readers
is atomic 0 || fail "readers of generations have seen a mix: $(cat atomic)"
[ "$(cat plain)" -gt 0 ] || fail 'readers of a plain tree have seen no mix: the test shows nothing'
