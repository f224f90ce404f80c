/**
 * References to the types of payloads and results, which may be generic: {@link
 * dev.holdfast.api.type.TypeRef}. It uses no other package, because both the client and the codec
 * need it.
 */
@NullMarked
package dev.holdfast.api.type;

import org.jspecify.annotations.NullMarked;
