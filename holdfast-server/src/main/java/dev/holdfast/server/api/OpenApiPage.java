package dev.holdfast.server.api;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** A page that shows the description of the API, without scripts. */
final class OpenApiPage {
  private static final String HEAD =
      """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>Holdfast API</title>
      <style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
      code{background:#eee;padding:.1em .3em}h2{margin-top:2.5rem;border-bottom:1px solid #ccc}
      .m{font-weight:bold;display:inline-block;width:4.5rem}dd{color:#444;margin-bottom:.6rem}</style>
      <h1>Holdfast API</h1>
      """;

  private final JsonNode document;

  OpenApiPage(String yaml) {
    this.document = new YAMLMapper().readTree(yaml);
  }

  String html() {
    StringBuilder page = new StringBuilder(HEAD);
    page.append("<p>")
        .append(escaped(document.at("/info/description").asString("")))
        .append("</p>");
    page.append("<p>As a file: <a href=\"openapi.yaml\"><code>openapi.yaml</code></a></p>");
    document
        .path("tags")
        .forEach(tag -> {
          String name = tag.path("name").asString("");
          page.append("<h2>").append(escaped(name)).append("</h2><p>");
          page.append(escaped(tag.path("description").asString(""))).append("</p><dl>");
          operations(name).forEach(page::append);
          page.append("</dl>");
        });
    return page.append("</html>\n").toString();
  }

  private List<String> operations(String tag) {
    List<String> lines = new ArrayList<>();
    document
        .path("paths")
        .forEachEntry((path, item) ->
            item.forEachEntry((method, operation) -> {
              if (operation.path("tags").path(0).asString("").equals(tag)) {
                lines.add(
                    "<dt><span class=\"m\">%s</span><code>%s</code></dt><dd>%s %s</dd>"
                        .formatted(
                            method.toUpperCase(java.util.Locale.ROOT),
                            escaped(path),
                            escaped(operation.path("summary").asString("")),
                            escaped(operation.path("description").asString(""))));
              }
            }));
    return lines;
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
