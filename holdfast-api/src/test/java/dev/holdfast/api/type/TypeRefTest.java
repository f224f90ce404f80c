package dev.holdfast.api.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TypeRefTest {

  @Test
  void equalTypesAreEqualReferences() {
    assertThat(new TypeRef<List<String>>() {}).isEqualTo(new TypeRef<List<String>>() {});
    assertThat(new TypeRef<List<String>>() {}).isNotEqualTo(new TypeRef<List<Integer>>() {});
    assertThat(new TypeRef<String>() {})
        .isEqualTo(TypeRef.of(String.class))
        .hasSameHashCodeAs(TypeRef.of(String.class));
  }

  @Test
  void messagesNameTheTypeWithoutPackages() {
    assertThat(TypeRef.of(Map.Entry.class).simpleName()).isEqualTo("Entry");
    assertThat(new TypeRef<Map<String, List<Integer>>>() {}.simpleName())
        .isEqualTo("Map<String, List<Integer>>");
  }

  @SuppressWarnings({"rawtypes", "unchecked"})
  private static TypeRef<?> withoutType() {
    return new TypeRef() {};
  }

  private static <T> TypeRef<T> ofVariable() {
    return new TypeRef<T>() {};
  }

  @Test
  void aReferenceWithoutATypeIsRejected() {
    assertThatThrownBy(TypeRefTest::withoutType).hasMessageContaining("new TypeRef<List<Order>>");
    assertThatThrownBy(TypeRefTest::ofVariable).hasMessageContaining("new TypeRef<List<Order>>");
  }
}
