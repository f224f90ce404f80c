package dev.holdfast.cli.packages;

import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.connect.Upload;
import dev.holdfast.cli.print.Fields;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import dev.holdfast.packages.jar.InvalidPackageException;
import dev.holdfast.packages.jar.PackageCheck;
import dev.holdfast.packages.jar.PackageCheck.Checked;
import dev.holdfast.packages.jar.PackageId;
import dev.holdfast.packages.jar.PackageLimits;
import dev.holdfast.packages.jar.PackageSignature;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** Builds, checks, pushes and manages packages. */
@Command(
    name = "package",
    description = "Build and check packages of tasks and workflows, and push them to a server.",
    synopsisSubcommandLabel = "COMMAND",
    footer = "'holdfast init' creates a project.")
public final class PackageCommand extends Group {
  private static final String VERSION = "A version of a package, such as orders@1.2.0.";

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  @Command(
      name = "build",
      description = {
        "Build a package: one jar with the classes and libraries of a class path.",
        "Without a class path, builds the Maven project in the current folder."
      })
  int build(
      @Parameters(
              arity = "0..*",
              paramLabel = "PATH",
              description = "Folders of classes and jars, in the order of a class path.")
          @Nullable List<Path> paths,
      @Option(
              names = "--as",
              paramLabel = "NAME@VERSION",
              description = "The name and version. Defaults to those in pom.xml.")
          @Nullable String as,
      @Option(
              names = "--to",
              paramLabel = "FILE",
              description = "The jar to write. Defaults to target/NAME-VERSION.holdfast.jar.")
          @Nullable Path to,
      @Option(
              names = "--project",
              paramLabel = "FOLDER",
              defaultValue = ".",
              description = "The folder of the Maven project. Defaults to the current folder.")
          Path folder,
      @Option(
              names = "--no-maven",
              description =
                  "Do not run Maven: use what is in target/classes and target/dependency.")
          boolean noMaven)
      throws IOException, InterruptedException {
    List<Path> given = paths == null ? List.of() : paths;
    Project project = given.isEmpty() ? project(folder) : null;
    if (project == null && as == null) {
      throw wrongUse("Name the package with --as NAME@VERSION.");
    }
    PackageId id = id(as, project);
    if (project != null && !noMaven) {
      project.build();
    }
    Path jar = to != null ? to : jar(id, project);
    List<Path> classPath = project != null ? project.classPath() : given;
    try {
      Checked built = Builder.build(id, classPath, jar);
      out()
          .printf(
              "Package %s is built: %s (%d bytes, %d tasks, %d workflows, sha256:%s)%n",
              id,
              jar,
              built.size(),
              built.manifest().tasks().size(),
              built.manifest().workflows().size(),
              built.digest());
      out().flush();
      return 0;
    } catch (InvalidPackageException invalid) {
      return refused(invalid);
    }
  }

  private Project project(Path folder) throws IOException {
    if (!Project.isIn(folder)) {
      throw wrongUse(
          "There is no pom.xml in '%s': give the folder of a Maven project with --project, or the class path and --as NAME@VERSION."
              .formatted(folder));
    }
    return Project.read(folder);
  }

  private PackageId id(@Nullable String as, @Nullable Project project) {
    try {
      return as != null || project == null
          ? PackageId.parse(String.valueOf(as))
          : new PackageId(project.name(), project.version());
    } catch (IllegalArgumentException wrong) {
      throw wrongUse(String.valueOf(wrong.getMessage()));
    }
  }

  private static Path jar(PackageId id, @Nullable Project project) {
    return project != null
        ? project.jar()
        : Path.of("%s-%s.holdfast.jar".formatted(id.name(), id.version()));
  }

  private ParameterException wrongUse(String sentence) {
    return new ParameterException(spec.commandLine(), sentence);
  }

  private int refused(InvalidPackageException invalid) {
    PrintWriter err = spec.commandLine().getErr();
    invalid.problems().forEach(problem -> err.println("error: " + problem));
    err.flush();
    return ExitCode.FAILED.number();
  }

  @Command(
      name = "check",
      description = {
        "Check a package as a server does: its entries, its manifest, its workflows.",
        "Its code is loaded in a separate process."
      })
  int check(
      @Parameters(
              paramLabel = "JAR",
              description = "A jar that 'holdfast package build' has written.")
          Path jar,
      @Option(names = "--json", description = "Print JSON.") boolean json)
      throws IOException, InterruptedException {
    requireFile(jar);
    try {
      Checked checked = Builder.check(jar);
      if (json) {
        Json.print(fields(checked), out());
      } else {
        out()
            .printf(
                "Package %s is in order: %d tasks, %d workflows, sha256:%s%n",
                checked.manifest().id(),
                checked.manifest().tasks().size(),
                checked.manifest().workflows().size(),
                checked.digest());
        out().flush();
      }
      return 0;
    } catch (InvalidPackageException invalid) {
      return refused(invalid);
    }
  }

  private static Map<String, Object> fields(Checked checked) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", checked.manifest().id().name());
    fields.put("version", checked.manifest().id().version());
    fields.put("digest", checked.digest());
    fields.put("size", checked.size());
    fields.put("tasks", checked.manifest().tasks());
    fields.put("workflows", checked.manifest().workflows());
    return fields;
  }

  private void requireFile(Path jar) {
    if (!Files.isRegularFile(jar)) {
      throw wrongUse("'%s' does not exist: build it with 'holdfast package build'.".formatted(jar));
    }
  }

  @Command(name = "push", description = "Upload a package (server only).")
  int push(
      @Mixin Target target,
      @Parameters(
              arity = "0..1",
              paramLabel = "JAR",
              description = {
                "A jar that 'holdfast package build' has written.",
                "Defaults to that of the Maven project in the current folder."
              })
          @Nullable Path given,
      @Option(
              names = "--sign-key",
              paramLabel = "FILE",
              description = "Sign the package with the private Ed25519 key in this PEM file.")
          @Nullable Path signKey)
      throws IOException {
    Path jar = given != null ? given : project(Path.of(".")).jar();
    requireFile(jar);
    Checked checked;
    try {
      checked = new PackageCheck(PackageLimits.DEFAULT).check(jar);
    } catch (InvalidPackageException invalid) {
      return refused(invalid);
    }
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", "application/java-archive");
    headers.put("Content-Digest", "sha-256=:%s:".formatted(base64(hex(checked.digest()))));
    if (signKey != null) {
      byte[] signature = target.checked(() -> sign(checked.digest(), signKey));
      headers.put("Holdfast-Signature", base64(signature));
    }
    return target.onServer(session -> {
      Progress progress = new Progress(session.err(), checked.size());
      JsonNode stored =
          session.upload(new Upload(session.path("packages"), jar, headers, progress::sent));
      progress.end();
      return session.done(
          stored,
          "Package %s is stored%s. New jobs and runs of its tasks and workflows use %s."
              .formatted(
                  checked.manifest().id(),
                  signKey == null ? "" : ", signed by " + Value.text(stored, "signedBy"),
                  stored.path("newest").asBoolean() ? "it" : "a newer version"));
    });
  }

  private static byte[] sign(String digest, Path key) {
    try {
      return PackageSignature.sign(digest, PackageSignature.readKey(key));
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          "'%s' cannot be read: give the PEM file of a private key.".formatted(key), unreadable);
    }
  }

  private static byte[] hex(String digest) {
    return HexFormat.of().parseHex(digest);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  @Command(name = "list", description = "List versions of packages, newest first (server only).")
  int list(
      @Mixin Target target,
      @Mixin Paging paging,
      @Parameters(
              arity = "0..1",
              paramLabel = "NAME",
              description = "The name of a package. Defaults to all.")
          @Nullable String name) {
    return target.onServer(session ->
        session.list(
            session.get(session.path("packages") + paging.to(new Query().add("name", name))),
            "packages",
            Listing.of("packages")
                .column("package", PackageCommand::id)
                .column("newest", each -> each.path("newest").asBoolean() ? "yes" : "")
                .number("tasks", each -> String.valueOf(each.path("tasks").size()))
                .number("workflows", each -> String.valueOf(each.path("workflows").size()))
                .number("size")
                .column("digest", each -> Value.text(each, "digest").substring(0, 12))
                .column("signed by", each -> Value.text(each, "signedBy"))
                .time("uploaded", "uploadedAt")));
  }

  private static String id(JsonNode each) {
    return Value.text(each, "name") + "@" + Value.text(each, "version");
  }

  @Command(name = "show", description = "Show a version of a package (server only).")
  int show(
      @Mixin Target target,
      @Parameters(paramLabel = "NAME@VERSION", description = VERSION) String version) {
    PackageId id = target.checked(() -> PackageId.parse(version));
    return target.onServer(session -> {
      JsonNode stored = session.get(path(session, id));
      if (session.json()) {
        return session.done(stored, "");
      }
      Fields fields = new Fields(session.out(), 10);
      for (String field : List.of("name", "version", "newest", "digest", "size", "signedBy")) {
        fields.line(field, Value.orNull(stored, field));
      }
      fields.line("tasks", Value.joined(stored, "tasks"));
      fields.line("workflows", String.join(", ", stored.path("workflows").propertyNames()));
      fields.line("uploadedAt", Value.orNull(stored, "uploadedAt"));
      fields.line("uploadedBy", Value.orNull(stored, "uploadedBy"));
      session.out().flush();
      return 0;
    });
  }

  private static String path(Session session, PackageId id) {
    return session.path("packages", id.name(), "versions", id.version());
  }

  @Command(name = "delete", description = "Delete a version of a package (server only).")
  int delete(
      @Mixin Target target,
      @Parameters(paramLabel = "NAME@VERSION", description = VERSION) String version,
      @Option(
              names = "--force",
              description = "Also if live jobs or open runs need it; they then wait for it.")
          boolean force) {
    PackageId id = target.checked(() -> PackageId.parse(version));
    return target.onServer(session ->
        session.done(
            session.delete(path(session, id) + new Query().add("force", force ? "true" : null)),
            "Package %s is deleted.".formatted(id)));
  }
}
