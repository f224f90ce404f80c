package dev.holdfast.engine.run;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.engine.store.Journals;

/**
 * What the durable steps of all attempts of a node share.
 *
 * @param codec encodes the results of steps
 */
public record JournalServices(Journals journals, PayloadCodec codec) {}
