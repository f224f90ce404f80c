package dev.holdfast.cli;

import dev.holdfast.embedded.testing.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs the command in this JVM and captures its output. */
public record Cli(int exit, String out, String err) {

  /** Runs the command without profiles and variables. */
  public static Cli run(String... args) {
    return with(Map.of(), args);
  }

  /** Runs the command with variables; without a folder for profiles there are none. */
  public static Cli with(Map<String, String> given, String... args) {
    return with(given, new StringWriter(), args);
  }

  /**
   * Runs the command with variables.
   *
   * @param out where it prints to, for threads that read it meanwhile
   */
  public static Cli with(Map<String, String> given, StringWriter out, String... args) {
    Map<String, String> variables = new HashMap<>(Map.of("XDG_CONFIG_HOME", "/nowhere"));
    variables.putAll(given);
    StringWriter err = new StringWriter();
    int exit = Main.run(variables, new PrintWriter(out, true), new PrintWriter(err, true), args);
    return new Cli(exit, out.toString(), err.toString());
  }

  /** Runs the command on a database. */
  public static Cli on(TestDatabase database, String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(
        List.of(
            "--database-url=" + database.jdbcUrl(),
            "--user=" + database.user(),
            "--password=" + database.password()));
    return run(all.toArray(String[]::new));
  }
}
