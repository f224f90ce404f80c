package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.Main;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FormattingTest {

  @Test
  void everySourceIsFormatted() throws Exception {
    List<Path> sources = Checkout.filesEndingWith(".java");

    assertThat(sources).as("Java sources below %s", Checkout.root()).isNotEmpty();
    assertThat(notFormatted(sources))
        .as("Files that are not formatted. Run ./format in the root of the checkout to fix them.")
        .isEmpty();
  }

  /** Runs the formatter's command line, which ./format runs too, so the two cannot disagree. */
  private static List<String> notFormatted(List<Path> sources) throws Exception {
    var changed = new StringWriter();
    var errors = new StringWriter();
    var formatter =
        new Main(
            new PrintWriter(changed, true),
            new PrintWriter(errors, true),
            InputStream.nullInputStream());
    Stream<String> files = sources.stream().map(Path::toString);

    int status =
        formatter.format(Stream.concat(Stream.of("--dry-run"), files).toArray(String[]::new));

    assertThat(status).as("google-java-format failed: %s", errors).isZero();
    return changed.toString().lines().toList();
  }
}
