package dev.holdfast.engine.workflow;

import dev.holdfast.api.AwaitTimeoutException;
import dev.holdfast.api.RunFailedException;
import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.query.EndWaiter;
import dev.holdfast.engine.store.RunRow;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Waits for runs to end, and returns their results. */
public final class RunAwaiter {
  private final RunLookup lookup;
  private final PayloadCodec codec;
  private final EndWaiter waiter;

  public RunAwaiter(RunLookup lookup, PayloadCodec codec, EndWaiter waiter) {
    this.lookup = lookup;
    this.codec = codec;
    this.waiter = waiter;
  }

  <R> @Nullable R await(RunId id, TypeRef<R> resultType, Duration atMost)
      throws InterruptedException {
    return await(id, resultType, atMost, false);
  }

  /** Waits in a virtual thread, until the client is closed at the latest. */
  <R> CompletionStage<@Nullable R> awaitAsync(RunId id, TypeRef<R> resultType, Duration atMost) {
    return EndWaiter.async(new JobId(id.value()), () -> await(id, resultType, atMost, true));
  }

  private <R> @Nullable R await(
      RunId id, TypeRef<R> resultType, Duration atMost, boolean endsOnClose)
      throws InterruptedException {
    RunRow ended =
        waiter.await(
            new JobId(id.value()),
            atMost,
            endsOnClose,
            () -> Optional.of(lookup.row(id)).filter(row -> row.state().hasEnded()),
            () -> new AwaitTimeoutException(id, lookup.row(id).state(), atMost));
    if (ended.state() != RunState.SUCCEEDED) {
      throw new RunFailedException(lookup.find(id).orElseThrow(() -> new UnknownRunException(id)));
    }
    return ended.result() == null ? null : codec.decode(ended.result(), resultType);
  }
}
