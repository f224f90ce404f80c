package dev.holdfast.cli.bench;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The wall clock, which all processes of a machine share. */
final class Micros {

  private Micros() {}

  static long now() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
