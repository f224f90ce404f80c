/**
 * What a program that asks for work touches: the {@link dev.holdfast.api.Holdfast} client and the
 * exceptions it answers with.
 *
 * <p>The api module depends on the JDK and JSpecify alone, so a producer that only enqueues drags
 * in nothing else. Three rooms lead off this one: {@code task} is the code that can be run, {@code
 * job} is a request to run it once, {@code codec} is how payloads become text and back.
 */
@NullMarked
package dev.holdfast.api;

import org.jspecify.annotations.NullMarked;
