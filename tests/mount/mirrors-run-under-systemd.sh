#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/systemd.sh"

# A layer out of git: plyfs-mirror@.service keeps it, and then the mount itself does with plyfs-network.conf.
need git python3
start_systemd
chmod 755 .
git init -q -b main store
commit() {
	echo "a: $1" >store/app.yaml
	git -C store add .
	git -C store -c user.name=x -c user.email=x@localhost commit -qm "$1"
}
commit 1
rmdir mnt

# The room has no devices to copy. The store is in its /tmp, which the unit hides.
put_unit plyfs-mirror PrivateDevices=no "BindReadOnlyPaths=$directory/store"
echo "ARGUMENTS=git --ref main --interval 1 $directory/store" >settings/fleet.mirror
inside systemctl start plyfs-mirror@fleet.service || fail "it does not start: $(cat log)"
layer=/var/lib/plyfs/fleet/layer
[ "$(inside cat $layer/app.yaml)" = 'a: 1' ] || fail "the mirror has: $(inside ls -l $layer/)"
[[ $(inside systemctl show -P StatusText plyfs-mirror@fleet.service) == *"$(git -C store rev-parse main | cut -c 1-8)"* ]] ||
	fail "systemd is told: $(inside systemctl show -P StatusText plyfs-mirror@fleet.service)"
printf 'layers: [%s]\noptions: {header: false}\n' $layer >"$settings"
inside systemctl start "$unit" || fail "it does not start: $(cat log)"
inside_shows() { [ "$(inside cat "$directory/mnt/app.yaml" 2>/dev/null)" = "$1" ]; }
inside_shows 'a: 1' || fail "the mount of the mirror shows: $(inside cat "$directory/mnt/app.yaml")"
commit 2
eventually inside_shows 'a: 2' || fail "a commit does not show: $(cat log)"
inside systemctl stop "$unit" plyfs-mirror@fleet.service

# The mount itself keeps it; without the drop-in it has no network.
nsenter -t "$init" -m -p -u -i -n -C env -i PATH=/usr/sbin:/usr/bin \
	git daemon --base-path="$directory" --export-all --listen=127.0.0.1 --reuseaddr >daemon 2>&1 &
printf 'layers: [{name: fleet, git: {url: "git://127.0.0.1/store", ref: main, interval: 1s, user: nobody}}]\noptions: {header: false}\n' >"$settings"
inside systemctl start --no-block "$unit"
eventually grep -q 'unable to connect to 127.0.0.1' log || fail "without a network it says: $(cat log daemon)"
inside systemctl stop "$unit"
cp "$(dirname "$test_file")/../../examples/plyfs-network.conf" .
inside mkdir -p "/run/units/$unit.d"
inside cp "$directory/plyfs-network.conf" "/run/units/$unit.d/"
inside systemctl daemon-reload
inside systemctl start "$unit" || fail "with a mirror of its own it does not start: $(cat log daemon)"
inside_shows 'a: 2' || fail "with a mirror of its own it shows: $(inside cat "$directory/mnt/app.yaml")"
commit 3
eventually inside_shows 'a: 3' || fail "a commit does not show: $(cat log)"
inside systemctl stop "$unit"
