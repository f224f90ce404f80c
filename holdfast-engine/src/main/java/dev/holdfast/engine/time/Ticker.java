package dev.holdfast.engine.time;

/** A clock that tells moments. */
@FunctionalInterface
public interface Ticker {

  Moment now();

  /** The clock of the machine. {@code nanoTime} may start negative, so count from here. */
  static Ticker system() {
    long start = System.nanoTime();
    return () -> new Moment(System.nanoTime() - start);
  }
}
