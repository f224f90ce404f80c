package dev.holdfast.server.tenant;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.postgres.PostgresStore;
import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.ControlDatabase.Statements;
import dev.holdfast.server.control.DatabaseAddress;
import dev.holdfast.server.key.KeyStore;
import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.key.NewKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tenants with one PostgreSQL schema and, on servers that run jobs, one node each. */
public final class SchemaTenants implements Tenants {
  private static final Logger log = LoggerFactory.getLogger(SchemaTenants.class);
  private static final int ALL = 100_000;

  /**
   * What tenants need from the rest of the server.
   *
   * @param poolSize how many connections each tenant may use
   * @param grace how long a deleted tenant can be restored
   * @param nodes starts the node of a tenant; returns null if this server has none
   */
  public record Settings(
      DatabaseAddress address,
      int poolSize,
      Duration grace,
      Function<OpenTenant, @Nullable HoldfastNode> nodes) {}

  private final ControlDatabase control;
  private final KeyStore keys;
  private final AuditLog audit;
  private final Settings settings;
  private final Map<String, SchemaTenant> open = new ConcurrentHashMap<>();
  private final Object refreshing = new Object();
  private long seen = -1;
  private boolean incomplete;
  private boolean closed;

  public SchemaTenants(ControlDatabase control, KeyStore keys, AuditLog audit, Settings settings) {
    this.control = control;
    this.keys = keys;
    this.audit = audit;
    this.settings = settings;
  }

  /**
   * Opens tenants that are new and closes those that are gone, if anything has changed. A tenant
   * that cannot be opened stops no other; it is tried again at the next refresh.
   */
  public void refresh() {
    synchronized (refreshing) {
      if (closed) {
        return;
      }
      long version = control.run("read the version of the tenants", TenantStatements::version);
      if (version == seen && !incomplete) {
        return;
      }
      incomplete = false;
      List<Tenant> tenants =
          control.run("read the tenants", s -> TenantStatements.list(s, null, ALL));
      Set<String> wanted = new HashSet<>();
      for (Tenant tenant : tenants) {
        if (tenant.state() == TenantState.ACTIVE || tenant.state() == TenantState.SUSPENDED) {
          wanted.add(tenant.name());
          update(tenant);
        }
      }
      for (Map.Entry<String, SchemaTenant> entry : List.copyOf(open.entrySet())) {
        if (!wanted.contains(entry.getKey())) {
          open.remove(entry.getKey());
          entry.getValue().close();
        }
      }
      seen = version;
    }
  }

  private void update(Tenant tenant) {
    try {
      SchemaTenant known = open.get(tenant.name());
      if (known != null && known.tenant().id() != tenant.id()) {
        open.remove(tenant.name());
        known.close();
        known = null;
      }
      if (known == null) {
        known = new SchemaTenant(tenant, connect(tenant), settings.nodes()::apply);
        open.put(tenant.name(), known);
      }
      known.update(tenant);
    } catch (RuntimeException failure) {
      incomplete = true;
      log.error(
          "Tenant {} cannot be opened and is tried again: {}", tenant.name(), failure, failure);
    }
  }

  private PostgresStore connect(Tenant tenant) {
    return PostgresStore.connect(
        settings
            .address()
            .settings(tenant.schema())
            .poolSize(settings.poolSize())
            .name("holdfast-t" + tenant.id())
            .build());
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
    Tenant tenant =
        control.transaction(
            "create tenant " + name,
            statements -> {
              Optional<Tenant> known = TenantStatements.lock(statements, name);
              if (known.isPresent() && known.get().state() != TenantState.CREATING) {
                throw exists(name);
              }
              return known.isPresent()
                  ? known.get()
                  : TenantStatements.insert(statements, name, wanted);
            });
    // Repeatable: a creation that dies here is continued by the next one with the same name.
    connect(tenant).close();
    Created created =
        control.transaction(
            "create tenant " + name, statements -> complete(statements, tenant, actor));
    refresh();
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
        move(name, state, null, actor, state == TenantState.ACTIVE ? "resume" : "suspend");
    refresh();
    return changed;
  }

  @Override
  public Tenant delete(String name, boolean force, Actor actor) {
    if (!force) {
      requireIdle(name);
    }
    Tenant changed = move(name, TenantState.DELETING, settings.grace(), actor, "delete");
    refresh();
    return changed;
  }

  private Tenant move(
      String name, TenantState to, @Nullable Duration purgeIn, Actor actor, String action) {
    return control.transaction(
        action + " tenant " + name,
        statements -> {
          Tenant before = existing(statements, name);
          boolean allowed = before.state() != to && before.state() != TenantState.DELETING;
          if (!allowed) {
            throw new TenantException(
                TenantException.Reason.WRONG_STATE,
                "Tenant '%s' is %s and cannot be changed to %s."
                    .formatted(name, before.state(), to));
          }
          TenantStatements.setState(statements, before.id(), before.state(), to, purgeIn);
          audit.record(
              statements,
              actor,
              new AuditLog.Act("tenant." + action, name, quoted(before.state()), quoted(to)));
          return existing(statements, name);
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
    long runs =
        sum(
            tenant
                .client()
                .runs()
                .count(
                    RunFilter.all()
                        .state(
                            RunState.QUEUED,
                            RunState.RUNNING,
                            RunState.PAUSED,
                            RunState.CANCELLING)));
    long jobs =
        sum(
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
                            JobState.ON_HOLD)));
    if (runs + jobs > 0) {
      throw new TenantException(
          TenantException.Reason.IN_USE,
          "Tenant '%s' has %d open runs and %d live jobs: let them end, or delete it with force=true."
              .formatted(name, runs, jobs));
    }
  }

  private static long sum(Map<?, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Drops the schemas of tenants whose grace period is over. */
  public void purge() {
    control.transaction(
        "drop the schemas of deleted tenants",
        statements -> {
          for (Tenant tenant : TenantStatements.expired(statements)) {
            statements.update("drop schema if exists " + tenant.schema() + " cascade").execute();
            TenantStatements.setState(
                statements, tenant.id(), TenantState.DELETING, TenantState.DROPPED, null);
            audit.record(statements, Actor.SERVER, AuditLog.Act.of("tenant.drop", tenant.name()));
            log.info("Dropped schema {} of tenant {}", tenant.schema(), tenant.name());
          }
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

  /** Stops the nodes without waiting for running jobs. */
  public void stopNow() {
    open.values().forEach(SchemaTenant::stopNow);
  }

  @Override
  public void close() {
    synchronized (refreshing) {
      closed = true;
    }
    List<Thread> closing = new ArrayList<>();
    for (SchemaTenant tenant : open.values()) {
      // In parallel: each may have to wait for its jobs.
      closing.add(Thread.ofVirtual().start(tenant::close));
    }
    for (Thread thread : closing) {
      try {
        thread.join();
      } catch (InterruptedException impatient) {
        Thread.currentThread().interrupt();
        return;
      }
    }
    open.clear();
  }
}
