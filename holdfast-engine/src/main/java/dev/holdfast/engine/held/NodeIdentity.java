package dev.holdfast.engine.held;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Supplies the id of a node. Called once, when the node is built. The id must stay the same for the
 * lifetime of the process and should differ from those of all other live nodes.
 */
@FunctionalInterface
public interface NodeIdentity {
  /** The maximum length of an id. */
  int LONGEST = 64;

  String id();

  /** Returns the host name and the process id, such as {@code web-3-4711}. */
  static NodeIdentity hostAndPid() {
    return () -> {
      String id = hostName() + "-" + ProcessHandle.current().pid();
      return id.length() <= LONGEST ? id : id.substring(id.length() - LONGEST);
    };
  }

  /** Returns this id. */
  static NodeIdentity fixed(String id) {
    return () -> id;
  }

  /** Returns the value of an environment variable, such as the name that Kubernetes gives a pod. */
  static NodeIdentity environment(String variable) {
    return () -> {
      String id = System.getenv(variable);
      if (id == null || id.isBlank()) {
        throw new IllegalArgumentException(
            "Environment variable %s, which contains the id of this node, is not set: set it, or use another id."
                .formatted(variable));
      }
      return id.strip();
    };
  }

  /** Returns the name of this host, or {@code localhost} if it is unknown. */
  static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException nameless) {
      return "localhost";
    }
  }
}
