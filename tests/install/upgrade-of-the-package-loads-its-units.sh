#!/bin/bash
. "$(dirname "$0")/../cli/cli.sh"

# After an upgrade systemd has the new package's units, and not those that it loaded before: debhelper loads none of a
# package that has only templates. Then each mount is reloaded, and what renders or mirrors is restarted.
need unshare
unshare --map-root-user --mount mount -t tmpfs tmpfs /run 2>/dev/null || skip 'there can be no private mounts here'
mkdir bin
for tool in systemctl deb-systemd-invoke adduser; do
	printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n' $tool "$PWD" >bin/$tool
done
# The active instances of each template.
cat >>bin/systemctl <<'END'
case $IDLE$* in
list-units*--state=active*plyfs-render@*) printf 'plyfs-render@%s.service loaded active running X\n' a b ;;
esac
case $IDLE$* in
list-units*--state=active*plyfs-mirror@*) echo 'plyfs-mirror@fleet.service loaded active running X' ;;
esac
END
chmod 755 bin/*

# configured SYSTEM [VERSION]: with the former version, or none, after the boot of systemd, or of another.
package=plyfs
configured() {
	: >calls
	SYSTEM=$1 PATH=$PWD/bin:$PATH unshare --map-root-user --mount sh -ec '
		mount -t tmpfs tmpfs /run
		mkdir -p "/run/$SYSTEM"
		exec sh "$@"' sh "$DOCS/../debian/$package.postinst" configure "${@:2}"
}

export IDLE=
configured systemd/system 0.2.0
grep -qx 'systemctl --system daemon-reload' calls || fail "units are not loaded: $(cat calls)"
# The mirrors, too: the program is in this package.
[ "$(grep ^deb- calls)" = 'deb-systemd-invoke reload plyfs@*.service
deb-systemd-invoke restart plyfs-render@a.service plyfs-render@b.service plyfs-mirror@fleet.service' ] ||
	fail "its calls: $(cat calls)"
IDLE=yes configured systemd/system 0.2.0
[ "$(grep ^deb- calls)" = 'deb-systemd-invoke reload plyfs@*.service' ] || fail "its calls: $(cat calls)"
configured systemd/system ''
! grep -q '^deb-systemd-invoke' calls || fail "it reloads what was never mounted"
configured other 0.2.0
[ ! -s calls ] || fail "it calls what does not run: $(cat calls)"

package=plyfs-mirror
configured systemd/system 0.2.0
grep -qx 'systemctl --system daemon-reload' calls || fail "units are not loaded: $(cat calls)"
[ "$(tail -n 1 calls)" = 'deb-systemd-invoke restart plyfs-mirror@fleet.service' ] || fail "its calls: $(cat calls)"
nothing() {
	configured "$@"
	! grep -q '^deb-systemd-invoke' calls || fail "it restarts what does not run: $(cat calls)"
}
IDLE=yes nothing systemd/system 0.2.0
nothing systemd/system ''
nothing other 0.2.0
