#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir -p low/pillar/hosts low/pillar/data
echo '_merge: base' >low/pillar/hosts/web.yaml
echo 'port: 80' >low/pillar/data/base.yaml
cat >plyfs.yaml <<-END
	layers: [low, high]
	rules: [{match: "pillar/hosts/*.yaml", strategy: pillar, options: {data_path: pillar}}]
END
start -c plyfs.yaml mnt
shows mnt/pillar/hosts/web.yaml 'port: 80'
watch mnt/pillar/hosts
echo 'port: 81' | replace low/pillar/data/base.yaml
comes_to_show mnt/pillar/hosts/web.yaml 'port: 81'
comes_event 'MOVED_TO web.yaml'
# A file that takes precedence over it.
echo 'port: 82' >low/pillar/base.yaml
comes_to_show mnt/pillar/hosts/web.yaml 'port: 82'
rm low/pillar/base.yaml
comes_to_show mnt/pillar/hosts/web.yaml 'port: 81'
unwatch
