package dev.holdfast.cli.ops;

import dev.holdfast.api.job.JobState;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.JobArgument;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Enqueues, lists, shows and controls jobs. */
@Command(
    name = "job",
    description = "Enqueue, list, show, watch and control jobs.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {EnqueueCommand.class, WatchJobCommand.class})
public final class JobCommand extends Group {

  @Command(name = "list", description = "List jobs, newest first, or count them.")
  int list(
      @Mixin Target target,
      @Mixin FilterOptions filter,
      @Mixin Paging paging,
      @Option(
              names = "--state",
              split = ",",
              paramLabel = "STATE",
              description = "Select the jobs in these states: ${COMPLETION-CANDIDATES}.")
          @Nullable Set<JobState> states,
      @Option(names = "--count", description = "Print the number of jobs in each state instead.")
          boolean count) {
    Query query = filter.to(new Query()).addAll("state", states == null ? Set.of() : states);
    return target.run(session ->
        count
            ? counts(session, session.get(session.path("jobs", "counts") + query), "jobs")
            : session.list(session.get(session.path("jobs") + paging.to(query)), "jobs", table()));
  }

  /** Returns a table of jobs. */
  static Listing table() {
    return Listing.of("jobs")
        .column("id")
        .column("task")
        .column("queue")
        .column("state")
        .number("attempt")
        .time("created", "createdAt")
        .column("last failure", JobCommand::lastFailure);
  }

  private static String lastFailure(JsonNode job) {
    JsonNode failures = job.get("failures");
    return failures.isEmpty() ? "" : Value.text(failures.get(failures.size() - 1), "code");
  }

  /** Returns the states that were counted, and those that were not counted to the end. */
  private static Set<String> states(JsonNode counts) {
    Set<String> states = new LinkedHashSet<>(counts.get("counts").propertyNames());
    states.addAll(Value.list(counts, "more"));
    return states;
  }

  /** Returns the count of a state, with a plus sign if it is a lower bound. */
  static String count(JsonNode counts, String state) {
    String count = Value.text(counts.get("counts"), state);
    return (count.isEmpty() ? "0" : count)
        + (Value.list(counts, "more").contains(state) ? "+" : "");
  }

  /** Prints counts by state. */
  public static int counts(Session session, JsonNode result, String what) {
    if (session.json()) {
      return session.done(result, "");
    }
    ObjectNode rows = Json.object();
    states(result)
        .forEach(
            state -> rows.putObject(state).put("state", state).put(what, count(result, state)));
    Listing.of(what).column("state").number(what).print(rows, session.out());
    return 0;
  }

  @Command(name = "show", description = "Show one job, why it waits, and its failed attempts.")
  int show(@Mixin Target target, @Mixin JobArgument given) {
    return target.run(session -> {
      JsonNode job = session.get(session.path("jobs", given.id()));
      if (session.json()) {
        return session.done(job, "");
      }
      JobText.print(job, session.out());
      return 0;
    });
  }

  @Command(
      name = "cancel",
      description =
          "Cancel a job. A job that has not started is cancelled at once; a running job is"
              + " interrupted by its node.")
  int cancel(@Mixin Target target, @Mixin JobArgument job) {
    return target.run(session -> {
      JsonNode result = session.post(session.path("jobs", job.id(), "cancel"));
      return session.done(
          result,
          Value.text(result, "result").equals("CANCELLED")
              ? "Job %s is cancelled; it had not started.".formatted(job.id())
              : "Job %s is running; its node was told to interrupt it.".formatted(job.id()));
    });
  }

  @Command(name = "retry", description = "Run a job of the dead-letter queue again.")
  int retry(@Mixin Target target, @Mixin JobArgument job) {
    return target.post("Job %s is ready again.".formatted(job.id()), "jobs", job.id(), "retry");
  }

  @Command(
      name = "requeue",
      description =
          "Make a job ready, so that any free node can run it. A scheduled or failed job is ready"
              + " at once; a claimed job when its node has handed it back.")
  int requeue(@Mixin Target target, @Mixin JobArgument job) {
    return target.run(session -> {
      JsonNode result = session.post(session.path("jobs", job.id(), "requeue"));
      return session.done(
          result,
          switch (Value.text(result, "result")) {
            case "ALREADY_READY" -> "Job %s was already ready.".formatted(job.id());
            case "REQUESTED" ->
                "Job %s is claimed; its node was told to hand it back without using an attempt."
                    .formatted(job.id());
            default -> "Job %s is ready.".formatted(job.id());
          });
    });
  }

  @Command(name = "signal", description = "Send a signal to a job that waits for one.")
  int signal(
      @Mixin Target target,
      @Mixin JobArgument job,
      @Parameters(index = "1", paramLabel = "NAME", description = "The name of the signal.")
          String name,
      @Option(
              names = "--payload",
              paramLabel = "JSON",
              description = "The payload of the signal. Defaults to none.")
          @Nullable String payload) {
    ObjectNode body = Json.object().put("name", name);
    if (payload != null) {
      body.set("payload", target.checked(() -> Json.read(payload)));
    }
    return target.run(session ->
        session.done(
            session.create(session.path("jobs", job.id(), "signals"), body),
            "Signal '%s' is sent to job %s.".formatted(name, job.id())));
  }
}
