package dev.holdfast.engine.client;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.api.workflow.SignalOptions;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.intake.StoreRetry;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends signals to jobs. */
final class JobSignals {
  private static final int MIDDLE_PRIORITY = 4;

  private final Journals journals;
  private final PayloadCodec codec;
  private final int payloadLimit;
  private final SignalBus bus;
  private final Supplier<UUID> ids;

  JobSignals(
      Journals journals, PayloadCodec codec, int payloadLimit, SignalBus bus, Supplier<UUID> ids) {
    this.journals = journals;
    this.codec = codec;
    this.payloadLimit = payloadLimit;
    this.bus = bus;
    this.ids = ids;
  }

  /** The id is created here, so that a call that is repeated sends the signal once. */
  SignalResult send(JobId id, String name, @Nullable Object payload, SignalOptions options) {
    String owner = "signal '%s'".formatted(name);
    NewSignal signal =
        new NewSignal(
            Names.signal(name),
            options.id() == null ? ids.get().toString() : options.id(),
            payload == null ? null : Encoding.payload(codec, payload, owner, payloadLimit));
    boolean[] repeated = new boolean[1];
    Journals.Sent sent =
        StoreRetry.ask(
            "send %s to job %s".formatted(owner, id),
            before -> {
              repeated[0] = before > 0;
              return journals.signal(id, signal);
            });
    if (sent.queue() != null) {
      bus.publish(new Signal.NewWork(sent.queue(), MIDDLE_PRIORITY, 1));
    }
    boolean own = options.id() == null && repeated[0];
    return own && sent.result() == SignalResult.DUPLICATE ? SignalResult.SENT : sent.result();
  }
}
