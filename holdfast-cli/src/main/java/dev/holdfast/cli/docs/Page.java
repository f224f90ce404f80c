package dev.holdfast.cli.docs;

import java.util.List;

/**
 * A file of the checkout as HTML.
 *
 * @param file its path in the checkout
 * @param title its first heading, or its name
 * @param body the HTML of its text
 * @param sections its headings of the second level
 * @param links the files that it links to
 */
record Page(String file, String title, String body, List<Section> sections, List<String> links) {

  /**
   * A heading.
   *
   * @param id what a link to it has after the {@code #}
   */
  record Section(String id, String title) {}

  Page {
    sections = List.copyOf(sections);
    links = List.copyOf(links);
  }

  /** Returns the path under which it is served. */
  String path() {
    return Checkout.pathOf(file);
  }
}
