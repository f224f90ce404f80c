package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Runs every example, in this process and on one server, and checks what it prints. */
@Isolated("it captures standard output")
class ExamplesTest {
  private static final Path SOURCES = Path.of("src/main/java/dev/holdfast/examples");

  private final ByteArrayOutputStream captured = new ByteArrayOutputStream();
  private final PrintStream original = System.out;

  @BeforeEach
  void capture() {
    System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void release() {
    System.setOut(original);
    original.print(captured.toString(StandardCharsets.UTF_8));
  }

  private List<String> printed() {
    return captured.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void helloJob() throws Exception {
    HelloJob.main(new String[0]);

    assertThat(printed()).containsExactly("Hello Ada");
  }

  @Test
  void transactionalEnqueue() throws Exception {
    TransactionalEnqueue.main(new String[0]);

    assertThat(printed())
        .containsExactly(
            "Confirming A-1",
            "A-1 was committed, its job exists: true",
            "A-2 was rolled back, its job exists: false");
  }

  @Test
  void retries() throws Exception {
    Retries.main(new String[0]);

    assertThat(printed())
        .containsExactly(
            "The bank is closed in attempt 1",
            "flaky: charged in attempt 3",
            "stolen: CARD_DECLINED in attempt 1");
  }

  @Test
  void uniqueJobs() throws Exception {
    UniqueJobs.main(new String[0]);

    assertThat(printed())
        .startsWith(
            "draft: CREATED",
            "draft again: EXISTING",
            "final: REPLACED",
            "too late: rejected",
            "today: CREATED")
        .contains("Sending final", "Sending today")
        .doesNotContain("Sending draft", "Sending draft again", "Sending too late")
        .endsWith("after the end: CREATED", "twice a day: EXISTING");
  }

  @Test
  void cronSchedule() throws Exception {
    CronSchedule.main(new String[0]);

    assertThat(printed().get(0)).matches("Due times: \\[.*:00:00Z, .*:00:00Z, .*:00:00Z]");
    assertThat(printed())
        .contains("Building the nightly report", "Cancelled: true")
        .filteredOn("Building the live report"::equals)
        .hasSizeGreaterThanOrEqualTo(3);
  }

  @Test
  void events() throws Exception {
    Events.main(new String[0]);

    assertThat(printed())
        .containsExactly(
            "Reindexing 7",
            "Resource[id=7, kind=page]: STARTED",
            "Resource[id=7, kind=page]: DEDUPLICATED",
            "Resource[id=8, kind=image]: NOT_MATCHED");
  }

  @Test
  void lifecycleEvents() throws Exception {
    LifecycleEvents.main(new String[0]);

    assertThat(printed())
        .containsExactly(
            "Started attempt 1",
            "To be retried: mail::send",
            "Started attempt 2",
            "Finished: SUCCEEDED");
  }

  @Test
  void leasesExample() {
    LeasesExample.main(new String[0]);

    assertThat(printed())
        .containsExactly(
            "First holder: invoice:42, attempt 1",
            "Second holder: busy, CLAIMED",
            "Second holder: acquired, token is greater: true");
  }

  @Test
  void limits() throws Exception {
    Limits.main(new String[0]);

    assertThat(printed()).containsExactly("Uploads: 4", "Never more than 2 at once: true");
  }

  @Test
  void breakers() throws Exception {
    Breakers.main(new String[0]);

    assertThat(printed()).hasSize(2);
    assertThat(printed().get(0)).containsIgnoringCase("breaker");
    assertThat(printed().get(1)).isEqualTo("Sent to Eve");
  }

  @Test
  void gracefulShutdown() throws Exception {
    GracefulShutdown.main(new String[0]);

    assertThat(printed())
        .containsExactly(
            "Imported page 1",
            "Imported page 2",
            "Imported page 3",
            "The first node has stopped",
            "Imported page 4",
            "Imported page 5");
  }

  @Test
  void progress() throws Exception {
    Progress.main(new String[0]);

    assertThat(printed())
        .containsExactly(
            "The children know me: true",
            "3 of 3 readers",
            "Logged: all readers are in the queue",
            "Children: 3");
  }

  @Test
  void interceptors() throws Exception {
    Interceptors.main(new String[0]);

    assertThat(printed())
        .containsExactly(
            "Before Invoice[number=42] of acme", "Tenant: acme", "After Invoice[number=42]");
  }

  @Test
  void encryptedPayloads() throws Exception {
    EncryptedPayloads.main(new String[0]);

    assertThat(printed()).hasSize(3);
    assertThat(printed().get(0)).isEqualTo("Result: Ada is healthy");
    assertThat(printed().get(1)).matches("Stored payload: \"[A-Za-z0-9+/=]{40,}\"");
    assertThat(printed().get(2)).matches("Stored result: \"[A-Za-z0-9+/=]{40,}\"");
  }

  @Test
  void orderFulfilment() throws Exception {
    OrderFulfilment.main(new String[0]);

    assertThat(printed())
        .containsExactly(
            "Reserving book",
            "The book is on its way",
            "Reserving piano",
            "Refunding Receipt[number=R-90000]",
            "Releasing it",
            "piano: FAILED");
  }

  @Test
  void nightlyImport() throws Exception {
    NightlyImport.main(new String[0]);

    assertThat(printed()).containsExactly("Rows of each file: [100, 100, 100, null]");
  }

  @Test
  void humanApproval() throws Exception {
    HumanApproval.main(new String[0]);

    assertThat(printed())
        .containsExactly(
            "Who approves a taxi?",
            "Paying 2300 cents",
            "Who approves a yacht?",
            "Rejected by nobody");
  }

  @Test
  void everyExampleIsRunHereAndListedInTheReadme() throws Exception {
    List<String> tests =
        Stream.of(ExamplesTest.class.getDeclaredMethods()).map(Method::getName).toList();
    String readme = Files.readString(Path.of("../README.md"));

    List<String> examples = examples();

    assertThat(examples)
        .hasSizeGreaterThanOrEqualTo(10)
        .allSatisfy(name -> {
          assertThat(tests).contains(Character.toLowerCase(name.charAt(0)) + name.substring(1));
          assertThat(readme).contains("[%s](examples/%s/%s.java)".formatted(name, SOURCES, name));
        });
  }

  @Test
  void everyExampleFitsOnAPage() throws Exception {
    for (String name : examples()) {
      assertThat(Files.readAllLines(SOURCES.resolve(name + ".java")))
          .as(name)
          .hasSizeLessThanOrEqualTo(66)
          .noneMatch(line -> line.contains("return null"));
    }
  }

  /** Returns the names of the classes that have a main method. */
  private static List<String> examples() throws IOException, ClassNotFoundException {
    try (Stream<Path> files = Files.list(SOURCES)) {
      return files
          .map(file -> file.getFileName().toString().replace(".java", ""))
          .filter(name -> !name.equals("package-info"))
          .filter(ExamplesTest::hasMain)
          .sorted()
          .toList();
    }
  }

  private static boolean hasMain(String name) {
    try {
      return Stream.of(Class.forName("dev.holdfast.examples." + name).getDeclaredMethods())
          .anyMatch(method -> method.getName().equals("main"));
    } catch (ClassNotFoundException missing) {
      throw new IllegalStateException(missing);
    }
  }
}
