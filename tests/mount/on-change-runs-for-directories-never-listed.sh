#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
mkdir low/conf new
cat >plyfs.yaml <<YAML
layers: [low, high]
rules:
  - {match: "conf/**/*.yaml", on_change: [sh, -c, 'cat "\$1" >>$PWD/told', sh, "%f"]}
YAML
echo 'a: 1' >low/conf/a.yaml
start -c plyfs.yaml mnt
shows mnt/conf/a.yaml 'a: 1'

# The kernel forgets the directory, and plyfs does not.
forget() { forget_names && sleep 0.3; }
is_told_once() {
	told() { is told "$1"; }
	eventually told "$1" || fail "$2 is not told: $(cat told)"
	rm told
}
mkdir -p new/sub/deep
echo 'x: 1' | tee new/sub/x.yaml >new/sub/deep/y.yaml
echo 'x: 1' >new/sub/other
forget
mv new/sub low/conf/
is_told_once $'conf/sub/deep/y.yaml\nconf/sub/x.yaml' "what comes with a directory"

# A file that was shown and then forgotten.
shows mnt/conf/sub/x.yaml 'x: 1'
forget
mv low/conf/sub new/
is_told_once conf/sub/x.yaml "what goes with a directory"
forget
mv new/sub low/conf/
is_told_once $'conf/sub/deep/y.yaml\nconf/sub/x.yaml' "what comes again"
shows mnt/conf/sub/x.yaml 'x: 1'
forget
ls mnt/conf >/dev/null
mv low/conf/sub new/
is_told_once conf/sub/x.yaml "what goes with a directory out of one that is looked at"
stop
