package dev.holdfast.server.packages;

import dev.holdfast.packages.jar.PackageCheck.Checked;
import dev.holdfast.packages.jar.PackageId;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.ControlDatabase.Statements;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The statements about packages. Every change raises the version of the packages. */
public final class PackageStore {
  private static final String VERSION = "package";
  private static final int PART = 1 << 20;
  private static final JsonMapper JSON = new JsonMapper();

  private static final String SELECT =
      """
      select p.*, not exists (
        select from ${schema}.package later
        where later.tenant = p.tenant and later.name = p.name and later.id > p.id) as newest
      from ${schema}.package p
      """;

  private final ControlDatabase database;

  public PackageStore(ControlDatabase database) {
    this.database = database;
  }

  /** Returns a number that rises with each change. */
  long version() {
    return database.run(
        "read the version of the packages", statements -> statements.version(VERSION));
  }

  /** Reads the packages of all tenants. */
  List<StoredPackage> all() {
    return database.run(
        "read the packages",
        // Reads the whole table: every version is needed.
        statements ->
            statements.query(SELECT + "order by p.id").map((row, context) -> read(row)).list());
  }

  /**
   * Lists versions of a tenant, newest first.
   *
   * @param name the name of the package; null for all
   * @param before the number to continue at; null to start with the newest
   */
  public List<StoredPackage> list(
      int tenant, @Nullable String name, @Nullable Long before, int limit) {
    return database.run(
        "list packages",
        // By package_version: reads all versions of the tenant.
        statements ->
            statements
                .query(
                    SELECT
                        + """
                        where p.tenant = :tenant and (:name::text is null or p.name = :name)
                          and p.id < :before
                        order by p.id desc limit :limit
                        """)
                .bind("tenant", tenant)
                .bind("name", name)
                .bind("before", before == null ? Long.MAX_VALUE : before)
                .bind("limit", limit)
                .map((row, context) -> read(row))
                .list());
  }

  /** Finds a version of a tenant. */
  public Optional<StoredPackage> find(int tenant, PackageId id) {
    return database.run("find package " + id, statements -> find(statements, tenant, id));
  }

  Optional<StoredPackage> find(Statements statements, int tenant, PackageId id) {
    // By package_version.
    return statements
        .query(SELECT + "where p.tenant = :tenant and p.name = :name and p.version = :version")
        .bind("tenant", tenant)
        .bind("name", id.name())
        .bind("version", id.version())
        .map((row, context) -> read(row))
        .findOne();
  }

  Optional<StoredPackage> newest(Statements statements, int tenant, String name) {
    // By package_version.
    return statements
        .query(SELECT + "where p.tenant = :tenant and p.name = :name order by p.id desc limit 1")
        .bind("tenant", tenant)
        .bind("name", name)
        .map((row, context) -> read(row))
        .findOne();
  }

  /**
   * Locks the packages of a tenant until the transaction ends, so that two uploads see each other.
   *
   * @return false if the tenant is not there or is being deleted
   */
  boolean lock(Statements statements, int tenant) {
    // By tenant_pkey.
    return statements
        .query(
            """
            select state in ('ACTIVE', 'SUSPENDED') from ${schema}.tenant
            where id = :tenant for no key update
            """)
        .bind("tenant", tenant)
        .mapTo(Boolean.class)
        .findOne()
        .orElse(false);
  }

  /** Finds the newest versions of other packages that have a task or workflow of this one. */
  List<StoredPackage> overlapping(Statements statements, int tenant, Checked checked) {
    List<String> names = new ArrayList<>(checked.manifest().tasks());
    names.addAll(checked.manifest().workflows().keySet());
    // By package_version.
    return statements
        .query(SELECT + "where p.tenant = :tenant and p.name <> :name")
        .bind("tenant", tenant)
        .bind("name", checked.manifest().id().name())
        .map((row, context) -> read(row))
        .list()
        .stream()
        .filter(StoredPackage::newest)
        .filter(other ->
            names.stream()
                .anyMatch(
                    name -> other.tasks().contains(name) || other.workflows().containsKey(name)))
        .toList();
  }

  /** Stores a version that is not stored. The tenant is locked. */
  void insert(
      Statements statements,
      int tenant,
      Checked checked,
      Path jar,
      @Nullable String signedBy,
      @Nullable String by) {
    long number =
        statements
            .query(
                """
                insert into ${schema}.package
                  (tenant, name, version, digest, size, tasks, workflows, signed_by, uploaded_by)
                values
                  (:tenant, :name, :version, :digest, :size, :tasks, :workflows, :signedBy, :by)
                returning id
                """)
            .bind("tenant", tenant)
            .bind("name", checked.manifest().id().name())
            .bind("version", checked.manifest().id().version())
            .bind("digest", checked.digest())
            .bind("size", checked.size())
            .bindArray("tasks", String.class, checked.manifest().tasks())
            .bind("workflows", text(checked.manifest().workflows()))
            .bind("signedBy", signedBy)
            .bind("by", by)
            .mapTo(Long.class)
            .one();
    try (InputStream in = Files.newInputStream(jar)) {
      int part = 0;
      for (byte[] piece = in.readNBytes(PART); piece.length > 0; piece = in.readNBytes(PART)) {
        statements
            .update("insert into ${schema}.package_part values (:package, :number, :content)")
            .bind("package", number)
            .bind("number", part)
            .bind("content", piece)
            .execute();
        part++;
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    statements.raise(VERSION);
  }

  /**
   * Deletes a version.
   *
   * @return whether it was there
   */
  boolean delete(Statements statements, StoredPackage version) {
    // By package_pkey.
    boolean deleted =
        statements
                .update("delete from ${schema}.package where id = :id and digest = :digest")
                .bind("id", version.number())
                .bind("digest", version.digest())
                .execute()
            > 0;
    statements.raise(VERSION);
    return deleted;
  }

  /** Writes the jar of a version to a file, a piece at a time. */
  void read(StoredPackage version, Path jar) {
    try (OutputStream out = Files.newOutputStream(jar)) {
      for (int part = 0; ; part++) {
        int number = part;
        // By package_part_pkey.
        Optional<byte[]> piece =
            database.run(
                "read package " + version.id(),
                statements ->
                    statements
                        .query(
                            """
                            select content from ${schema}.package_part
                            where package = :package and number = :number
                            """)
                        .bind("package", version.number())
                        .bind("number", number)
                        .mapTo(byte[].class)
                        .findOne());
        if (piece.isEmpty()) {
          return;
        }
        out.write(piece.get());
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  ControlDatabase database() {
    return database;
  }

  private static String text(Map<String, String> workflows) {
    ObjectNode json = JSON.createObjectNode();
    workflows.forEach(json::put);
    return json.toString();
  }

  private static StoredPackage read(ResultSet row) throws SQLException {
    Map<String, String> workflows = new TreeMap<>();
    JSON.readTree(row.getString("workflows"))
        .forEachEntry((name, hash) -> workflows.put(name, hash.asString()));
    return new StoredPackage(
        row.getLong("id"),
        row.getInt("tenant"),
        new PackageId(row.getString("name"), row.getString("version")),
        row.getString("digest"),
        row.getLong("size"),
        Arrays.asList((String[]) row.getArray("tasks").getArray()),
        workflows,
        row.getString("signed_by"),
        row.getTimestamp("uploaded_at").toInstant(),
        row.getString("uploaded_by"),
        row.getBoolean("newest"));
  }
}
