package dev.holdfast.cli.admin;

import dev.holdfast.cli.connect.ApiRequest;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Fields;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Creates, lists and controls tenants. */
@Command(
    name = "tenant",
    description = "Create, list, show and control tenants (server only).",
    synopsisSubcommandLabel = "COMMAND",
    footer = "All but 'settings' need a key of the installation.")
public final class TenantCommand extends Group {
  private static final String NAME = "The name of the tenant.";

  @Command(name = "list", description = "List tenants.")
  int list(@Mixin Target target, @Mixin Paging paging) {
    return target.onServer(session ->
        session.list(
            session.get(Session.root("tenants") + paging.to(new Query())),
            "tenants",
            Listing.of("tenants")
                .column("tenant", tenant -> Value.text(tenant, "name"))
                .column("state")
                .time("created", "createdAt")
                .time("purged", "purgeAt")));
  }

  @Command(name = "show", description = "Show one tenant.")
  int show(@Mixin Target target, @Parameters(paramLabel = "NAME", description = NAME) String name) {
    return target.onServer(session -> print(session, session.get(Session.root("tenants", name))));
  }

  private static int print(Session session, JsonNode tenant) {
    if (session.json()) {
      return session.done(tenant, "");
    }
    Fields fields = new Fields(session.out(), 17);
    fields.line("tenant", Value.text(tenant, "name"));
    fields.line("state", Value.text(tenant, "state"));
    fields.line("created", Value.orNull(tenant, "createdAt"));
    fields.line("purged", Value.orNull(tenant, "purgeAt"));
    settings(fields, tenant.get("settings"));
    session.out().flush();
    return 0;
  }

  private static void settings(Fields fields, JsonNode settings) {
    settings
        .properties()
        .forEach(entry -> {
          String value = Value.orNull(settings, entry.getKey());
          fields.line(
              entry.getKey(),
              value == null
                  ? "(default)"
                  : value.startsWith("P") ? Value.duration(settings, entry.getKey()) : value);
        });
  }

  @Command(name = "create", description = "Create a tenant, and print its first key once.")
  int create(
      @Mixin Target target, @Parameters(paramLabel = "NAME", description = NAME) String name) {
    return target.onServer(session -> {
      JsonNode created = session.create(Session.root("tenants"), Json.object().put("name", name));
      return session.done(created, "Tenant '%s' is created.%n%s".formatted(name, shown(created)));
    });
  }

  /** Returns the sentence about a key that was just created. */
  static String shown(JsonNode created) {
    String key = Value.orNull(created, "key");
    return key == null
        ? "Its key was shown in the first response, which was lost: create another key."
        : "This key is shown once, and stored nowhere:%n  %s".formatted(key);
  }

  @Command(
      name = "suspend",
      description = "Suspend a tenant: it accepts and starts no work; running jobs finish.")
  int suspend(
      @Mixin Target target, @Parameters(paramLabel = "NAME", description = NAME) String name) {
    return target.onServer(session ->
        session.done(
            session.post(Session.root("tenants", name, "suspend")),
            "Tenant '%s' is suspended.".formatted(name)));
  }

  @Command(name = "resume", description = "Resume a suspended tenant.")
  int resume(
      @Mixin Target target, @Parameters(paramLabel = "NAME", description = NAME) String name) {
    return target.onServer(session ->
        session.done(
            session.post(Session.root("tenants", name, "resume")),
            "Tenant '%s' is active.".formatted(name)));
  }

  @Command(
      name = "delete",
      description = "Delete a tenant. Its keys are refused at once, its data is dropped later.")
  int delete(
      @Mixin Target target,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(names = "--force", description = "Delete it even if it has live work.")
          boolean force) {
    return target.onServer(session -> {
      JsonNode deleted =
          session.delete(
              Session.root("tenants", name) + new Query().add("force", force ? true : null));
      return session.done(
          deleted,
          "Tenant '%s' is deleted; its data is dropped at %s."
              .formatted(name, Value.text(deleted, "purgeAt")));
    });
  }

  @Command(
      name = "restore",
      description = "Restore a deleted tenant whose data is not dropped yet. It is suspended then.")
  int restore(
      @Mixin Target target, @Parameters(paramLabel = "NAME", description = NAME) String name) {
    return target.onServer(session ->
        session.done(
            session.post(Session.root("tenants", name, "restore")),
            "Tenant '%s' is restored, and suspended until it is resumed.".formatted(name)));
  }

  @Command(
      name = "settings",
      description = "Print the settings of a tenant, or change some.",
      footer = "A change needs a key with can_manage_keys.")
  int settings(
      @Mixin Target target,
      @Option(
              names = "--set",
              paramLabel = "NAME=VALUE",
              description = "Change a setting, such as keepHistory=P30D. May be repeated.")
          @Nullable Map<String, String> changes) {
    return target.onServer(session -> {
      String path = session.path("settings");
      JsonNode settings =
          changes == null
              ? session.get(path)
              : session.send(ApiRequest.change("PATCH", path, body(changes)));
      if (session.json()) {
        return session.done(settings, "");
      }
      settings(new Fields(session.out(), 17), settings);
      session.out().flush();
      return 0;
    });
  }

  private static ObjectNode body(Map<String, String> changes) {
    ObjectNode body = Json.object();
    changes.forEach((name, value) -> {
      if (value.matches("[0-9]{1,9}")) {
        body.put(name, Integer.parseInt(value));
      } else if (value.equals("null") || value.equals("default")) {
        body.putNull(name);
      } else {
        body.put(name, value);
      }
    });
    return body;
  }
}
