package dev.holdfast.worker;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.run.VoidTaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks for a server, over its REST API. It takes the same handlers as an embedded node, and
 * is one: it sends heartbeats, and stops its jobs when it cannot prove in time that it is alive.
 *
 * <pre>{@code
 * record Welcome(String email) {}
 *
 * static final TaskType<Welcome, Void> WELCOME = TaskType.of("email::welcome", Welcome.class);
 *
 * static void run(String key) throws InterruptedException {
 *   try (RemoteWorker worker =
 *       RemoteWorker.connect("http://localhost:7420", key)
 *           .handle(WELCOME, (welcome, context) -> System.out.println("Hello " + welcome.email()))
 *           .start()) {
 *     worker.awaitStopped();
 *   }
 * }
 * }</pre>
 *
 * <p>Handlers can execute durable steps, and enqueue jobs with {@code context.client()} if the key
 * can execute. What needs the database is not possible in a handler: {@code steps().transaction},
 * the other methods of {@code context.client()}, and leases.
 */
public final class RemoteWorker implements AutoCloseable {
  private final HoldfastNode node;
  private final HttpStore store;

  private RemoteWorker(HoldfastNode node, HttpStore store) {
    this.node = node;
    this.store = store;
  }

  /**
   * Returns a builder for a worker.
   *
   * @param server the address of a server, or of a load balancer in front of several
   * @param key a key that can work, such as one of the preset worker
   */
  public static Builder connect(String server, String key) {
    return new Builder(URI.create(server), key);
  }

  /** Configures a worker. */
  public static final class Builder {
    private static final Pattern KEY = Pattern.compile("holdfast_[^_]+_([^_]+)_.*");
    private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);
    private static final int DEFAULT_CONCURRENCY = 50;

    private final URI server;
    private final String key;
    private final Map<String, Integer> queues = new LinkedHashMap<>();
    private final List<Consumer<NodeBuilder>> settings = new ArrayList<>();
    private @Nullable String tenant;
    private Duration timeout = DEFAULT_TIMEOUT;
    private @Nullable String stack;
    private boolean secrets;

    private Builder(URI server, String key) {
      this.server = server;
      this.key = key;
      Matcher matcher = KEY.matcher(key);
      this.tenant = matcher.matches() ? matcher.group(1) : null;
    }

    /** Sets the tenant. Defaults to that of the key. */
    public Builder tenant(String name) {
      this.tenant = name;
      return this;
    }

    /** Sets the handler of a task. Required: a worker has at least one handler. */
    public <P, R> Builder handle(TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler) {
      return with(node -> node.handle(type, handler));
    }

    /** Sets the handler of a task without a result. Defaults to no handlers. */
    public <P> Builder handle(TaskType<P, Void> type, VoidTaskHandler<? super P> handler) {
      return with(node -> node.handle(type, handler));
    }

    /**
     * Adds all handlers of a module. Its schedules and workflows are not declared. Defaults to no
     * modules.
     */
    public Builder install(TaskModule module) {
      return with(node -> module.configure(new HandlerBinder(node)));
    }

    /**
     * Runs jobs of this stack, too. For a server, which keeps versions of packages apart as stacks.
     * Defaults to jobs without a stack alone.
     */
    public Builder stack(String name) {
      stack = name;
      return with(node -> node.serveStacks(name));
    }

    /**
     * Gets the secrets that handlers ask for from the server. Only servers give secrets, and only
     * to the processes in which they run packages. Defaults to none: a handler that asks for a
     * secret fails.
     */
    public Builder secretsOfServer() {
      this.secrets = true;
      return this;
    }

    /**
     * Serves a queue. Defaults to the queue {@code default} with 50 jobs at the same time.
     *
     * @param concurrency how many jobs of the queue run at the same time
     */
    public Builder queue(String name, int concurrency) {
      queues.put(name, concurrency);
      return this;
    }

    /**
     * Sets how long the worker may be silent before it is declared dead and its jobs run elsewhere.
     * If it cannot reach a server for three quarters of that time, it interrupts its jobs. Defaults
     * to one minute.
     */
    public Builder timeout(Duration silence) {
      this.timeout = silence;
      return this;
    }

    /** Changes any other setting of the worker's node. Defaults to those of a node. */
    public Builder with(Consumer<NodeBuilder> change) {
      settings.add(change);
      return this;
    }

    /**
     * Registers the worker and starts it.
     *
     * @throws dev.holdfast.api.StoreException if no server can be reached, or the key is refused
     */
    public RemoteWorker start() {
      if (tenant == null) {
        throw new IllegalArgumentException(
            "The key names no tenant: set the tenant that the worker is for.");
      }
      if (queues.isEmpty()) {
        queues.put("default", DEFAULT_CONCURRENCY);
      }
      HttpStore store =
          new HttpStore(
              new WorkerApi(server, key, Objects.requireNonNull(tenant)), queues.keySet(), stack);
      try {
        NodeBuilder node =
            HoldfastNode.on(store)
                .mode(NodeMode.DISABLED)
                .poll(Duration.ofMillis(500), Duration.ofSeconds(5))
                .liveness(life ->
                    life.heartbeat(timeout.dividedBy(6))
                        .timeout(timeout)
                        .sweep(timeout.dividedBy(2)));
        queues.forEach(node::queue);
        if (secrets) {
          node.secrets(store.secrets());
        }
        settings.forEach(change -> change.accept(node));
        return new RemoteWorker(node.start(), store);
      } catch (RuntimeException | Error failure) {
        store.close();
        throw failure;
      }
    }
  }

  /** Waits until the worker has stopped. */
  public void awaitStopped() throws InterruptedException {
    node.awaitStopped();
  }

  /** Returns the node that the worker is. */
  public HoldfastNode node() {
    return node;
  }

  /** Stops: lets running jobs end, hands back the others, and deregisters. */
  @Override
  public void close() {
    try {
      node.close();
    } finally {
      store.close();
    }
  }
}
