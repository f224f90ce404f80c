package dev.holdfast.server.testing;

import dev.holdfast.packages.jar.PackageCheck;
import dev.holdfast.packages.jar.PackageContents;
import dev.holdfast.packages.jar.PackageId;
import dev.holdfast.packages.jar.PackageLimits;
import dev.holdfast.packages.jar.PackageWriter;
import dev.holdfast.packages.load.DryLoad;
import dev.holdfast.tck.program.UserJar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;

/** A package of a user: compiled, packed and pushed. */
public final class TestPackage {
  private final Path folder;
  private final String name;
  private int builds;
  private PackageCheck.Checked checked;
  private Path jar;

  public TestPackage(Path folder, String name) {
    this.folder = folder;
    this.name = name;
  }

  /**
   * Builds a version with a task that returns a text, and a workflow that calls the task, waits for
   * a signal, and calls the task again.
   */
  public TestPackage version(String version, String text) throws Exception {
    return version(
        version,
        "",
        """
        binder.handle(SAY, (input, context) -> "%s");
        binder.workflow(TALK);
        """
            .formatted(text));
  }

  /** Builds a version with other code. */
  public TestPackage version(String version, String members, String configure) throws Exception {
    Path own = folder.resolve(name + builds++);
    Path classes =
        new UserJar(own)
            .module(
                "Stock",
                """
                static final TaskType<String, String> SAY =
                    TaskType.of("%1$s::say", String.class, String.class);
                static final Workflow<String, String> TALK =
                    Workflow.defineWithResult("%1$s::talk", String.class, flow -> {
                      Step<String> first = flow.step("first", SAY, flow.input());
                      return flow.step("second", SAY,
                          flow.awaitSignal("go", "go", String.class).after(first));
                    });
                """
                        .formatted(name)
                    + members,
                configure)
            .classes();
    jar = own.resolve("package.jar");
    try (PackageWriter writer = new PackageWriter().add(classes)) {
      writer.writePlain(jar);
      PackageContents contents = new DryLoad(DryLoad.Settings.DEFAULT).load(jar);
      checked = writer.write(jar, new PackageId(name, version), contents, PackageLimits.DEFAULT);
    }
    return this;
  }

  public String digest() {
    return checked.digest();
  }

  public Path jar() {
    return jar;
  }

  /** Pushes the version that was built last to tenant default. */
  public Reply push(ApiClient tenant) throws IOException {
    return push(tenant, "default", jar);
  }

  /** Pushes any file. */
  public static Reply push(ApiClient client, String tenant, Path jar) throws IOException {
    String digest =
        Base64.getEncoder().encodeToString(HexFormat.of().parseHex(PackageCheck.digest(jar)));
    return client
        .header("Content-Type", "application/java-archive")
        .header("Content-Digest", "sha-256=:%s:".formatted(digest))
        .sendFile("POST", "/v1/tenants/%s/packages".formatted(tenant), jar);
  }
}
