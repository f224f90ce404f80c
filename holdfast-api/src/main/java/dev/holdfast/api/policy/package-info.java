/**
 * What happens when an attempt fails or its node dies: retries, backoff, crash policies, circuit
 * breakers and failure codes.
 */
@NullMarked
package dev.holdfast.api.policy;

import org.jspecify.annotations.NullMarked;
