package dev.holdfast.cli.docs;

import dev.holdfast.cli.docs.Page.Section;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Document;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** Renders Markdown, with links that lead to other pages of the site. */
final class Markdown {
  private static final List<Extension> TABLES = List.of(TablesExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(TABLES).build();

  private Markdown() {}

  static Node parse(String text) {
    return PARSER.parse(text);
  }

  /** Returns the plain text of a heading or a link. */
  static String textOf(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code part) {
            text.append(part.getLiteral());
          }
        });
    return text.toString();
  }

  /** Renders a file. HTML in it is shown as text, and links to files that are not here are text. */
  static Page render(String file, String text) {
    return render(file, parse(text));
  }

  /** Renders a file that is not Markdown, as it is. */
  static Page source(String file, String text) {
    Heading name = new Heading();
    name.setLevel(1);
    name.appendChild(new Text(file.substring(file.lastIndexOf('/') + 1)));
    Paragraph path = new Paragraph();
    path.appendChild(new Code(file));
    FencedCodeBlock block = new FencedCodeBlock();
    block.setLiteral(text);
    Document document = new Document();
    document.appendChild(name);
    document.appendChild(path);
    document.appendChild(block);
    return render(file, document);
  }

  private static Page render(String file, Node document) {
    Headings headings = new Headings();
    document.accept(headings);
    Links links = new Links(file);
    document.accept(links);
    links.missing.forEach(Markdown::unwrap);
    HtmlRenderer renderer =
        HtmlRenderer.builder()
            .extensions(TABLES)
            .escapeHtml(true)
            .sanitizeUrls(true)
            .attributeProviderFactory(context ->
                (node, tag, attributes) -> {
                  String id = headings.ids.get(node);
                  if (id != null) {
                    attributes.put("id", id);
                  }
                  if (node instanceof TableCell cell && !cell.isHeader()) {
                    attributes.put("data-column", columnOf(cell));
                  }
                })
            .build();
    return new Page(
        file,
        headings.title.isEmpty() ? file : headings.title,
        renderer.render(document),
        headings.sections,
        links.files);
  }

  /** Returns the heading of the column, for windows in which the cells of a row are stacked. */
  private static String columnOf(TableCell cell) {
    Node table = cell.getParent();
    while (!(table instanceof TableBlock)) {
      table = table.getParent();
    }
    Node heading = table.getFirstChild().getFirstChild().getFirstChild();
    for (Node left = cell.getPrevious();
        left != null && heading != null;
        left = left.getPrevious()) {
      heading = heading.getNext();
    }
    return heading == null ? "" : textOf(heading);
  }

  /** Replaces a link by its text. */
  private static void unwrap(Link link) {
    for (Node child = link.getFirstChild(); child != null; child = link.getFirstChild()) {
      link.insertBefore(child);
    }
    link.unlink();
  }

  /** Gives each heading the id that GitHub gives it, so that links work in both places. */
  private static final class Headings extends AbstractVisitor {
    private final IdGenerator generator = IdGenerator.builder().build();
    private final IdentityHashMap<Node, String> ids = new IdentityHashMap<>();
    private final List<Section> sections = new ArrayList<>();
    private String title = "";

    @Override
    public void visit(Heading heading) {
      String text = textOf(heading);
      String id = generator.generateId(text);
      ids.put(heading, id);
      if (heading.getLevel() == 1 && title.isEmpty()) {
        title = text;
      } else if (heading.getLevel() == 2) {
        sections.add(new Section(id, text));
      }
    }
  }

  /** Lets links lead to pages of the site. */
  private static final class Links extends AbstractVisitor {
    private final String from;
    private final List<String> files = new ArrayList<>();
    private final List<Link> missing = new ArrayList<>();

    Links(String from) {
      this.from = from;
    }

    @Override
    public void visit(Link link) {
      visitChildren(link);
      String target = link.getDestination();
      if (target.startsWith("#") || target.startsWith("http")) {
        return;
      }
      String[] parts = target.split("#", 2);
      String file = Checkout.resolve(from, parts[0]);
      if (Checkout.read(file).isEmpty()) {
        missing.add(link);
        return;
      }
      files.add(file);
      link.setDestination(Checkout.pathOf(file) + (parts.length > 1 ? "#" + parts[1] : ""));
    }
  }
}
