package dev.holdfast.cli.ops;

import dev.holdfast.cli.connect.ApiException;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.print.Closest;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The queues or tasks that a cluster knows. A setting for any other name is most likely a typo: it
 * would be stored and never apply to a job.
 *
 * @param what "queue" or "task"
 */
record KnownNames(String what, Set<String> names) {
  private static final int MOST_SHOWN = 20;

  /**
   * Fails if a name is not known.
   *
   * @param remedy what to do if it is meant; empty if nothing
   */
  void require(String name, String remedy) {
    if (names.contains(name)) {
      return;
    }
    String meant =
        Closest.to(name, names).map(close -> " Did you mean '%s'?".formatted(close)).orElse("");
    String known =
        names.isEmpty()
            ? " There are no %ss yet.".formatted(what)
            : " Known %ss: %s%s."
                .formatted(
                    what,
                    names.stream().limit(MOST_SHOWN).collect(Collectors.joining(", ")),
                    names.size() > MOST_SHOWN ? ", ..." : "");
    throw ApiException.refused(
        ExitCode.NOT_FOUND,
        "There is no %s '%s'; nothing was changed.%s%s%s"
            .formatted(what, name, meant, known, remedy.isEmpty() ? "" : " " + remedy));
  }
}
