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
  void aListOfAReferenceEqualsTheListThatIsDeclared() {
    TypeRef<List<String>> built = TypeRef.listOf(TypeRef.of(String.class));
    TypeRef<List<String>> declared = new TypeRef<>() {};

    assertThat(built).isEqualTo(declared).hasSameHashCodeAs(declared).hasToString("" + declared);
    assertThat(declared).isEqualTo(built);
    assertThat(built).isNotEqualTo(TypeRef.listOf(TypeRef.of(Integer.class)));
    assertThat(built).isNotEqualTo(TypeRef.of(List.class));
    assertThat(TypeRef.listOf(built)).isEqualTo(new TypeRef<List<List<String>>>() {});
    assertThat(new TypeRef<List<List<String>>>() {}).isEqualTo(TypeRef.listOf(declared));
    assertThat(TypeRef.listOf(built).simpleName()).isEqualTo("List<List<String>>");
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
