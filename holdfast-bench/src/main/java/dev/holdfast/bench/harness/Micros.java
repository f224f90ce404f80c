package dev.holdfast.bench.harness;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The wall clock in microseconds, which all processes of a machine share. */
public final class Micros {

  private Micros() {}

  public static long now() {
    return of(Instant.now());
  }

  public static long of(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }
}
