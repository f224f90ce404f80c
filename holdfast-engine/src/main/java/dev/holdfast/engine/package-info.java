/**
 * The node and the client: where a program that embeds Holdfast comes in.
 *
 * <p>{@link dev.holdfast.engine.HoldfastNode} puts the roles together and drives them; {@link
 * dev.holdfast.engine.HoldfastClient} asks for work. Both take a {@link
 * dev.holdfast.engine.store.Store} and know nothing of SQL. The rooms below: {@code claim}, {@code
 * run}, {@code finish}, {@code live} and {@code stage} hold the roles, {@code store} what they ask
 * of a database, {@code wake} how they hear of each other, {@code role} and {@code time} what
 * drives them.
 */
@NullMarked
package dev.holdfast.engine;

import org.jspecify.annotations.NullMarked;
