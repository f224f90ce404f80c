package dev.holdfast.server.api;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobLogLine;
import dev.holdfast.api.job.JobProgress;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.codec.JobNotes;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import dev.holdfast.engine.store.Stacks;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.node.WorkerNodes;
import dev.holdfast.server.worker.Reported;
import dev.holdfast.server.worker.WorkerBeat;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads what remote workers send. */
final class WorkerFields {
  private static final int MOST_AT_ONCE = 1_000;
  private static final int MOST_NAMES = 1_000;
  private static final int MOST_LINES = 1_000;
  private static final int LONGEST_TEXT = 200;
  private static final String DEFAULT_QUEUE = "default";
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);
  private static final Duration LONGEST_DELAY = Duration.ofDays(3650);

  private WorkerFields() {}

  /**
   * How a worker registers.
   *
   * @param replaces an earlier incarnation of it; null for none
   */
  record Registration(NodeRegistration node, @Nullable UUID replaces) {}

  /** How long a worker may act after it sent its last successful heartbeat. */
  static Duration fenceAfter(Duration timeout) {
    return timeout.multipliedBy(3).dividedBy(4);
  }

  static Registration registration(Call call) {
    Fields body = call.body();
    UUID incarnation = uuid(body, "worker");
    UUID replaces = uuid(body, "replaces");
    String id = shortText(body, "id", "worker");
    String name = body.textOr("name", null);
    String host = shortText(body, "host", "unknown");
    String version = shortText(body, "version", "unknown");
    Long pid = body.number("pid");
    Set<String> tasks = names(body, "tasks", Names::task);
    Set<String> queues = names(body, "queues", Names::queue);
    Set<String> stacks = names(body, "stacks", WorkerFields::stack);
    Integer capacity = body.integer("capacity");
    Duration timeout = body.duration("timeout");
    body.done();
    if (tasks.isEmpty()) {
      throw Code.INVALID_REQUEST.because("Give the tasks that the worker has code for.");
    }
    if (capacity != null && (capacity < 1 || capacity > 100_000)) {
      throw Code.INVALID_REQUEST.because(
          "capacity = %d is not possible: give 1 to 100000.", capacity);
    }
    Duration silence = timeout == null ? DEFAULT_TIMEOUT : timeout;
    if (silence.compareTo(SHORTEST_TIMEOUT) < 0 || silence.compareTo(LONGEST_TIMEOUT) > 0) {
      throw Code.INVALID_REQUEST.because(
          "timeout = %s is not possible: give %s to %s.",
          silence, SHORTEST_TIMEOUT, LONGEST_TIMEOUT);
    }
    NodeRegistration node =
        new NodeRegistration(
            incarnation == null ? UuidCreator.getTimeOrderedEpochPlus1() : incarnation,
            // With the tenant, so that it never looks like a server or a worker of another one.
            call.tenant().tenant().name() + ":" + id,
            name == null || name.length() <= LONGEST_TEXT ? name : name.substring(0, LONGEST_TEXT),
            host,
            pid == null ? 0 : pid,
            version,
            Timeouts.of(silence),
            queues.isEmpty() ? Set.of(DEFAULT_QUEUE) : queues,
            tasks,
            capacity == null ? 1 : capacity,
            null,
            stacks,
            Set.of(WorkerNodes.ROLE),
            Advice.NONE);
    return new Registration(node, replaces);
  }

  private static String shortText(Fields fields, String name, String otherwise) {
    String text = fields.textOr(name, otherwise);
    String given = text == null || text.isBlank() ? otherwise : text.replaceAll("\\p{Cntrl}", "?");
    return given.length() <= LONGEST_TEXT ? given : given.substring(0, LONGEST_TEXT);
  }

  private static Set<String> names(Fields fields, String name, Function<String, String> check) {
    Set<String> names = new LinkedHashSet<>();
    for (String each : fields.texts(name)) {
      names.add(check.apply(each));
    }
    if (names.size() > MOST_NAMES) {
      throw Code.INVALID_REQUEST.because(
          "%d %s are too many for one worker: give %d at most.", names.size(), name, MOST_NAMES);
    }
    return names;
  }

  /** A name of a stack, and not the word for all of them. */
  static String stack(String name) {
    if (name.equals(Stacks.ANY)) {
      throw Code.INVALID_REQUEST.because(
          "Stack '%s' stands for all stacks: name those that the worker has code for.", name);
    }
    return Names.text("Stack", name);
  }

  private static @Nullable UUID uuid(Fields fields, String name) {
    return fields.parsed(name, UUID::fromString, "must be a UUID");
  }

  /**
   * Reads the key of a durable step.
   *
   * @param signal whether its name is that of a signal
   */
  static EntryKey entry(Fields fields, String field, boolean signal) {
    String name =
        fields.parsed(
            field,
            text -> signal ? Names.signal(text) : Names.text("Step name", text),
            signal ? "must be the name of a signal" : "must be the name of a step");
    Integer occurrence = fields.integer("occurrence");
    fields.require(field);
    if (occurrence != null && occurrence < 0) {
      throw Code.INVALID_REQUEST.because(
          "occurrence = %d is not possible: give 1 for the first step of a name.", occurrence);
    }
    return new EntryKey(name == null ? "" : name, occurrence == null ? 1 : occurrence);
  }

  /** Reads a claim, which is required; errors are noted in the fields. */
  static ClaimId claim(Fields fields) {
    UUID job = uuid(fields, "job");
    Long token = fields.number("token");
    if (job == null || token == null) {
      fields.require("job");
      fields.require("token");
      return new ClaimId(new JobId(new UUID(0, 0)), 0);
    }
    return new ClaimId(new JobId(job), token);
  }

  private static <T> List<T> all(
      Fields body, String name, Function<Fields, T> read, Function<T, ClaimId> claim) {
    List<T> all = new ArrayList<>();
    Set<JobId> seen = new HashSet<>();
    for (Fields each : body.objects(name)) {
      T one = read.apply(each);
      each.noOthers();
      all.add(one);
      JobId job = claim.apply(one).id();
      if (!seen.add(job) && job.value().getMostSignificantBits() != 0) {
        throw Code.INVALID_REQUEST.because("%s names job %s twice.", name, job);
      }
    }
    if (all.size() > MOST_AT_ONCE) {
      throw Code.INVALID_REQUEST.because(
          "%d %s are not possible in one request: give %d at most.",
          all.size(), name, MOST_AT_ONCE);
    }
    return all;
  }

  static List<ClaimId> claims(Fields body, String name) {
    return all(body, name, WorkerFields::claim, Function.identity());
  }

  static List<Reported> reports(Fields body) {
    return all(body, "outcomes", WorkerFields::report, Reported::claim);
  }

  private enum Outcome {
    SUCCEEDED,
    FAILED,
    LATER,
    PARKED,
    CANCELLED,
    HANDED_BACK
  }

  private static Reported report(Fields fields) {
    ClaimId claim = claim(fields);
    Outcome outcome = fields.oneOf("outcome", Outcome.class);
    if (outcome == null) {
      fields.require("outcome");
      return new Reported.Cancelled(claim);
    }
    return switch (outcome) {
      case SUCCEEDED ->
          new Reported.Succeeded(claim, fields.json("result"), delay(fields, "keepResult"));
      case FAILED -> failed(claim, fields);
      case LATER -> {
        Duration delay = delay(fields, "delay");
        if (delay == null) {
          fields.require("delay");
        }
        boolean ran = !fields.has("ran") || fields.truth("ran");
        yield new Reported.Later(claim, delay == null ? Duration.ZERO : delay, ran);
      }
      case PARKED -> {
        Duration delay = delay(fields, "delay");
        fields.require("delay");
        String signal = fields.textOr("signal", null);
        EntryKey key = entry(fields, "step", signal != null);
        if (signal != null && !signal.equals(key.name())) {
          throw Code.INVALID_REQUEST.because(
              "step = '%s' is not possible: a step that awaits signal '%s' has its name.",
              key.name(), signal);
        }
        yield new Reported.Parked(claim, key, delay == null ? Duration.ZERO : delay, signal);
      }
      case CANCELLED -> new Reported.Cancelled(claim);
      case HANDED_BACK -> new Reported.HandedBack(claim, fields.truth("ran"));
    };
  }

  private static Reported failed(ClaimId claim, Fields fields) {
    String code =
        fields.parsed(
            "code", FailureCode::checked, "must be A-Z, 0-9 and _, at most 64 characters");
    String message = fields.textOr("message", "");
    return new Reported.Failed(
        claim,
        new Reported.Failure(
            code == null ? FailureCode.TASK_FAILED : code,
            message == null ? "" : message,
            fields.textOr("type", null),
            fields.textOr("stackTrace", null)),
        delay(fields, "retryIn"),
        fields.truth("final"));
  }

  private static @Nullable Duration delay(Fields fields, String name) {
    return fields.parsed(
        name,
        text -> {
          Duration delay = Duration.parse(text);
          if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
            throw new IllegalArgumentException("The delay is out of range");
          }
          return delay;
        },
        "must be a duration such as PT5M, not negative and at most P3650D");
  }

  static WorkerBeat beat(Fields body) {
    boolean names = body.has("jobs");
    List<WorkerBeat.Held> jobs = all(body, "jobs", WorkerFields::heldJob, WorkerBeat.Held::claim);
    Long answered = body.number("answered");
    Long from = body.number("from");
    body.done();
    return new WorkerBeat(names ? jobs : null, answered, from == null ? 0 : Math.max(0, from));
  }

  private static WorkerBeat.Held heldJob(Fields fields) {
    ClaimId claim = claim(fields);
    Fields progress = fields.object("progress");
    return new WorkerBeat.Held(claim, progress == null ? null : progress(progress));
  }

  private static WorkerBeat.Progress progress(Fields fields) {
    Long done = fields.number("done");
    Long total = fields.number("total");
    String message = fields.textOr("message", "");
    fields.noOthers();
    return new WorkerBeat.Progress(
        done == null ? 0 : done, total == null ? 0 : total, message == null ? "" : message);
  }

  /** What a worker has to tell about a running job. */
  private record Noted(ClaimId claim, JobNotes notes) {}

  static Map<ClaimId, JobNotes> notes(Fields body) {
    Map<ClaimId, JobNotes> notes = new LinkedHashMap<>();
    all(body, "jobs", WorkerFields::noted, Noted::claim)
        .forEach(noted -> notes.put(noted.claim(), noted.notes()));
    return notes;
  }

  private static Noted noted(Fields fields) {
    ClaimId claim = claim(fields);
    Fields progress = fields.object("progress");
    List<JobLogLine> log = new ArrayList<>();
    for (Fields line : fields.objects("log")) {
      Instant at = line.instant("at");
      Integer attempt = line.integer("attempt");
      log.add(
          new JobLogLine(
              at == null ? Instant.now() : at, attempt == null ? 0 : attempt, line.text("text")));
      line.noOthers();
    }
    WorkerBeat.Progress told = progress == null ? null : progress(progress);
    return new Noted(
        claim,
        new JobNotes(
            told == null
                ? null
                : new JobProgress(told.done(), told.total(), told.message(), Instant.now()),
            log.subList(Math.max(0, log.size() - MOST_LINES), log.size())));
  }
}
