package dev.holdfast.server.packages;

import java.io.Serial;

/** An upload or deletion that was refused. */
public final class PackageException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** Why it was refused. */
  public enum Reason {
    /** The version is stored with another digest. */
    EXISTS,
    /** Another package has the same task or workflow. */
    CONFLICT,
    /** Live jobs or open runs need the version. */
    IN_USE,
    /** The tenant accepts signed packages only. */
    NOT_SIGNED,
    /** No trusted key has made the signature. */
    WRONG_SIGNATURE,
    /** Too many packages are being checked. */
    BUSY,
    /** The tenant is being deleted. */
    NO_TENANT
  }

  private final Reason reason;

  public PackageException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** Returns why it was refused. */
  public Reason reason() {
    return reason;
  }
}
