#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo low >low/motd
echo high >high/motd
echo only >low/other
start
shows mnt/motd high
shows mnt/other only
