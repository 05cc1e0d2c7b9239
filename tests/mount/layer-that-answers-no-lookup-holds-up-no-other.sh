#!/bin/bash
# A layer lies on a file system that takes requests and never answers: those of one kind, or all. Names that do not need
# it are as ever; its readers get an error, or the last good version; when it answers again, it counts again; the mount
# ends at once, also when plyfs is killed.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"

need setpriv
mkdir part low/own high/own low/inside low/d9
chmod 711 .
make_silent part half_FORGET
with_layers() {
	echo 'options: {answer_timeout: 6s}'
	echo 'layers:'
	printf -- '- {path: %s}\n' "$@"
}

# within SECONDS WHAT: since `begin`. What waits for the layer takes six seconds. All else takes a moment, but other tests
# may have the processors; and with a sanitizer, workers may stand still, and are forked again.
within() {
	local took=$((SECONDS - begin))
	[ $took -le "$1" ] || fail "$2 took $took s"
}

start_again() {
	with_layers low part high >plyfs.yaml
	for name in app first second third; do
		echo 'a: 1' >low/$name.yaml
	done
	echo 'a: 1' >low/own/x.yaml
	echo 'a: 1' >low/own/never_read.yaml
	rm -f high/own/* log
	start -c plyfs.yaml mnt
	shows mnt/app.yaml $'a: 1\nhalf: 1'
	shows mnt/own/x.yaml 'a: 1'
	[ -z "$(ls mnt/inside)" ]
}

stranger() { setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"; }
forgotten() {
	forget_names
	[ "$(status versions count)" -eq 0 ]
}

# Listings that wait for the layer, more than there are readers of requests.
start_again
answers_no READDIR
listings=
for i in 1 2 3 4 5 6; do
	ls mnt/d$i >listed$i 2>&1 &
	listings+=" $!"
done
sleep 0.5
begin=$SECONDS
said=$(timeout 60 cat mnt/own/never_read.yaml) && [ "$said" = 'a: 1' ] || fail "a first look in another directory: $said"
within 5 "a first look while six listings wait"
for listing in $listings; do
	wait "$listing" && fail "a directory of a silent layer was listed: $(head listed*)"
done
grep -q 'd1.: Connection timed out' listed1 || fail "the error is: $(cat listed1)"
answers_no NONE
stop

# A layer that has got a forgotten directory before it fell silent: each name in the directory needs the layer.
start_again
with_layers low high | replace plyfs.yaml
comes_to_show mnt/app.yaml 'a: 1'
[ -d mnt/d9 ]
eventually forgotten || fail "the kernel keeps the versions: $(status versions)"
with_layers low part high | replace plyfs.yaml
comes_to_show mnt/app.yaml $'a: 1\nhalf: 1'
answers_no LOOKUP
said=$(timeout 60 cat mnt/d9/absent.yaml 2>&1) && fail "it was read"
[[ $said == *"Input/output error"* ]] || fail "a name that may be there: $said"
answers_no NONE
stop

for request in LOOKUP ALL; do
	start_again
	answers_no $request

	# The file that is looked up first waits, and gets an error. Its directory is the layer's, too.
	begin=$SECONDS
	timeout 60 cat mnt/first.yaml >got 2>&1 &
	reader=$!
	for i in 1 2 3; do
		echo "b: $i" | replace high/own/x.yaml
		comes_to_show mnt/own/x.yaml $'a: 1\nb: '$i
		echo "n: $i" >high/own/new$i.yaml
		comes_to_show mnt/own/new$i.yaml "n: $i"
	done
	within 25 "changes of other directories"
	said=$(timeout 5 cat mnt/own/never_read.yaml) || fail "a first look in another directory waits"
	[ "$said" = 'a: 1' ]
	wait $reader && fail "the file was read: $(cat got)"
	within 40 "the error"
	eventually grep -q "the layer 'part' has not answered for 6 s" log || fail "the log says nothing"
	[ "$(status layers 1 answers)" = False ] || fail "the status: $(status layers 1)"
	code=0
	"$PLYFS" status --exit-code mnt >got 2>&1 || code=$?
	[ $code -eq 1 ] && grep -q "layer  *part: its file system does not answer" got || fail "$code: $(cat got)"
	shows mnt/app.yaml $'a: 1\nhalf: 1'

	# From then on nothing waits for it.
	code=0
	timeout 5 cat mnt/second.yaml >got 2>&1 || code=$?
	[ $code -eq 1 ] || fail "a second reader waited: $code, $(cat got)"
	timeout 5 ls mnt >/dev/null || fail "the listing waits"
	mount -t tmpfs none low/inside
	echo 'm: 1' >low/inside/mounted.yaml
	begin=$SECONDS
	comes_to_show mnt/inside/mounted.yaml 'm: 1'
	within 15 "a mount inside another layer"
	eventually umount low/inside 2>/dev/null

	# The layer had no such directory when the kernel forgot the directory: so none of its names needs the layer.
	eventually forgotten || fail "the kernel keeps the versions: $(status versions)"
	echo 'n: 4' >high/own/new4.yaml
	shows mnt/own/new4.yaml 'n: 4'
	shows mnt/own/x.yaml $'a: 1\nb: 3'
	[ "$(stranger cat mnt/own/new1.yaml)" = 'n: 1' ] || fail "another user can't read it: $(stat mnt/own)"
	echo 'n: 5' >high/own/new4.yaml
	comes_to_show mnt/own/new4.yaml 'n: 5'

	# Other settings with this layer wait until it answers; without it they apply.
	(
		with_layers low part high
		echo 'rules: [{match: "*.ini", strategy: concat}]'
	) | replace plyfs.yaml
	eventually grep -q "the layer directory '$directory/part' can't be opened.*: its file system does not answer" log ||
		fail "the log does not name the settings' layer"
	with_layers low high | replace plyfs.yaml
	begin=$SECONDS
	comes_to_show mnt/app.yaml 'a: 1'
	comes_to_show mnt/second.yaml 'a: 1'
	within 15 "the end of the layer"

	answers_no NONE
	with_layers low part high | replace plyfs.yaml
	comes_to_show mnt/app.yaml $'a: 1\nhalf: 1'

	# When it answers, it counts.
	answers_no $request
	said=$(timeout 60 cat mnt/absent.yaml 2>&1) && fail "it was read"
	[[ $said == *"Input/output error"* ]] || fail "a name that may be there: $said"
	answers_no NONE
	eventually grep -q "the layer 'part' answers again" log || fail "nobody noticed that it answers"
	is_absent() { [[ $(cat mnt/absent.yaml 2>&1) == *"No such file"* ]]; }
	eventually is_absent || fail "a name that is not there: $(cat mnt/absent.yaml 2>&1)"
	[ "$(status layers 1 answers)" = True ] || fail "the status: $(status layers 1)"

	# The end waits for no worker that stands still, and for nobody who reads settings.
	answers_no $request
	with_layers low high part | replace plyfs.yaml
	echo 'a: 1' >low/late.yaml
	timeout 1 cat mnt/late.yaml >/dev/null 2>&1 || :
	begin=$SECONDS
	kill "$plyfs_pid"
	ended_cleanly
	within 8 "the end"
	answers_no NONE

	start_again
	answers_no $request
	timeout 1 cat mnt/third.yaml >/dev/null 2>&1 || :
	killed_mount_ends 20
	answers_no NONE
done
