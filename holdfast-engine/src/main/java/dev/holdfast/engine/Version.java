package dev.holdfast.engine;

/** The version of the program, from its jar. */
final class Version {
  private Version() {}

  static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version != null ? version : "development";
  }
}
