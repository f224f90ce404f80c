package dev.holdfast.cli.connect;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * A file to send to a server. Sending it again changes nothing.
 *
 * @param path the encoded path
 * @param sent receives how many bytes have been sent
 */
public record Upload(String path, Path file, Map<String, String> headers, LongConsumer sent) {}
