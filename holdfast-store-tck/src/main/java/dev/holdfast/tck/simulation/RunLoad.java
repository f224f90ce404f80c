package dev.holdfast.tck.simulation;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.RunStateException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.Workflow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Clients on the hosts that start runs and pause, resume, cancel, retry and signal them. The
 * requests for one run follow each other; a request that fails, or whose host crashes, is repeated.
 * After the last fault, what is paused is resumed.
 */
final class RunLoad {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  private final Timeline timeline;
  private final RunChecker checker;
  private final Trace trace;
  private final SplittableRandom random;
  private final Map<Host, Holdfast> clients = new LinkedHashMap<>();
  private int open;

  /** What a client does with a run or a job. */
  private enum Action {
    START,
    PAUSE,
    RESUME,
    CANCEL,
    RETRY,
    SIGNAL,
    SIGNAL_JOB,
    /** Resumes the run as often as it is paused, until it has ended. */
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

    Script(UUID id, @Nullable Workflow<String, Void> workflow, String input) {
      this.id = id;
      this.workflow = workflow;
      this.input = input;
    }

    RunId run() {
      return new RunId(id);
    }
  }

  RunLoad(Timeline timeline, RunChecker checker, Trace trace, SplittableRandom random) {
    this.timeline = timeline;
    this.checker = checker;
    this.trace = trace;
    this.random = random;
  }

  /** Lets a host send requests. */
  void connect(Host host, Holdfast client) {
    clients.put(host, client);
  }

  boolean isDone() {
    return open == 0;
  }

  /** Plans this number of runs, each started before the given time. */
  void plan(int runs, long before, long calmAt) {
    RunShapes shapes = new RunShapes(random.split());
    for (int i = 0; i < runs; i++) {
      Workflow<String, Void> workflow = shapes.next();
      checker.learn(workflow);
      Script script =
          new Script(new UUID(random.nextLong(), random.nextLong()), workflow, shapes.input());
      long start = random.nextLong(before);
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
  }

  /** Signals a job that awaits it, once. */
  void signal(JobId job, long at) {
    Script script = new Script(job.value(), null, "");
    script.requests.add(new Request(Action.SIGNAL_JOB, at));
    begin(script);
  }

  private Action operation() {
    return switch (random.nextInt(8)) {
      case 0, 1, 2, 3 -> Action.PAUSE;
      case 4 -> Action.RESUME;
      case 5 -> Action.CANCEL;
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
        script.requests.remove();
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
      return false;
    }
  }

  private static void start(Holdfast client, Script script) {
    if (script.workflow != null) {
      client
          .runs()
          .start(script.workflow, script.input, RunOptions.of(run -> run.id(script.run())));
    }
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
