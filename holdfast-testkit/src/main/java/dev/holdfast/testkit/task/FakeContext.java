package dev.holdfast.testkit.task;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobProgress;
import dev.holdfast.api.run.DurableSteps;
import dev.holdfast.api.run.SecretUnavailableException;
import dev.holdfast.api.run.TaskContext;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The context of an attempt that no node runs. Its tester determines what it returns. */
final class FakeContext implements TaskContext {
  private static final Logger log = LoggerFactory.getLogger(TaskContext.class);

  /** An attempt is never told to stop. */
  static final int NEVER = Integer.MAX_VALUE;

  private final TaskTester<?, ?> tester;
  private final Thread thread = Thread.currentThread();
  private final Instant started = Instant.now();
  private volatile @Nullable JobProgress progress;
  private int checksLeft;
  private boolean stopping;
  private final FakeSteps steps;

  FakeContext(TaskTester<?, ?> tester) {
    this.tester = tester;
    this.steps = new FakeSteps(tester, this::heartbeat);
    this.checksLeft = tester.stopAtCheck;
    if (checksLeft == 0) {
      stop();
    }
  }

  private void stop() {
    stopping = true;
    thread.interrupt();
  }

  /** Counts the checks of the handler, so that it can be told to stop at one of them. */
  @Override
  public synchronized boolean isStopping() {
    if (!stopping && checksLeft != NEVER && --checksLeft == 0) {
      stop();
    }
    return stopping;
  }

  @Override
  public void heartbeat() {
    if (isStopping()) {
      throw new CancellationException(
          "Job %s was told to stop: end this attempt, its result is not stored."
              .formatted(jobId()));
    }
  }

  /** Returns whether the attempt was told to stop, without counting as a check. */
  synchronized boolean wasStopped() {
    return stopping;
  }

  @Override
  public JobId jobId() {
    return tester.jobId;
  }

  @Override
  public String task() {
    return tester.type.name();
  }

  @Override
  public String secret(String name) {
    String value = tester.secrets.get(name);
    if (value == null) {
      throw new SecretUnavailableException(
          "Secret '%s' does not exist: give it to the tester with secret(name, value)."
              .formatted(name));
    }
    return value;
  }

  @Override
  public String queue() {
    return tester.queue;
  }

  @Override
  public int attempt() {
    return tester.attempt;
  }

  @Override
  public long fencingToken() {
    return tester.fencingToken;
  }

  @Override
  public String node() {
    return TaskTester.NODE;
  }

  @Override
  public Set<String> tags() {
    return Set.copyOf(tester.tags);
  }

  @Override
  public Instant createdAt() {
    return tester.createdAt;
  }

  @Override
  public Optional<String> uniqueKey() {
    return Optional.ofNullable(tester.uniqueKey);
  }

  @Override
  public int maxAttempts() {
    return tester.policy().maxAttempts();
  }

  @Override
  public Optional<Instant> deadline() {
    return Optional.ofNullable(tester.type.defaults().timeout()).map(started::plus);
  }

  @Override
  public Holdfast client() {
    return tester.client();
  }

  @Override
  public DurableSteps steps() {
    return steps;
  }

  @Override
  public boolean isDraining() {
    return tester.draining;
  }

  @Override
  public void onDrain(Runnable callback) {
    if (tester.draining) {
      callback.run();
    }
  }

  @Override
  public void progress(long done, long total, String message) {
    heartbeat();
    progress = new JobProgress(done, total, message, Instant.now());
  }

  @Override
  public Optional<JobProgress> progress() {
    return Optional.ofNullable(progress);
  }

  @Override
  public void log(String line) {
    log.info("{}", line);
  }
}
