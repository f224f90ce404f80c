/** Types: references to the types of payloads and results, which may be generic. */
@NullMarked
package dev.holdfast.api.type;

import org.jspecify.annotations.NullMarked;
