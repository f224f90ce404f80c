package dev.holdfast.bench.harness;

import dev.holdfast.api.HoldfastException;

/** Thrown when a benchmark cannot measure what it should. */
public final class BenchException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  public BenchException(String message) {
    super(message);
  }
}
