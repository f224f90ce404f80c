/**
 * How payloads and results become text and back.
 *
 * <p>The engine brings a JSON codec; a program with other needs implements {@link
 * dev.holdfast.api.codec.PayloadCodec} and hands it to both its clients and its nodes.
 */
@NullMarked
package dev.holdfast.api.codec;

import org.jspecify.annotations.NullMarked;
