package dev.holdfast.cli;

import picocli.CommandLine;

/**
 * Adds commands of another module. {@link Main} finds the implementations on the class path with
 * {@link java.util.ServiceLoader}.
 */
public interface Extension {

  /** Adds the commands below the root command. */
  void addTo(CommandLine root);
}
