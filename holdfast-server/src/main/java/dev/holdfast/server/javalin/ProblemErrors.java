package dev.holdfast.server.javalin;

import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Pipeline;
import dev.holdfast.server.http.RawResponse;
import java.nio.ByteBuffer;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Writes what the web server itself refuses, such as a malformed request, as a problem. */
final class ProblemErrors implements Request.Handler {

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    int status = response.getStatus();
    RawResponse problem =
        status >= 500
            ? Pipeline.refused(Code.INTERNAL_ERROR, "Something went wrong that should not.")
            : Pipeline.refused(
                Code.MALFORMED_REQUEST, "The request is not one that this server can read.");
    problem.headers().forEach(response.getHeaders()::put);
    response.write(true, ByteBuffer.wrap(problem.body()), callback);
    return true;
  }
}
