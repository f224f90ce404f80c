package dev.holdfast.engine.run;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.engine.store.Journals;

/**
 * What the durable steps of all attempts of a node share.
 *
 * @param codec decodes the results of steps
 * @param outputs encodes them
 */
public record JournalServices(Journals journals, PayloadCodec codec, OutputEncoder outputs) {
  /** The maximum size of the result of a durable step, in bytes. */
  public static final int LARGEST_ENTRY = 1 << 20;
}
