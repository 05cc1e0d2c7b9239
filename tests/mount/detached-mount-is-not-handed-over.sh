#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/systemd.sh"

# After umount -l a program still has the mount. A take-over changes nothing, and at a restart the next plyfs mounts.
start_systemd
printf 'layers: [%s/low]\noptions: {header: false}\n' "$directory" >"$settings"
printf 'a: 1\n' >low/app.yaml
rmdir mnt
inside systemctl start "$unit"
nsenter -t "$init" -m -p -u -i -n -C sh -c "exec 5<$directory/mnt/app.yaml; echo >$directory/held; exec sleep 1000" &
eventually [ -e held ] || fail "nobody has it open"
inside umount -i -l "$directory/mnt"
inside systemctl reload "$unit"
eventually grep -q 'was not taken over (it is unmounted' log || fail "it says: $(cat log)"
[ "$(property ActiveState)" = active ] || fail "the mount has ended"
inside systemctl restart "$unit" || fail "it is not started again: $(cat log)"
[ "$(inside cat "$directory/mnt/app.yaml")" = 'a: 1' ] || fail "it is not mounted"
