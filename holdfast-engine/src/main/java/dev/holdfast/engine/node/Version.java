package dev.holdfast.engine.node;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The version of Holdfast, as Maven writes it into the jar. */
final class Version {
  private static final String PROPERTIES =
      "/META-INF/maven/dev.holdfast/holdfast-engine/pom.properties";

  private Version() {}

  static String current() {
    try (InputStream written = Version.class.getResourceAsStream(PROPERTIES)) {
      Properties properties = new Properties();
      if (written != null) {
        properties.load(written);
      }
      return properties.getProperty("version", "development");
    } catch (IOException unreadable) {
      return "unknown";
    }
  }
}
