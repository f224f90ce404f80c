package dev.holdfast.bench.harness;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The wall clock in microseconds, which all processes of a machine share. */
public final class Micros {

  private Micros() {}

  public static long now() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
