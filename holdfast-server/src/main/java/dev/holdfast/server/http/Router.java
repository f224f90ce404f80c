package dev.holdfast.server.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the route of a request. Literal segments win over parameters. */
public final class Router {
  private final List<Route> routes;
  private final Node root = new Node();

  /** A segment of paths. */
  private static final class Node {
    private final Map<String, Node> literal = new HashMap<>();
    private @Nullable Node parameter;
    private final Map<Method, Route> routes = new HashMap<>();
  }

  /** A route, and the values of the parameters in its path. */
  record Match(Route route, Map<String, String> parameters) {}

  /**
   * Creates a router.
   *
   * @throws IllegalStateException if a route declares no permission, or two routes are the same:
   *     the server must not start
   */
  public Router(List<Route> routes) {
    this.routes = List.copyOf(routes);
    routes.forEach(this::add);
  }

  private void add(Route route) {
    if (route.permission() == null) {
      throw new IllegalStateException(
          "Route %s declares no permission: declare one, PUBLIC if it needs none."
              .formatted(route));
    }
    Node node = root;
    for (String segment : segments(route.path())) {
      if (segment.startsWith("{")) {
        node.parameter = node.parameter == null ? new Node() : node.parameter;
        node = node.parameter;
      } else {
        node = node.literal.computeIfAbsent(segment, any -> new Node());
      }
    }
    if (node.routes.put(route.method(), route) != null) {
      throw new IllegalStateException("Route %s is declared twice.".formatted(route));
    }
  }

  /** Returns all routes. */
  public List<Route> routes() {
    return routes;
  }

  private static List<String> segments(String path) {
    return path.equals("/") ? List.of() : List.of(path.substring(1).split("/", -1));
  }

  /**
   * Finds the route for a method and an encoded path.
   *
   * @throws ProblemException if there is none
   */
  Match match(String method, String path) {
    if (!path.startsWith("/")) {
      throw noRoute();
    }
    List<String> values = new ArrayList<>();
    Node node = find(root, segments(path), 0, values);
    if (node == null || node.routes.isEmpty()) {
      throw noRoute();
    }
    Route route = node.routes.get(wanted(method));
    if (route == null) {
      throw Code.METHOD_NOT_ALLOWED.because(
          "This path has no method %s: use %s.",
          method.length() > 10 ? "of this name" : method,
          new TreeSet<>(node.routes.keySet())
              .stream().map(Method::name).collect(Collectors.joining(" or ")));
    }
    return new Match(route, parameters(route, values));
  }

  private static @Nullable Method wanted(String method) {
    return switch (method) {
      case "GET", "HEAD" -> Method.GET;
      case "POST" -> Method.POST;
      case "PUT" -> Method.PUT;
      case "PATCH" -> Method.PATCH;
      case "DELETE" -> Method.DELETE;
      default -> null;
    };
  }

  private static ProblemException noRoute() {
    return Code.NOT_FOUND.because("There is no such route. See /openapi.yaml for all routes.");
  }

  private static @Nullable Node find(Node node, List<String> path, int at, List<String> values) {
    if (at == path.size()) {
      return node;
    }
    String segment = Percent.decode(path.get(at));
    Node literal = node.literal.get(segment);
    if (literal != null) {
      Node found = find(literal, path, at + 1, values);
      if (found != null && !found.routes.isEmpty()) {
        return found;
      }
    }
    // Such segments would be removed by proxies and browsers, and name nothing here.
    if (node.parameter == null
        || segment.isEmpty()
        || segment.equals(".")
        || segment.equals("..")) {
      return null;
    }
    values.add(segment);
    Node found = find(node.parameter, path, at + 1, values);
    if (found == null) {
      values.removeLast();
    }
    return found;
  }

  private static Map<String, String> parameters(Route route, List<String> values) {
    Map<String, String> parameters = new HashMap<>();
    int next = 0;
    for (String segment : segments(route.path())) {
      if (segment.startsWith("{")) {
        parameters.put(segment.substring(1, segment.length() - 1), values.get(next++));
      }
    }
    return parameters;
  }
}
