package dev.holdfast.cli.packages;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.packages.jar.PackageId;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Creates a project. */
@Command(
    name = "init",
    description = "Create a Maven project with a task, a workflow and a test.",
    footer = "'holdfast package build' builds it, 'holdfast package push' uploads it.")
public final class InitCommand implements Callable<Integer> {
  private static final Set<String> RESERVED =
      Set.of(
          "abstract",
          "assert",
          "boolean",
          "break",
          "byte",
          "case",
          "catch",
          "char",
          "class",
          "const",
          "continue",
          "default",
          "do",
          "double",
          "else",
          "enum",
          "extends",
          "final",
          "finally",
          "float",
          "for",
          "goto",
          "if",
          "implements",
          "import",
          "instanceof",
          "int",
          "interface",
          "java",
          "long",
          "native",
          "new",
          "package",
          "private",
          "protected",
          "public",
          "return",
          "short",
          "static",
          "strictfp",
          "super",
          "switch",
          "synchronized",
          "this",
          "throw",
          "throws",
          "transient",
          "try",
          "void",
          "volatile",
          "while",
          "true",
          "false",
          "null",
          "jdk",
          "sun");

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Parameters(paramLabel = "FOLDER", description = "The folder to create.")
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "The name of the package. Defaults to that of the folder.")
  private @Nullable String name;

  @Override
  public Integer call() throws IOException {
    String chosen = name();
    if (Files.exists(folder) && !isEmpty(folder)) {
      throw new HoldfastException(
          "Folder '%s' is not empty: name one that does not exist.".formatted(folder));
    }
    for (Map.Entry<String, String> file : files(chosen).entrySet()) {
      Path path = folder.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "Project '%s' is created in %s. Next:%n  cd %s%n  holdfast package build%n  holdfast"
            + " package push%n",
        chosen, folder, folder);
    out.flush();
    return 0;
  }

  private String name() {
    String given = name != null ? name : String.valueOf(folder.toAbsolutePath().getFileName());
    try {
      return PackageId.checkName(given);
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(
          spec.commandLine(), wrong.getMessage() + " Set it with --name.", wrong);
    }
  }

  private static boolean isEmpty(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (var files = Files.newDirectoryStream(folder)) {
      return !files.iterator().hasNext();
    }
  }

  private static Map<String, String> files(String name) throws IOException {
    String word = name.replace("-", "");
    String javaPackage = RESERVED.contains(word) ? word + "_" : word;
    String className = Character.toUpperCase(word.charAt(0)) + word.substring(1);
    Map<String, String> values =
        Map.of(
            "@name@", name,
            "@package@", javaPackage,
            "@class@", className,
            "@version@", version());
    String main = "src/main/java/%s/%sModule.java".formatted(javaPackage, className);
    String test = "src/test/java/%s/%sModuleTest.java".formatted(javaPackage, className);
    Map<String, String> files = new LinkedHashMap<>();
    files.put("pom.xml", filled("pom.xml", values));
    files.put("README.md", filled("README.md", values));
    files.put(".gitignore", "target/\n");
    files.put(main, filled("Module.java", values));
    files.put(test, filled("ModuleTest.java", values));
    files.put(
        "src/main/resources/META-INF/services/" + TaskModule.class.getName(),
        "%s.%sModule%n".formatted(javaPackage, className));
    return files;
  }

  private static String filled(String template, Map<String, String> values) throws IOException {
    String text = resource(template + ".template");
    for (Map.Entry<String, String> value : values.entrySet()) {
      text = text.replace(value.getKey(), value.getValue());
    }
    return text;
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = InitCommand.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("The resource " + name + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** The API of the version that this command belongs to. */
  private static String version() throws IOException {
    Properties properties = new Properties();
    try (InputStream in =
        InitCommand.class.getResourceAsStream(
            "/META-INF/maven/dev.holdfast/holdfast-cli/pom.properties")) {
      if (in != null) {
        properties.load(in);
      }
    }
    return properties.getProperty("version", "0.1.0-SNAPSHOT");
  }
}
