package dev.holdfast.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import tools.jackson.databind.JsonNode;

/** A response, which was checked against the description of the API. */
public record Reply(HttpResponse<String> response) {

  public int status() {
    return response.statusCode();
  }

  public JsonNode json() {
    return Json.parse(response.body());
  }

  public String header(String name) {
    return response.headers().firstValue(name).orElse("");
  }

  public String text(String field) {
    return json().path(field).asString("");
  }

  public String code() {
    return text("code");
  }

  public Reply expect(int status) {
    assertThat(status()).as("%s %s", response.request(), response.body()).isEqualTo(status);
    return this;
  }

  public Reply expect(int status, String code) {
    expect(status);
    assertThat(code()).as(response.body()).isEqualTo(code);
    return this;
  }
}
