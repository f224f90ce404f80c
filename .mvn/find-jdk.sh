# Sourced by ./holdfast and ./format. Defines find_jdk, which prints the home of a JDK that is new
# enough (21 or later): JAVA_HOME if it fits, else java on the PATH, else the newest one installed
# in the usual places. Prints nothing and fails if there is none.

# The major version of the JDK in $1, or 0. A JDK says its version in the file named release, which
# saves starting a JVM for each candidate; javac tells a JDK from a JRE.
jdk_major() {
  major=0
  if [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ]; then
    major=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
  fi
  echo "${major:-0}"
}

# The file $1 with every symbolic link followed; readlink -f is missing on older macOS.
real_file() {
  file=$1
  while [ -h "$file" ]; do
    target=$(readlink "$file")
    case $target in
      /*) file=$target ;;
      *) file=$(dirname "$file")/$target ;;
    esac
  done
  echo "$(cd -P "$(dirname "$file")" && pwd)/$(basename "$file")"
}

find_jdk() {
  if [ -n "${JAVA_HOME:-}" ] && [ "$(jdk_major "$JAVA_HOME")" -ge 21 ]; then
    echo "$JAVA_HOME"
    return 0
  fi
  if java=$(command -v java); then
    home=$(dirname "$(dirname "$(real_file "$java")")")
    if [ "$(jdk_major "$home")" -ge 21 ]; then
      echo "$home"
      return 0
    fi
  fi
  newest=0
  newest_home=
  for home in /usr/lib/jvm/* /Library/Java/JavaVirtualMachines/*/Contents/Home \
    "${HOME:-}"/.sdkman/candidates/java/* "${HOME:-}"/.jdks/*; do
    major=$(jdk_major "$home")
    if [ "$major" -ge 21 ] && [ "$major" -gt "$newest" ]; then
      newest=$major
      newest_home=$home
    fi
  done
  [ -n "$newest_home" ] && echo "$newest_home"
}
