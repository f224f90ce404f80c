package dev.holdfast.engine.query;

import dev.holdfast.api.AwaitTimeoutException;
import dev.holdfast.api.JobFailedException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.store.JobQueries;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Waits for jobs to end, and returns their results. */
public final class Awaiter {
  private final JobQueries lookup;
  private final PayloadCodec codec;
  private final EndWaiter waiter;

  public Awaiter(JobQueries lookup, PayloadCodec codec, EndWaiter waiter) {
    this.lookup = lookup;
    this.codec = codec;
    this.waiter = waiter;
  }

  public <R> @Nullable R await(JobId id, TypeRef<R> resultType, Duration atMost)
      throws InterruptedException {
    return await(id, resultType, atMost, false);
  }

  private <R> @Nullable R await(
      JobId id, TypeRef<R> resultType, Duration atMost, boolean endsOnClose)
      throws InterruptedException {
    Job ended =
        waiter.await(
            id,
            atMost,
            endsOnClose,
            () -> Optional.of(look(id)).filter(job -> job.state().hasEnded()),
            () -> new AwaitTimeoutException(id, look(id).state(), atMost));
    return result(ended, resultType);
  }

  /** Waits in a virtual thread, until the client is closed at the latest. */
  public <R> CompletionStage<@Nullable R> awaitAsync(
      JobId id, TypeRef<R> resultType, Duration atMost) {
    return EndWaiter.async(id, () -> await(id, resultType, atMost, true));
  }

  private Job look(JobId id) {
    Job job = lookup.find(List.of(id)).get(id);
    if (job == null) {
      throw new IllegalArgumentException(
          "There is no job %s: check the id. A job that has ended is deleted after its retention."
              .formatted(id));
    }
    return job;
  }

  private <R> @Nullable R result(Job job, TypeRef<R> type) {
    if (job.state() != JobState.SUCCEEDED) {
      throw new JobFailedException(job);
    }
    String text = job.result();
    return text == null ? null : codec.decode(text, type);
  }
}
