package dev.holdfast.cli.connect;

import java.util.Map;

/** The environment of the program. The root command implements it, so that tests can replace it. */
public interface Environment {

  /** Returns the variables of the environment. */
  Map<String, String> variables();
}
