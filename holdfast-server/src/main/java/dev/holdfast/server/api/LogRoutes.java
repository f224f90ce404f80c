package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.ADMIN;

import dev.holdfast.server.audit.AuditLog.Act;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.log.ServerLog;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/** The log levels of the server that answers. */
final class LogRoutes {
  /** Each name stays in memory, so only names of Java packages and classes are accepted. */
  private static final Pattern LOGGER = Pattern.compile("[A-Za-z_$][A-Za-z0-9_.$]{0,199}");

  private static final String LEVELS = "/v1/log-levels";

  private final Operations operations;

  LogRoutes(Services services) {
    this.operations = new Operations(services.audit());
  }

  List<Route> routes() {
    return List.of(
        Route.get(LEVELS, ADMIN, this::read),
        Route.of(Method.PUT, LEVELS + "/{logger}", ADMIN, this::set));
  }

  private Response read(Call call) {
    call.query().done();
    return Response.ok(levels());
  }

  private static ObjectNode levels() {
    JsonText.Obj levels = JsonText.object();
    ServerLog.levels().forEach(levels::put);
    return JsonText.object().set("levels", levels.done()).done();
  }

  private Response set(Call call) {
    Fields body = call.body();
    String level = body.textOr("level", null);
    body.done();
    String logger = call.path("logger");
    if (!LOGGER.matcher(logger).matches()) {
      throw Code.INVALID_REQUEST.because(
          "The logger is not valid: give the name of a package or class, or ROOT.");
    }
    String before = ServerLog.levels().get(logger);
    return operations.audited(
        call,
        new Act(
            "log.level",
            logger,
            JsonText.object().put("level", before).done().toString(),
            JsonText.object().put("level", level).done().toString()),
        () -> {
          ServerLog.level(logger, level);
          return Response.ok(levels());
        });
  }
}
