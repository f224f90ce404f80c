package dev.holdfast.cli.server;

import dev.holdfast.cli.connect.Output;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import dev.holdfast.server.config.Configuration;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

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

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "How to print: ${COMPLETION-CANDIDATES}. Defaults to table.")
  private Output output = Output.TABLE;

  @Option(names = "--json", description = "The same as --output json.")
  private boolean json;

  @Override
  public Integer call() {
    Configuration configuration = options.read();
    configuration.server(); // Fails if a value is not valid.
    PrintWriter out = spec.commandLine().getOut();
    if (json || output == Output.JSON) {
      ObjectNode all = Json.object();
      configuration
          .values()
          .forEach(value ->
              all.putObject(value.key()).put("value", value.shown()).put("source", value.source()));
      Json.print(all, out);
      return 0;
    }
    Table table = Table.of("KEY", "VALUE", "SOURCE", "MEANING");
    for (Configuration.Value value : configuration.values()) {
      table.row(
          value.key(),
          value.shown(),
          value.source(),
          Configuration.meanings().getOrDefault(value.key(), ""));
    }
    table.print(out);
    return 0;
  }
}
