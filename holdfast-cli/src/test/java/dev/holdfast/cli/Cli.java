package dev.holdfast.cli;

import dev.holdfast.embedded.testing.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/** Runs the command in this JVM and captures its output. */
public record Cli(int exit, String out, String err) {

  public static Cli run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
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
