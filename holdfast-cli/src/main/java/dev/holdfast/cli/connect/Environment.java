package dev.holdfast.cli.connect;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The environment of the program. The root command implements it, so that tests can replace it. */
public interface Environment {

  /** Returns the variables of the environment. */
  Map<String, String> variables();

  /** Returns the level of the log that the command line names; null if it names none. */
  default @Nullable String logLevel() {
    return null;
  }
}
