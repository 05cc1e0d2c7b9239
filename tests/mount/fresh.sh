# shellcheck shell=bash
# Sourced after mount.sh: compares a mount with a fresh one.

# Each line has a name, its kind, rights and size, or a link's target.
facts_of() {
	(cd "$1" && find . -printf '%P %y %m %U %G %s %l\n' | sort)
}

equals_fresh() {
	diff <(facts_of mnt) <(facts_of fresh) >difference 2>&1 &&
		diff -r --no-dereference mnt fresh >>difference 2>&1
}

# comes_to_equal_fresh [ARGUMENT...]: soon mnt is, name by name and byte by byte, what a fresh mount of the same
# arguments shows; without arguments, one of low:high.
comes_to_equal_fresh() {
	mkdir -p fresh
	"$PLYFS" mount -o noheader "${@:-low:high}" fresh
	eventually equals_fresh || fail "it differs from a fresh mount: $(sort -k 2,2 difference | grep -v -e '^---$' -e '^[0-9]' | head -50)"
	"$PLYFS" umount fresh
}
