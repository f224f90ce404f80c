/**
 * Encoding of payloads and results as text.
 *
 * <p>The engine contains a JSON codec. To use another format, implement {@link
 * dev.holdfast.api.codec.PayloadCodec} and configure it on all clients and nodes. {@link
 * dev.holdfast.api.codec.CodecException} reports values that cannot be encoded or decoded.
 * Invariant: the stored text contains no class names.
 */
@NullMarked
package dev.holdfast.api.codec;

import org.jspecify.annotations.NullMarked;
