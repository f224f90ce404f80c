package dev.holdfast.engine.run;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobLogLine;
import dev.holdfast.api.job.JobProgress;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The context that a handler receives for its job. */
public final class Context implements TaskContext {
  private static final Logger log = LoggerFactory.getLogger(TaskContext.class);
  private static final int LONGEST_LINE = 500;

  private final HeldJob heldJob;
  private final ContextServices shared;
  private final Moment started;
  private final JournalledSteps steps;

  Context(HeldJob heldJob, ContextServices shared) {
    this.heldJob = heldJob;
    this.shared = shared;
    this.started = shared.ticker().now();
    this.steps = new JournalledSteps(heldJob, shared.journal(), this::heartbeat);
  }

  /** Returns the job. */
  public ClaimedJob job() {
    return heldJob.job();
  }

  @Override
  public JobId jobId() {
    return heldJob.job().id();
  }

  @Override
  public String task() {
    return heldJob.job().task();
  }

  @Override
  public String queue() {
    return heldJob.job().queue();
  }

  @Override
  public int attempt() {
    return heldJob.job().attempt();
  }

  @Override
  public long fencingToken() {
    return heldJob.job().token();
  }

  @Override
  public String node() {
    return shared.node();
  }

  @Override
  public Set<String> tags() {
    return heldJob.job().tags();
  }

  @Override
  public Instant createdAt() {
    return heldJob.job().createdAt();
  }

  @Override
  public Optional<String> uniqueKey() {
    return Optional.ofNullable(heldJob.job().uniqueKey());
  }

  @Override
  public int maxAttempts() {
    return heldJob.policy().retryOrDefault().maxAttempts();
  }

  @Override
  public Optional<Instant> deadline() {
    Duration timeout = heldJob.policy().timeout();
    if (timeout == null) {
      return Optional.empty();
    }
    Duration left = timeout.minusNanos(shared.ticker().now().nanos() - started.nanos());
    Instant now = Instant.now();
    return Optional.of(
        left.compareTo(Duration.between(now, Instant.MAX)) < 0 ? now.plus(left) : Instant.MAX);
  }

  @Override
  public Holdfast client() {
    return shared.clients().apply(jobId());
  }

  @Override
  public JournalledSteps steps() {
    return steps;
  }

  @Override
  public String secret(String name) {
    return shared.secrets().read(name);
  }

  @Override
  public void heartbeat() {
    if (isStopping()) {
      throw new CancellationException(
          "Job %s was told to stop: end this attempt, its result is not stored."
              .formatted(jobId()));
    }
    if (heldJob.policy().heartbeatTimeout() != null) {
      heldJob.sign(shared.ticker().now());
    }
  }

  @Override
  public boolean isStopping() {
    return heldJob.stopReason() != null || heldJob.tenure().isOver();
  }

  @Override
  public boolean isDraining() {
    return shared.drain().isGiven();
  }

  @Override
  public void onDrain(Runnable callback) {
    shared.drain().register(heldJob, callback);
  }

  @Override
  public void progress(long done, long total, String message) {
    if (done < 0 || total < 0) {
      throw new IllegalArgumentException(
          "Progress %d of %d is not valid: give numbers from 0, and a total of 0 if it is not known."
              .formatted(done, total));
    }
    heartbeat();
    heldJob.notes().report(new JobProgress(done, total, cut(redacted(message)), Instant.now()));
    shared.notes().changed();
  }

  @Override
  public Optional<JobProgress> progress() {
    return heldJob.notes().progress();
  }

  @Override
  public void log(String line) {
    String shown = redacted(line);
    log.info("{}", shown);
    if (shared.logLines() > 0) {
      heldJob.notes().add(new JobLogLine(Instant.now(), attempt(), cut(shown)), shared.logLines());
      shared.notes().changed();
    }
  }

  /** Before it is cut: the rest of a value could not be recognised. */
  private String redacted(String text) {
    return shared.secrets().redactor().redact(text);
  }

  private static String cut(String text) {
    if (text.length() <= LONGEST_LINE) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(LONGEST_LINE - 1)) ? 1 : 0;
    return text.substring(0, LONGEST_LINE - end);
  }

  /** Notes that the attempt has ended. */
  void close() {
    steps.close();
    shared.drain().forget(heldJob);
  }
}
