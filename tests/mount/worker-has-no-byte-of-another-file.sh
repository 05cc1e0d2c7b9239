#!/bin/bash
# A new worker has no byte of the files that plyfs shows, keeps or has read before: so neither has a parser that an
# attacker controls, nor the core file of a parser that crashed. Its twin: the worker has the file of its own job, and
# the daemon has the others.
. "$(dirname "$0")/mount.sh"
need_root
! grep -qaE __asan_init "$PLYFS" || skip "the sanitizer's build has the bytes in memory of malloc(3)"

# Prints the words that the process $1 has in its memory. The words come in two parts, as no command line may have them.
words_in() {
	python3 - "$@" <<'PYTHON'
import sys
words = {word.replace("+", "").encode() for word in sys.argv[2:]}
found = set()
with open(f"/proc/{sys.argv[1]}/maps") as maps, open(f"/proc/{sys.argv[1]}/mem", "rb", 0) as memory:
    for line in maps:
        start, end = (int(bound, 16) for bound in line.split()[0].split("-"))
        for at in range(start, end, 1 << 20):
            try:
                memory.seek(at)
                data = memory.read(min(end - at, (1 << 20) + 100))
            except (OSError, OverflowError):
                continue  # guard pages, and the kernel's own
            found |= {word for word in words if word in data}
print(*sorted(word.decode() for word in found))
PYTHON
}

workers() {
	local worker
	for worker in $(pgrep -P "$plyfs_pid" -x plyfs-worker); do
		has_ended "$worker" || echo "$worker"
	done
}

# Ends all workers, whose caches have what they have read: the next job gets a new one.
end_workers() {
	local worker
	for worker in $(workers); do
		kill -KILL "$worker"
		eventually has_ended "$worker" || fail "a worker does not end"
	done
}

# has_only WORD SECRET...: the workers have the word of their job, and no secret. The daemon has all secrets.
has_only() {
	local own=$1 all worker
	shift
	all=$(for worker in $(workers); do words_in "$worker" "$own" "$@"; done | sort -u)
	[ "$all" = "${own/+/}" ] || fail "a worker has: $all"
	all=$(words_in "$plyfs_pid" "$@" | wc -w)
	[ "$all" -eq $# ] || fail "the daemon does not have all: $(words_in "$plyfs_pid" "$@")"
}

printf 'a: %s\n' 'small-secret' >low/small.yaml
# In a directory of its own: no look is made ahead.
mkdir low/job high/job
for name in small broken job/own; do
	echo 'b: 1' >high/$name.yaml
done
python3 - <<'PYTHON'
for size, name in (5, "page"), (100, "message"), (700, "record"), (3000, "map"):
    with open(f"low/{name}.yaml", "w") as file:
        file.write(f"a: {name}-secret\n" + "".join(f"k{i}: {i}\n" for i in range(size * 60)))
PYTHON
echo 'text-secret' >low/text.txt
ln -s link-secret low/link
printf 'a: %s\n' 'good-secret' >low/broken.yaml
printf 'a: %s\n' 'old-secret' >low/changed.yaml
printf 'a: %s\n' 'explained-secret' >low/explained.yaml
printf 'a: own-word\n' >low/job/own.yaml
start low:high mnt
for name in small.yaml page.yaml message.yaml record.yaml map.yaml text.txt broken.yaml changed.yaml explained.yaml; do
	cat mnt/$name >/dev/null
done
readlink mnt/link >/dev/null
cat mnt/.plyfs/origins/explained.yaml >/dev/null
exec 5<mnt/changed.yaml
printf 'a: {\n' | replace low/broken.yaml
printf 'a: %s\n' 'new-secret' | replace low/changed.yaml
comes_to_show mnt/changed.yaml 'a: new-secret'
eventually grep -q broken.yaml mnt/.plyfs/errors || fail "the broken file is not reported"

secrets=({small,page,message,record,map,text,link,good,old,new,explained}-+secret)
end_workers
shows mnt/job/own.yaml $'a: own-word\nb: 1'
has_only own-+word "${secrets[@]}"

# The same with the worker of a change.
end_workers
printf 'a: own-again\n' | replace low/job/own.yaml
comes_to_show mnt/job/own.yaml $'a: own-again\nb: 1'
has_only own-+again "${secrets[@]}"
exec 5<&-
stop
