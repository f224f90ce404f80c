package dev.holdfast.server.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * A body that may be large, and must keep coming: each MiB must arrive within the time that a small
 * body has.
 */
final class SteadyBody extends FilterInputStream {
  private static final int PIECE = 1 << 20;

  private final long patience;
  private long since = System.nanoTime();
  private long arrived;

  SteadyBody(InputStream in, Duration patience) {
    super(in);
    this.patience = patience.toNanos();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int read = super.read(into, offset, length);
    if (System.nanoTime() - since > patience) {
      throw Code.REQUEST_TIMEOUT.because(
          "The body did not arrive in time: send it at once, or raise requestTimeout.");
    }
    arrived += Math.max(0, read);
    if (arrived >= PIECE) {
      arrived = 0;
      since = System.nanoTime();
    }
    return read;
  }
}
