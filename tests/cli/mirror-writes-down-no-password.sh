#!/bin/bash
. "$(dirname "$0")/cli.sh"

# Endpoints with a password are refused. All users can read the status and the log, so neither has the password.
for url in http://root:secret@127.0.0.1:1 root:secret@127.0.0.1:1 HTTPS://root:secret@127.0.0.1:1 \
	http://127.0.0.1:1,ftp://root:secret@127.0.0.1:1 root:secret,et@127.0.0.1:1 \
	http://127.0.0.1:1,root:et,secret@127.0.0.1:1; do
	runs 1 timeout 20 "$PLYFS" mirror etcd --endpoints "$url" --prefix /fleet/ fleet
	grep -q 'built without libcurl' err && skip 'this plyfs was built without libcurl'
	says 'user and password stand in a file, see --user-file'
	! grep -rF secret . || fail "$url is written down"
done
