package dev.holdfast.cli.admin;

import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.DurationConverter;
import dev.holdfast.cli.print.Fields;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Creates, lists, rotates and revokes keys. */
@Command(
    name = "key",
    description =
        "Create, list, show, rotate and revoke keys of a tenant or of the installation (server"
            + " only).",
    synopsisSubcommandLabel = "COMMAND")
public final class KeyCommand extends Group {
  private static final String ID = "The id of the key, as listed by 'key list'.";

  /** Whose keys a command is about. */
  static final class Owner {
    @Option(
        names = "--installation",
        description = "The keys of the installation, which can do everything in all tenants.")
    private boolean installation;

    private String path(Session session, String... segments) {
      List<String> all = new ArrayList<>(List.of("api-keys"));
      all.addAll(List.of(segments));
      String[] path = all.toArray(String[]::new);
      return installation ? Session.root(path) : session.path(path);
    }
  }

  @Command(name = "list", description = "List the keys of a tenant, or of the installation.")
  int list(@Mixin Target target, @Mixin Owner owner, @Mixin Paging paging) {
    return target.onServer(session ->
        session.list(
            session.get(owner.path(session) + paging.to(new Query())),
            "keys",
            Listing.of("keys")
                .column("id")
                .column("name")
                .column("state", KeyCommand::state)
                .column(
                    "can",
                    key -> String.join(",", Value.list(key, "attributes")).replace("can_", ""))
                .time("last used", "lastUsed")
                .time("expires", "expiresAt")));
  }

  private static String state(JsonNode key) {
    if (Value.of(key, "revokedAt") != null) {
      return "revoked";
    }
    Instant expires = Value.instant(key, "expiresAt");
    return expires != null && expires.isBefore(Instant.now()) ? "expired" : "valid";
  }

  @Command(name = "show", description = "Show one key, without its secret.")
  int show(
      @Mixin Target target,
      @Mixin Owner owner,
      @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.onServer(session -> print(session, session.get(owner.path(session, id))));
  }

  @Command(name = "me", description = "Show the key that the command uses.")
  int me(@Mixin Target target) {
    return target.onServer(session -> print(session, session.get(Session.root("me"))));
  }

  private static int print(Session session, JsonNode key) {
    if (session.json()) {
      return session.done(key, "");
    }
    Fields fields = new Fields(session.out(), 10);
    for (String field : List.of("id", "key", "name", "tenant", "admin")) {
      fields.line(field, Value.orNull(key, field));
    }
    for (String field : List.of("attributes", "tasks", "workflows")) {
      fields.line(field, Value.joined(key, field));
    }
    for (String field :
        List.of("createdAt", "createdBy", "expiresAt", "revokedAt", "replacedBy", "lastUsed")) {
      fields.line(field, Value.orNull(key, field));
    }
    session.out().flush();
    return 0;
  }

  @Command(name = "create", description = "Create a key, and print it once.")
  int create(
      @Mixin Target target,
      @Mixin Owner owner,
      @Parameters(paramLabel = "NAME", description = "What the key is for.") String name,
      @Option(
              names = "--preset",
              paramLabel = "NAME",
              description = "One of viewer, operator, developer and admin. Defaults to viewer.")
          @Nullable String preset,
      @Option(
              names = "--attribute",
              paramLabel = "NAME",
              description = "What the key can do, such as can_execute. May be repeated.")
          @Nullable List<String> attributes,
      @Option(
              names = "--task",
              paramLabel = "PATTERN",
              description = "Limit the key to such tasks. May be repeated. Defaults to all.")
          @Nullable List<String> tasks,
      @Option(
              names = "--workflow",
              paramLabel = "PATTERN",
              description = "Limit the key to such workflows. May be repeated. Defaults to all.")
          @Nullable List<String> workflows,
      @Option(
              names = "--expires",
              paramLabel = "TIME",
              converter = DurationConverter.class,
              description = "When the key expires, such as 90d. Defaults to never.")
          @Nullable Duration expires) {
    if (preset != null && attributes != null) {
      throw target.wrongUse("Use either --preset or --attribute.");
    }
    if (owner.installation
        && (preset != null || attributes != null || tasks != null || workflows != null)) {
      throw target.wrongUse(
          "A key of the installation can do everything: use only --expires with --installation.");
    }
    ObjectNode body = Json.object().put("name", name);
    if (attributes == null && !owner.installation) {
      body.put("preset", preset == null ? "viewer" : preset);
    }
    put(body, "attributes", attributes);
    put(body, "tasks", tasks);
    put(body, "workflows", workflows);
    if (expires != null) {
      body.put("expiresAt", Instant.now().plus(expires).toString());
    }
    return target.onServer(session -> {
      JsonNode created = session.create(owner.path(session), body);
      return session.done(
          created,
          "Key %s '%s' is created.%n%s"
              .formatted(Value.text(created, "id"), name, TenantCommand.shown(created)));
    });
  }

  private static void put(ObjectNode body, String field, @Nullable List<String> values) {
    if (values != null) {
      values.forEach(body.putArray(field)::add);
    }
  }

  @Command(name = "rotate", description = "Create a key that replaces another, and print it once.")
  int rotate(
      @Mixin Target target,
      @Mixin Owner owner,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(
              names = "--overlap",
              paramLabel = "TIME",
              converter = DurationConverter.class,
              description = "How long the old key keeps working. Defaults to 1d.")
          @Nullable Duration overlap) {
    ObjectNode body = Json.object();
    if (overlap != null) {
      body.put("overlap", overlap.toString());
    }
    return target.onServer(session -> {
      JsonNode created = session.create(owner.path(session, id, "rotate"), body);
      return session.done(
          created,
          "Key %s replaces key %s.%n%s"
              .formatted(Value.text(created, "id"), id, TenantCommand.shown(created)));
    });
  }

  @Command(name = "revoke", description = "Revoke a key: all servers refuse it within seconds.")
  int revoke(
      @Mixin Target target,
      @Mixin Owner owner,
      @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.onServer(session ->
        session.done(
            session.delete(owner.path(session, id)),
            "Key %s is revoked; all servers refuse it within 5 seconds.".formatted(id)));
  }
}
