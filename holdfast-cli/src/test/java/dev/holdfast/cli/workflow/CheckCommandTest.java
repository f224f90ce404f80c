package dev.holdfast.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.print.Json;
import dev.holdfast.tck.program.UserJar;
import java.io.File;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code holdfast check} on jars that are built for each test. */
class CheckCommandTest {
  private static final String TASKS =
      """
        static final TaskType<String, String> PACK = TaskType.of("shop::pack", String.class, String.class);
        static final TaskType<String, Void> SHIP = TaskType.of("shop::ship", String.class);
      """;

  private static final String HANDLERS =
      """
          binder.handle(PACK, (text, context) -> text);
          binder.handle(SHIP, (text, context) -> {});
      """;

  private static final String FINE =
      """
        static final Workflow<String, Void> FULFIL =
            Workflow.define("shop::fulfil", String.class, flow ->
                flow.step("ship", SHIP, flow.step("pack", PACK, flow.input())));
      """;

  @TempDir private Path folder;

  private UserJar jar(String name) {
    return new UserJar(folder.resolve(name));
  }

  private String fine(String name) {
    return jar(name).module("Fine", TASKS + FINE, HANDLERS + "binder.workflow(FULFIL);").jar();
  }

  @Test
  void aJarWithoutProblemsIsFine() {
    Cli check = Cli.run("check", fine("fine"));

    assertThat(check.out()).isEqualToNormalizingNewlines("1 workflow, 0 problems\n");
    assertThat(check.err()).isEmpty();
    assertThat(check.exit()).isZero();
  }

  @Test
  void allProblemsOfAllWorkflowsAreReportedWithTheLineThatDefinesThem() {
    String broken =
        jar("broken")
            .module(
                "Broken",
                TASKS
                    + """
                      static final Workflow<String, Void> FULFIL =
                          Workflow.define("shop::fulfil", String.class, flow -> {
                            flow.step("pack", PACK, flow.input());
                            flow.step("ship", SHIP, flow.output("pak", TypeRef.of(String.class)));
                          });
                      static final Workflow<String, Void> LOOP =
                          Workflow.define("shop::loop", String.class, flow -> {
                            flow.step("a", PACK, flow.input()).after("c");
                            flow.step("b", PACK, flow.input()).after("a");
                            flow.step("c", PACK, flow.input()).after("b");
                            flow.step("c", PACK, flow.input());
                          });
                    """
                    + FINE.replace("FULFIL", "OTHER").replace("::fulfil", "::other"),
                HANDLERS + "binder.workflow(FULFIL).workflow(LOOP).workflow(OTHER);")
            .jar();

    Cli check = Cli.run("check", broken);

    assertThat(check.exit()).isEqualTo(1);
    assertThat(check.out())
        .contains(
            "error: workflow shop::fulfil: Step 'ship' reads the output of step 'pak', which does"
                + " not exist: did you mean 'pack'?")
        .containsPattern("at shop\\.Broken\\.<clinit>\\(Broken\\.java:\\d+\\)")
        .contains("error: workflow shop::loop: Step 'a' waits for itself: a → b → c → a;")
        .contains("error: workflow shop::loop: Step name 'c' is used by 2 steps")
        .endsWith("3 workflows, 3 problems" + System.lineSeparator());
    assertThat(check.err()).isEmpty();
  }

  @Test
  void aStaticInitialiserThatFailsIsReportedWithTheProblemsOfTheWorkflow() {
    String elsewhere =
        jar("elsewhere")
            .with(
                "Flows",
                """
                class Flows {
                  static final Workflow<String, Void> EMPTY = OtherThread.define();
                }
                """)
            .with(
                "OtherThread",
                """
                class OtherThread {
                  static Workflow<String, Void> define() {
                    return java.util.concurrent.CompletableFuture.supplyAsync(() ->
                        Workflow.define("shop::empty", String.class, flow -> {})).join();
                  }
                }
                """)
            .module("Loads", "", "binder.workflow(Flows.EMPTY);")
            .jar();

    Cli check = Cli.run("check", elsewhere);

    assertThat(check.exit()).isEqualTo(1);
    assertThat(check.out())
        .contains("error: workflow shop::empty: The workflow has no steps: add at least one.")
        .contains("1 workflow, 1 problem")
        .doesNotContain("ExceptionInInitializerError");
  }

  @Test
  void aJarWithoutAModuleIsReported() {
    Cli check =
        Cli.run("check", jar("none").with("Nothing", "class Nothing {}").jar(), fine("fine"));

    assertThat(check.exit()).isEqualTo(1);
    assertThat(check.out())
        .contains("none.jar: No module was found: add a class that implements")
        .contains("META-INF/services/dev.holdfast.api.run.TaskModule")
        .contains("1 workflow, 1 problem");
  }

  @Test
  void whatAModuleThrowsIsReportedAndOthersAreStillChecked() {
    String mixed =
        jar("mixed")
            .module("Angry", "", "throw new IllegalStateException(\"no configuration\");")
            .service("shop.Gone")
            .module("Fine", TASKS + FINE, HANDLERS + "binder.workflow(FULFIL);")
            .jar();

    Cli check = Cli.run("check", mixed);

    assertThat(check.exit()).isEqualTo(1);
    assertThat(check.out())
        .contains("It failed with java.lang.IllegalStateException: no configuration")
        .containsPattern("at shop\\.Angry\\.configure\\(Angry\\.java:\\d+\\)")
        .contains("Provider shop.Gone not found")
        .contains("1 workflow, 2 problems");
  }

  @Test
  void aTaskThatNoModuleHandlesIsAWarning() {
    String unhandled =
        jar("unhandled")
            .module(
                "Half",
                TASKS
                    + FINE
                    + """
                      static final Workflow<String, Void> PARENT =
                          Workflow.define("shop::parent", String.class,
                              flow -> flow.workflow("child", FULFIL, flow.input()));
                    """,
                "binder.handle(PACK, (text, context) -> text).workflow(PARENT);")
            .jar();

    Cli check = Cli.run("check", unhandled);

    assertThat(check.exit()).isZero();
    assertThat(check.out())
        .contains(
            "warning: workflow shop::fulfil: Step 'ship' runs task 'shop::ship', which no module on"
                + " the class path handles")
        .contains("1 workflow, 0 problems, 1 warning");
    assertThat(
            Cli.run(
                    "check",
                    unhandled,
                    jar("rest")
                        .module("Rest", TASKS, "binder.handle(SHIP, (text, context) -> {});")
                        .jar())
                .out())
        .contains("1 workflow, 0 problems")
        .doesNotContain("warning");
  }

  @Test
  void differentWorkflowsOfOneNameAreAProblemAndEqualOnesAreNot() {
    String other =
        jar("other")
            .module(
                "Other",
                TASKS
                    + """
                      static final Workflow<String, Void> FULFIL =
                          Workflow.define("shop::fulfil", String.class,
                              flow -> flow.step("only", SHIP, flow.input()));
                    """,
                "binder.workflow(FULFIL);")
            .jar();
    String same = jar("same").module("Same", TASKS + FINE, "binder.workflow(FULFIL);").jar();

    Cli clash = Cli.run("check", fine("fine"), other);
    assertThat(clash.exit()).isEqualTo(1);
    assertThat(clash.out())
        .contains("error: workflow shop::fulfil: It is defined differently in shop.Fine in ")
        .contains("and in shop.Other in ");
    assertThat(Cli.run("check", fine("fine"), same).exit()).isZero();
  }

  @Test
  void aTaskWithTwoHandlersIsAProblem() {
    Cli check = Cli.run("check", fine("one"), fine("two"));

    assertThat(check.exit()).isEqualTo(1);
    assertThat(check.out()).contains("error: task shop::pack: It has two handlers");
  }

  @Test
  void classesOfOtherJarsAreFoundOnTheSameClassPathOnly() {
    UserJar library =
        jar("library")
            .with(
                "Library",
                "public class Library { public static String word() { return \"x\"; } }");
    Path classes = library.classes();
    String app =
        jar("app")
            .module("App", TASKS + FINE, HANDLERS + "Library.word(); binder.workflow(FULFIL);")
            .jar(classes);

    Cli alone = Cli.run("check", app);
    assertThat(alone.exit()).isEqualTo(1);
    assertThat(alone.out())
        .contains("Class shop.Library is not on the class path: add the jar that contains it.");
    assertThat(Cli.run("check", app + File.pathSeparator + classes).exit()).isZero();
    library.jar();
    assertThat(Cli.run("check", app + File.pathSeparator + folder.resolve("library") + "/*").exit())
        .isZero();
  }

  @Test
  void theCommandDoesNotGiveItsOwnLibrariesToUserCode() {
    String app =
        jar("app")
            .module("App", TASKS + FINE, "new picocli.CommandLine(new Object()); " + HANDLERS)
            .jar();

    assertThat(Cli.run("check", app).out())
        .contains("Class picocli.CommandLine is not on the class path");
  }

  @Test
  void jsonContainsAllFindings() {
    JsonNode json = Json.read(Cli.run("check", "--json", fine("one"), fine("two")).out());

    assertThat(json.get("workflows").intValue()).isEqualTo(1);
    assertThat(json.get("errors").intValue()).isEqualTo(2);
    assertThat(json.get("findings").get(0).get("severity").stringValue()).isEqualTo("ERROR");
    assertThat(json.get("findings").get(0).get("subject").stringValue())
        .isEqualTo("task shop::pack");
  }

  @Test
  void aMissingFileAndAMissingArgumentAreWrongUse() {
    Cli missing = Cli.run("check", "no-such.jar");
    assertThat(missing.exit()).isEqualTo(2);
    assertThat(missing.err()).contains("'no-such.jar' does not exist: give jars and folders");
    assertThat(Cli.run("check").exit()).isEqualTo(2);
  }

  @Test
  void theWorkflowsOfAJarAreDrawn() {
    Cli graph = Cli.run("graph", fine("fine"));
    assertThat(graph.exit()).isZero();
    assertThat(graph.out())
        .isEqualToNormalizingNewlines(
            """
            shop::fulfil
             ●  pack  task shop::pack
             ●  ship  task shop::ship
            """);

    Cli mermaid = Cli.run("graph", fine("again"), "shop::fulfil", "--mermaid");
    assertThat(mermaid.out()).contains("flowchart TD").contains("s0 --> s1");

    Cli json = Cli.run("graph", fine("json"), "shop::fulfil", "--output", "json");
    assertThat(json.exit()).isZero();
    assertThat(Json.read(json.out()).at("/steps/1").toString())
        .isEqualTo(
            """
            {"name":"ship","part":"MAIN","after":["pack"],"work":"task shop::ship","notes":[],\
            "undoes":null}\
            """);
    assertThat(Json.read(Cli.run("graph", fine("all"), "--json").out()).at("/workflows/0/title"))
        .hasToString("\"shop::fulfil\"");
    assertThat(Cli.run("graph", fine("both"), "shop::fulfil", "--json", "--mermaid").exit())
        .isEqualTo(2);

    Cli typo = Cli.run("graph", fine("typo"), "shop::fulfill");
    assertThat(typo.exit()).isEqualTo(1);
    assertThat(typo.err()).contains("Did you mean 'shop::fulfil'?");
    assertThat(Cli.run("graph").exit()).isEqualTo(2);
  }

  @Test
  void aWorkflowWithProblemsIsNotDrawnButReported() {
    String broken =
        jar("broken")
            .module(
                "Broken",
                "",
                "binder.workflow(Workflow.define(\"shop::empty\", String.class, flow -> {}));")
            .jar();

    for (Cli graph :
        new Cli[] {Cli.run("graph", broken), Cli.run("graph", broken, "shop::empty")}) {
      assertThat(graph.exit()).isEqualTo(1);
      assertThat(graph.err()).contains("The workflow has no steps");
    }
  }
}
