#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
# A file of one layer that is larger than 4 MiB is not copied but read from the layer.
fill() { head -c "$2" /dev/zero | tr '\0' "$1"; }
all_are() { [ "$(wc -c <"mnt/$1")" -eq "$3" ] && [ -z "$(tr -d "$2" <"mnt/$1" | head -c 1)" ]; }
comes_to_be() { eventually all_are "$@" || fail "mnt/$1 is not $3 times '$2'"; }
size=6000000

fill a $size >low/large
start
comes_to_be large a $size
exec 5<mnt/large
[ "$(head -c 1000 <&5)" = "$(fill a 1000)" ]

# Replaced: a reader that has it open reads the old file to its end, and a new reader reads the new one.
fill b $size | replace low/large
comes_to_be large b $size
[ "$(cat <&5 | tr -d a | wc -c)" -eq 0 ] || fail "an open file is read with another one's bytes"
exec 5<&-

# Changed in place: a reader meanwhile gets one or the other, or an error, and never a mixture.
cat >reader.py <<'END'
import os
errors = whole = 0
while not os.path.exists("over"):
    try:
        with open("mnt/large", "rb", buffering=0) as file:
            text = b""
            while part := file.read(200000):
                text += part
    except OSError:
        errors += 1
        continue
    kinds = set(text)
    assert len(kinds) == 1, f"{len(text)} bytes of {bytes(kinds)}"
    whole += 1
    open("read-whole", "w").close()
print(whole, errors)
END
python3 reader.py >result 2>&1 &
reader=$!
for letter in c d e f g h; do
	fill $letter $size | dd of=low/large bs=500000 conv=notrunc status=none
	sleep 0.1
done
comes_to_be large h $size
comes_to_exist read-whole
touch over
wait $reader || fail "the reader says: $(cat result)"
read -r whole errors <result
[ "$whole" -gt 0 ] || fail "it could never be read, and failed $errors times"

# It grows into a large file, and back. A second layer adds a small file over it, and removes that.
fill i 3000000 >low/large
comes_to_be large i 3000000
fill i 2000000 >>low/large
comes_to_be large i 5000000
fill j 1000 | replace low/large
comes_to_be large j 1000
fill k $size | replace low/large
comes_to_be large k $size
echo text >high/large
comes_to_show mnt/large text
rm high/large
comes_to_be large k $size
# In the middle, and behind the end.
[ "$(dd if=mnt/large bs=1 skip=$((size - 3)) count=10 status=none)" = kkk ]
[ -z "$(dd if=mnt/large bs=1 skip=$((size + 5)) count=10 status=none)" ]
