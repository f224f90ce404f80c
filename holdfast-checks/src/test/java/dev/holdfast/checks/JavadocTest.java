package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** What the Javadoc of the public API must say. */
class JavadocTest {
  private static final Path API =
      Checkout.root().resolve("holdfast-api/src/main/java/dev/holdfast/api");
  private static final Pattern LINK =
      Pattern.compile("\\{@link\\s+(?:\\*\\s+)?(dev\\.holdfast\\.[\\w.]+)");
  private static final Pattern DEFAULT = Pattern.compile("Defaults\\s+to|Required");

  @Test
  void everySettingOfABuilderStatesItsDefault() throws IOException {
    Settings settings = settings();

    assertThat(settings.found).as("settings of builders").hasSizeGreaterThan(100);
    assertThat(settings.withoutDefault)
        .as("settings whose Javadoc says neither 'Defaults to' nor 'Required'")
        .isEmpty();
  }

  @Test
  void theApiListsItsPackages() throws IOException {
    String overview = Files.readString(API.resolve("package-info.java"));
    try (Stream<Path> packages = Files.list(API).filter(Files::isDirectory)) {
      assertThat(packages.map(folder -> folder.getFileName().toString()))
          .allSatisfy(name ->
              assertThat(overview).contains("<li>{@link dev.holdfast.api.%s}:".formatted(name)));
    }
  }

  @Test
  void everyClassLinkedFromADescriptionOfAPackageExists() throws IOException {
    List<String> sources =
        Checkout.filesEndingWith(".java").stream()
            .map(source -> source.toString().replace('/', '.'))
            .toList();
    List<String> missing = new ArrayList<>();
    int found = 0;
    for (Path description : Checkout.filesEndingWith("package-info.java")) {
      for (MatchResult link : LINK.matcher(Files.readString(description)).results().toList()) {
        found++;
        String target = link.group(1);
        if (sources.stream()
            .noneMatch(source ->
                source.endsWith(".java.%s.java".formatted(target))
                    || source.endsWith(".java.%s.package-info.java".formatted(target)))) {
          missing.add("%s links %s".formatted(Checkout.root().relativize(description), target));
        }
      }
    }
    assertThat(found).as("links").isGreaterThan(50);
    assertThat(missing).isEmpty();
  }

  private static Settings settings() throws IOException {
    List<Path> sources =
        Checkout.filesEndingWith(".java").stream()
            .filter(source -> source.toString().contains("/src/main/java/"))
            .toList();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources));
      Settings settings = new Settings(DocTrees.instance(task));
      for (CompilationUnitTree unit : task.parse()) {
        settings.scan(unit, null);
      }
      return settings;
    }
  }

  /** The public methods of public builders that return their builder. */
  private static final class Settings extends TreePathScanner<Void, Void> {
    private final DocTrees docs;
    private final List<String> found = new ArrayList<>();
    private final List<String> withoutDefault = new ArrayList<>();

    Settings(DocTrees docs) {
      this.docs = docs;
    }

    @Override
    public Void visitMethod(MethodTree method, Void nothing) {
      TreePath path = getCurrentPath();
      if (path.getParentPath().getLeaf() instanceof ClassTree builder
          && builder.getSimpleName().toString().endsWith("Builder")
          && isPublic(builder, method)
          && returns(method, builder)) {
        Path source = Path.of(path.getCompilationUnit().getSourceFile().toUri());
        String name = "%s#%s".formatted(source.getFileName(), method.getName());
        found.add(name);
        String comment = docs.getDocComment(path);
        if (comment == null || !DEFAULT.matcher(comment).find()) {
          withoutDefault.add(name);
        }
      }
      return super.visitMethod(method, null);
    }

    private static boolean isPublic(ClassTree builder, MethodTree method) {
      return builder.getModifiers().getFlags().contains(Modifier.PUBLIC)
          && method.getModifiers().getFlags().contains(Modifier.PUBLIC)
          && !method.getModifiers().getFlags().contains(Modifier.STATIC);
    }

    private static boolean returns(MethodTree method, ClassTree builder) {
      Tree type = method.getReturnType();
      return type != null && type.toString().equals(builder.getSimpleName().toString());
    }
  }
}
