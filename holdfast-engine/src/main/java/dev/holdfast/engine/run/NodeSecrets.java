package dev.holdfast.engine.run;

import dev.holdfast.api.run.SecretSource;
import dev.holdfast.api.run.SecretUnavailableException;
import dev.holdfast.engine.codec.Redactor;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of the handlers of a node. What a handler has read is hidden in all that handlers of
 * this node report afterwards.
 */
public final class NodeSecrets {
  private final @Nullable SecretSource source;
  private final Redactor redactor = new Redactor();

  /**
   * @param source null for none
   */
  public NodeSecrets(@Nullable SecretSource source) {
    this.source = source;
  }

  /** Returns those of a node that has none. */
  public static NodeSecrets none() {
    return new NodeSecrets(null);
  }

  String read(String name) {
    if (source == null) {
      throw new SecretUnavailableException(
          "Secret '%s' cannot be read, because this node has no secrets: configure it with NodeBuilder.secrets(source), or run the task on a server."
              .formatted(name));
    }
    String value =
        source
            .find(name)
            .orElseThrow(() ->
                new SecretUnavailableException(
                    "Secret '%s' does not exist: store it, or correct the name.".formatted(name)));
    redactor.hide(value);
    return value;
  }

  Redactor redactor() {
    return redactor;
  }
}
