package dev.holdfast.server.http;

import org.jspecify.annotations.Nullable;

/**
 * A route: which calls it is for, what they need, and what handles them.
 *
 * @param path the path below the base path, with parameters in braces. A parameter {@code tenant}
 *     that more segments follow makes it a route of that tenant, unless it restores the tenant
 * @param permission what callers need; a router refuses a route that declares none
 * @param creates whether it creates something, so that an Idempotency-Key counts
 * @param uploads whether the handler reads the body itself, as it arrives, since it may be large
 */
public record Route(
    Method method,
    String path,
    @Nullable Permission permission,
    boolean creates,
    boolean uploads,
    Handler handler) {
  private static final String TENANT_PREFIX = "/v1/tenants/{tenant}/";

  // No request can act in a tenant that is deleted.
  private static final String RESTORE = TENANT_PREFIX + "restore";

  /** Returns a route. */
  public static Route of(Method method, String path, Permission permission, Handler handler) {
    return new Route(method, path, permission, false, false, handler);
  }

  /** Returns a POST route that creates something. */
  public static Route creating(String path, Permission permission, Handler handler) {
    return new Route(Method.POST, path, permission, true, false, handler);
  }

  /** Returns a POST route whose handler reads the body as it arrives. */
  public static Route uploading(String path, Permission permission, Handler handler) {
    return new Route(Method.POST, path, permission, false, true, handler);
  }

  /** Returns a GET route. */
  public static Route get(String path, Permission permission, Handler handler) {
    return of(Method.GET, path, permission, handler);
  }

  /** Returns a POST route that creates nothing. */
  public static Route post(String path, Permission permission, Handler handler) {
    return of(Method.POST, path, permission, handler);
  }

  /** Returns whether it belongs to a tenant, which the handler gets. */
  public boolean isOfTenant() {
    return path.startsWith(TENANT_PREFIX) && !path.equals(RESTORE);
  }

  /** Returns the method and the path. */
  @Override
  public String toString() {
    return method + " " + path;
  }
}
