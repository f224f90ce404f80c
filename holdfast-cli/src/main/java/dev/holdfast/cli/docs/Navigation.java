package dev.holdfast.cli.docs;

import java.util.ArrayList;
import java.util.List;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.ListItem;

/**
 * What every page lists at its side: the sections of the index, each with its links. So a page is
 * added in one place.
 */
record Navigation(List<Group> groups) {

  /** A section of the index. */
  record Group(String title, List<Entry> entries) {
    Group {
      entries = List.copyOf(entries);
    }
  }

  /**
   * A link of the index.
   *
   * @param file the path of the page in the checkout
   */
  record Entry(String title, String file) {}

  Navigation {
    groups = List.copyOf(groups);
  }

  /** Reads the first link of each list item below each heading of the second level. */
  static Navigation of(String index) {
    List<Group> groups = new ArrayList<>();
    List<Entry> entries = new ArrayList<>();
    Markdown.parse(index)
        .accept(
            new AbstractVisitor() {
              private String title = "";
              private boolean found;

              @Override
              public void visit(Heading heading) {
                if (heading.getLevel() == 2) {
                  title = Markdown.textOf(heading);
                }
              }

              @Override
              public void visit(ListItem item) {
                found = false;
                visitChildren(item);
              }

              @Override
              public void visit(Link link) {
                if (!found && !title.isEmpty() && !link.getDestination().startsWith("http")) {
                  found = true;
                  Entry entry =
                      new Entry(
                          Markdown.textOf(link),
                          Checkout.resolve(Checkout.INDEX, link.getDestination()));
                  add(title, entry);
                }
              }

              private void add(String group, Entry entry) {
                if (!groups.isEmpty() && groups.getLast().title().equals(group)) {
                  entries.add(entry);
                  groups.removeLast();
                } else {
                  entries.clear();
                  entries.add(entry);
                }
                groups.add(new Group(group, entries));
              }
            });
    return new Navigation(groups);
  }

  List<Entry> entries() {
    return groups.stream().flatMap(group -> group.entries().stream()).toList();
  }
}
