package dev.holdfast.server.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.api.StoreException;
import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.Store;
import dev.holdfast.packages.child.Orders;
import dev.holdfast.packages.jar.PackageId;
import dev.holdfast.packages.load.Sandbox;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.DatabaseAddress;
import dev.holdfast.server.node.ServerProcess;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestPackage;
import dev.holdfast.server.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What happens to packages when a part of them fails. */
class PackageNodesTest {
  private static final String T = "/v1/tenants/default";
  private static final String CONTROL = "holdfast_control";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir private static Path folder;
  private static TestServer server;
  private static ApiClient tenant;
  private static ControlDatabase control;

  @BeforeAll
  static void start() {
    server = new TestServer();
    tenant = server.tenant();
    control = connect(CONTROL);
  }

  @AfterAll
  static void stop() {
    control.close();
    server.close();
  }

  private static ControlDatabase connect(String schema) {
    return ControlDatabase.connect(
        new DatabaseAddress(
            server.database().jdbcUrl(), server.database().user(), server.database().password()),
        schema);
  }

  private static void execute(String sql) throws Exception {
    try (Connection connection = server.database().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void aVersionWhoseNodeCannotStartStaysInTheProcessOfItsTenant() throws Exception {
    new TestPackage(folder, "half").version("1", "one").push(tenant).expect(201);
    PackageStore store = new PackageStore(control);
    Host host = new Host();
    Children children = new Children();
    try (PackageNodes nodes =
        new PackageNodes(host, children, new PackageCatalog(store), store).start()) {
      await().atMost(PATIENCE).until(() -> nodes.loaded().contains("half@1"));
      await().atMost(PATIENCE).until(() -> host.registrations.get() > 0);
      int seen = host.reviews.get();
      await()
          .atMost(PATIENCE)
          .until(() -> {
            nodes.changed();
            return host.reviews.get() > seen + 3;
          });

      assertThat(nodes.loaded()).contains("half@1");
      assertThat(children.opened).hasValue(1);
    }
  }

  @Test
  void aFailedReadOfAPackageLeavesNoFile() throws Exception {
    Path cached = Files.createDirectory(folder.resolve("cache"));
    StoredPackage version =
        new StoredPackage(
            1,
            1,
            new PackageId("lost", "1"),
            "0".repeat(64),
            0,
            List.of(),
            Map.of(),
            null,
            Instant.EPOCH,
            null,
            true);
    try (ControlDatabase broken = connect("broken_control")) {
      execute("drop table broken_control.package_part");
      PackageCache cache = new PackageCache(new PackageStore(broken), cached);

      assertThatThrownBy(() -> cache.jar(version)).isInstanceOf(StoreException.class);
    }
    assertThat(cached).isEmptyDirectory();
  }

  @Test
  void aNewVersionTakesOverSchedulesOfItsPackageOnly() throws Exception {
    TestPackage orders = new TestPackage(folder, "orders").version("1", "one");
    orders.push(tenant).expect(201);
    for (String name : List.of("older", "plain", "similar")) {
      tenant
          .put(
              T + "/schedules/" + name,
              "{\"task\":\"orders::say\",\"every\":\"PT1H\",\"payload\":\"x\"}")
          .expect(201);
    }
    String schema = server.server().tenants().open("default").orElseThrow().tenant().schema();
    execute("update %s.schedule set stack = 'orders' where id = 'plain'".formatted(schema));
    execute("update %s.schedule set stack = 'ordersX1@1' where id = 'similar'".formatted(schema));

    orders.version("2", "two").push(tenant).expect(201);

    assertThat(stack(schema, "older")).isEqualTo("orders@2");
    assertThat(stack(schema, "plain")).isEqualTo("orders");
    assertThat(stack(schema, "similar")).isEqualTo("ordersX1@1");
  }

  private static String stack(String schema, String schedule) throws Exception {
    try (Connection connection = server.database().connect();
        Statement statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "select stack from %s.schedule where id = '%s'".formatted(schema, schedule))) {
      assertThat(row.next()).isTrue();
      return row.getString(1);
    }
  }

  @Test
  void aServerThatCannotGiveTenantsAUserWarnsAboutIt() {
    Logger logger = (Logger) LoggerFactory.getLogger(PackageChildren.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      PackageChildren.warn(new Sandbox(false, true, true));
      assertThat(lines.list).isEmpty();
      PackageChildren.warn(new Sandbox(false, false, true));
      assertThat(lines.list)
          .singleElement()
          .satisfies(line ->
              assertThat(line.getFormattedMessage())
                  .contains("environment", "key files", "setpriv"));
    } finally {
      logger.detachAppender(lines);
    }
  }

  /** Trusts nobody and cannot register nodes. */
  private static final class Host implements PackageHost {
    private final AtomicInteger reviews = new AtomicInteger();
    private final AtomicInteger registrations = new AtomicInteger();

    @Override
    public Iterable<OpenTenant> tenants() {
      reviews.incrementAndGet();
      return List.of(server.server().tenants().open("default").orElseThrow());
    }

    @Override
    public Set<String> queues() {
      return Set.of("default");
    }

    @Override
    public boolean trusts() {
      return false;
    }

    @Override
    public ServerProcess register(String id, String name, Set<String> tasks) {
      registrations.incrementAndGet();
      throw new IllegalStateException("no registration");
    }

    @Override
    public Store store(OpenTenant of, ServerProcess registration) {
      throw new IllegalStateException("no registration");
    }

    @Override
    public NodeBuilder builder(OpenTenant of, Store store) {
      throw new IllegalStateException("no registration");
    }

    @Override
    public FairSlots.Share share(OpenTenant of) {
      throw new IllegalStateException("no registration");
    }
  }

  /** Its address leads nowhere: a process starts, and loads nothing. */
  private static final class Children implements ChildHost {
    private final AtomicInteger opened = new AtomicInteger();

    @Override
    public Access open(OpenTenant of) {
      opened.incrementAndGet();
      return new Access() {
        @Override
        public Orders.Start start() {
          return new Orders.Start(
              "http://127.0.0.1:9",
              "default",
              "no-key",
              "nowhere",
              Duration.ofMinutes(1),
              Duration.ofSeconds(1),
              Map.of("default", 1),
              1);
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public int heapMegabytes() {
      return 64;
    }

    @Override
    public Sandbox.Limits limits() {
      return new Sandbox.Limits(0, 1024, 512);
    }
  }
}
