package dev.holdfast.cli.server;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.cli.connect.Environment;
import dev.holdfast.cli.connect.Profile;
import dev.holdfast.cli.connect.Profiles;
import dev.holdfast.server.boot.FirstKeys;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.boot.StopOnSignals;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.config.ServerMode;
import dev.holdfast.server.log.ServerLog;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the server. */
@Command(
    name = "serve",
    description = {
      "Run the server. Without a database URL, it starts an embedded PostgreSQL and keeps its"
          + " data.",
      "The first start prints a key of the installation and a key of tenant 'default'."
    })
public final class ServeCommand implements Callable<Integer> {
  private static final String PROFILE = "local";

  private static final Duration DEMO_PACE = Duration.ofSeconds(3);

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Option(
      names = "--demo",
      description = {
        "Add sample workflows, schedules and a light load to tenant 'default', so that there"
            + " is something to see."
      })
  private boolean demo;

  @Mixin private final ConfigOptions options = new ConfigOptions();

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    Configuration configuration = options.read();
    ServerConfig config = configuration.server();
    ServerLog.start(configuration.logFormat());
    String level = configuration.logLevel();
    if (level != null) {
      ServerLog.level("ROOT", level);
    }
    if (config.database().url() == null) {
      out.printf("Starting PostgreSQL in %s ...%n", config.dataDir().resolve("postgres"));
      out.flush();
    }
    HoldfastServer server =
        demo ? HoldfastServer.startDemo(config, DEMO_PACE) : HoldfastServer.start(config);
    describe(server, config, out);
    try {
      saveProfile(server, config, out);
    } catch (HoldfastException unwritable) {
      // The server runs; only the commands of this user lack its key.
      out.println(unwritable.getMessage());
    }
    out.println("Press Ctrl-C to stop: running jobs may finish; a second Ctrl-C interrupts them.");
    out.flush();
    StopOnSignals.await(server);
    out.println("Stopped.");
    out.flush();
    return 0;
  }

  private static void describe(HoldfastServer server, ServerConfig config, PrintWriter out) {
    FirstKeys keys = server.firstKeys();
    if (!keys.isEmpty()) {
      out.println("These keys are shown once; the server stores only their hashes:");
      if (keys.admin() != null) {
        out.printf("  admin key              %s%n", keys.admin());
      }
      if (keys.tenant() != null) {
        out.printf("  key of tenant default  %s%n", keys.tenant());
      }
    }
    out.printf("Holdfast serves %s%n", server.url());
    if (config.is(ServerMode.API)) {
      out.printf("The API is described at %s/docs%n", server.url());
    }
  }

  /**
   * Stores the key of the first tenant for the commands of this user, if this is the first start of
   * a server on its own embedded database: the one that a newcomer starts.
   */
  private void saveProfile(HoldfastServer server, ServerConfig config, PrintWriter out) {
    String key = server.firstKeys().tenant();
    if (key == null || config.database().url() != null) {
      return;
    }
    Profiles profiles =
        Profiles.read(spec.root().userObject() instanceof Environment root ? root : System::getenv);
    if (profiles.all().containsKey(PROFILE)) {
      out.printf(
          "Profile '%s' exists and is kept. To use this server, run 'holdfast profile add NAME"
              + " --url %s --key'.%n",
          PROFILE, server.url());
      return;
    }
    Profiles more = profiles.with(PROFILE, new Profile(server.url().toString(), key, null));
    more.write();
    out.printf(
        "The key of tenant default is stored for your commands, as profile '%s' in %s%n",
        PROFILE, more.file());
    if (!PROFILE.equals(more.current())) {
      out.printf("Use it with 'holdfast profile use %s'.%n", PROFILE);
    }
  }
}
