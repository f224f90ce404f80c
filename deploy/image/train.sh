#!/bin/sh
# Lets the JVM record what it needs to start, which halves the start-up time. It starts a real server
# with an embedded PostgreSQL, so it must not run as root, and needs about 300 MB in /tmp.
#
#   deploy/image/train.sh /opt/holdfast
set -eu

home=${1:?usage: train.sh FOLDER}
[ "$(id -u)" -ne 0 ] || [ "${HOLDFAST_TRAIN_AS_ROOT:-}" = yes ] || {
  echo "train: PostgreSQL does not run as root: run this as the user of the server" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work "$home/bin/holdfast" --record "$work" >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
[ -s "$home/holdfast.aot" ] || { cat "$work/log" >&2; exit 1; }
