#!/bin/bash
. "$(dirname "$0")/mount.sh"

need inotifywait getfattr
mkdir -p low/web.service.d high/web.service.d
printf '[Service]\nExecStart=/bin/a \\\n  --log\nEnvironment=A=1\n' >low/web.service
printf '[Service]\nEnvironment=B=2\n' >low/web.service.d/10-more.conf
printf '[Service]\nExecStart=\nExecStart=/bin/b\n' >high/web.service.d/50-site.conf
printf '[mysqld]\nport=1\nskip-networking\n' >low/my.cnf
printf '[mysqld]\nport=2\n' >high/my.cnf
printf '10.0.0.1 a\n10.0.0.2 b\n' >low/hosts
printf '10.0.0.1 a\n10.0.0.3 c\n' >high/hosts
cat >plyfs.yaml <<-END
	layers: [low, high]
	options: {header: false}
	rules:
	  - {match: "*.service", dropins: true}
	  - {match: my.cnf, format: ini}
	  - {match: hosts, strategy: lines}
END
unit=$'[Service]\nExecStart=\nExecStart=/bin/b\nEnvironment=A=1\nEnvironment=B=2'
start -c plyfs.yaml mnt
shows mnt/web.service "$unit"
shows mnt/my.cnf $'[mysqld]\nport = 2\nskip-networking'
shows mnt/hosts $'10.0.0.1 a\n10.0.0.2 b\n10.0.0.3 c'
! command -v systemd-analyze >/dev/null || { sed 's,/bin/b,/bin/true,' mnt/web.service >web.service &&
	systemd-analyze verify ./web.service; } || fail 'systemd takes no such unit'

# The unit is live. A drop-in that does not parse changes nothing, and is reported with its place.
printf '[Service]\nEnvironment=\n' | replace high/web.service.d/60-none.conf
comes_to_show mnt/web.service "${unit/A=1$'\n'Environment=B=2/}"
rm high/web.service.d/60-none.conf
comes_to_show mnt/web.service "$unit"
tells() { [[ $(attribute mnt/my.cnf user.plyfs.error) == "$1"* ]]; }
printf '[mysqld]\n[client\n' | replace high/my.cnf
eventually tells "$PWD/high/my.cnf:2:1: the section's name does not end" ||
	fail "the attribute says: $(attribute mnt/my.cnf user.plyfs.error)"
shows mnt/my.cnf $'[mysqld]\nport = 2\nskip-networking'

# The twin: without the rules each file is the highest layer's, whole.
stop
printf 'layers: [low, high]\noptions: {header: false}\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/web.service "$(cat low/web.service)"
shows mnt/my.cnf "$(cat high/my.cnf)"
shows mnt/hosts "$(cat high/hosts)"
