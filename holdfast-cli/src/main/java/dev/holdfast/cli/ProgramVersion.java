package dev.holdfast.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Reads the version that Maven wrote into the jar. */
final class ProgramVersion implements IVersionProvider {
  private static final String WRITTEN_BY_MAVEN =
      "/META-INF/maven/dev.holdfast/holdfast-cli/pom.properties";

  @Override
  public String[] getVersion() throws IOException {
    Properties properties = new Properties();
    try (InputStream file = ProgramVersion.class.getResourceAsStream(WRITTEN_BY_MAVEN)) {
      if (file != null) {
        properties.load(file);
      }
    }
    return new String[] {"holdfast " + properties.getProperty("version", "(built without Maven)")};
  }
}
