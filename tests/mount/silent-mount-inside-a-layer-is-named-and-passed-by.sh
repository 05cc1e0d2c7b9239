#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"

# A mount inside a layer, or where a layer's link leads to, is silent. A command that comes to it names it and ends; a
# command for the whole tree goes on with the rest; a command for other paths does not ask it.
mkdir -p low/{sub,link,ok} high/{sub,ok,up} away
for layer in low high; do
	echo "$layer: 1" | tee $layer/app.yaml >$layer/ok/x.yaml
done
echo 'low: 1' | tee low/sub/x.yaml >low/link/x.yaml
ln -s "$directory/away" high/link
echo 'layers: [low, {path: high, follow: true}]' >follow.yaml
echo 'layers: [low, high]' >plain.yaml

# all_name PATH CODE <<COMMANDS: all run at once, and each names the mount at the path once.
all_name() {
	local line process processes=()
	while read -r line; do
		(
			ends "$2" "$PLYFS" $line
			says "$directory/$1: does not answer for 5 s"
			[ "$(grep -o "does not answer for" <<<"$said" | wc -l)" -eq 1 ] || fail "$line: twice: $said"
		) &
		processes+=($!)
	done
	for process in "${processes[@]}"; do
		wait "$process" || exit 1
	done
}

# The twin: nothing is silent, and a healthy mount inside a layer is read as ever.
mkdir healthy
echo 'healthy: 1' >healthy/x.yaml
mount --bind healthy high/ok
at_end "umount $directory/high/ok"
"$PLYFS" mount -o noheader healthy:low/ok high/up
at_end "umount -l $directory/high/up"
for settings in plain follow; do
	ends 0 "$PLYFS" check -c $settings.yaml
	ends 0 "$PLYFS" get -c $settings.yaml ok/x.yaml healthy
	says 1
	ends 0 "$PLYFS" get -c $settings.yaml up/x.yaml healthy
	says 1
done

make_silent high/sub mute
make_silent away deaf
all_name high/sub 1 <<'COMMANDS'
cat -c plain.yaml sub/x.yaml
explain -c plain.yaml sub/x.yaml
get -c plain.yaml sub/x.yaml low
blame -c plain.yaml sub/x.yaml
diff -c plain.yaml sub/x.yaml
check -c plain.yaml
check -c plain.yaml sub
edit -c plain.yaml sub/x.yaml
render -c plain.yaml rendered
render -n -c plain.yaml dry
render --atomic -c plain.yaml whole
COMMANDS
all_name high/sub 1 <<'COMMANDS'
set -n -c plain.yaml sub/x.yaml low 2
set -n -c plain.yaml sub/new.yaml low 2
set -n --layer low -c plain.yaml sub/x.yaml low 2
unset -n -c plain.yaml sub/x.yaml low
reset -n -c plain.yaml sub/x.yaml
hide -n -c plain.yaml sub/x.yaml
hide -n -c plain.yaml sub
hide -c follow.yaml sub
cat -c follow.yaml sub/x.yaml
COMMANDS
all_name away 1 <<'COMMANDS'
cat -c follow.yaml link/x.yaml
explain -c follow.yaml link/x.yaml
check -c follow.yaml link
set -c follow.yaml link/x.yaml low 2
COMMANDS
all_name high/sub 0 <<'COMMANDS'
__complete cat -c plain.yaml sub/
COMMANDS

# Both are silent: one limit, and each is named.
for command in "check -c follow.yaml" "render -c follow.yaml rendered2"; do
	ends 1 "$PLYFS" $command
	says "$directory/high/sub: does not answer for 5 s"
	says "$directory/away: does not answer for 5 s"
done
ends 1 "$PLYFS" check --json -c plain.yaml
says 'its file system does not answer'
for tree in rendered rendered2 whole; do
	grep -q 'high: 1' $tree/app.yaml && grep -q 'healthy: 1' $tree/ok/x.yaml ||
		fail "the rest was not rendered: $(ls -R $tree)"
done

# Other paths do not wait for it, which would take 5 s each time; a busy machine is slow.
do_not_wait() {
	local began=$SECONDS
	ends 0 "$PLYFS" cat -c follow.yaml ok/x.yaml
	ends 0 "$PLYFS" set -c follow.yaml app.yaml high 2
	ends 0 "$PLYFS" check -c plain.yaml ok
	((SECONDS - began < 4))
}
eventually do_not_wait || fail "other paths wait"

# A command that goes on does not begin without it.
ends 1 "$PLYFS" render --watch -c plain.yaml watched
says "$directory/high/sub: does not answer for 5 s"
[ ! -e watched ] || fail "it has begun"

# A mount that answers again is read again.
umount -fl high/sub
ends 0 "$PLYFS" check -c plain.yaml

# A command that goes on ends with its first tree, if a followed link leads to a silent mount.
ends 1 "$PLYFS" render --watch -c follow.yaml followed
says "$directory/away: does not answer for 5 s"
