#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"
# Links of a local layer with `follow` lead into a file system that answers no request of one kind. The daemon makes no
# system call that it would have to answer: workers do. The links are to a file, to a directory, and to a file in it.

mkdir part low/own high/own
make_silent part half_FORGET
echo 'a: 1' | tee low/app.yaml low/more.yaml low/own/other.yaml >low/other.yaml
echo 'b: 1' | tee high/more.yaml high/own/other.yaml >high/other.yaml
ln -s "$directory/part/app.yaml" high/app.yaml
ln -s "$directory/part/d1" high/far
echo 'options: {answer_timeout: 5s, header: false}
layers: [low, {path: high, follow: true}]' >plyfs.yaml

for request in LOOKUP GETATTR READDIR ALL; do
	for end in TERM KILL; do
		rm -f high/late* log
		echo 'a: 1' | tee low/more.yaml >low/own/other.yaml
		start -c plyfs.yaml mnt
		shows mnt/app.yaml $'a: 1\nhalf: 1'
		shows mnt/own/other.yaml $'a: 1\nb: 1'
		[ -d mnt/far ] || fail "the link to a directory: $(ls -l mnt)"
		[ -z "$(ls mnt/far)" ]

		# The attributes that the kernel has are no longer valid, nor are the names.
		answers_no $request
		ln -s "$directory/part/app.yaml" high/late.yaml
		ln -s "$directory/part/app.yaml" high/own/late.yaml
		timeout 60 cat mnt/late.yaml >read 2>&1 &
		readers=$!
		timeout 60 ls -l mnt/far >listed 2>&1 &
		readers+=" $!"
		sleep 0.5
		for i in 2 3; do
			echo "a: $i" | replace low/own/other.yaml
			timeout 20 bash -c "until [ \"\$(cat mnt/own/other.yaml)\" = $'a: $i\nb: 1' ]; do sleep 0.05; done" ||
				fail "$request: a change of another directory does not show: $(cat log)"
		done
		# The directory of a name that is looked up first is locked until its layer's answer is no longer awaited.
		said=$(timeout 20 cat mnt/other.yaml) && [ "$said" = $'a: 1\nb: 1' ] || fail "$request: another file: $said"
		said=$(timeout 40 ls mnt) || fail "$request: the listing waits"
		[[ $said == *other.yaml* ]] || fail "$request: the listing: $said"
		begin=$SECONDS
		if [ $end = TERM ]; then
			kill "$plyfs_pid"
			ended_cleanly
			[ $((SECONDS - begin)) -le 20 ] || fail "$request: the end took $((SECONDS - begin)) s"
		else
			killed_mount_ends 20
		fi
		for reader in $readers; do
			wait "$reader" || true
		done
		answers_no NONE
		rm high/own/late.yaml
	done
done

# It is silent from the beginning, and while the settings are read again. When it answers, what it has shows.
answers_no ALL
start -c plyfs.yaml mnt
timeout 60 cat mnt/late.yaml >/dev/null 2>&1 && fail "it was read"
shows mnt/own/other.yaml $'a: 3\nb: 1'
echo 'rules: [{match: "own/*", strategy: last}]' >>plyfs.yaml
comes_to_show mnt/own/other.yaml 'b: 1'
eventually grep -q "high/late.yaml: can't be read: its file system does not answer" mnt/.plyfs/errors || fail "the errors: $(cat mnt/.plyfs/errors)"
answers_no NONE
comes_to_show mnt/late.yaml 'half: 1'
[ -z "$(ls mnt/far)" ] || fail "the directory lists: $(ls mnt/far)"
rm high/far
comes_to_vanish mnt/far
