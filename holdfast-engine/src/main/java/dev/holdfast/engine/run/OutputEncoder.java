package dev.holdfast.engine.run;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.StepRef;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encodes what handlers and durable steps return, up to a size. From half of it on, outputs are
 * counted, and the first of each task is logged: they may grow further.
 */
public final class OutputEncoder {
  private static final Logger log = LoggerFactory.getLogger(OutputEncoder.class);

  private final PayloadCodec codec;
  private final int limit;
  private final Function<StepRef, String> steps;
  private final Meters meters;
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * @param limit the maximum size of an output, in bytes of UTF-8
   * @param steps describes a step of a run for messages, such as "step 'charge' of run 0197…"
   */
  public OutputEncoder(
      PayloadCodec codec, int limit, Function<StepRef, String> steps, Meters meters) {
    this.codec = codec;
    this.limit = limit;
    this.steps = steps;
    this.meters = meters;
  }

  /** Thrown if an output is too large. Nothing of it is stored. */
  static final class OutputTooLargeException extends TaskFailure {
    private static final long serialVersionUID = 1L;

    OutputTooLargeException(String message) {
      super(FailureCode.OUTPUT_TOO_LARGE, message);
    }
  }

  /**
   * Encodes an output.
   *
   * @param what the output, for messages, such as "result"
   * @throws OutputTooLargeException if it exceeds the limit
   */
  String encode(ClaimedJob job, String what, Object value) {
    String text = Encoding.storable(codec.encode(value));
    if (Utf8Length.exceeds(text, limit)) {
      throw new OutputTooLargeException(
          "The %s of %s has %d bytes, but at most %d are allowed: return a reference to it instead."
              .formatted(what, describe(job), Utf8Length.bytes(text), limit));
    }
    if (Utf8Length.exceeds(text, (limit - 1) / 2)) {
      meters.largeOutput(job);
      if (warned.add(job.task())) {
        log.warn(
            "The {} of {} has {} bytes, and at most {} are allowed: return a reference to it before"
                + " it becomes too large. Further outputs of this task are counted by"
                + " holdfast.outputs.large, but not logged",
            what,
            describe(job),
            Utf8Length.bytes(text),
            limit);
      }
    }
    return text;
  }

  /** Describes a job for messages: its id, its task, and the step that it executes. */
  String describe(ClaimedJob job) {
    String step = job.step() == null ? "" : ", " + steps.apply(job.step());
    return "job %s of task '%s'%s".formatted(job.id(), job.task(), step);
  }
}
