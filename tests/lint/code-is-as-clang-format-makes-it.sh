#!/bin/bash
# Every C file is as clang-format 14 makes it with .clang-format. Other versions make other lines. With an argument: the
# tree to check.
cd "${1:-"$(dirname "$(realpath "$0")")/../.."}" || exit 1
if ! version=$(clang-format --version 2>/dev/null); then
	echo "clang-format is not installed"
	exit 77
elif [[ $version != *"version 14."* ]]; then
	echo "not clang-format 14: $version"
	exit 77
fi
mapfile -t files < <(find merge schema conf fs cli tests bench -name '*.[ch]' ! -path 'tests/fuzz/corpus/*')
[ ${#files[@]} -gt 0 ] || { echo "no file is found: this is not our tree"; exit 1; }
printf '%s\0' "${files[@]}" | xargs -0 -n 60 -P 2 clang-format --dry-run -Werror || {
	echo "clang-format -i FILE mends it"
	exit 1
}
