package dev.holdfast.embedded;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A program that restores a backup and never gets to the end, in order to be killed. */
final class RestoreProgram {

  static final String PREPARING = "PREPARING";

  private RestoreProgram() {}

  /** Takes the backup and the data folder. */
  public static void main(String[] args) {
    EmbeddedRestore.restore(
        Path.of(args[0]),
        Path.of(args[1]),
        prepared -> {
          System.out.println(PREPARING);
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }
}
