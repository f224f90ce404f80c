package dev.holdfast.tck.simulation;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.RunStateException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.workflow.GraphPlanner;
import dev.holdfast.engine.workflow.WorkflowCatalog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Clients on the hosts that start runs and pause, resume, cancel, retry, repeat, move and signal
 * them. The requests for one run follow each other; a request that fails, or whose host crashes, is
 * repeated. After the last fault, what is paused is resumed, unless a deadline is to end it.
 */
final class RunLoad {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  private final Timeline timeline;
  private final RunChecker checker;
  private final Trace trace;
  private final SplittableRandom random;
  private final Definitions definitions;
  private final Map<Host, Holdfast> clients = new LinkedHashMap<>();
  private final Set<RunId> planned = new HashSet<>();
  private long calmAt;
  private int open;

  /** What a client does with a run or a job. */
  private enum Action {
    START,
    PAUSE,
    RESUME,
    CANCEL,
    RETRY,
    RERUN,
    MOVE,
    SIGNAL,
    SIGNAL_JOB,
    /** Resumes a run as often as it is paused, until it has ended. */
    SETTLE
  }

  private record Request(Action action, long at) {}

  /** The requests for one run or job. */
  private static final class Script {
    final UUID id;
    final @Nullable Workflow<String, Void> workflow;
    final String input;
    final Queue<Request> requests = new ArrayDeque<>();

    /** Counts the requests that were sent, to know whether one is lost with its host. */
    int sent;

    boolean isSignalled;

    /** The hash of the graph to move the run to. */
    String newer = "";

    Script(UUID id, @Nullable Workflow<String, Void> workflow, String input) {
      this.id = id;
      this.workflow = workflow;
      this.input = input;
    }

    RunId run() {
      return new RunId(id);
    }
  }

  RunLoad(
      Timeline timeline,
      RunChecker checker,
      Trace trace,
      Definitions definitions,
      SplittableRandom random) {
    this.timeline = timeline;
    this.checker = checker;
    this.trace = trace;
    this.definitions = definitions;
    this.random = random;
    checker.onStart(this::settle);
  }

  /** Lets a host send requests. */
  void connect(Host host, Holdfast client) {
    clients.put(host, client);
  }

  boolean isDone() {
    return open == 0;
  }

  /** Plans runs of this number of workflows, each started before the given time. */
  void plan(int workflows, long before, long calm) {
    calmAt = calm;
    RunShapes shapes = new RunShapes(random.split());
    for (int i = 0; i < workflows; i++) {
      RunShapes.Shape shape = shapes.next();
      checker.learn(shape.workflow());
      checker.learnNewer(shape.newer());
      String newer = register(shape.newer());
      for (int run = 0; run < shape.runs(); run++) {
        UUID id = new UUID(random.nextLong(), random.nextLong());
        Script script = new Script(id, shape.workflow(), shapes.input());
        script.newer = newer;
        planned.add(script.run());
        plan(script, random.nextLong(before));
      }
    }
  }

  private void plan(Script script, long start) {
    List<Request> requests = new ArrayList<>();
    for (int more = random.nextInt(5); more > 0; more--) {
      long after = random.nextLong(random.nextBoolean() ? SECOND : 4 * SECOND);
      requests.add(new Request(operation(), start + after));
    }
    requests.add(new Request(Action.SIGNAL, start + random.nextLong(4 * SECOND)));
    requests.sort((one, other) -> Long.compare(one.at, other.at));
    script.requests.add(new Request(Action.START, start));
    script.requests.addAll(requests);
    script.requests.add(new Request(Action.SETTLE, calmAt));
    begin(script);
  }

  /** Stores a workflow and returns its hash. */
  private String register(Workflow<?, ?> workflow) {
    new WorkflowCatalog(
            definitions, new Workload.TextCodec(), new GraphPlanner(() -> new UUID(0, 0)))
        .register(workflow);
    return definitions.versions(workflow.name()).getFirst().hash();
  }

  /** Lets a run end that was not planned, or was started after its client was told otherwise. */
  private void settle(RunId run) {
    if (!planned.contains(run)) {
      Script script = new Script(run.value(), null, "");
      script.requests.add(new Request(Action.SETTLE, calmAt));
      begin(script);
    }
  }

  /** Signals a job that awaits it, once. */
  void signal(JobId job, long at) {
    Script script = new Script(job.value(), null, "");
    script.requests.add(new Request(Action.SIGNAL_JOB, at));
    begin(script);
  }

  private Action operation() {
    return switch (random.nextInt(10)) {
      case 0, 1, 2, 3 -> Action.PAUSE;
      case 4 -> Action.RESUME;
      case 5 -> Action.CANCEL;
      case 6 -> Action.RERUN;
      case 7 -> Action.MOVE;
      default -> Action.RETRY;
    };
  }

  private void begin(Script script) {
    open++;
    sendNext(script);
  }

  private void sendNext(Script script) {
    Request next = script.requests.peek();
    if (next == null) {
      open--;
    } else {
      timeline.at(next.at, () -> send(script, next));
    }
  }

  /** Sends a request from any host. If that host crashes before it was answered, from another. */
  private void send(Script script, Request request) {
    clients.keySet().removeIf(Host::isCrashed);
    if (clients.isEmpty()) {
      timeline.at(timeline.now() + SECOND / 2, () -> send(script, request));
      return;
    }
    List<Host> hosts = new ArrayList<>(clients.keySet());
    Host host = hosts.get(random.nextInt(hosts.size()));
    Holdfast client = Objects.requireNonNull(clients.get(host));
    int number = ++script.sent;
    host.spawn(() -> {
      boolean answered = ask(client, script, request.action);
      script.sent++;
      if (answered) {
        script.requests.poll();
        sendNext(script);
      } else {
        timeline.at(timeline.now() + SECOND / 2, () -> send(script, request));
      }
    });
    watch(host, script, request, number);
  }

  private void watch(Host host, Script script, Request request, int number) {
    timeline.at(
        timeline.now() + SECOND,
        () -> {
          if (script.sent == number) {
            if (host.isCrashed()) {
              send(script, request);
            } else {
              watch(host, script, request, number);
            }
          }
        });
  }

  /** Returns whether the request need not be repeated. */
  private boolean ask(Holdfast client, Script script, Action action) {
    trace.note("client", "requests " + action + " of " + script.id);
    try {
      return switch (action) {
        case START -> {
          start(client, script);
          yield true;
        }
        case PAUSE -> {
          client.runs().pause(script.run());
          checker.pauseAcknowledged(script.run());
          yield true;
        }
        case RESUME -> {
          checker.mayContinue(script.run());
          client.runs().resume(script.run());
          yield true;
        }
        case CANCEL -> {
          checker.mayContinue(script.run());
          client.runs().cancel(script.run(), "simulated");
          yield true;
        }
        case RETRY -> {
          checker.mayContinue(script.run());
          client.runs().retry(script.run());
          yield true;
        }
        case RERUN -> {
          rerun(client, script);
          yield true;
        }
        case MOVE -> {
          client.runs().move(script.run(), script.newer, false);
          yield true;
        }
        case SIGNAL -> {
          signal(client, script);
          yield true;
        }
        case SIGNAL_JOB -> {
          client.signal(
              new JobId(script.id), RunShapes.GO, "\"go\"", signal -> signal.id("simulated"));
          yield true;
        }
        case SETTLE -> settle(client, script);
      };
    } catch (RunStateException refused) {
      return action != Action.SETTLE;
    } catch (StoreException away) {
      // A rerun is not repeated: each request starts another run.
      return action == Action.RERUN;
    }
  }

  /** Starts a run. If it is skipped, there is nothing more to request. */
  private void start(Holdfast client, Script script) {
    if (script.workflow != null) {
      Started<Void> started =
          client
              .runs()
              .start(script.workflow, script.input, RunOptions.of(run -> run.id(script.run())));
      if (started.outcome() == Started.Outcome.SKIPPED && !checker.knows(script.run())) {
        script.requests.clear();
        planned.remove(script.run());
      }
    }
  }

  private void rerun(Holdfast client, Script script) {
    List<String> from = new ArrayList<>(checker.stepsOf(script.run()));
    from.removeIf(step -> random.nextBoolean());
    RunChecker.Before before = checker.beforeRerun(script.run());
    RunId again = client.runs().rerun(script.run(), from, null);
    checker.reran(script.run(), before, from, again);
  }

  private static void signal(Holdfast client, Script script) {
    client.runs().signal(script.run(), RunShapes.GO, "\"go\"", signal -> signal.id("simulated"));
    script.isSignalled = true;
  }

  /**
   * Resumes a run and those below it that were paused by themselves, and signals it if it had ended
   * when it was to be signalled, and was retried.
   */
  private boolean settle(Holdfast client, Script script) {
    for (RunId paused : checker.paused(script.run())) {
      checker.mayContinue(paused);
      client.runs().resume(paused);
    }
    boolean hasEnded = checker.state(script.run()).hasEnded();
    if (!hasEnded && !script.isSignalled) {
      signal(client, script);
    }
    return hasEnded;
  }
}
