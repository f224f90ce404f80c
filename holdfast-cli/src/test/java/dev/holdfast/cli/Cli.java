package dev.holdfast.cli;

import dev.holdfast.embedded.testing.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** Runs the command in this JVM, and keeps what it says. */
public record Cli(int exit, String out, String err) {

  public static Cli run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    int exit = line.execute(args);
    return new Cli(exit, out.toString(), err.toString());
  }

  /** Run on a database. */
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
