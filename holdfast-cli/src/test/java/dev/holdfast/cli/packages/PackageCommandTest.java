package dev.holdfast.cli.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.testing.CliServer;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a new user does: a project, its package, and runs on a server. */
class PackageCommandTest {
  @TempDir private static Path folder;
  private static CliServer server;

  @BeforeAll
  static void open() {
    server = new CliServer();
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private static String done(Cli cli) {
    assertThat(cli.exit()).as(cli.out() + cli.err()).isZero();
    return cli.out();
  }

  private static JsonNode json(Cli cli) {
    return Json.read(done(cli));
  }

  private static Path init(String name) {
    Path project = folder.resolve(name);
    assertThat(done(Cli.run("init", project.toString()))).contains("holdfast package push");
    return project;
  }

  /** Does what Maven does: compiles the classes and the tests, and copies the resources. */
  private static void compile(Path project) throws IOException {
    Path classes = project.resolve("target/classes");
    javac(project.resolve("src/main/java"), classes, List.of());
    javac(
        project.resolve("src/test/java"), project.resolve("target/test-classes"), List.of(classes));
    Path resources = project.resolve("src/main/resources");
    try (Stream<Path> files = Files.walk(resources)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = classes.resolve(resources.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private static void javac(Path sources, Path to, List<Path> more) throws IOException {
    Files.createDirectories(to);
    List<String> path = new ArrayList<>(List.of(System.getProperty("java.class.path")));
    more.forEach(each -> path.add(each.toString()));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        Stream<Path> all = Files.walk(sources)) {
      boolean fine =
          compiler
              .getTask(
                  said,
                  files,
                  null,
                  List.of(
                      "-proc:none",
                      "-d",
                      to.toString(),
                      "-cp",
                      String.join(File.pathSeparator, path)),
                  null,
                  files.getJavaFileObjectsFromPaths(all.filter(Files::isRegularFile).toList()))
              .call();
      assertThat(fine).as("%s", said).isTrue();
    }
  }

  private static void replace(Path file, String text, String by) throws IOException {
    String before = Files.readString(file);
    assertThat(before).contains(text);
    Files.writeString(file, before.replace(text, by));
  }

  private static String build(Path project) throws IOException {
    compile(project);
    return done(Cli.run("package", "build", "--project", project.toString(), "--no-maven"));
  }

  private static String startRun(String workflow) {
    return json(server.run("run", "start", workflow, "--input={\"name\":\"Ada\"}", "--json"))
        .get("id")
        .stringValue();
  }

  private static JsonNode run(String id) {
    return json(server.run("run", "show", id, "--json"));
  }

  @Test
  void aNewUserPushesAProjectAndLaterANewVersionOfIt() throws Exception {
    Path project = init("orders");
    Path source = project.resolve("src/main/java/orders/OrdersModule.java");
    // A workflow that waits, so that a run of it is in flight when the next version comes.
    replace(
        source,
        "flow -> flow.step(\"greet\", GREET, flow.input()));",
        """
        flow -> flow.step("greet", GREET, flow.input()));

          public static final Workflow<Guest, String> SLOW =
              Workflow.defineWithResult(
                  "orders::slow",
                  Guest.class,
                  flow -> {
                    var arrived = flow.awaitSignal("arrival", "arrived", Guest.class);
                    return flow.step("greet", GREET, arrived);
                  });
        """);
    replace(source, "binder.workflow(WELCOME);", "binder.workflow(WELCOME).workflow(SLOW);");
    assertThat(build(project))
        .contains("Package orders@1.0.0 is built", "1 tasks, 2 workflows, sha256:");
    String jar = project.resolve("target/orders-1.0.0.holdfast.jar").toString();
    assertThat(done(Cli.run("package", "check", jar))).contains("orders@1.0.0 is in order");
    assertThat(done(server.run("package", "push", jar)))
        .contains("Package orders@1.0.0 is stored. New jobs and runs");

    assertThat(
            done(
                server.run(
                    "run", "start", "orders::welcome", "--input={\"name\":\"Ada\"}", "--wait")))
        .contains("ended SUCCEEDED");
    String old = startRun("orders::slow");
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> run(old).toString(), text -> text.contains("WAITING"));

    replace(source, "\"Hello, \" + guest.name()", "\"Welcome, \" + guest.name()");
    compile(project);
    assertThat(build(project)).contains("orders@1.0.0");
    Cli taken = server.run("package", "push", jar);
    assertThat(taken.exit()).isEqualTo(5);
    assertThat(taken.err()).contains("give the changed package another version");
    replace(project.resolve("pom.xml"), "<version>1.0.0</version>", "<version>1.1.0</version>");
    assertThat(build(project)).contains("orders@1.1.0");
    String newer = project.resolve("target/orders-1.1.0.holdfast.jar").toString();
    assertThat(done(server.run("package", "push", newer))).contains("orders@1.1.0 is stored");

    String fresh = startRun("orders::slow");
    for (String id : List.of(old, fresh)) {
      done(server.run("run", "signal", id, "arrived", "--payload={\"name\":\"Bob\"}"));
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> run(id).get("state").stringValue(), "SUCCEEDED"::equals);
    }
    assertThat(run(old).get("result").stringValue()).isEqualTo("Hello, Bob");
    assertThat(run(fresh).get("result").stringValue()).isEqualTo("Welcome, Bob");
    assertThat(done(server.run("package", "list")))
        .containsPattern("orders@1.1.0 +yes")
        .contains("orders@1.0.0");
    assertThat(done(server.run("package", "show", "orders@1.0.0")))
        .containsPattern("tasks +orders::greet");
    assertThat(done(server.run("package", "delete", "orders@1.0.0"))).contains("is deleted");
    assertThat(server.run("package", "show", "orders@1.0.0").exit()).isEqualTo(3);
  }

  @Test
  void aPushCanBeSigned() throws Exception {
    Path project = init("signed");
    done(Cli.run("init", folder.resolve("unused").toString()));
    build(project);
    String jar = project.resolve("target/signed-1.0.0.holdfast.jar").toString();
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    Path pem =
        Files.writeString(
            folder.resolve("key.pem"),
            "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
                .formatted(Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded())));

    Cli unknown = server.run("package", "push", jar, "--sign-key", pem.toString());
    assertThat(unknown.exit()).isEqualTo(2);
    assertThat(unknown.err()).contains("None of the keys that this tenant trusts");
    assertThat(server.run("package", "push", jar, "--sign-key", jar).exit()).isEqualTo(2);
    assertThat(done(server.run("package", "push", jar))).contains("signed@1.0.0 is stored");
  }

  @Test
  void aProjectIsNotCreatedOverAnother() throws IOException {
    Path full = Files.createDirectory(folder.resolve("full"));
    Files.writeString(full.resolve("file"), "text");

    Cli again = Cli.run("init", full.toString());
    assertThat(again.exit()).isEqualTo(1);
    assertThat(again.err()).contains("is not empty");
    assertThat(full)
        .isDirectoryContaining("glob:**file")
        .isDirectoryNotContaining("glob:**pom.xml");
    assertThat(Cli.run("init", folder.resolve("Not Valid").toString()).exit()).isEqualTo(2);
  }

  @Test
  void aProjectWhoseNameIsAWordOfJavaCanBeBuilt() throws IOException {
    Path project = init("new");
    compile(project);
    assertThat(project.resolve("src/main/java/new_/NewModule.java")).exists();
  }

  @Test
  void whatIsNotAPackageIsRefused() throws IOException {
    Path text = Files.writeString(folder.resolve("text.jar"), "not a jar, but long enough for one");

    Cli check = Cli.run("package", "check", text.toString());
    assertThat(check.exit()).isEqualTo(1);
    assertThat(check.err()).contains("error: The file is not a jar in plain form");
    assertThat(server.run("package", "push", text.toString()).exit()).isEqualTo(1);
    assertThat(Cli.run("package", "check", "nowhere.jar").exit()).isEqualTo(2);
    assertThat(Cli.run("package", "build", folder.toString()).err()).contains("--as NAME@VERSION");
  }

  @Test
  void theBarShowsHowMuchIsSentAndThenDisappears() {
    StringWriter shown = new StringWriter();
    Progress progress = new Progress(new PrintWriter(shown), 200, true);

    progress.sent(50);
    assertThat(shown.toString()).contains("Sending [", "] 25 %");
    progress.sent(200);
    assertThat(shown.toString()).contains("Checking on the server");
    progress.end();
    assertThat(shown.toString()).endsWith(" \r");
  }
}
