package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.READ;
import static dev.holdfast.server.http.Permission.UPLOAD;

import dev.holdfast.packages.jar.PackageCheck;
import dev.holdfast.packages.jar.PackageCheck.Checked;
import dev.holdfast.packages.jar.PackageId;
import dev.holdfast.packages.jar.PackageLimits;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.packages.PackageException;
import dev.holdfast.server.packages.PackageStore;
import dev.holdfast.server.packages.PackageUploads;
import dev.holdfast.server.packages.StoredPackage;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Packages: jars of tasks and workflows. */
final class PackageRoutes {
  private static final String PACKAGES = "/v1/tenants/{tenant}/packages";
  private static final String VERSION = PACKAGES + "/{package}/versions/{version}";
  private static final Pattern DIGEST = Pattern.compile("(?i:sha-256)=:([A-Za-z0-9+/]{43}=):");
  private static final int PIECE = 64 * 1024;

  private final PackageStore store;
  private final PackageUploads uploads;
  private final PackageLimits limits;
  private final Paging paging;

  PackageRoutes(Services services) {
    this.store = services.packages().store();
    this.uploads = services.packages().uploads();
    this.limits = services.packages().limits();
    this.paging = new Paging(services.cursors());
  }

  List<Route> routes() {
    return List.of(
        Route.get(PACKAGES, READ, this::list),
        Route.uploading(PACKAGES, UPLOAD, this::upload),
        Route.get(VERSION, READ, this::read),
        Route.of(Method.DELETE, VERSION, UPLOAD, this::delete));
  }

  private Response list(Call call) {
    String name = call.query().text("name");
    return paging.page(
        call,
        new Paging.Listed<Long, StoredPackage>(
            "packages",
            Long::valueOf,
            stored -> String.valueOf(stored.number()),
            PackageRoutes::view),
        (before, limit) -> store.list(call.tenant().tenant().id(), name, before, limit));
  }

  private static ObjectNode view(StoredPackage stored) {
    JsonText.Obj workflows = JsonText.object();
    stored.workflows().forEach(workflows::put);
    return JsonText.object()
        .put("name", stored.id().name())
        .put("version", stored.id().version())
        .put("newest", stored.newest())
        .put("digest", stored.digest())
        .put("size", Math.toIntExact(stored.size()))
        .set("tasks", JsonText.texts(stored.tasks()))
        .set("workflows", workflows.done())
        .put("signedBy", stored.signedBy())
        .put("uploadedAt", stored.uploadedAt())
        .put("uploadedBy", stored.uploadedBy())
        .done();
  }

  private Response upload(Call call) {
    requireJar(call);
    String digest = digest(call);
    String signature = signature(call);
    Path jar = null;
    try {
      jar = Files.createTempFile("holdfast-upload", ".jar");
      receive(call, jar);
      if (!PackageCheck.digest(jar).equals(digest)) {
        throw Code.DIGEST_MISMATCH.because(
            "The SHA-256 of the body is not the one in Content-Digest: send it again.");
      }
      PackageUploads.Uploaded uploaded =
          uploads.accept(
              call.tenant().tenant(),
              new PackageUploads.Upload(jar, signature, checked -> requirePermitted(call, checked)),
              graphs -> call.tenant().store().runs().definitions().register(graphs),
              call.actor());
      return Response.created(uploaded.created(), view(uploaded.stored()));
    } catch (PackageException refused) {
      throw problem(refused);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } finally {
      deleteFile(jar);
    }
  }

  private static void requireJar(Call call) {
    String type = String.valueOf(call.header("Content-Type")).toLowerCase(Locale.ROOT);
    if (!type.startsWith("application/java-archive")) {
      throw Code.UNSUPPORTED_MEDIA_TYPE.because("Send the jar as application/java-archive.");
    }
  }

  private static String digest(Call call) {
    String header = call.header("Content-Digest");
    Matcher digest = DIGEST.matcher(header == null ? "" : header.strip());
    if (!digest.matches()) {
      throw Code.INVALID_REQUEST.because(
          "Send the SHA-256 of the jar as 'Content-Digest: sha-256=:BASE64:'.");
    }
    return HexFormat.of().formatHex(Base64.getDecoder().decode(digest.group(1)));
  }

  private static @Nullable String signature(Call call) {
    String header = call.header("Holdfast-Signature");
    if (header == null) {
      return null;
    }
    String text = header.strip();
    try {
      byte[] unused = Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException notBase64) {
      throw Code.INVALID_REQUEST.because(
          "Send the signature of the jar as 'Holdfast-Signature: BASE64'.");
    }
    return text;
  }

  private void receive(Call call, Path jar) throws IOException {
    long size = 0;
    byte[] piece = new byte[PIECE];
    try (OutputStream out = Files.newOutputStream(jar)) {
      InputStream in = call.upload();
      for (int length = received(in, piece); length >= 0; length = received(in, piece)) {
        size += length;
        if (size > limits.jarBytes()) {
          throw Code.PAYLOAD_TOO_LARGE.because(
              "The jar has more than %d bytes: remove libraries that it does not need.",
              limits.jarBytes());
        }
        out.write(piece, 0, length);
      }
    }
  }

  private static int received(InputStream in, byte[] piece) {
    try {
      return in.read(piece);
    } catch (IOException broken) {
      throw Code.MALFORMED_REQUEST.because("The body could not be read to its end.");
    }
  }

  private static void requirePermitted(Call call, Checked checked) {
    checked.manifest().tasks().forEach(task -> Patterns.requireTask(call, task));
    checked
        .manifest()
        .workflows()
        .keySet()
        .forEach(workflow -> Patterns.requireWorkflow(call, workflow));
  }

  private static void deleteFile(@Nullable Path jar) {
    try {
      if (jar != null) {
        Files.deleteIfExists(jar);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static RuntimeException problem(PackageException refused) {
    Code code =
        switch (refused.reason()) {
          case EXISTS -> Code.PACKAGE_EXISTS;
          case CONFLICT -> Code.PACKAGE_CONFLICT;
          case IN_USE -> Code.PACKAGE_IN_USE;
          case NOT_SIGNED -> Code.SIGNATURE_REQUIRED;
          case WRONG_SIGNATURE -> Code.SIGNATURE_INVALID;
          case BUSY -> Code.UPLOADS_BUSY;
          case NO_TENANT -> Code.TENANT_NOT_FOUND;
        };
    // The message may contain a percent sign.
    return code.because("%s", String.valueOf(refused.getMessage()));
  }

  private static PackageId id(Call call) {
    try {
      return new PackageId(call.path("package"), call.path("version"));
    } catch (IllegalArgumentException notAName) {
      throw notFound(call);
    }
  }

  private static RuntimeException notFound(Call call) {
    return Code.PACKAGE_NOT_FOUND.because(
        "Package '%s@%s' does not exist here.", call.path("package"), call.path("version"));
  }

  private Response read(Call call) {
    call.query().done();
    return Response.ok(
        store
            .find(call.tenant().tenant().id(), id(call))
            .map(PackageRoutes::view)
            .orElseThrow(() -> notFound(call)));
  }

  private Response delete(Call call) {
    boolean force = call.query().truth("force");
    call.query().done();
    PackageId id = id(call);
    StoredPackage stored =
        store.find(call.tenant().tenant().id(), id).orElseThrow(() -> notFound(call));
    stored.tasks().forEach(task -> Patterns.requireTask(call, task));
    stored.workflows().keySet().forEach(workflow -> Patterns.requireWorkflow(call, workflow));
    try {
      if (!uploads.delete(call.tenant().tenant(), id, force, call.actor())) {
        throw notFound(call);
      }
    } catch (PackageException refused) {
      throw problem(refused);
    }
    return new Response.Nothing();
  }
}
