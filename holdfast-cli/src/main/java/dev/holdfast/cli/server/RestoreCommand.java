package dev.holdfast.cli.server;

import dev.holdfast.embedded.EmbeddedRestore;
import dev.holdfast.server.boot.RestoredInstallation;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Restores the embedded database of a server. */
@Command(
    name = "restore",
    description = {
      "Restore a backup of the embedded database into an empty data folder.",
      "Does what 'holdfast restored' does, too. If it fails, the data folder cannot be used."
    })
public final class RestoreCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final DataFolderOptions options = new DataFolderOptions();

  @Parameters(paramLabel = "FOLDER", description = "A folder that 'holdfast backup' has written.")
  @SuppressWarnings("NullAway.Init")
  private Path backup;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Path folder = options.folder();
    EmbeddedRestore.restore(
        backup,
        folder,
        server -> RestoredInstallation.run(server, started -> RestoredCommand.print(started, out)));
    out.printf("Restored %s into %s. Start the server now.%n", backup, folder);
    out.flush();
    return 0;
  }
}
