package dev.holdfast.cli;

import picocli.CommandLine;

/**
 * Commands of another module. {@link Main} finds its implementations on the class path with a
 * {@link java.util.ServiceLoader}.
 */
public interface Extension {

  /** Adds the commands below the root command. */
  void addTo(CommandLine root);
}
