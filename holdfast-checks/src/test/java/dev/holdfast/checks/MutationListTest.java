package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The list of mutations keeps up with the code: running it takes too long for every build. */
class MutationListTest {
  private static final Pattern METHOD = Pattern.compile("\\bvoid (\\w+)\\(");

  /** The names of all methods that may be tests, wherever they are declared. */
  private static final Set<String> METHODS = methods();

  private static Set<String> methods() {
    try {
      Set<String> names = new HashSet<>();
      for (Path source : Checkout.filesEndingWith(".java")) {
        METHOD
            .matcher(Files.readString(source))
            .results()
            .forEach(found -> names.add(found.group(1)));
      }
      return names;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @TestFactory
  Stream<DynamicTest> everyMutationStillFitsItsSource() {
    return Mutation.all().stream()
        .map(mutation ->
            DynamicTest.dynamicTest(
                mutation.toString(),
                () -> {
                  assertThat(mutation.source()).as("the source to mutate").exists();
                  assertThat(mutation.occurrences())
                      .as("occurrences of the code to replace: %s", mutation.original())
                      .isEqualTo(1);
                  assertThat(mutation.replacement()).isNotEqualTo(mutation.original());
                  assertThat(mutation.tests()).isNotEmpty().allMatch(MutationListTest::exists);
                }));
  }

  private static boolean exists(String test) {
    try {
      List<String> parts = List.of(test.split("#", 2));
      boolean named = Checkout.sourceOf(parts.get(0).split("/", -1)[0]).isPresent();
      return named && (parts.size() == 1 || METHODS.contains(parts.get(1)));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
