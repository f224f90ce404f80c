package dev.holdfast.server.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.packages.child.Orders;
import dev.holdfast.packages.jar.PackageId;
import dev.holdfast.packages.load.Sandbox;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the server does with a process of packages that does not do its part. */
class TenantChildTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** More than a pipe can hold. */
  private static final int ORDERS = 1_500;

  @TempDir private static Path folder;

  @Test
  void aProcessThatReadsNothingBlocksNobodyAndIsStartedAgain() throws Exception {
    Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/kill")));
    Path jar = Files.createFile(folder.resolve("empty.jar"));
    try (TestServer server = new TestServer(Map.of());
        ChildFolders folders = new ChildFolders()) {
      OpenTenant tenant = server.server().tenants().open("default").orElseThrow();
      CountingHost host = new CountingHost();
      try (TenantChild child = new TenantChild(tenant, host, folders)) {
        await().atMost(PATIENCE).until(() -> processes().size() == 1);
        ProcessHandle first = processes().getFirst();
        signal("STOP", first);

        CompletableFuture<Void> told =
            CompletableFuture.runAsync(() -> {
              for (int number = 0; number < ORDERS; number++) {
                child.load(version(number, tenant.tenant().id()), jar);
                child.unload(number);
              }
              child.load(version(ORDERS, tenant.tenant().id()), jar);
            });
        told.get(5, TimeUnit.SECONDS);
        assertThat(child.versions()).containsExactly((long) ORDERS);

        await().atMost(PATIENCE).until(() -> host.opened.get() == 2);
        await().atMost(PATIENCE).until(() -> !first.isAlive());
        await().atMost(PATIENCE).until(() -> processes().size() == 1);
      }
      assertThat(processes()).isEmpty();
    }
  }

  private static List<ProcessHandle> processes() {
    return ProcessHandle.current()
        .descendants()
        .filter(process -> {
          String command = process.info().commandLine().orElse("");
          // The programs that apply the limits name it as well.
          return command.contains("packages.child.ChildMain")
              && process.info().command().orElse("").endsWith("java");
        })
        .toList();
  }

  private static void signal(String name, ProcessHandle process)
      throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  private static StoredPackage version(long number, int tenant) {
    return new StoredPackage(
        number,
        tenant,
        new PackageId("deaf", String.valueOf(number)),
        "0".repeat(64),
        0,
        List.of("deaf::task"),
        Map.of(),
        null,
        Instant.EPOCH,
        null,
        true);
  }

  /** Counts the processes. Its address leads nowhere, so no version can be loaded. */
  private static final class CountingHost implements ChildHost {
    private final AtomicInteger opened = new AtomicInteger();

    @Override
    public Access open(OpenTenant tenant) {
      opened.incrementAndGet();
      return new Access() {
        @Override
        public Orders.Start start() {
          return new Orders.Start(
              "http://127.0.0.1:9",
              "default",
              "no-key",
              "deaf",
              Duration.ofSeconds(6),
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
