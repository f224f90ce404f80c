package dev.holdfast.api.type;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A type that may be generic, such as {@code List<Order>}, which no {@code Class} describes. Create
 * one as an anonymous subclass; for a type that is not generic, {@link #of} is enough.
 *
 * <pre>{@code
 * TaskType<List<String>, Void> remind = TaskType.of("mail::remind", new TypeRef<List<String>>() {});
 * }</pre>
 *
 * @param <T> the type
 */
public abstract class TypeRef<T> {
  private final Type type;

  /**
   * Reads the type from the declaration of the subclass.
   *
   * @throws IllegalStateException if the subclass does not name a type, or names a type variable
   */
  protected TypeRef() {
    this.type =
        getClass().getGenericSuperclass() instanceof ParameterizedType declared
                && declared.getRawType() == TypeRef.class
            ? declared.getActualTypeArguments()[0]
            : Object.class;
    if (type == Object.class || type instanceof TypeVariable) {
      throw new IllegalStateException(
          "A TypeRef needs its type in its declaration: write new TypeRef<List<Order>>() {}.");
    }
  }

  private TypeRef(Type type) {
    this.type = type;
  }

  /** Returns the reference to a type that is not generic. */
  public static <T> TypeRef<T> of(Class<T> type) {
    return new Known<>(type);
  }

  /** Returns the reference to a list of elements of a type. */
  public static <E> TypeRef<List<E>> listOf(TypeRef<E> element) {
    return new Known<>(new ListType(element.type));
  }

  /** Returns the type in the form that reflection and codecs use. */
  public final Type type() {
    return type;
  }

  /** Returns the name of the type without packages, for messages. */
  public final String simpleName() {
    return type instanceof Class<?> plain
        ? plain.getSimpleName()
        : type.getTypeName().replaceAll("[\\w.]*[.$](?=\\w)", "");
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof TypeRef<?> that && type.equals(that.type);
  }

  @Override
  public final int hashCode() {
    return type.hashCode();
  }

  @Override
  public final String toString() {
    return type.getTypeName();
  }

  private static final class Known<T> extends TypeRef<T> {
    Known(Type type) {
      super(type);
    }
  }

  /** {@code List<E>}; equal to the same type as reflection returns it. */
  private record ListType(Type element) implements ParameterizedType {
    @Override
    public Type[] getActualTypeArguments() {
      return new Type[] {element};
    }

    @Override
    public Type getRawType() {
      return List.class;
    }

    @Override
    public @Nullable Type getOwnerType() {
      return null;
    }

    @Override
    public String getTypeName() {
      return "java.util.List<%s>".formatted(element.getTypeName());
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof ParameterizedType that
          && that.getRawType() == List.class
          && that.getActualTypeArguments()[0].equals(element);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(getActualTypeArguments()) ^ List.class.hashCode();
    }
  }
}
