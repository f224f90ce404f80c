package dev.holdfast.bench.harness;

import dev.holdfast.cli.database.Address;
import dev.holdfast.cli.database.ServerOptions;
import dev.holdfast.postgres.PostgresStore;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that runs in the child process of a {@link Child}. */
public abstract class ChildCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final ServerOptions server = new ServerOptions();

  @Option(names = "--schema", required = true, description = "The schema to work on.")
  @SuppressWarnings("NullAway.Init")
  private String schema;

  /** Prepares the process for the first command. */
  protected abstract void start(Address address, PostgresStore store, String schema)
      throws Exception;

  /**
   * Executes one command.
   *
   * @return the numbers to reply with
   */
  protected abstract String obey(String order) throws Exception;

  /** Stops what {@link #start} has started, so that the process can end. */
  protected void stop() throws Exception {}

  @Override
  public final Integer call() throws Exception {
    Address address =
        server
            .named()
            .orElseThrow(() ->
                new BenchException(
                    "The child process has no database: HOLDFAST_DATABASE_URL is not set."));
    PrintWriter out = spec.commandLine().getOut();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (PostgresStore store =
        PostgresStore.connect(address.settings(schema).name("holdfast-bench").build())) {
      start(address, store, schema);
      say(out, Child.READY);
      for (String order = in.readLine(); order != null; order = in.readLine()) {
        say(out, Child.DONE + " " + obey(order));
      }
      stop();
    }
    return 0;
  }

  private static void say(PrintWriter out, String line) {
    out.println(line);
    out.flush();
  }
}
