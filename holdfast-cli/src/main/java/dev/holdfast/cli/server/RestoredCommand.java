package dev.holdfast.cli.server;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.cli.database.Address;
import dev.holdfast.cli.database.ServerOptions;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.postgres.restore.NewEpoch;
import dev.holdfast.server.boot.RestoredInstallation;
import dev.holdfast.server.control.DatabaseAddress;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Makes a database that was restored by other means ready for nodes. */
@Command(
    name = "restored",
    description = {
      "Tell Holdfast that a database was restored from a backup, before any node or server starts.",
      "All fencing tokens that are issued from now on are greater than all that were issued"
          + " before, all nodes count as dead, and jobs that were running as crashed. Concerns all"
          + " schemas of the database. 'holdfast restore' does the same."
    })
public final class RestoredCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final ServerOptions database = new ServerOptions();

  @Mixin private final DataFolderOptions embedded = new DataFolderOptions();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Optional<Address> named = database.named();
    int schemas =
        named.isPresent()
            ? RestoredInstallation.run(
                new DatabaseAddress(named.get().url(), named.get().user(), named.get().password()),
                started -> print(started, out))
            : runEmbedded(out);
    if (schemas == 0) {
      throw new HoldfastException(
          "%s has no tables of Holdfast: check the URL. Nothing was changed."
              .formatted(named.map(Address::toString).orElse("The embedded database")));
    }
    out.printf("Start nodes and servers now.%n");
    out.flush();
    return 0;
  }

  private int runEmbedded(PrintWriter out) {
    Path folder = embedded.folder();
    if (!Files.exists(folder)) {
      throw new HoldfastException(
          "No database is given, and there is no embedded database in %s: use --database-url or --data-dir."
              .formatted(folder));
    }
    try (EmbeddedPostgres server = EmbeddedPostgres.at(folder).start()) {
      if (!server.isOwner()) {
        throw new HoldfastException(
            "A program uses the embedded database in %s: stop it first. Nothing was changed."
                .formatted(folder));
      }
      return RestoredInstallation.run(server, started -> print(started, out));
    }
  }

  static void print(NewEpoch.Started started, PrintWriter out) {
    out.printf(
        "Schema %s: tokens now start at %d; %d nodes ended, %d running jobs count as crashed, %d"
            + " claimed jobs as not started.%n",
        started.schema(),
        started.firstToken(),
        started.nodes(),
        started.running(),
        started.claimed());
    out.flush();
  }
}
