package dev.holdfast.cli.admin;

import dev.holdfast.cli.connect.Environment;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.KeyName;
import dev.holdfast.cli.connect.Output;
import dev.holdfast.cli.connect.Profile;
import dev.holdfast.cli.connect.Profiles;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import java.io.PrintWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Stores with which server and key this user works. */
@Command(
    name = "profile",
    description = "Store the URLs and keys of servers: add, list, use and remove profiles.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "Profiles are in holdfast/profiles.json in $$XDG_CONFIG_HOME or ~/.config.",
      "Only you may read the file, since it contains keys."
    })
public final class ProfileCommand extends Group {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec command;

  private Profiles profiles() {
    return Profiles.read(
        command.root().userObject() instanceof Environment root ? root : System::getenv);
  }

  private PrintWriter out() {
    return command.commandLine().getOut();
  }

  private int done(String sentence) {
    out().println(sentence);
    out().flush();
    return 0;
  }

  @Command(
      name = "add",
      description = "Store a profile, or replace the one with this name.",
      footer = "The first profile becomes the current one.")
  int add(
      @Parameters(paramLabel = "NAME", description = "The name of the profile.") String name,
      @Option(
              names = "--url",
              paramLabel = "URL",
              defaultValue = "http://127.0.0.1:7420",
              description = "The URL of the server. Defaults to ${DEFAULT-VALUE}.")
          String url,
      @Option(
              names = "--key",
              paramLabel = "KEY",
              arity = "0..1",
              interactive = true,
              echo = false,
              required = true,
              description = "The key. Without a value, the command prompts for it.")
          String key,
      @Option(
              names = "--tenant",
              paramLabel = "NAME",
              description = "The tenant to act in. Defaults to that of the key.")
          @Nullable String tenant) {
    if (!name.matches("[A-Za-z0-9._-]{1,64}")) {
      throw wrongUse(
          "Profile name '%s' is not valid: use up to 64 letters, digits, '.', '-' and '_'."
              .formatted(name));
    }
    if (!key.strip().matches("holdfast_[!-~]+")) {
      throw wrongUse("That is not a key: it must start with holdfast_.");
    }
    Profiles profiles = profiles().with(name, new Profile(checked(url), key.strip(), tenant));
    profiles.write();
    return done(
        "Profile '%s' is stored in %s.%s"
            .formatted(
                name,
                profiles.file(),
                name.equals(profiles.current())
                    ? " It is the current one."
                    : " Use it with --profile, or 'holdfast profile use %s'.".formatted(name)));
  }

  private String checked(String url) {
    try {
      return Target.server(url).toString();
    } catch (IllegalArgumentException wrong) {
      throw wrongUse(String.valueOf(wrong.getMessage()));
    }
  }

  private ParameterException wrongUse(String sentence) {
    return new ParameterException(command.commandLine(), sentence);
  }

  @Command(name = "list", description = "List profiles, without the secrets of their keys.")
  int list(
      @Option(
              names = {"-o", "--output"},
              paramLabel = "FORMAT",
              description = "How to print: ${COMPLETION-CANDIDATES}. Defaults to table.")
          @Nullable Output output,
      @Option(names = "--json", description = "The same as --output json.") boolean json) {
    Profiles profiles = profiles();
    ObjectNode all = Json.object();
    ArrayNode list = all.putArray("profiles");
    for (Map.Entry<String, Profile> entry : profiles.all().entrySet()) {
      list.addObject()
          .put("name", entry.getKey())
          .put("current", entry.getKey().equals(profiles.current()))
          .put("url", entry.getValue().url())
          .put("key", KeyName.of(entry.getValue().key()))
          .put("tenant", entry.getValue().tenant());
    }
    if (json || output == Output.JSON) {
      Json.print(all, out());
      return 0;
    }
    Listing.of("profiles; 'holdfast serve' and 'holdfast profile add' store one")
        .column("profile", profile -> Value.text(profile, "name"))
        .column("current", profile -> Value.yesNo(profile, "current"))
        .column("url")
        .column("key")
        .column("tenant")
        .print(list, out());
    return 0;
  }

  @Command(name = "use", description = "Make a profile the current one.")
  int use(@Parameters(paramLabel = "NAME", description = "The name of the profile.") String name) {
    Profiles profiles = profiles();
    Profile profile = profiles.get(name);
    profiles.using(name).write();
    return done("Commands now use %s.".formatted(profile));
  }

  @Command(name = "remove", description = "Remove a profile. Its key stays valid.")
  int remove(
      @Parameters(paramLabel = "NAME", description = "The name of the profile.") String name) {
    Profiles profiles = profiles();
    profiles.get(name);
    profiles.without(name).write();
    return done(
        "Profile '%s' is removed; its key stays valid until it is revoked.".formatted(name));
  }
}
