package dev.holdfast.cli.admin;

import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads the audit log. */
@Command(
    name = "audit",
    description = "Read the audit log (server only).",
    synopsisSubcommandLabel = "COMMAND")
public final class AuditCommand extends Group {

  @Command(name = "list", description = "List what was done, latest first.")
  int list(
      @Mixin Target target,
      @Mixin Paging paging,
      @Option(
              names = "--installation",
              description =
                  "What was done in the installation instead of in a tenant. It needs a key of the"
                      + " installation.")
          boolean installation,
      @Option(
              names = "--action",
              paramLabel = "NAME",
              description = "Select one action, such as key.create.")
          @Nullable String action,
      @Option(
              names = "--by",
              paramLabel = "ID",
              description = "Select what was done with this key.")
          @Nullable String by,
      @Option(names = "--after", paramLabel = "TIME", description = "At this time or later.")
          @Nullable Instant after,
      @Option(names = "--before", paramLabel = "TIME", description = "Before this time.")
          @Nullable Instant before) {
    Query query =
        paging.to(
            new Query()
                .add("action", action)
                .add("key", by)
                .add("after", after)
                .add("before", before));
    return target.onServer(session ->
        session.list(
            session.get((installation ? Session.root("audit") : session.path("audit")) + query),
            "entries",
            Listing.of("entries")
                .time("at", "at")
                .column("key", entry -> Value.text(entry, "keyName"))
                .column("from", entry -> Value.text(entry, "address"))
                .column("action")
                .column("target")
                .column("after")
                .column("outcome")));
  }
}
