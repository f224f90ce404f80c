package dev.holdfast.bench.peers;

import java.util.Locale;

/** With which settings a library runs. */
public enum Tuning {
  /** Its defaults. */
  DEFAULT,
  /** What its documentation recommends for throughput. */
  TUNED;

  /** Returns the name in measures and arguments. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
