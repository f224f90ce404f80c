#!/bin/bash
# Starts servers in an image that build-offline.sh has built, and checks what an operator relies on:
# the user, the health check, a run by the command, and the data after the container was killed. With
# ROUNDS, then compares how long starts take in a container and as a bare process, in turns.
#
#   deploy/image/try-offline.sh FOLDER [ROUNDS] [NAME]
#
# FOLDER is that of build-offline.sh. Needs root, and the port HOLDFAST_PORT (17420).
set -euo pipefail

out=$(cd -P "${1:?usage: try-offline.sh FOLDER [ROUNDS] [NAME]}" && pwd)
rounds=${2:-0}
name=${3:-holdfast:0.1.0}
here=$(cd -P "$(dirname "$0")" && pwd)
bare=$out/distribution/opt/holdfast
log=$out/server.log
user=10001
demo=(demo::newsletter '--input={"number":1,"customer":"Ada"}')
export HOLDFAST_PORT=${HOLDFAST_PORT:-17420}

die() {
  echo "try-offline: $*" >&2
  [ ! -s "$log" ] || tail -n 30 "$log" >&2
  exit 1
}

store() {
  buildah --root "$out/storage" --runroot "$out/run" --storage-driver vfs "$@"
}

processes() {
  local process
  for process in /proc/[0-9]*; do
    [ "$(stat -c %u "$process" 2>/dev/null)" != "$user" ] || echo "${process#/proc/}"
  done
}

# Ends all processes of the image at once, as the end of a container does.
kill_container() {
  local pids
  mapfile -t pids < <(processes)
  [ "${#pids[@]}" -eq 0 ] || kill -9 "${pids[@]}" 2>/dev/null || true
  [ -z "${runner:-}" ] || wait "$runner" 2>/dev/null || true
  runner=
}

in_image() {
  store run --isolation chroot --env "HOLDFAST_PORT=$HOLDFAST_PORT" "$container" -- "$@"
}

# The shell prints its process id, which the server then has.
serve_in_image() {
  in_image sh -c 'echo "pid $$"; exec /opt/holdfast/bin/holdfast serve "$@"' sh "$@" \
    >"$log" 2>&1 &
  runner=$!
}

# As nobody, because PostgreSQL does not run as root.
as_nobody() {
  setpriv --reuid=nobody --regid=nogroup --clear-groups env -i "PATH=$PATH" "HOME=$out/bare" \
    HOLDFAST_HOST=0.0.0.0 "HOLDFAST_PORT=$HOLDFAST_PORT" HOLDFAST_LOG_FORMAT=json \
    "HOLDFAST_DATA_DIR=$out/bare/server" "$@"
}

serve_bare() {
  as_nobody sh -c 'echo "pid $$"; exec "$@"' sh "$bare/bin/holdfast" serve "$@" >"$log" 2>&1 &
  runner=$!
}

await_ready() {
  local limit=$((SECONDS + 60))
  until "$here/health" /ready 2>/dev/null; do
    kill -0 "$runner" 2>/dev/null || die "the server has ended"
    [ "$SECONDS" -lt "$limit" ] || die "the server is not ready after 60 s"
    sleep 0.01
  done
}

server_pid() {
  sed -n '1s/^pid //p' "$log"
}

stop() {
  kill -TERM "$(server_pid)"
  wait "$runner" || true
  runner=
}

check() {
  serve_in_image --demo
  await_ready
  [ "$(stat -c %u "/proc/$(server_pid)")" = "$user" ] || die "the server does not run as $user"
  in_image /opt/holdfast/bin/health || die "the health check fails although the server is ready"
  local run id
  run=$(in_image holdfast run start "${demo[@]}" --wait --json) || die "the run failed: $run"
  id=$(sed -n 's/.*"id" *: *"\([^"]*\)".*/\1/p' <<<"$run" | head -n 1)
  [ -n "$id" ] || die "the command printed no id: $run"

  kill_container
  ! in_image /opt/holdfast/bin/health 2>/dev/null || die "the health check succeeds without a server"
  serve_in_image
  await_ready
  run=$(in_image holdfast run show "$id" --json) || die "the run is lost: $run"
  stop
  local limit=$((SECONDS + 10))
  while [ -n "$(processes)" ]; do
    [ "$SECONDS" -lt "$limit" ] || die "processes remain 10 s after the server has stopped: $(processes)"
    sleep 0.1
  done
  echo "$name: runs as user $user, healthy, ran $id, and kept it when it was killed"
}

seconds_to() {
  local from=$EPOCHREALTIME
  "$@"
  await_ready
  awk -v "from=$from" -v "to=$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", to - from }'
}

median() {
  sort -n "$1" | awk '{ value[NR] = $1 } END { print (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'
}

measure() {
  install -d -o nobody "$out/bare"
  chown nobody "$bare"
  [ -s "$bare/holdfast.aot" ] || as_nobody "$here/train.sh" "$bare"
  rm -f "$out"/seconds.*
  local round way
  # The first start of each creates its database, and is not counted.
  for ((round = 0; round <= rounds; round++)); do
    for way in bare in_image; do
      seconds_to "serve_$way" >"$out/seconds"
      [ "$round" -eq 0 ] || cat "$out/seconds" >>"$out/seconds.$way"
      echo "round $round, $way: $(cat "$out/seconds") s"
      stop
    done
  done
  echo "median of $rounds starts: bare $(median "$out/seconds.bare") s, container $(median "$out/seconds.in_image") s"
  awk -v "bare=$(median "$out/seconds.bare")" -v "image=$(median "$out/seconds.in_image")" \
    'BEGIN { printf "container / bare: %.2f\n", image / bare }'
}

[ "$(id -u)" -eq 0 ] || die "needs root, as build-offline.sh does"
[ -z "$(processes)" ] || die "user $user has processes, which this would end: $(processes)"
! "$here/health" /health 2>/dev/null || die "port $HOLDFAST_PORT is in use: set HOLDFAST_PORT"
container=$(store from "$name")
trap 'kill_container; store rm "$container" >/dev/null' EXIT
check
[ "$rounds" -eq 0 ] || measure
