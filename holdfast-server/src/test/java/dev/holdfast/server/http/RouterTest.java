package dev.holdfast.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class RouterTest {
  private static final Handler NONE = call -> new Response.Nothing();

  private final Router router =
      new Router(
          List.of(
              Route.get("/jobs/{job}", Permission.READ, NONE),
              Route.get("/jobs/counts", Permission.READ, NONE),
              Route.post("/jobs/{job}/cancel", Permission.OPERATE, NONE)));

  @Test
  void aRouteThatDeclaresNoPermissionStopsTheStart() {
    Route open = new Route(Method.GET, "/secret", null, false, false, NONE);
    assertThatThrownBy(() -> new Router(List.of(open)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("GET /secret declares no permission");
  }

  @Test
  void twoEqualRoutesStopTheStart() {
    Route one = Route.get("/a/{x}", Permission.READ, NONE);
    Route two = Route.get("/a/{y}", Permission.READ, NONE);
    assertThatThrownBy(() -> new Router(List.of(one, two))).hasMessageContaining("declared twice");
  }

  @Test
  void literalSegmentsWinOverParameters() {
    assertThat(router.match("GET", "/jobs/counts").route().path()).isEqualTo("/jobs/counts");
    assertThat(router.match("GET", "/jobs/counted").parameters()).containsEntry("job", "counted");
    assertThat(router.match("POST", "/jobs/counts/cancel").parameters())
        .containsEntry("job", "counts");
  }

  @Test
  void segmentsAreDecodedOnceAndAfterTheyAreSplit() {
    assertThat(router.match("GET", "/jobs/a%2Fb%2520c").parameters())
        .containsEntry("job", "a/b%20c");
  }

  @Test
  void pathTricksFindNothing() {
    for (String path :
        List.of(
            "/jobs/..",
            "/jobs/%2e%2e",
            "/jobs/%2E",
            "/jobs//cancel",
            "/jobs/",
            "//jobs/x",
            "jobs/x",
            "",
            "/",
            "/jobs/x/",
            "/jobs/x/cancel/..")) {
      assertThatThrownBy(() -> router.match("GET", path))
          .as(path)
          .isInstanceOfSatisfying(
              ProblemException.class,
              refused ->
                  assertThat(refused.problem().code())
                      .isIn(Code.NOT_FOUND, Code.METHOD_NOT_ALLOWED));
    }
  }

  @Test
  void malformedEncodingsAreRefused() {
    for (String path :
        List.of("/jobs/%", "/jobs/%4", "/jobs/%zz", "/jobs/%ff", "/jobs/%00", "/jobs/\u00e9")) {
      assertThatThrownBy(() -> router.match("GET", path))
          .as(path)
          .isInstanceOfSatisfying(
              ProblemException.class,
              refused -> assertThat(refused.problem().code()).isEqualTo(Code.MALFORMED_REQUEST));
    }
  }
}
