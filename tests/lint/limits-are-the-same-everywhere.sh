#!/bin/bash
# The manual and the schema state the same limits as the code.
set -euo pipefail
cd "$(dirname "$0")/../.."

layers=$(sed -n 's/^#define LAYERS_MAX //p' conf/layer.h)
tr '\n' ' ' <docs/plyfs.yaml.5.scd | grep -q "A list of at most $layers layers," || {
	echo "plyfs.yaml(5) does not say 'A list of at most $layers layers'"
	exit 1
}
depth=$(sed -n 's/^#define LIMIT_DEPTH_MAX //p' merge/limit.h)
grep -q "nested in each other, from 1 to $depth;" docs/plyfs.yaml.5.scd || {
	echo "plyfs.yaml(5) does not say 'nested in each other, from 1 to $depth'"
	exit 1
}
grep -A5 '"depth": {' docs/plyfs.schema.json | grep -q "\"maximum\": $depth," || {
	echo "the schema does not allow the depth $depth"
	exit 1
}
grep -A8 '"layers": {' docs/plyfs.schema.json | grep -q "\"maxItems\": $layers," || {
	echo "the schema does not allow $layers layers"
	exit 1
}
