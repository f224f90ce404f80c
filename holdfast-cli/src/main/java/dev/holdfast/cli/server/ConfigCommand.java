package dev.holdfast.cli.server;

import dev.holdfast.cli.print.Table;
import dev.holdfast.server.config.Configuration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the configuration that a server would have. */
@Command(
    name = "config",
    description = {
      "Print the effective configuration of the server, and where each value comes from.",
      "Later sources override earlier ones: defaults, the YAML file, the environment, flags."
    })
public final class ConfigCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final ConfigOptions options = new ConfigOptions();

  @Override
  public Integer call() {
    Configuration configuration = options.read();
    configuration.server(); // Fails if a value is not valid.
    Table table = Table.of("KEY", "VALUE", "SOURCE", "MEANING");
    for (Configuration.Value value : configuration.values()) {
      table.row(
          value.key(),
          value.shown(),
          value.source(),
          Configuration.meanings().getOrDefault(value.key(), ""));
    }
    table.print(spec.commandLine().getOut());
    return 0;
  }
}
