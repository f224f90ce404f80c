package dev.holdfast.packages.jar;

/**
 * How large a package may be.
 *
 * @param jarBytes the largest file
 * @param entries the most entries
 * @param contentBytes the largest content of all entries together, uncompressed
 * @param ratio how many times larger than its compressed form an entry may be, if its content is
 *     larger than 1 MiB
 */
public record PackageLimits(long jarBytes, int entries, long contentBytes, int ratio) {
  /** Enough for an application with some hundred libraries. */
  public static final PackageLimits DEFAULT = new PackageLimits(64L << 20, 30_000, 256L << 20, 200);
}
