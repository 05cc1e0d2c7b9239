#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/systemd.sh"

# plyfs-render@.service keeps a directory of merged files.
start_systemd
chmod 755 .
rendering=plyfs-render@$(systemd-escape -p "$directory/tree").service
mkdir tree
# The room has no devices to copy. The test is in its /tmp, which the unit hides.
put_unit plyfs-render PrivateDevices=no PrivateTmp=no
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
settings=settings/$(systemd-escape -p "$directory/tree").yaml
printf 'layers: [%s/low, %s/high]\noptions: {header: false}\n' "$directory" "$directory" >"$settings"
inside systemctl start "$rendering" || fail "it does not start: $(cat log)"
shows tree/app.yaml $'a: 1\nb: 1'
echo 'b: 2' >high/app.yaml
comes_to_show tree/app.yaml $'a: 1\nb: 2'
inside systemctl stop "$rendering"
[ "$(inside systemctl show -P Result "$rendering")" = success ] || fail "it ended as $(inside systemctl show -P Result "$rendering")"
shows tree/app.yaml $'a: 1\nb: 2'
