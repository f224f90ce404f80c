package dev.holdfast.server.packages;

import dev.holdfast.packages.jar.PackageId;
import dev.holdfast.server.control.ControlDatabase.Statements;
import dev.holdfast.server.tenant.Tenant;

/** What belongs to versions of packages in the schema of a tenant: jobs, runs and schedules. */
final class LiveStacks {
  private LiveStacks() {}

  /**
   * Returns whether a live job or an open run belongs to a stack. No index leads to them: it reads
   * live jobs and open runs until it finds one.
   */
  static boolean isUsed(Statements statements, Tenant tenant, String stack) {
    return statements
        .query(
            """
            select exists (select from %1$s.run where stack = :stack)
              or exists (select from %1$s.job where stack = :stack)
            """
                .formatted(tenant.schema()))
        .bind("stack", stack)
        .mapTo(Boolean.class)
        .one();
  }

  /** Lets the schedules of a package create jobs of this version from now on. */
  static void restamp(Statements statements, Tenant tenant, PackageId newest) {
    // Reads all schedules of the tenant.
    statements
        .update(
            """
            update %s.schedule set stack = :stack
            where split_part(stack, '@', 1) = :name and stack <> :stack
            """
                .formatted(tenant.schema()))
        .bind("stack", newest.toString())
        .bind("name", newest.name())
        .execute();
  }
}
