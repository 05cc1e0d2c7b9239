#!/bin/bash
# A test on disk that does not run protects nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
missing=0

for file in unit/*.c model/*.c fuzz/*.c cli/*-*.sh install/*-*.* mirror/*-*.py mount/*-*.sh; do
	name=$(basename "${file%.*}")
	if ! grep -q "'$name\(\.[a-z]*\)\?'" "${file%/*}/meson.build"; then
		echo "tests/$file is not in tests/${file%/*}/meson.build"
		missing=1
	fi
done
for file in ../data/presets/*.yaml; do
	name=$(basename "$file" .yaml)
	if ! grep -q "'$name'" presets/meson.build || [ ! -d "presets/$name" ]; then
		echo "data/presets/$name.yaml has no test in tests/presets"
		missing=1
	fi
done
exit $missing
