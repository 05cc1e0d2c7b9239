#!/bin/bash
. "$(dirname "$0")/mount.sh"

# Each program reads its file from a mount of three layers. A program that is not installed is left out; if none is, the
# test is skipped.
programs=()
for program in my_print_defaults docker-compose containerd systemd-analyze; do
	! command -v "$program" >/dev/null || programs+=("$program")
done
[ ${#programs[@]} -gt 0 ] || skip 'my_print_defaults, docker-compose, containerd and systemd-analyze are missing'
has() { [[ " ${programs[*]} " == *" $1 "* ]]; }

mkdir -p vendor/docker.d site/docker.d site/job.service.d host/docker.d host/job.service.d
# INI, with keys that have no "=".
printf '[mysqld]\nport = 3306\nskip-networking\n[client]\nsocket = /run/a\n' >vendor/my.cnf
printf '[mysqld]\nport = 3307\n' >site/my.cnf
printf '[mysqld]\ndatadir = /srv/db\n[client]\nsocket = /run/b\n' >host/my.cnf
# YAML.
printf 'version: "3"\nservices:\n  web: {image: "nginx:1", ports: ["80:80"]}\n' >vendor/docker-compose.yaml
printf 'services:\n  web: {environment: {MODE: site}}\n' >site/docker-compose.yaml
printf 'services:\n  web: {image: "nginx:2"}\n  db: {image: "db:1"}\n' >host/docker-compose.yaml
# TOML.
printf 'version = 2\nroot = "/var/lib/containerd"\n[grpc]\nmax_recv_message_size = 1\n' >vendor/config.toml
printf '[grpc]\nmax_recv_message_size = 16777216\n' >site/config.toml
printf 'root = "/srv/containerd"\n' >host/config.toml
# A unit with drop-ins, in the dialect where an empty assignment resets a list.
printf '[Service]\nExecStart=/nowhere/vendor \\\n  --vendor\nEnvironment=A=1\n' >vendor/job.service
printf '[Service]\nEnvironment=B=2\n' >site/job.service.d/10-site.conf
printf '[Service]\nExecStart=\nExecStart=/bin/true\n' >host/job.service.d/20-host.conf
# JSON that is made of YAML and TOML.
printf 'log-driver: journald\nlabels: [a]\n' >vendor/docker.d/10-vendor.yaml
printf 'labels = ["b"]\n' >site/docker.d/20-site.toml
printf 'debug: true\nlabels: !append [c]\n' >host/docker.d/30-host.yaml
cat >plyfs.yaml <<-'END'
	layers: [vendor, site, host]
	rules:
	  - {match: my.cnf, format: ini}
	  - {match: "*.service", dropins: true}
	files:
	  - {path: daemon.json, from: ["docker.d/*.yaml", "docker.d/*.toml"]}
END
mount_options=
start -c plyfs.yaml mnt

if has my_print_defaults; then
	defaults() { [ "$(my_print_defaults --defaults-file=mnt/my.cnf "$1" | tr '\n' ' ')" = "$2" ]; }
	defaults mysqld '--port=3307 --skip-networking --datadir=/srv/db ' || fail 'mysqld has other options'
	defaults client '--socket=/run/b ' || fail 'client has other options'
	printf '[mysqld]\nport = 3308\n' | replace site/my.cnf
	eventually defaults mysqld '--port=3308 --skip-networking --datadir=/srv/db ' ||
		fail 'a change does not come'
	# The twin: the highest layer's file alone.
	[ "$(my_print_defaults --defaults-file=host/my.cnf mysqld)" = --datadir=/srv/db ]
fi
if has docker-compose; then
	docker-compose -f mnt/docker-compose.yaml config >composed || fail 'docker-compose takes no such file'
	for line in 'image: nginx:2' 'image: db:1' 'MODE: site'; do
		grep -q "$line" composed || fail "docker-compose has no '$line': $(cat composed)"
	done
	! docker-compose -f site/docker-compose.yaml config >/dev/null 2>&1 || fail 'one layer alone does as well'
fi
if has containerd; then
	containerd -c mnt/config.toml config dump >dumped || fail 'containerd takes no such file'
	grep -q 'root = "/srv/containerd"' dumped
	grep -q 'max_recv_message_size = 16777216' dumped
fi
if has systemd-analyze; then
	systemd-analyze verify ./mnt/job.service 2>verified || fail "systemd takes no such unit: $(cat verified)"
	! systemd-analyze verify ./vendor/job.service 2>/dev/null || fail "the lowest layer's unit does as well"
fi
python3 - <<-END
	import json
	with open("mnt/daemon.json") as file:
	    assert json.load(file) == {"log-driver": "journald", "labels": ["b", "c"], "debug": True}
END
