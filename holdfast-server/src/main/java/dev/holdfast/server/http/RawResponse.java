package dev.holdfast.server.http;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A response as the web server is to write it.
 *
 * @param body the body; empty for none
 * @param events the events that follow instead of a body; null for none
 */
public record RawResponse(
    int status, Map<String, String> headers, byte[] body, @Nullable EventSource events) {}
