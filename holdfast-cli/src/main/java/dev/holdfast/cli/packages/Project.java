package dev.holdfast.cli.packages;

import dev.holdfast.api.HoldfastException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * A Maven project in the current folder or another one.
 *
 * @param name the artifactId in its pom.xml
 * @param version the version in its pom.xml
 */
record Project(Path folder, String name, String version) {

  static boolean isIn(Path folder) {
    return Files.isRegularFile(folder.resolve("pom.xml"));
  }

  static Project read(Path folder) throws IOException {
    Path pom = folder.resolve("pom.xml");
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      DocumentBuilder builder = factory.newDocumentBuilder();
      builder.setErrorHandler(null);
      NodeList children = builder.parse(pom.toFile()).getDocumentElement().getChildNodes();
      return new Project(
          folder, child(children, "artifactId", pom), child(children, "version", pom));
    } catch (SAXException | ParserConfigurationException invalid) {
      throw new HoldfastException(
          "%s cannot be read: %s".formatted(pom, invalid.getMessage()), invalid);
    }
  }

  private static String child(NodeList children, String name, Path pom) {
    for (int i = 0; i < children.getLength(); i++) {
      Node child = children.item(i);
      if (name.equals(child.getNodeName())) {
        return child.getTextContent().strip();
      }
    }
    throw new HoldfastException(
        "%s has no <%s>: add it, or name the package with --as NAME@VERSION.".formatted(pom, name));
  }

  /** Builds it with Maven, whose output goes to that of this process. */
  void build() throws IOException, InterruptedException {
    List<String> command = List.of(maven(), "-q", "-B", "package");
    int exit;
    try {
      exit = new ProcessBuilder(command).directory(folder.toFile()).inheritIO().start().waitFor();
    } catch (IOException missing) {
      throw new HoldfastException(
          "Maven cannot be started (%s): install it, or build the project yourself and give the class path."
              .formatted(missing.getMessage()),
          missing);
    }
    if (exit != 0) {
      throw new HoldfastException("The build of the project failed: see the output of Maven.");
    }
  }

  private String maven() {
    Path wrapper = folder.resolve("mvnw").toAbsolutePath();
    return Files.isExecutable(wrapper) ? wrapper.toString() : "mvn";
  }

  /** Returns its classes and libraries, once it is built. */
  List<Path> classPath() throws IOException {
    Path classes = folder.resolve("target").resolve("classes");
    if (!Files.isDirectory(classes)) {
      throw new HoldfastException(
          "'%s' does not exist: build the project first, without --no-maven.".formatted(classes));
    }
    List<Path> path = new ArrayList<>(List.of(classes));
    Path libraries = folder.resolve("target").resolve("dependency");
    if (Files.isDirectory(libraries)) {
      List<Path> jars = new ArrayList<>();
      try (DirectoryStream<Path> found = Files.newDirectoryStream(libraries, "*.jar")) {
        found.forEach(jars::add);
      }
      jars.sort(null);
      path.addAll(jars);
    }
    return path;
  }

  /** Returns where its package is written. */
  Path jar() {
    return folder.resolve("target").resolve("%s-%s.holdfast.jar".formatted(name, version));
  }
}
