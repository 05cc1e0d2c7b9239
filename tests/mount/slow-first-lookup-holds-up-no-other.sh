#!/bin/bash
# The kernel holds a directory's lock while a name in it is looked up. So a lookup of a file that takes long to merge
# must not wait: readers wait at the file itself.
. "$(dirname "$0")/mount.sh"
need python3

seq -f 'key%g: {a: 1, b: [x, y]}' 30000 >low/large.yaml
for name in stat mmap send watch gone broken open twin denied; do
	cp low/large.yaml "low/$name.yaml"
	echo 'last: 1' >"high/$name.yaml"
done
echo 'last: 1' >high/large.yaml
for number in {2..9}; do
	seq -f 'key%g: {a: 1, b: [x, y]}' 100000 >low/slow$number.yaml # a fast machine merges it in 0.2 s
	echo 'last: 1' >high/slow$number.yaml
done
echo 'a: 1' >low/small.yaml
echo 'b: 1' >high/small.yaml
echo 'a: 1' >low/other.yaml
echo 'b: 1' >high/other.yaml
sed -i '30000s/.*/key: [/' low/broken.yaml
# A slow machine may take longer than the limit; another test is about the limit.
cat >plyfs.yaml <<'EOF'
options: {header: false, limits: {time: 60s}}
layers:
  - {name: low, path: low}
  - {name: high, path: high}
EOF
chmod 600 low/denied.yaml
sleep 0.3
start -c plyfs.yaml mnt
shows mnt/small.yaml $'a: 1\nb: 1'
python3 "${test_file%.sh}.py"
comes_to_show mnt/small.yaml $'a: 1\nb: 2'
