package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles the code blocks of a page or of the comments of a class. */
final class Snippets {
  /** What the blocks of a page may use besides what they declare. */
  static final String OF_A_PAGE = "Given";

  /** What examples in comments may use, too: they are short. */
  static final String OF_A_COMMENT = "World";

  private static final Pattern MEMBERS =
      Pattern.compile("(?s)\\s*(?://[^\n]*\n\\s*)*(record|static|class|interface|enum|@|public).*");

  private static final String SOURCE =
      """
      import dev.holdfast.api.*;
      import dev.holdfast.api.codec.*;
      import dev.holdfast.api.job.*;
      import dev.holdfast.api.lease.*;
      import dev.holdfast.api.policy.*;
      import dev.holdfast.api.run.*;
      import dev.holdfast.api.schedule.*;
      import dev.holdfast.api.task.*;
      import dev.holdfast.api.trigger.*;
      import dev.holdfast.api.type.*;
      import dev.holdfast.api.workflow.*;
      import dev.holdfast.engine.client.*;
      import dev.holdfast.engine.lease.HoldfastLeases;
      import dev.holdfast.engine.node.*;
      import dev.holdfast.engine.store.Store;
      import dev.holdfast.postgres.*;
      import dev.holdfast.worker.RemoteWorker;
      import java.sql.Connection;
      import java.time.*;
      import java.util.*;
      import javax.sql.DataSource;
      %s
      abstract class Snippets extends %s {
      %s}
      abstract class Given {
        Store store; Holdfast holdfast; HoldfastNode node; DataSource dataSource; JobId id;
      }
      abstract class World extends Given {
        record Welcome(String email) {}
        record Order(int number) {}
        record Receipt(int number) {}
        record Report(String kind) {}
        record Charge(String account, long cents) {}
        interface Bank {}
        interface Mailer { void send(String address); }
        interface Shop { Receipt charge(Order order); }
        record ChargeHandler(Bank bank) implements TaskHandler<Charge, Receipt> {
          @Override public Receipt handle(Charge charge, TaskContext context) { return null; }
        }
        record Archiver(Leases leases) { void run() {} }
        record Registration(Holdfast holdfast) { void register(String email) {} }
        static final TaskType<Welcome, Void> WELCOME = TaskType.of("welcome", Welcome.class);
        static final TaskType<Welcome, Void> REINDEX = TaskType.of("reindex", Welcome.class);
        static final TaskType<Report, Void> REPORT = TaskType.of("report", Report.class);
        static final TaskType<Charge, Receipt> CHARGE =
            TaskType.of("charge", Charge.class, Receipt.class);
        static VoidTaskHandler<Welcome> handler;
        Leases leases; Locks locks; StartupCoordinator startup; TaskContext context; Bank bank;
        Welcome welcome; List<Welcome> newcomers; Order invoice; Mailer mailer; Shop shop;
        abstract void archive(Order order, long fencingToken);
        abstract void report();
        abstract void dropOrphans();
        abstract void connect(String url, String user, String password);
      }
      """;

  private Snippets() {}

  /**
   * Compiles blocks as one class, so that later ones may use what earlier ones declare.
   *
   * @param imports what the blocks may use besides their own imports
   * @param base {@link #OF_A_PAGE} or {@link #OF_A_COMMENT}
   * @param out the folder for the classes
   */
  static void assertCompile(List<String> blocks, String imports, String base, Path out) {
    StringBuilder allImports = new StringBuilder(imports);
    StringBuilder members = new StringBuilder();
    int number = 0;
    for (String block : blocks) {
      StringBuilder code = new StringBuilder();
      block
          .lines()
          .forEach(
              line -> (line.startsWith("import ") ? allImports : code).append(line).append('\n'));
      if (MEMBERS.matcher(code).matches()) {
        members.append(code);
      } else {
        members.append("void block%d() throws Exception {\n%s}\n".formatted(++number, code));
      }
    }
    String source = SOURCE.formatted(allImports, base, members);
    StringWriter said = new StringWriter();
    boolean fine =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                said,
                null,
                null,
                List.of(
                    "-proc:none",
                    "-d",
                    out.toString(),
                    "-cp",
                    System.getProperty("java.class.path")),
                null,
                List.of(new Source(source)))
            .call();
    assertThat(fine).as("%s%n%s", said, source).isTrue();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///Snippets" + JavaFileObject.Kind.SOURCE.extension), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
