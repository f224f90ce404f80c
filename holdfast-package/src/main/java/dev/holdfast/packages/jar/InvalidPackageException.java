package dev.holdfast.packages.jar;

import java.util.List;

/** A package that cannot be accepted. */
public final class InvalidPackageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final List<String> problems;

  /**
   * @param problems what is wrong and what to do, each in one or more sentences
   */
  public InvalidPackageException(List<String> problems) {
    super(String.join(" ", problems));
    this.problems = List.copyOf(problems);
  }

  InvalidPackageException(String problem) {
    this(List.of(problem));
  }

  /** Returns what is wrong and what to do. */
  public List<String> problems() {
    return problems;
  }
}
