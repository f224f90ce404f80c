package dev.holdfast.server.node;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.node.NodeCore;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.postgres.db.Database;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registration of a server in any mode, with one heartbeat for all tenants. Releases the holds
 * of dead servers.
 */
public final class ServerProcess implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ServerProcess.class);
  private static final Duration FORGET_EVERY = Duration.ofHours(1);

  private final ControlNodes processes;
  private final Holds holds;
  private final TenantSignals signals;
  private final Database database;
  private @Nullable NodeCore core;
  private long nextForget;
  private boolean ended;

  public ServerProcess(
      ControlNodes processes, Holds holds, TenantSignals signals, Database database) {
    this.processes = processes;
    this.holds = holds;
    this.signals = signals;
    this.database = database;
  }

  /** Registers the process and starts its heartbeat. */
  public ServerProcess start(NodeCore.Settings settings, MeterRegistry meters) {
    core =
        NodeCore.start(
            processes, signals.shared(), settings, meters, Environment.machine(), this::release);
    return this;
  }

  /** Returns the registration, which nodes of this process are parts of. */
  public NodeCore core() {
    NodeCore known = core;
    if (known == null) {
      throw new IllegalStateException("The server has not been registered");
    }
    return known;
  }

  /** Returns the current incarnation of the process. */
  public UUID incarnation() {
    return core().incarnation();
  }

  /** Returns whether the process must not act, because others may have declared it dead. */
  public boolean isOver() {
    return core().isOver();
  }

  /** Returns the signals of the tenants. */
  TenantSignals signals() {
    return signals;
  }

  /** Returns what this process registers in tenants, as a hash. */
  String modules() {
    return processes.modules();
  }

  /** Returns whether another live process registers something else in tenants. */
  boolean differsFromOthers() {
    return processes.differ();
  }

  Database database() {
    return database;
  }

  /** Releases the tenants that dead processes hold. */
  private void release(List<UUID> dead) {
    for (UUID process : dead) {
      // First, so that they commit nothing after the look for work that the release leads to.
      processes.endSessions(process);
      for (Holds.Left left : holds.of(database, process)) {
        try {
          if (holds.release(database, process, left)) {
            signals.of(left.tenant()).announce(new Signal.NodeDied());
          }
        } catch (StoreException failure) {
          log.warn(
              "Tenant {} could not be released from the dead node {}, trying again at the next"
                  + " sweep: {}",
              left.tenant(),
              process,
              failure.getMessage());
        }
      }
    }
  }

  /** Deletes the rows of processes that died long ago, at most once an hour. */
  void forgetOld(long now) {
    if (now - nextForget >= 0) {
      nextForget = now + FORGET_EVERY.toNanos();
      processes.forget();
    }
  }

  /** Stops without deregistering, because code of this process may still run jobs. */
  void abandon() {
    if (!ended) {
      ended = true;
      core().abandon();
    }
  }

  /** Deregisters and releases all tenants. */
  @Override
  public void close() {
    NodeCore process = core;
    if (process == null || ended) {
      return;
    }
    ended = true;
    UUID last = process.incarnation();
    process.close();
    try {
      release(List.of(last));
    } catch (StoreException away) {
      log.warn(
          "The holds of this server on tenants could not be released, other servers do it when they"
              + " find it gone: {}",
          away.getMessage());
    }
  }
}
