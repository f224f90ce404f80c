package dev.holdfast.server.tenant;

import dev.holdfast.api.Counts;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.ControlDatabase.Statements;
import dev.holdfast.server.key.KeyStore;
import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.key.NewKey;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tenants with one PostgreSQL schema each, on connections that they share. */
public final class SchemaTenants implements Tenants {
  private static final Logger log = LoggerFactory.getLogger(SchemaTenants.class);
  private static final String RESTORE = "restore";

  /**
   * What tenants need from the rest of the server.
   *
   * @param grace how long a deleted tenant can be restored
   */
  public record Settings(Duration grace, TenantMigrations migrations, TenantAccess access) {}

  private final ControlDatabase control;
  private final KeyStore keys;
  private final AuditLog audit;
  private final Settings settings;
  private final Map<String, SchemaTenant> open = new ConcurrentHashMap<>();
  private final Map<Integer, SchemaTenant> byId = new ConcurrentHashMap<>();
  private final Object refreshing = new Object();
  private long seen = -1;
  private boolean closed;

  public SchemaTenants(ControlDatabase control, KeyStore keys, AuditLog audit, Settings settings) {
    this.control = control;
    this.keys = keys;
    this.audit = audit;
    this.settings = settings;
  }

  /**
   * Takes over which tenants there are, with one statement, if anything has changed. A tenant whose
   * tables have not been migrated yet is not among them.
   */
  public void refresh() {
    synchronized (refreshing) {
      if (closed) {
        return;
      }
      long version = control.run("read the version of the tenants", TenantStatements::version);
      if (version == seen) {
        return;
      }
      int target = settings.migrations().target();
      List<Tenant> tenants =
          control.run("read the tenants", s -> TenantStatements.usable(s, target));
      Set<Integer> wanted = new HashSet<>();
      for (Tenant tenant : tenants) {
        wanted.add(tenant.id());
        byId.computeIfAbsent(tenant.id(), id -> new SchemaTenant(tenant, settings.access()))
            .update(tenant);
      }
      for (SchemaTenant known : List.copyOf(byId.values())) {
        if (!wanted.contains(known.tenant().id())) {
          byId.remove(known.tenant().id());
          open.remove(known.tenant().name(), known);
          known.update(gone(known.tenant()));
          known.close();
        }
      }
      byId.values().forEach(known -> open.put(known.tenant().name(), known));
      seen = version;
    }
  }

  private static Tenant gone(Tenant tenant) {
    return new Tenant(
        tenant.id(),
        tenant.name(),
        TenantState.DELETING,
        tenant.createdAt(),
        tenant.settings(),
        tenant.purgeAt(),
        tenant.modules());
  }

  /**
   * Returns whether the installation has no second tenant, whatever its state: one that is being
   * created, migrated or deleted counts. Asks the database, so that a tenant that another server
   * has just created counts, too.
   */
  public boolean haveAtMostOne() {
    return open.size() <= 1 && control.run("count the tenants", TenantStatements::haveAtMostOne);
  }

  /** Finds an open tenant by its number. */
  public Optional<OpenTenant> find(int id) {
    return Optional.ofNullable(byId.get(id));
  }

  /** Returns the numbers of the open tenants with these names. */
  public List<Integer> ids(Collection<String> names) {
    return names.stream()
        .map(open::get)
        .filter(Objects::nonNull)
        .map(known -> known.tenant().id())
        .toList();
  }

  /**
   * Records what a server has registered in a tenant, for all servers to see.
   *
   * @param modules its hash
   */
  public void registered(int id, String modules) {
    control.transaction(
        "record what was registered in tenant %d".formatted(id),
        statements -> TenantStatements.registered(statements, id, modules));
  }

  /**
   * Releases the memory of tenants that are not used.
   *
   * @param works whether this server works in a tenant at present
   */
  public void releaseUnused(IntPredicate works) {
    byId.forEach((id, known) -> known.releaseIfUnused(works.test(id)));
  }

  @Override
  public Optional<OpenTenant> open(String name) {
    SchemaTenant known = open.get(name);
    if (known == null) {
      // Another server may have created it since the last refresh.
      refresh();
      known = open.get(name);
    }
    return Optional.ofNullable(known);
  }

  @Override
  public List<OpenTenant> opened() {
    return List.copyOf(open.values());
  }

  @Override
  public Optional<Tenant> find(String name) {
    return control
        .run("find tenant " + name, s -> TenantStatements.find(s, name))
        .filter(tenant -> tenant.state() != TenantState.CREATING);
  }

  @Override
  public List<Tenant> list(@Nullable String after, int limit) {
    return control.run("list tenants", s -> TenantStatements.list(s, after, limit));
  }

  @Override
  public Created create(String name, TenantSettings wanted, Actor actor) {
    Tenant.checkName(name);
    Created created =
        control.transaction(
            "create tenant " + name,
            statements -> {
              Tenant tenant =
                  TenantStatements.insert(statements, name, wanted)
                      // One that an older program has left half created.
                      .or(() ->
                          TenantStatements.lock(statements, name)
                              .filter(known -> known.state() == TenantState.CREATING))
                      .orElseThrow(() -> exists(name));
              settings.migrations().create(statements, tenant);
              return complete(statements, tenant, actor);
            });
    refresh();
    open(name).ifPresent(OpenTenant::wake); // A node registers its workflows.
    return created;
  }

  private Created complete(Statements statements, Tenant tenant, Actor actor) {
    if (!TenantStatements.setState(
        statements, tenant.id(), TenantState.CREATING, TenantState.ACTIVE, null)) {
      throw exists(tenant.name()); // Another request has completed it in the meantime.
    }
    KeyText key =
        keys.create(
            statements,
            new KeyStore.Owner(tenant.id(), tenant.name()),
            NewKey.preset("first key", "admin"),
            KeyText.newId(),
            actor.key());
    audit.record(statements, actor, AuditLog.Act.of("tenant.create", tenant.name()));
    return new Created(TenantStatements.find(statements, tenant.name()).orElseThrow(), key.text());
  }

  private static TenantException exists(String name) {
    return new TenantException(
        TenantException.Reason.EXISTS, "Tenant '%s' exists: choose another name.".formatted(name));
  }

  @Override
  public Tenant configure(String name, TenantSettings wanted, Actor actor) {
    Tenant changed =
        control.transaction(
            "configure tenant " + name,
            statements -> {
              Tenant before = existing(statements, name);
              TenantStatements.configure(statements, before.id(), wanted);
              audit.record(
                  statements,
                  actor,
                  new AuditLog.Act(
                      "tenant.configure",
                      name,
                      TenantStatements.text(before.settings()),
                      TenantStatements.text(wanted)));
              return existing(statements, name);
            });
    refresh();
    return changed;
  }

  private static Tenant existing(Statements statements, String name) {
    return TenantStatements.lock(statements, name)
        .filter(tenant -> tenant.state() != TenantState.CREATING)
        .orElseThrow(() ->
            new TenantException(
                TenantException.Reason.NOT_FOUND, "Tenant '%s' does not exist.".formatted(name)));
  }

  @Override
  public Tenant setState(String name, TenantState state, Actor actor) {
    Tenant changed =
        move(name, state, null, actor, state == TenantState.ACTIVE ? "resume" : "suspend").now();
    if (state == TenantState.ACTIVE) {
      settings.access().wake(changed);
    }
    refresh();
    return changed;
  }

  @Override
  public Tenant delete(String name, boolean force, Actor actor) {
    if (!force) {
      requireIdle(name);
    }
    Moved deleted = move(name, TenantState.DELETING, settings.grace(), actor, "delete");
    refresh();
    // What was admitted after the first look. From now on no request is.
    if (!force
        && control.run("look for live work", s -> TenantStatements.isInUse(s, deleted.now()))) {
      move(name, deleted.from(), null, actor, RESTORE);
      refresh();
      throw new TenantException(
          TenantException.Reason.IN_USE,
          "Tenant '%s' has got new work in the meantime: let it end, or delete it with force=true."
              .formatted(name));
    }
    return deleted.now();
  }

  @Override
  public Tenant restore(String name, Actor actor) {
    Tenant restored = move(name, TenantState.SUSPENDED, null, actor, RESTORE).now();
    refresh();
    return restored;
  }

  /** A change of state. */
  private record Moved(TenantState from, Tenant now) {}

  private Moved move(
      String name, TenantState to, @Nullable Duration purgeIn, Actor actor, String action) {
    return control.transaction(
        action + " tenant " + name,
        statements -> {
          Tenant before = existing(statements, name);
          boolean isDeleted = before.state() == TenantState.DELETING;
          boolean allowed = before.state() != to && isDeleted == action.equals(RESTORE);
          if (!allowed) {
            throw new TenantException(
                TenantException.Reason.WRONG_STATE,
                "Tenant '%s' is %s and cannot be changed to %s."
                    .formatted(name, before.state(), to));
          }
          TenantStatements.setState(statements, before.id(), before.state(), to, purgeIn);
          if (to == TenantState.ACTIVE) {
            TenantStatements.hint(statements, before.id()); // Work may have waited.
          }
          audit.record(
              statements,
              actor,
              new AuditLog.Act("tenant." + action, name, quoted(before.state()), quoted(to)));
          return new Moved(before.state(), existing(statements, name));
        });
  }

  private static String quoted(TenantState state) {
    return "{\"state\":\"%s\"}".formatted(state);
  }

  private void requireIdle(String name) {
    OpenTenant tenant =
        open(name)
            .orElseThrow(() ->
                new TenantException(
                    TenantException.Reason.NOT_FOUND,
                    "Tenant '%s' does not exist.".formatted(name)));
    Counts<RunState> runs =
        tenant
            .client()
            .runs()
            .count(
                RunFilter.all()
                    .state(
                        RunState.QUEUED, RunState.RUNNING, RunState.PAUSED, RunState.CANCELLING));
    Counts<JobState> jobs =
        tenant
            .client()
            .count(
                JobFilter.all()
                    .state(
                        JobState.SCHEDULED,
                        JobState.READY,
                        JobState.CLAIMED,
                        JobState.RUNNING,
                        JobState.WAITING,
                        JobState.ON_HOLD));
    if (runs.total() + jobs.total() > 0) {
      throw new TenantException(
          TenantException.Reason.IN_USE,
          "Tenant '%s' has %s open runs and %s live jobs: let them end, or delete it with force=true."
              .formatted(name, number(runs), number(jobs)));
    }
  }

  private static String number(Counts<?> counts) {
    return counts.total() + (counts.isExact() ? "" : "+");
  }

  /**
   * Drops the schemas of tenants whose grace period is over, each in its own transaction: one that
   * cannot be dropped, because something uses its tables, stops no other.
   */
  public void purge() {
    for (Tenant tenant : control.run("find deleted tenants", TenantStatements::expired)) {
      try {
        if (drop(tenant)) {
          log.info("Dropped schema {} of tenant {}", tenant.schema(), tenant.name());
        }
      } catch (RuntimeException failure) {
        log.warn(
            "Schema {} of tenant {} could not be dropped, which is tried again: {}",
            tenant.schema(),
            tenant.name(),
            failure.getMessage());
      }
    }
  }

  private boolean drop(Tenant tenant) {
    return control.transaction(
        "drop the schema of tenant " + tenant.name(),
        statements -> {
          if (TenantStatements.lockExpired(statements, tenant.id()).isEmpty()) {
            return false;
          }
          statements.handle().execute("set local lock_timeout = '2s'");
          statements.update("drop schema if exists " + tenant.schema() + " cascade").execute();
          TenantStatements.forget(statements, tenant.id());
          audit.record(statements, Actor.SERVER, AuditLog.Act.of("tenant.drop", tenant.name()));
          // Last: changes of all tenants and keys wait for the versions that this raises.
          TenantStatements.setState(
              statements, tenant.id(), TenantState.DELETING, TenantState.DROPPED, null);
          return true;
        });
  }

  /** Returns whether the control schema responds. */
  public boolean isReachable() {
    try {
      control.run("check the database", TenantStatements::version);
      return true;
    } catch (StoreException away) {
      return false;
    }
  }

  @Override
  public void close() {
    synchronized (refreshing) {
      closed = true;
    }
    byId.values().forEach(SchemaTenant::close);
    byId.clear();
    open.clear();
  }
}
