#!/bin/sh
# Puts a distribution of Holdfast into a folder: a small Java runtime (jlink), the libraries, the
# command and the health check. Runs in a checkout, after `mvn -Pdistribution package`:
#
#   deploy/image/assemble.sh /opt/holdfast
#
# Afterwards run train.sh on the same folder, as the user that will run the server.
set -eu

out=${1:?usage: assemble.sh FOLDER}
here=$(cd -P "$(dirname "$0")" && pwd)
root=$(cd -P "$here/../.." && pwd)
jdk=${JAVA_HOME:?JAVA_HOME must name a JDK 25}

[ -x "$jdk/bin/jlink" ] || { echo "assemble: $jdk has no jlink: use a full JDK 25" >&2; exit 1; }
[ -d "$root/holdfast-cli/target/distribution" ] || {
  echo "assemble: run 'mvn -B -Pdistribution -pl holdfast-cli -am -Dmaven.test.skip=true package' first" >&2
  exit 1
}

mkdir -p "$out/bin" "$out/lib"
# All of Java SE, because tasks on HOLDFAST_CLASSPATH may need any of it, and what libraries use
# without declaring it.
"$jdk/bin/jlink" \
  --add-modules java.se,jdk.unsupported,jdk.management,jdk.net,jdk.zipfs,jdk.httpserver,jdk.naming.dns,jdk.jfr,jdk.jcmd \
  --strip-debug --no-header-files --no-man-pages --compress zip-6 \
  --output "$out/runtime"
cp "$root"/holdfast-cli/target/distribution/*.jar "$root/holdfast-cli/target/holdfast-cli.jar" "$out/lib/"
install -m 755 "$here/holdfast" "$here/health" "$out/bin/"
