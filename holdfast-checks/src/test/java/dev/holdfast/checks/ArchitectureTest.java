package dev.holdfast.checks;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.holdfast.engine.codec.JobNotes;
import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.rule.BreakerTransition;
import dev.holdfast.engine.rule.EligibleNodes;
import dev.holdfast.engine.rule.StrandedRuns;
import dev.holdfast.engine.trigger.SubjectState;
import dev.holdfast.engine.trigger.TriggerText;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Dependencies between modules, and rules for names and packages. */
class ArchitectureTest {

  private static final String API = "dev.holdfast.api..";
  private static final String ENGINE = "dev.holdfast.engine..";
  private static final String POSTGRES = "dev.holdfast.postgres..";
  private static final String EMBEDDED = "dev.holdfast.embedded..";
  private static final String TESTKIT = "dev.holdfast.testkit..";
  private static final String JUNIT = "dev.holdfast.junit..";
  private static final String TCK = "dev.holdfast.tck..";
  private static final String PACKAGES = "dev.holdfast.packages..";
  private static final String SERVER = "dev.holdfast.server..";
  private static final String WORKER = "dev.holdfast.worker..";
  private static final String CLI = "dev.holdfast.cli..";
  private static final String BENCH = "dev.holdfast.bench..";
  private static final String SPI = "dev.holdfast.engine.store..";
  private static final String SIGNALS = "dev.holdfast.engine.notify..";
  private static final String NODE = "dev.holdfast.engine.node..";

  /** The classes that stores call, in addition to the SPI: decisions, and texts that are stored. */
  private static final DescribedPredicate<JavaClass> CALLED_BY_STORES =
      belongToAnyOf(
          BreakerTransition.class,
          EligibleNodes.class,
          StrandedRuns.class,
          StrandedRuns.Ready.class,
          StrandedRuns.Mismatch.class,
          SubjectState.class,
          TriggerText.class,
          JobNotes.class,
          Utf8Length.class,
          LogContext.class);

  private static final String OURS = "dev.holdfast..";
  private static final String[] SQL = {
    "java.sql..",
    "javax.sql..",
    "org.jdbi..",
    "org.postgresql..",
    "com.zaxxer.hikari..",
    "org.flywaydb.."
  };

  private static final JavaClasses HOLDFAST =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.holdfast");

  @Test
  void theApiDependsOnlyOnTheJdkAndJSpecify() {
    check(
        classes()
            .that()
            .resideInAPackage(API)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(API, "java..", "javax..", "org.jspecify.annotations.."));
  }

  @Test
  void packagesHaveNoCycles() {
    check(slices().matching("dev.holdfast.(**)").should().beFreeOfCycles());
  }

  @Test
  void theEngineDependsOnlyOnTheApi() {
    checkModule(ENGINE, API);
  }

  @Test
  void theEngineDoesNotUseSql() {
    // This class only passes the caller's connection to the store.
    check(
        noClasses()
            .that()
            .resideInAPackage(ENGINE)
            .should()
            .dependOnClassesThat(resideInAnyPackage(SQL).and(not(type(Connection.class)))));
  }

  @Test
  void theRemoteWorkerDependsOnlyOnTheEngineAndTheApi() {
    checkModule(WORKER, API, ENGINE);
  }

  @Test
  void packagesDependOnTheEngineAndTheRemoteWorker() {
    checkModule(PACKAGES, API, ENGINE, WORKER);
  }

  @Test
  void theServerDependsOnNoRemoteWorkerAndNoCommand() {
    checkModule(SERVER, API, ENGINE, POSTGRES, EMBEDDED, PACKAGES);
  }

  @Test
  void theCommandLineDependsOnNoRemoteWorkerAndNoBench() {
    checkModule(CLI, API, ENGINE, POSTGRES, EMBEDDED, PACKAGES, SERVER);
  }

  @Test
  void theBenchDependsOnTheCommandLineAndWhatThatUses() {
    checkModule(BENCH, API, ENGINE, POSTGRES, EMBEDDED, PACKAGES, SERVER, CLI);
  }

  @Test
  void theJUnitExtensionConnectsTheTestkitWithPostgres() {
    checkModule(JUNIT, API, ENGINE, TESTKIT, POSTGRES, EMBEDDED);
  }

  @Test
  void thePostgresStoreDependsOnlyOnTheEngineAndTheApi() {
    checkModule(POSTGRES, API, ENGINE);
  }

  @Test
  void theStoreSpiKnowsNoPartOfTheEngineButSignals() {
    check(
        noClasses()
            .that()
            .resideInAPackage(SPI)
            .should()
            .dependOnClassesThat(
                resideInAPackage(ENGINE).and(not(resideInAnyPackage(SPI, SIGNALS)))));
  }

  @Test
  void storesKnowNoRolesAndNoNodes() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(POSTGRES, "dev.holdfast.testkit.memory..")
            .should()
            .dependOnClassesThat(
                resideInAPackage(ENGINE)
                    .and(not(resideInAnyPackage(SPI, SIGNALS)))
                    .and(not(CALLED_BY_STORES)))
            .because("a store implements the SPI, and calls the decisions that all stores share"));
  }

  @Test
  void noPartOfTheEngineKnowsTheWholeNode() {
    check(
        noClasses()
            .that()
            .resideInAPackage(ENGINE)
            .and()
            .resideOutsideOfPackage(NODE)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(NODE));
  }

  @Test
  void theEmbeddedServerDependsOnNoOtherModule() {
    checkModule(EMBEDDED);
  }

  @Test
  void theTestkitWorksWithoutADatabase() {
    checkModule(TESTKIT, API, ENGINE);
    check(
        noClasses()
            .that()
            .resideInAPackage(TESTKIT)
            .should()
            .dependOnClassesThat(resideInAnyPackage(SQL).and(not(type(Connection.class)))));
  }

  @Test
  void noProductionModuleDependsOnTheTestkit() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(TESTKIT, JUNIT, TCK)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(TESTKIT, JUNIT, TCK));
    check(
        noClasses()
            .that()
            .resideInAPackage(TESTKIT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(TCK, "org.junit..", "org.assertj..", "org.awaitility.."));
  }

  @Test
  void theContractSuiteKnowsNoStoreButTheOneInMemory() {
    // Every store must pass it, with a fixture in the module of that store.
    checkModule(TCK, API, ENGINE, TESTKIT);
  }

  @Test
  void theJUnitExtensionRequiresNoOtherTestLibrary() {
    check(
        noClasses()
            .that()
            .resideInAPackage(JUNIT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.assertj..", "org.awaitility.."));
  }

  @Test
  void onlyTheCommandLineAndTheBenchDependOnTheServer() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(SERVER, CLI, BENCH)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(SERVER));
  }

  @Test
  void onlyOnePackageOfTheServerKnowsItsWebFramework() {
    check(
        noClasses()
            .that()
            // The bench compares the server with the framework alone.
            .resideOutsideOfPackages("dev.holdfast.server.javalin..", "dev.holdfast.bench.http..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.javalin..", "org.eclipse.jetty..", "jakarta.servlet.."));
  }

  @Test
  void handlersOfTheServerUseNoSql() {
    check(
        noClasses()
            .that()
            .resideInAPackage("dev.holdfast.server.api..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SQL));
  }

  @Test
  void onlyTheBenchDependsOnTheCommandLine() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(CLI, BENCH)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(CLI));
  }

  @Test
  void noModuleDependsOnTheBench() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(BENCH)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(BENCH));
  }

  @Test
  void everyPackageIsNullMarked() {
    List<String> notMarked =
        HOLDFAST.stream()
            .map(JavaClass::getPackage)
            .distinct()
            .filter(candidate -> !isNullMarked(candidate))
            .map(JavaPackage::getName)
            .sorted()
            .toList();

    assertThat(notMarked)
        .as("Packages without a package-info.java that is annotated @NullMarked")
        .isEmpty();
  }

  @Test
  void onlyCommandsWriteToStandardOutput() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(CLI, BENCH)
            .should(ACCESS_STANDARD_STREAMS)
            .because("a library logs, and lets its user decide where that goes"));
  }

  @Test
  void namesSayWhatAClassDoes() {
    check(
        noClasses()
            .should()
            .haveSimpleNameEndingWith("Manager")
            .orShould()
            .haveSimpleNameEndingWith("Helper")
            .orShould()
            .haveSimpleNameEndingWith("Util")
            .orShould()
            .haveSimpleNameEndingWith("Utils")
            .orShould()
            .haveSimpleNameEndingWith("Impl")
            .because("a role has a specific name: Claimer, Heart, Sweeper"));
  }

  /** Fails if a class of a module uses a module of ours that is not among the allowed ones. */
  private static void checkModule(String module, String... allowed) {
    check(
        noClasses()
            .that()
            .resideInAPackage(module)
            .should()
            .dependOnClassesThat(
                resideInAPackage(OURS)
                    .and(not(resideInAPackage(module)))
                    .and(not(resideInAnyPackage(allowed)))));
  }

  /** Fails also if a rule applies to no class: its package may have been renamed. */
  private static void check(ArchRule rule) {
    rule.allowEmptyShould(false).check(HOLDFAST);
  }

  private static boolean isNullMarked(JavaPackage candidate) {
    return candidate
        .tryGetPackageInfo()
        .map(info -> info.isAnnotatedWith(NullMarked.class))
        .orElse(false);
  }
}
