package dev.holdfast.cli.server;

import dev.holdfast.cli.connect.Environment;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that select the embedded database of a server. */
final class DataFolderOptions {

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec command;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The YAML file of the server. Defaults to $$HOLDFAST_CONFIG, or none.")
  private @Nullable Path file;

  @Option(
      names = "--data-dir",
      paramLabel = "FOLDER",
      description = {
        "The data folder of the server, as for 'holdfast serve'.",
        "Defaults to holdfast/server in $$XDG_DATA_HOME or ~/.local/share."
      })
  private @Nullable String dataDir;

  /** Returns the folder of the embedded PostgreSQL. */
  Path folder() {
    Environment environment =
        command.root().userObject() instanceof Environment root ? root : System::getenv;
    Map<String, Configuration.Flag> flags = new LinkedHashMap<>();
    if (dataDir != null) {
      flags.put("dataDir", new Configuration.Flag(dataDir, "--data-dir"));
    }
    String named = environment.variables().getOrDefault("HOLDFAST_CONFIG", "");
    ServerConfig config =
        Configuration.of(
                file == null && !named.isEmpty() ? Path.of(named) : file,
                environment.variables(),
                flags)
            .server();
    if (dataDir == null && config.database().url() != null) {
      throw new ParameterException(
          command.commandLine(),
          "This server uses an external database, not the embedded one: back it up with"
              + " pg_basebackup, and run 'holdfast restored --database-url URL' after a restore.");
    }
    return config.dataDir().resolve("postgres");
  }
}
