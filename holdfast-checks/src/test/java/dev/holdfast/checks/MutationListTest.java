package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The list of mutations keeps up with the code: running it takes too long for every build. */
class MutationListTest {

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
      return Checkout.sourceOf(test.split("[/#]", 2)[0]).isPresent();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
