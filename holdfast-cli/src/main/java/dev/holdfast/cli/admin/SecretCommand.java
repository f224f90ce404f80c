package dev.holdfast.cli.admin;

import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Stores, lists and deletes the secrets of a tenant, and rotates the master key. */
@Command(
    name = "secret",
    description = "Set, list and delete secrets of a tenant; rotate the master key (server only).",
    synopsisSubcommandLabel = "COMMAND")
public final class SecretCommand extends Group {
  private static final String SECRETS = "secrets";
  private static final String NAME = "The name of the secret.";

  /** Shells remember arguments, and all users of a machine see them. */
  @Command(
      name = "set",
      description = {
        "Store a secret. Its value is read from a file or from standard input, without the line"
            + " end that follows it, and is never shown again."
      })
  int set(
      @Mixin Target target,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(
              names = "--file",
              paramLabel = "FILE",
              description = "The file with the value. Defaults to standard input.")
          @Nullable Path file) {
    String value = value(target, file);
    return target.onServer(session -> {
      JsonNode stored = session.put(session.path(SECRETS, name), Json.object().put("value", value));
      return session.done(
          stored,
          "Secret '%s' of tenant %s is set, as version %s. Handlers get it within 5 seconds."
              .formatted(name, session.tenant(), Value.text(stored, "version")));
    });
  }

  private static String value(Target target, @Nullable Path file) {
    try {
      byte[] bytes = file == null ? System.in.readAllBytes() : Files.readAllBytes(file);
      return new String(bytes, StandardCharsets.UTF_8).replaceFirst("\r?\n\\z", "");
    } catch (IOException unreadable) {
      throw target.wrongUse(
          "The value cannot be read from %s: %s"
              .formatted(file == null ? "standard input" : file, unreadable));
    }
  }

  @Command(name = "list", description = "List the secrets of a tenant, without their values.")
  int list(@Mixin Target target, @Mixin Paging paging) {
    return target.onServer(session ->
        session.list(
            session.get(session.path(SECRETS) + paging.to(new Query())),
            SECRETS,
            Listing.of(SECRETS)
                .column("name")
                .column("version")
                .column("key", secret -> Value.text(secret, "keyId"))
                .time("created", "createdAt")
                .time("updated", "updatedAt")));
  }

  @Command(name = "delete", description = "Delete a secret.")
  int delete(
      @Mixin Target target, @Parameters(paramLabel = "NAME", description = NAME) String name) {
    return target.onServer(session ->
        session.done(
            session.delete(session.path(SECRETS, name)),
            "Secret '%s' of tenant %s is deleted. Handlers notice within 5 seconds."
                .formatted(name, session.tenant())));
  }

  @Command(
      name = "rotate",
      description = {
        "Encrypt the secrets of all tenants with the current master key. The servers must have the"
            + " key before it as secrets.oldKey or secrets.oldKeyFile. Needs a key of the"
            + " installation.",
        "Ends with 1 if secrets remain that the server cannot decrypt."
      })
  int rotate(@Mixin Target target) {
    return target.onServer(session -> {
      JsonNode done = session.post(Session.root(SECRETS, "rotate"));
      List<String> damaged = Value.list(done, "damaged");
      String remaining = Value.text(done, "remaining");
      session.done(
          done,
          "%s secrets are encrypted with master key %s now; %s are not.%s"
              .formatted(
                  Value.text(done, "rotated"),
                  Value.text(done, "keyId"),
                  remaining,
                  damaged.isEmpty()
                      ? ""
                      : " These cannot be decrypted, set them again: "
                          + String.join(", ", damaged)));
      return remaining.equals("0") ? 0 : 1;
    });
  }
}
