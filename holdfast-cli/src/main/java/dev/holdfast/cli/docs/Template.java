package dev.holdfast.cli.docs;

import dev.holdfast.cli.docs.Navigation.Entry;
import dev.holdfast.cli.docs.Navigation.Group;
import dev.holdfast.cli.docs.Page.Section;
import java.util.List;

/** The HTML around the text of a page. It has no scripts, and every page is well-formed XML. */
final class Template {
  private static final String HTML =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>%s</title>
      <link rel="stylesheet" href="%s" />
      </head>
      <body>
      <header><a class="home" href="/">Holdfast</a> <a class="jump" href="#pages">All pages</a></header>
      <div class="columns">
      <main>
      %s</main>
      <nav id="pages">
      %s</nav>
      </div>
      </body>
      </html>
      """;

  private final Navigation navigation;

  Template(Navigation navigation) {
    this.navigation = navigation;
  }

  /** Returns a page with the navigation. */
  String fill(Page page) {
    String title = page.file().equals(Checkout.INDEX) ? page.title() : page.title() + " · Holdfast";
    return HTML.formatted(escape(title), Site.STYLE, page.body(), navigationFor(page));
  }

  /** Returns the page for a path that does not exist. */
  String missing() {
    return fill(
        new Page(
            "missing",
            "No such page",
            "<h1>No such page</h1>\n<p>Choose one of the pages in the list.</p>\n",
            List.of(),
            List.of()));
  }

  private String navigationFor(Page page) {
    StringBuilder html = new StringBuilder();
    for (Group group : navigation.groups()) {
      html.append("<h2>%s</h2>\n<ul>\n".formatted(escape(group.title())));
      for (Entry entry : group.entries()) {
        boolean here = entry.file().equals(page.file());
        html.append(
            "<li><a href=\"%s\"%s>%s</a>%s</li>\n"
                .formatted(
                    Checkout.pathOf(entry.file()),
                    here ? " aria-current=\"page\"" : "",
                    escape(entry.title()),
                    here ? sections(page.sections()) : ""));
      }
      html.append("</ul>\n");
    }
    return html.toString();
  }

  private static String sections(List<Section> sections) {
    if (sections.isEmpty()) {
      return "";
    }
    StringBuilder html = new StringBuilder("\n<ul>\n");
    for (Section section : sections) {
      html.append(
          "<li><a href=\"#%s\">%s</a></li>\n".formatted(section.id(), escape(section.title())));
    }
    return html.append("</ul>\n").toString();
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
