package dev.holdfast.cli.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/** All pages, rendered. */
final class Site {
  /** The path of the stylesheet. */
  static final String STYLE = "/style.css";

  private final Map<String, Content> contents = new LinkedHashMap<>();
  private final Content missing;

  /** What a path returns. */
  record Content(String type, String text) {
    private static Content html(String text) {
      return new Content("text/html; charset=utf-8", text);
    }
  }

  private Site(Template template) {
    this.missing = Content.html(template.missing());
  }

  /**
   * Renders the index and all files that can be reached from it by links.
   *
   * @throws IllegalStateException if the jar has no guides
   */
  static Site render() throws IOException {
    String index =
        Checkout.read(Checkout.INDEX)
            .orElseThrow(() ->
                new IllegalStateException(
                    "This jar was built without the guides: build it with Maven."));
    Template template = new Template(Navigation.of(index));
    Site site = new Site(template);
    Queue<String> files = new ArrayDeque<>();
    files.add(Checkout.INDEX);
    for (String file = files.poll(); file != null; file = files.poll()) {
      if (site.contents.containsKey(Checkout.pathOf(file))) {
        continue;
      }
      Page page = page(file);
      site.contents.put(page.path(), Content.html(template.fill(page)));
      files.addAll(page.links());
    }
    try (InputStream style = Site.class.getResourceAsStream("style.css")) {
      site.contents.put(
          STYLE,
          new Content(
              "text/css; charset=utf-8",
              style == null ? "" : new String(style.readAllBytes(), UTF_8)));
    }
    return site;
  }

  private static Page page(String file) {
    String text = Checkout.read(file).orElseThrow();
    return file.endsWith(".md") ? Markdown.render(file, text) : Markdown.source(file, text);
  }

  Optional<Content> at(String path) {
    return Optional.ofNullable(contents.get(path));
  }

  /** Returns the page for a path that does not exist. */
  Content missing() {
    return missing;
  }
}
