#!/bin/bash
. "$(dirname "$0")/../cli/cli.sh"

need systemd-analyze

# The manual pages, which systemd-analyze looks for, are not installed; nor is the command.
sed -e "s|^\(ExecStart=\)[^ ]*/plyfs |\1$PLYFS |" -e /^Documentation=/d "$UNIT" >plyfs@srv-app.service
grep -q "^ExecStart=$PLYFS mount -f -o X-mount.mkdir -c /etc/plyfs/%i.yaml %f$" plyfs@srv-app.service
grep -qx 'AssertPathExists=/etc/plyfs/%i.yaml' plyfs@srv-app.service
! grep '^Condition' plyfs@srv-app.service || fail 'an instance that is mistyped looks started'
runs 0 systemd-analyze verify --man=no ./plyfs@srv-app.service
[ ! -s out ] && [ ! -s err ] || fail "it says: $(cat out err)"

# The exposure is 3.9 with systemd 252: a mount that all processes see costs that, and commands that run as other users;
# plyfs@.service gives the reasons.
runs 0 systemd-analyze security --offline=yes --threshold=40 --no-pager ./plyfs@srv-app.service
# Each of these would give the service a mount namespace of its own, and hide the mount in it.
for setting in PrivateTmp PrivateDevices ProtectSystem ProtectHome ProtectKernelTunables \
	ProtectKernelModules ProtectKernelLogs ProtectControlGroups ProtectProc ProcSubset PrivateUsers \
	ReadWritePaths ReadOnlyPaths InaccessiblePaths TemporaryFileSystem BindPaths DynamicUser; do
	! grep -q "^$setting=" "$UNIT" || fail "$setting= hides the mount from everybody else"
done
grep -qx 'PrivateMounts=no' "$UNIT"

# The unit that renders mounts nothing, so it may have fewer rights.
sed -e "s|^\(ExecStart=\)[^ ]*/plyfs |\1$PLYFS |" -e /^Documentation=/d "${UNIT/plyfs@/plyfs-render@}" >plyfs-render@srv-app.service
grep -q "^ExecStart=$PLYFS render --watch -c /etc/plyfs/%i.yaml %f$" plyfs-render@srv-app.service
runs 0 systemd-analyze verify --man=no ./plyfs-render@srv-app.service
[ ! -s out ] && [ ! -s err ] || fail "it says: $(cat out err)"

# The unit of a mirror needs the network, a directory of its own, and nothing else.
sed -e "s|^\(ExecStart=\)[^ ]*/plyfs |\1$PLYFS |" -e /^Documentation=/d "${UNIT/plyfs@/plyfs-mirror@}" >plyfs-mirror@fleet.service
grep -q "^ExecStart=$PLYFS mirror [$]ARGUMENTS --state " plyfs-mirror@fleet.service
runs 0 systemd-analyze verify --man=no ./plyfs-mirror@fleet.service
[ ! -s out ] && [ ! -s err ] || fail "it says: $(cat out err)"
runs 0 systemd-analyze security --offline=yes --threshold=15 --no-pager ./plyfs-mirror@fleet.service

# With the drop-in that a mount's own mirrors need.
mkdir plyfs@srv-app.service.d
cp "$DOCS/../examples/plyfs-network.conf" plyfs@srv-app.service.d/
runs 0 systemd-analyze verify --man=no ./plyfs@srv-app.service
[ ! -s out ] && [ ! -s err ] || fail "it says: $(cat out err)"
