package dev.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The site that {@code holdfast docs} serves, read as a browser reads it. */
class SiteTest {
  private static final Pattern LINK = Pattern.compile("\\]\\((?!http|#)([^)#]+)(#[^)]*)?\\)");

  /** A folder, and a page for those who change Holdfast. */
  private static final Set<String> NOT_SERVED =
      Set.of("deploy", "holdfast-checks/mutations/README.md");

  private static SiteServer server;
  private static HttpClient client;

  /** A page: its HTML as a tree, which exists only if it is well-formed. */
  private record Served(HttpResponse<String> response, Document tree) {
    List<String> attributes(String element, String name) {
      NodeList found = tree.getElementsByTagName(element);
      return IntStream.range(0, found.getLength())
          .mapToObj(i -> ((Element) found.item(i)).getAttribute(name))
          .filter(value -> !value.isEmpty())
          .toList();
    }
  }

  @BeforeAll
  static void start() throws IOException {
    server = SiteServer.start(Site.render(), 0);
    client = HttpClient.newHttpClient();
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  private static HttpResponse<String> request(String method, String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(server.url().resolve(path))
            .method(method, BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofString());
  }

  private static Served read(String path) throws Exception {
    HttpResponse<String> response = request("GET", path);
    assertThat(response.statusCode()).as(path).isEqualTo(200);
    return new Served(
        response,
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(response.body().getBytes(StandardCharsets.UTF_8))));
  }

  /** Follows all links from the first page. */
  private static Map<String, Served> allPages() throws Exception {
    Map<String, Served> pages = new LinkedHashMap<>();
    Queue<String> paths = new ArrayDeque<>(List.of("/"));
    for (String path = paths.poll(); path != null; path = paths.poll()) {
      if (!pages.containsKey(path)) {
        Served page = read(path);
        pages.put(path, page);
        page.attributes("a", "href").stream()
            .filter(link -> link.startsWith("/"))
            .map(link -> link.split("#", 2)[0])
            .forEach(paths::add);
      }
    }
    return pages;
  }

  private static Path checkout() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("docs/README.md")) ? here : here.getParent();
  }

  private static List<String> guides() throws IOException {
    try (Stream<Path> files = Files.list(checkout().resolve("docs"))) {
      return files.map(file -> "docs/" + file.getFileName()).sorted().toList();
    }
  }

  @Test
  void everyLinkAndAnchorLeadsSomewhere() throws Exception {
    Map<String, Served> pages = allPages();
    Map<String, Set<String>> anchors = new LinkedHashMap<>();
    pages.forEach((path, page) -> anchors.put(path, new HashSet<>(page.attributes("*", "id"))));
    List<String> broken = new ArrayList<>();
    pages.forEach((path, page) -> {
      for (String link : page.attributes("a", "href")) {
        String[] parts = link.split("#", 2);
        String target = parts[0].isEmpty() ? path : parts[0];
        boolean external = link.startsWith("https://") || link.startsWith("http://");
        if (!external
            && (!anchors.containsKey(target)
                || (parts.length > 1 && !anchors.get(target).contains(parts[1])))) {
          broken.add(path + " -> " + link);
        }
      }
    });
    assertThat(broken).isEmpty();
    assertThat(pages).hasSizeGreaterThan(guides().size() + 20);
  }

  @Test
  void everyGuideIsServedAndInTheNavigationOfEveryPage() throws Exception {
    List<String> paths = guides().stream().map(Checkout::pathOf).toList();
    assertThat(paths).hasSizeGreaterThan(25).contains("/", "/getting-started", "/troubleshooting");
    for (Served page : allPages().values()) {
      assertThat(page.attributes("a", "href")).containsAll(paths);
    }
  }

  @Test
  void everyFileThatAGuideLinksToIsInTheJar() throws IOException {
    List<String> missing = new ArrayList<>();
    for (String guide : guides()) {
      Matcher links = LINK.matcher(Files.readString(checkout().resolve(guide)));
      while (links.find()) {
        String file = Checkout.resolve(guide, links.group(1));
        if (!NOT_SERVED.contains(file) && Checkout.read(file).isEmpty()) {
          missing.add(guide + " -> " + file);
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void guidesAreThoseOfTheCheckout() throws IOException {
    for (String guide : guides()) {
      assertThat(Checkout.read(guide)).contains(Files.readString(checkout().resolve(guide)));
    }
  }

  @Test
  void pagesHaveNoScriptsAndTheBrowserRunsNone() throws Exception {
    for (Served page : allPages().values()) {
      assertThat(page.response().headers().firstValue("Content-Security-Policy"))
          .hasValueSatisfying(policy ->
              assertThat(policy)
                  .startsWith("default-src 'none'; style-src 'self'")
                  .doesNotContain("unsafe", "script-src"));
      assertThat(page.response().headers().firstValue("X-Content-Type-Options"))
          .contains("nosniff");
      assertThat(page.tree().getElementsByTagName("script").getLength()).isZero();
      assertThat(page.attributes("*", "style")).isEmpty();
      assertThat(page.attributes("*", "onclick")).isEmpty();
    }
  }

  @Test
  void htmlInMarkdownIsShownAsText() {
    Page page =
        Markdown.render(
            "docs/x.md", "# A < b\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))\n");

    assertThat(page.body())
        .contains("&lt;script&gt;")
        .doesNotContain("<script", "javascript:")
        .contains("<h1 id=\"a--b\">A &lt; b</h1>");
  }

  @Test
  void linksToFilesThatAreNotServedAreText() {
    Page page = Markdown.render("docs/x.md", "See [the *build*](../pom.xml) and [it](cli.md#x).");

    assertThat(page.body())
        .contains("See the <em>build</em> and <a rel=\"nofollow\" href=\"/cli#x\">it</a>.")
        .doesNotContain("pom.xml");
    assertThat(page.links()).containsExactly("docs/cli.md");
  }

  @Test
  void cellsNameTheirColumnsForNarrowWindows() {
    Page page = Markdown.render("docs/x.md", "| a | `b` |\n|---|---|\n| 1 | 2 |\n");

    assertThat(page.body())
        .contains("<td data-column=\"a\">1</td>", "<td data-column=\"b\">2</td>");
  }

  @Test
  void filesThatAreNotMarkdownAreShownAsTheyAre() throws Exception {
    Served example = read("/files/examples/src/main/java/dev/holdfast/examples/HelloJob.java");

    assertThat(example.response().body())
        .contains("<title>HelloJob.java · Holdfast</title>", "TaskType&lt;Greeting, String&gt;");
  }

  @Test
  void theStylesheetIsServed() throws Exception {
    HttpResponse<String> style = request("GET", Site.STYLE);

    assertThat(style.headers().firstValue("Content-Type")).contains("text/css; charset=utf-8");
    assertThat(style.body()).contains("prefers-color-scheme: dark");
  }

  @Test
  void otherPathsAndMethodsAreRefused() throws Exception {
    for (String path :
        List.of("/nothing", "/files/pom.xml", "/files/../README.md", "/docs/cli.md")) {
      HttpResponse<String> missing = request("GET", path);
      assertThat(missing.statusCode()).as(path).isEqualTo(404);
      assertThat(missing.body()).contains("No such page", "href=\"/cli\"");
    }
    assertThat(request("POST", "/").statusCode()).isEqualTo(405);
    assertThat(request("HEAD", "/").statusCode()).isEqualTo(200);
    assertThat(request("HEAD", "/").body()).isEmpty();
  }

  @Test
  void itListensOnTheLoopbackAddressOnly() throws Exception {
    assertThat(InetAddress.getByName(server.url().getHost()).isLoopbackAddress()).isTrue();
  }

  @Test
  void theCommandPrintsItsUrlAndEndsWithASignal() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.holdfast.cli.Main",
                "docs",
                "--port=0")
            .redirectErrorStream(true)
            .start();
    try (BufferedReader out = process.inputReader()) {
      String line = out.readLine();
      assertThat(line).startsWith("The guides are at http://127.0.0.1:");
      assertThat(out.readLine()).isEqualTo("Press Ctrl-C to stop.");
      URI url = URI.create(line.substring(line.indexOf("http")));
      HttpResponse<String> first =
          client.send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString());
      assertThat(first.body()).contains("<h1 id=\"holdfast-guides\">");
      process.destroy();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void aPortThatIsTakenOrInvalidIsReported() {
    Cli taken = Cli.run("docs", "--port=" + server.url().getPort());
    assertThat(taken.exit()).isEqualTo(2);
    assertThat(taken.err())
        .contains("Port " + server.url().getPort() + " cannot be used")
        .contains("give another one, or 0 for any free one");
    Cli invalid = Cli.run("docs", "--port=70000");
    assertThat(invalid.exit()).isEqualTo(2);
    assertThat(invalid.err()).contains("Port 70000 is not valid: give 0 to 65535.");
  }
}
