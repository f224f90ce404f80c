package dev.holdfast.cli.demo;

import dev.holdfast.cli.database.Address;
import dev.holdfast.cli.database.DatabaseOptions;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the demo. */
@Command(
    name = "demo",
    description = {
      "Run a node with example jobs and watch them. Defaults to 20 seconds.",
      "Without --database-url, starts an embedded PostgreSQL and keeps its data."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final Duration USUAL_TIME = Duration.ofSeconds(20);
  private static final Duration FOREVER = Duration.ofDays(36_500);
  private static final Duration STOP_AT_MOST = Duration.ofSeconds(40);

  /** The default schema in a database given by the user. */
  private static final String GUEST_SCHEMA = "holdfast_demo";

  /** How long the demo runs. */
  static final class HowLong {
    @Option(names = "--minutes", paramLabel = "N", description = "Run for N minutes.")
    private @Nullable Integer minutes;

    @Option(names = "--jobs", paramLabel = "N", description = "Run until N jobs are done.")
    private @Nullable Integer jobs;

    @Option(names = "--forever", description = "Run until Ctrl-C.")
    private boolean forever;

    Demo.Length length() {
      if (minutes != null) {
        return new Demo.Length(Duration.ofMinutes(minutes), Long.MAX_VALUE);
      }
      if (jobs != null) {
        return new Demo.Length(FOREVER, jobs);
      }
      return new Demo.Length(forever ? FOREVER : USUAL_TIME, Long.MAX_VALUE);
    }

    String describe() {
      if (minutes != null) {
        return "The demo runs for %d minutes. Press Ctrl-C to end it sooner.".formatted(minutes);
      }
      if (jobs != null) {
        return "The demo runs until %d jobs are done. Press Ctrl-C to end it sooner."
            .formatted(jobs);
      }
      return forever
          ? "The demo runs until you press Ctrl-C."
          : "The demo runs for 20 seconds. Use --forever to run it until Ctrl-C.";
    }
  }

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @ArgGroup private final HowLong howLong = new HowLong();

  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);

  @Override
  public Integer call() throws Exception {
    Demo.Length length = howLong.length();
    if (length.jobs() < 1 || length.time().isNegative() || length.time().isZero()) {
      throw new ParameterException(spec.commandLine(), "--minutes and --jobs must be at least 1.");
    }
    Optional<Address> named = database.named();
    // The server must stop after the node, so this hook is the only one that reacts to Ctrl-C.
    Thread onCtrlC = new Thread(this::stopAndWait, "holdfast-demo-stop");
    Runtime.getRuntime().addShutdownHook(onCtrlC);
    try {
      if (named.isPresent()) {
        run(named.get(), database.schemaOr(GUEST_SCHEMA), length);
      } else {
        runEmbedded(length);
      }
    } finally {
      stopped.countDown();
      unhook(onCtrlC);
    }
    return 0;
  }

  private void runEmbedded(Demo.Length length) throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    out.printf("Starting PostgreSQL in %s ...%n", database.dataFolder());
    out.flush();
    try (EmbeddedPostgres server = database.startEmbedded(false)) {
      run(
          DatabaseOptions.addressOf(server),
          database.schemaOr(PostgresSettings.DEFAULT_SCHEMA),
          length);
    }
  }

  private void run(Address address, String schema, Demo.Length length) throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    try (PostgresStore store =
        PostgresStore.connect(address.settings(schema).name("holdfast-demo").build())) {
      explain(address, schema, out);
      new Demo(store, length, out, stop).run();
    }
    out.println(
        named() ? "The jobs are in schema %s.".formatted(schema) : "To inspect the jobs, run:");
    if (!named()) {
      out.println("  holdfast jobs --state failed");
      out.println("  holdfast job ID");
    }
    out.flush();
  }

  private boolean named() {
    return database.named().isPresent();
  }

  private void explain(Address address, String schema, PrintWriter out) {
    out.printf(
        """
        This process is a Holdfast node on %s, schema %s.
        It enqueues about 200 jobs a second into three queues and runs them:
          mail     quick greetings; deliveries that sometimes fail and are retried, up to %d attempts;
                   reminders that are due after %d seconds
          reports  slow jobs that wait for I/O, on virtual threads
          cpu      jobs that compute, on platform threads
        Ready jobs wait for a slot, running jobs are claimed by this node, done jobs are in history.
        %s

        """,
        address, schema, DemoTasks.ATTEMPTS, DemoTasks.REMIND_IN.toSeconds(), howLong.describe());
    out.flush();
  }

  private void stopAndWait() {
    stop.countDown();
    try {
      if (!stopped.await(STOP_AT_MOST.toMillis(), TimeUnit.MILLISECONDS)) {
        spec.commandLine()
            .getErr()
            .println(
                "The demo did not stop within %d seconds; exiting anyway."
                    .formatted(STOP_AT_MOST.toSeconds()));
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  private static void unhook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      // The JVM is already shutting down, because of this hook.
    }
  }
}
