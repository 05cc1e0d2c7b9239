#!/bin/bash
# A user who may not read a source reads nothing that is rendered from it: not while it is broken, not by an access list
# that the directory hands on, and not in a directory that another user has put in the place of ours.
. "$(dirname "$0")/mount.sh"

need python3 getfattr
need_root
mode_of() { stat -c %a "$1"; }
shows_mode() { [ "$(mode_of "$1")" = "$2" ]; }
is_mode() { shows_mode "$1" "$2" || fail "$3: $1 has the mode $(mode_of "$1"), and not $2"; }

# With only one source its bytes would be shown, whatever they are.
echo 'b: 1' >high/app.yaml
# Its rights are taken away while it is broken: in the next run, in a run that goes on, and in a run that began with it
# broken.
for options in '' --atomic; do
	tree=out$options
	[ -z "$options" ] && shown=$tree || shown=$tree/..data
	echo 'a: 1' >low/app.yaml
	chmod 644 low/app.yaml
	"$PLYFS" render $options -l low:high $tree
	is_mode $shown/app.yaml 444 "rendered $options"
	echo 'a: [' >low/app.yaml
	chmod 600 low/app.yaml
	! "$PLYFS" render $options -l low:high $tree 2>err || fail "a broken source is no error"
	is_mode $shown/app.yaml 400 "broken $options"
	grep -q 'a: 1' $shown/app.yaml || fail "what was good is gone"

	chmod 644 low/app.yaml
	echo 'a: 2' >low/app.yaml
	for on_error in last-good fail; do
		printf 'layers: [low, high]\noptions: {on_error: %s}\n' $on_error >plyfs.yaml
		echo 'a: 2' >low/app.yaml
		"$PLYFS" render $options -c plyfs.yaml $tree
		is_mode $shown/app.yaml 444 "good again $options"
		[ $on_error = fail ] || echo 'a: [' >low/app.yaml
		touch began
		"$PLYFS" render --watch $options -c plyfs.yaml $tree 2>>err &
		render_pid=$!
		# A status is there from the run before.
		eventually [ $tree/.plyfs/status -nt began ] || fail "$on_error $options: it does not begin"
		echo 'a: [' >low/app.yaml
		sleep 0.2
		chmod 600 low/app.yaml
		eventually shows_mode $shown/app.yaml 400 || fail "$on_error $options: it stays $(mode_of $shown/app.yaml)"
		chmod 644 low/app.yaml
		echo 'a: 2' >low/app.yaml
		eventually shows_mode $shown/app.yaml 444 || fail "$on_error $options: it does not come back"
		kill $render_pid
		wait $render_pid || fail "render ends with $?"
	done
done
rm low/app.yaml high/app.yaml

# A directory is opened when all in it is written and removed, not before: in the next run, and in one that goes on. The
# file that can't be written yet is one whose source is broken.
mkdir -p low/shut high/shut
for options in '' --watch --atomic '--watch --atomic'; do
	[[ $options = *--atomic ]] && tree=shut-atomic shown=$tree/..data/shut || { tree=shut shown=$tree/shut; }
	is_watched() { [[ $options = --watch* ]]; }
	chmod 700 low/shut
	echo 'a: secret' | tee low/shut/x.yaml low/shut/gone.yaml >/dev/null
	echo 'b: 1' >high/shut/x.yaml
	"$PLYFS" render ${options#--watch} -l low:high $tree
	is_mode $shown 500 "closed"
	rm low/shut/gone.yaml
	echo 'a: [' >low/shut/x.yaml
	chmod 755 low/shut
	if is_watched; then
		"$PLYFS" render $options -l low:high $tree 2>>err &
		render_pid=$!
		eventually [ ! -e $shown/gone.yaml ]
		sleep 0.3
	else
		! "$PLYFS" render $options -l low:high $tree 2>err || fail "a broken source is no error"
	fi
	is_mode $shown 500 "with a file of before $options"
	grep -q secret $shown/x.yaml || fail "what was good is gone"
	echo 'a: open' >low/shut/x.yaml
	is_watched || "$PLYFS" render $options -l low:high $tree
	eventually shows_mode $shown 555 || fail "$options: it stays $(mode_of $shown)"
	! grep -q secret $shown/x.yaml || fail "it is open with the secret"
	! is_watched || kill $render_pid
	! is_watched || wait $render_pid || fail "render ends with $?"
done
# The order of one run.
if command -v strace >/dev/null; then
	chmod 700 low/shut
	echo 'a: secret' | tee low/shut/x.yaml low/shut/gone.yaml >/dev/null
	"$PLYFS" render -l low:high shut
	rm low/shut/gone.yaml
	echo 'a: open' >low/shut/x.yaml
	chmod 755 low/shut
	# LeakSanitizer does not work below another tracer.
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -f -o calls -e trace=fchmod,renameat,unlinkat "$PLYFS" render -l low:high shut
	[ "$(grep -oE '"x.yaml"|"gone.yaml"|0555' calls | tr '\n' ' ')" = '"x.yaml" "gone.yaml" 0555 ' ] ||
		fail "the order is: $(cat calls)"
fi
rm -r low/shut high/shut

# An access list that the directory hands on.
mkdir listed low/sub
echo 's: 1' | tee low/secret.yaml >low/sub/secret.yaml
chown 0:4242 low/secret.yaml low/sub
chmod 640 low/secret.yaml low/sub/secret.yaml
chmod 750 low/sub
for options in '' --atomic; do
	rm -rf listed
	mkdir listed
	# Of acl(5), version 2: for the owner, the user 65534, the group, all of them at most, others.
	python3 -c 'import os, struct, sys
entries = (1, 7, -1), (2, 7, 65534), (4, 5, -1), (16, 7, -1), (32, 5, -1)
os.setxattr(sys.argv[1], "system.posix_acl_default", struct.pack("<I", 2) +
	b"".join(struct.pack("<HHi", *entry) for entry in entries))' listed 2>/dev/null || continue # there are none here
	"$PLYFS" render $options -l low listed
	find listed/ -path listed/ -o ! -type l -print0 | xargs -0 getfattr -h -m system.posix_acl_ >lists 2>/dev/null
	[ ! -s lists ] || fail "$options: there are access lists: $(cat lists)"
done

# A directory of root's that the owner of the place has put there is not opened to that user.
mkdir place
chown 65534 place
echo 'k: 1' >low/sub/key.yaml
chmod 755 low/sub
"$PLYFS" render -l low place
mkdir -m 700 place/own
echo secret >place/own/secret
mv place/sub place/old
mv place/own place/sub
! "$PLYFS" render -l low place 2>err || fail "a directory that is not ours is no error"
grep -q "sub: stands in the way and is not plyfs'" err || fail "it says: $(cat err)"
is_mode place/sub 700 "somebody else's"

# Layers that other users can't search: they can't search a directory that is made for the tree, either. A directory
# that was there already stays as its owner has made it, and that is reported.
mkdir -m 700 closed
echo 'a: 1' >closed/app.yaml
for options in '' --atomic; do
	"$PLYFS" render $options -l closed fresh$options 2>err || fail "$(cat err)"
	[ ! -s err ] || fail "it says: $(cat err)"
	is_mode fresh$options 700 "made for the tree"
	mkdir open$options
	"$PLYFS" render $options -l closed open$options 2>err || fail "$(cat err)"
	grep -q "^plyfs: open$options: lets in more users than the layers, whose mode is 0500" err || fail "it says: $(cat err)"
done
chmod 755 closed
"$PLYFS" render -l closed again
is_mode again 755 "made for the tree"
