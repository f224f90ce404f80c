package dev.holdfast.server.packages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.packages.jar.PackageSignature;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestPackage;
import dev.holdfast.server.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packages that are uploaded, listed and deleted. */
class PackageUploadTest {
  private static final String PACKAGES = "/v1/tenants/default/packages";

  @TempDir private static Path folder;
  private static TestServer server;
  private static ApiClient tenant;

  @BeforeAll
  static void start() {
    server = new TestServer();
    tenant = server.tenant();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static TestPackage named(String name) {
    return new TestPackage(folder, name);
  }

  private static long stored(String name) {
    return tenant.get(PACKAGES + "?name=" + name).expect(200).json().path("packages").size();
  }

  @Test
  void aPackageIsStoredOnceAndAVersionCannotBeReplaced() throws Exception {
    TestPackage once = named("once").version("1.0", "one");

    Reply first = once.push(tenant).expect(201);
    assertThat(first.text("digest")).isEqualTo(once.digest());
    assertThat(first.json().path("tasks").path(0).asString()).isEqualTo("once::say");
    assertThat(first.json().path("workflows").has("once::talk")).isTrue();
    once.push(tenant).expect(200);
    assertThat(stored("once")).isEqualTo(1);

    once.version("1.0", "two").push(tenant).expect(409, "PACKAGE_EXISTS");
    assertThat(tenant.get(PACKAGES + "/once/versions/1.0").text("digest"))
        .isEqualTo(first.text("digest"));
    once.version("1.1", "two").push(tenant).expect(201);
    assertThat(tenant.get(PACKAGES + "/once/versions/1.0").json().path("newest").asBoolean())
        .isFalse();
    assertThat(tenant.get(PACKAGES + "/once/versions/1.1").json().path("newest").asBoolean())
        .isTrue();
  }

  @Test
  void theBytesThatAreStoredAreThoseThatWereSent() throws Exception {
    TestPackage bytes = named("bytes").version("1.0", "one");
    bytes.push(tenant).expect(201);

    byte[] read;
    try (var connection = server.database().connect();
        var statement = connection.createStatement();
        var row =
            statement.executeQuery(
                """
                select string_agg(content, '' order by number)
                from holdfast_control.package_part q join holdfast_control.package p on p.id = q.package
                where p.name = 'bytes'
                """)) {
      assertThat(row.next()).isTrue();
      read = row.getBytes(1);
    }
    assertThat(read).isEqualTo(Files.readAllBytes(bytes.jar()));
  }

  @Test
  void uploadsOfOneVersionAtTheSameTimeStoreItOnce() throws Exception {
    TestPackage same = named("same").version("1.0", "one");

    List<CompletableFuture<Integer>> replies =
        IntStream.range(0, 3)
            .mapToObj(i ->
                CompletableFuture.supplyAsync(() -> {
                  try {
                    return same.push(tenant).status();
                  } catch (IOException failure) {
                    throw new UncheckedIOException(failure);
                  }
                }))
            .toList();

    assertThat(replies.stream().map(CompletableFuture::join))
        .containsExactlyInAnyOrder(201, 200, 200);
    assertThat(stored("same")).isEqualTo(1);
  }

  @Test
  void nothingIsStoredOfABodyThatIsNotAPackage() throws Exception {
    Path text = Files.writeString(folder.resolve("text"), "This is not a jar at all, is it?");
    TestPackage.push(tenant, "default", text).expect(422, "PACKAGE_INVALID");

    Path plain = folder.resolve("plain.jar");
    Files.write(plain, Files.readAllBytes(named("broken").version("1.0", "x").jar()));
    byte[] bytes = Files.readAllBytes(plain);
    bytes[bytes.length / 2] ^= 1;
    Files.write(plain, bytes);
    TestPackage.push(tenant, "default", plain).expect(422, "PACKAGE_INVALID");
    assertThat(stored("broken")).isZero();
  }

  @Test
  void aBodyWithoutItsDigestIsRefused() throws Exception {
    Path jar = named("digest").version("1.0", "one").jar();
    ApiClient typed = tenant.header("Content-Type", "application/java-archive");

    typed.sendFile("POST", PACKAGES, jar).expect(400, "INVALID_REQUEST");
    typed
        .header("Content-Digest", "sha-256=:%s=:".formatted("A".repeat(43)))
        .sendFile("POST", PACKAGES, jar)
        .expect(422, "DIGEST_MISMATCH");
    tenant.post(PACKAGES, "{}").expect(415, "UNSUPPORTED_MEDIA_TYPE");
    assertThat(stored("digest")).isZero();
  }

  @Test
  void aPackageThatBehavesOtherwiseOnTheServerIsRefused() throws Exception {
    // The file exists while the package is built here, and not when the server loads it.
    Path built = Files.writeString(Path.of("/tmp/holdfast-built-" + System.nanoTime()), "");
    TestPackage changes;
    try {
      changes =
          named("changes")
              .version(
                  "1.0",
                  "",
                  """
                  binder.handle(SAY, (input, context) -> "one");
                  if (java.nio.file.Files.exists(java.nio.file.Path.of("%s"))) binder.workflow(TALK);
                  else System.exit(0);
                  """
                      .formatted(built));
    } finally {
      Files.delete(built);
    }

    Reply reply = changes.push(tenant).expect(422, "PACKAGE_INVALID");
    assertThat(reply.text("detail")).contains("System.exit");
    assertThat(stored("changes")).isZero();
  }

  @Test
  void aTaskBelongsToOnePackage() throws Exception {
    named("first").version("1.0", "one").push(tenant).expect(201);

    named("second")
        .version(
            "1.0",
            "",
            """
            binder.handle(TaskType.of("first::say", String.class, String.class), (input, context) -> "");
            binder.handle(SAY, (input, context) -> "");
            binder.workflow(TALK);
            """)
        .push(tenant)
        .expect(409, "PACKAGE_CONFLICT");
    assertThat(stored("second")).isZero();
    tenant.get("/v1/tenants/default/workflows/second::talk").expect(404);
    tenant.get("/v1/tenants/default/workflows/first::talk").expect(200);
  }

  @Test
  void uploadingNeedsPermissionForTheTasksOfThePackage() throws Exception {
    TestPackage guarded = named("guarded").version("1.0", "one");

    guarded
        .push(server.newKey("{\"name\":\"viewer\",\"preset\":\"viewer\"}"))
        .expect(403, "FORBIDDEN");
    guarded
        .push(
            server.newKey("{\"name\":\"other\",\"preset\":\"developer\",\"tasks\":[\"other::*\"]}"))
        .expect(403, "FORBIDDEN");
    assertThat(stored("guarded")).isZero();
    guarded
        .push(
            server.newKey("{\"name\":\"own\",\"preset\":\"developer\",\"tasks\":[\"guarded::*\"]}"))
        .expect(201);
  }

  @Test
  void anotherTenantSeesNothing() throws Exception {
    TestPackage mine = named("mine").version("1.0", "one");
    mine.push(tenant).expect(201);
    ApiClient other = server.newTenant("other");

    assertThat(other.get("/v1/tenants/other/packages").json().path("packages").size()).isZero();
    other.get("/v1/tenants/other/packages/mine/versions/1.0").expect(404, "PACKAGE_NOT_FOUND");
    TestPackage.push(other, "other", mine.jar()).expect(201);
    other.delete("/v1/tenants/other/packages/mine/versions/1.0").expect(204);
    assertThat(stored("mine")).isEqualTo(1);
  }

  @Test
  void aTenantCanRequireSignatures() throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    KeyPair stranger = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    ApiClient signing = server.newTenant("signing");
    String settings = "/v1/tenants/signing/settings";
    signing
        .send("PATCH", settings, "{\"packages\":{\"requireSignature\":true}}")
        .expect(400, "INVALID_REQUEST");
    signing
        .send("PATCH", settings, "{\"packages\":{\"trustedKeys\":{\"ci\":\"AAAA\"}}}")
        .expect(400, "INVALID_REQUEST");
    signing
        .send(
            "PATCH",
            settings,
            "{\"packages\":{\"requireSignature\":true,\"trustedKeys\":{\"ci\":\"%s\"}}}"
                .formatted(Base64.getEncoder().encodeToString(pair.getPublic().getEncoded())))
        .expect(200);
    TestPackage sealed = named("sealed").version("1.0", "one");

    TestPackage.push(signing, "signing", sealed.jar()).expect(422, "SIGNATURE_REQUIRED");
    pushSigned(signing, sealed, sealed.digest(), stranger).expect(422, "SIGNATURE_INVALID");
    pushSigned(signing, sealed, "00".repeat(32), pair).expect(422, "SIGNATURE_INVALID");
    assertThat(signing.get("/v1/tenants/signing/packages").json().path("packages").size()).isZero();
    assertThat(pushSigned(signing, sealed, sealed.digest(), pair).expect(201).text("signedBy"))
        .isEqualTo("ci");
  }

  private static Reply pushSigned(ApiClient client, TestPackage sealed, String digest, KeyPair key)
      throws Exception {
    String signature =
        Base64.getEncoder().encodeToString(PackageSignature.sign(digest, key.getPrivate()));
    return TestPackage.push(
        client.header("Holdfast-Signature", signature), "signing", sealed.jar());
  }
}
