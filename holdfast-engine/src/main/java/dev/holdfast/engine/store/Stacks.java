package dev.holdfast.engine.store;

import java.util.Set;

/**
 * Sets of stacks that a node serves. {@link #ANY} in such a set stands for every stack, whether
 * jobs of it exist already or not. It is stored as such with the node; no stack can have this name.
 */
public final class Stacks {
  /** Stands for every stack. */
  public static final String ANY = "*";

  /** All stacks. */
  public static final Set<String> ALL = Set.of(ANY);

  private Stacks() {}

  /** Returns whether these are all stacks. */
  public static boolean areAll(Set<String> served) {
    return served.contains(ANY);
  }

  /** Returns whether this stack is among those that are served. */
  public static boolean include(Set<String> served, String stack) {
    return areAll(served) || served.contains(stack);
  }
}
