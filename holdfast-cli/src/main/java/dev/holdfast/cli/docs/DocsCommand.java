package dev.holdfast.cli.docs;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Serves the guides. */
@Command(
    name = "docs",
    description = {
      "Serve the guides of this version to browsers on this machine, until Ctrl-C.",
      "They are part of the program: no network and no server is needed."
    })
public final class DocsCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "7421",
      description = "The port to listen on; 0 for any free one. Defaults to ${DEFAULT-VALUE}.")
  private int port;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (port < 0 || port > 65_535) {
      throw new ParameterException(
          spec.commandLine(), "Port %d is not valid: give 0 to 65535.".formatted(port));
    }
    try (SiteServer server = SiteServer.start(Site.render(), port)) {
      PrintWriter out = spec.commandLine().getOut();
      out.printf("The guides are at %s%n", server.url());
      out.println("Press Ctrl-C to stop.");
      out.flush();
      new CountDownLatch(1).await();
    } catch (BindException taken) {
      throw new ParameterException(
          spec.commandLine(),
          "Port %d cannot be used (%s): give another one, or 0 for any free one."
              .formatted(port, taken.getMessage()),
          taken);
    }
    return 0;
  }
}
