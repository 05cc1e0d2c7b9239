#!/bin/bash
. "$(dirname "$0")/mount.sh"

# The mount lies over the directory with its layers and its plyfs.yaml.
need python3
mkdir -p app/vendor app/site elsewhere
echo 'port: 80' >app/vendor/app.yaml
echo 'port: 8080' >app/site/app.yaml
printf 'layers: [vendor, site]\n' >app/plyfs.yaml
ln -s app link
exec 5<app # the directory itself, whatever lies over it
layers=/proc/self/fd/5

# ask FROM PATH: runs every command that reads layers, from that directory.
ask() {
	local output
	(
		cd "$1"
		explain "$2/app.yaml" port >"$directory/out"
		grep -q '^port: 8080 .*site/app.yaml:1:7' "$directory/out"
		"$PLYFS" blame "$2/app.yaml" | grep -q '^site .*site/app.yaml:1 .*port: 8080'
		"$PLYFS" diff "$2/app.yaml" | grep -q '^+port: 8080'
		[ "$("$PLYFS" check "$2")" = '1 file: all merge' ]
	) || fail "$3: not all commands find the layers from $1"
}

for what in app/vendor:app/site link/vendor:./app/../app/site "$directory/app/vendor:app/site" \
	'-c app/plyfs.yaml' "-c $directory/link/plyfs.yaml"; do
	start $what app
	ask . app "$what"
	ask elsewhere ../app "$what"
	ask . link "$what"
	# A change in them shows, also when the settings are made again.
	echo 'port: 1' >$layers/site/app.yaml
	comes_to_show app/app.yaml 'port: 1'
	mv $layers/site $layers/gone
	mkdir $layers/site
	echo 'port: 8080' >$layers/site/app.yaml
	comes_to_show app/app.yaml 'port: 8080'
	rm -r $layers/gone
	if [[ $what == -c* ]]; then
		echo 'files: [{path: made.yaml, from: app.yaml}]' >>$layers/plyfs.yaml
		comes_to_show app/made.yaml 'port: 8080'
		sed -i '$d' $layers/plyfs.yaml
		comes_to_vanish app/made.yaml
	fi
	# Mounting something elsewhere also makes the daemon read them again.
	if [ "$(id -u)" -eq 0 ] && mount --bind elsewhere elsewhere; then
		umount elsewhere
		sleep 0.2
	fi
	"$PLYFS" status app | grep -q 'errors  *0$' || fail "$what: $("$PLYFS" status app)"
	stop app
done

# A preset and the file of facts may lie beneath the mount, too.
mkdir app/presets
rules='description: x
rules: [{match: app.yaml, strategy: deep}]'
echo "${rules/deep/last}" >app/presets/mine.yaml
echo 'role: site' >app/facts.yaml
echo 'tls: true' >>app/vendor/app.yaml
cp app/plyfs.yaml plain.yaml
printf 'layers: [vendor, "%%{role}"]\nfacts: facts.yaml\npresets: [mine]\noptions: {header: false}\n' >app/plyfs.yaml
(
	export PLYFS_PRESETS=$directory/app/presets
	start -c app/plyfs.yaml app
	shows app/app.yaml 'port: 8080'
	echo "$rules" >$layers/presets/mine.yaml
	comes_to_show app/app.yaml $'port: 8080\ntls: true'
	echo 'role: vendor' >$layers/facts.yaml
	comes_to_show app/app.yaml $'port: 80\ntls: true'
	"$PLYFS" status app | grep -q 'errors  *0$' || fail "$("$PLYFS" status app)"
	explain app/app.yaml port >out
	stop app
) || exit 1
mv plain.yaml app/plyfs.yaml
rm -r app/presets app/facts.yaml

# Started in the directory that is covered then.
(
	cd app
	exec "$PLYFS" mount -f -o noheader vendor:site . >>../log 2>&1
) &
plyfs_pid=$!
eventually is_ready app
ask . app 'from within'
ask elsewhere ../app 'from within'
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 .
	fails_with 'lies under the mount itself' setpriv --reuid=12345 --regid=12345 --clear-groups \
		"$PLYFS" explain "$directory/app/app.yaml"
fi
stop app
exec 5<&-
