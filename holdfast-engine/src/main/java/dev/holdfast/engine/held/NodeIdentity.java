package dev.holdfast.engine.held;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Says what people call a node. Asked once, when the node is built; the answer must be the same for
 * the life of the process and should differ from that of every other live node.
 */
@FunctionalInterface
public interface NodeIdentity {
  /** The longest id a node may have. */
  int LONGEST = 64;

  String id();

  /** The host name and the process id, such as {@code web-3-4711}. */
  static NodeIdentity hostAndPid() {
    return () -> {
      String id = hostName() + "-" + ProcessHandle.current().pid();
      return id.length() <= LONGEST ? id : id.substring(id.length() - LONGEST);
    };
  }

  /** Always this. */
  static NodeIdentity fixed(String id) {
    return () -> id;
  }

  /** What an environment variable says, such as the name that Kubernetes gives a pod. */
  static NodeIdentity environment(String variable) {
    return () -> {
      String id = System.getenv(variable);
      if (id == null || id.isBlank()) {
        throw new IllegalArgumentException(
            "Environment variable %s is to name this node and is not set: set it, or give an id."
                .formatted(variable));
      }
      return id.strip();
    };
  }

  /** The name of this host. */
  static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException nameless) {
      return "localhost";
    }
  }
}
