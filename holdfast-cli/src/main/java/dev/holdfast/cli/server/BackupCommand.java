package dev.holdfast.cli.server;

import dev.holdfast.embedded.EmbeddedBackup;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Backs up the embedded database of a server. */
@Command(
    name = "backup",
    description = {
      "Back up the embedded database of a server, which may be running.",
      "What was acknowledged before the backup started is in it. For other databases use"
          + " pg_basebackup."
    })
public final class BackupCommand implements Callable<Integer> {
  private static final double MEGABYTE = 1 << 20;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final DataFolderOptions options = new DataFolderOptions();

  @Parameters(
      paramLabel = "FOLDER",
      description =
          "The folder to create. It contains the password of the database, and exists only if the"
              + " backup is complete.")
  @SuppressWarnings("NullAway.Init")
  private Path target;

  @Override
  public Integer call() {
    EmbeddedBackup backup = EmbeddedBackup.take(options.folder(), target);
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "Backed up %.1f MB in %d files to %s, while the server was %s.%n",
        backup.bytes() / MEGABYTE,
        backup.files(),
        backup.folder(),
        backup.online() ? "running" : "stopped");
    out.flush();
    return 0;
  }
}
