package dev.holdfast.cli.connect;

/** How a command prints what it has read. */
public enum Output {
  /** Tables and sentences. */
  TABLE,
  /** The JSON of the API. */
  JSON;

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
