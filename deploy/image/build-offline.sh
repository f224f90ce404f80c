#!/bin/sh
# Builds the image of deploy/Dockerfile without an image registry and without a container engine: on a
# base image of a few Debian packages, with the distribution built on this machine. Prints the size.
#
#   mvn -B -Pdistribution -pl holdfast-cli -am -Dmaven.test.skip=true package
#   deploy/image/build-offline.sh FOLDER [NAME]
#
# Needs root, a JDK 25 in JAVA_HOME, and buildah and mmdebstrap with access to Debian packages. FOLDER
# gets everything: the images (buildah --root), the base image (base.tar, reused if it exists) and the
# result as an OCI layout (oci), which `podman load` or `skopeo copy oci:...` can read.
set -eu

out=${1:?usage: build-offline.sh FOLDER [NAME]}
name=${2:-holdfast:0.1.0}
here=$(cd -P "$(dirname "$0")" && pwd)
root=$(cd -P "$here/../.." && pwd)
base=localhost/holdfast-base

die() {
  echo "build-offline: $*" >&2
  exit 1
}

[ "$(id -u)" -eq 0 ] || die "needs root, to create files of other users"
for program in buildah mmdebstrap; do
  command -v "$program" >/dev/null || die "needs $program: apt-get install $program"
done
mkdir -p "$out"
out=$(cd -P "$out" && pwd)

store() {
  buildah --root "$out/storage" --runroot "$out/run" --storage-driver vfs "$@"
}

# Unpacked only: there are no services to set up. What the packages depend on is added by apt; what
# serves administration only is removed. Copyright files stay, because licences require them.
if [ ! -s "$out/base.tar" ]; then
  mmdebstrap --quiet --variant=extract \
    --include=base-files,base-passwd,bash,coreutils,dash,libc-bin,libc6,libstdc++6,util-linux \
    --setup-hook='for d in bin sbin lib lib64; do mkdir -p "$1/usr/$d"; ln -s "usr/$d" "$1/$d"; done' \
    --extract-hook='cd "$1"
      mkdir -p dev proc sys usr/local/bin
      for file in passwd group; do cp "usr/share/base-passwd/$file.master" "etc/$file"; done
      find usr/share/doc -type f ! -name copyright -delete
      rm -rf usr/share/locale usr/share/man usr/share/info usr/share/perl5 usr/lib/*/gconv
      rm -rf usr/sbin/* usr/bin/dpkg* usr/bin/tar usr/bin/localedef' \
    bookworm "$out/base.tar"
fi
container=$(store from scratch)
store add -q "$container" "$out/base.tar" / >/dev/null
store commit -q "$container" "$base" >/dev/null
store rm "$container" >/dev/null

rm -rf "$out/distribution" "$out/oci"
"$here/assemble.sh" "$out/distribution/opt/holdfast"
store build -q --isolation chroot --format docker --build-arg "BASE_IMAGE=$base" \
  --build-context "build=$out/distribution" -f "$root/deploy/Dockerfile" -t "$name" "$root" >/dev/null
store push -q --format oci "$name" "oci:$out/oci:$name"

# Layers as a registry has them (packed), and as they are on a disk.
packed=0
unpacked=0
for layer in "$out"/oci/blobs/sha256/*; do
  if gzip -t "$layer" 2>/dev/null; then
    packed=$((packed + $(wc -c <"$layer")))
    unpacked=$((unpacked + $(gzip -dc "$layer" | wc -c)))
  fi
done
echo "$name: $((packed / 1000000)) MB to download, $((unpacked / 1000000)) MB on disk"
