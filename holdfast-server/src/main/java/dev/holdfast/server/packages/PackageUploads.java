package dev.holdfast.server.packages;

import dev.holdfast.engine.store.Definitions;
import dev.holdfast.packages.jar.PackageCheck;
import dev.holdfast.packages.jar.PackageCheck.Checked;
import dev.holdfast.packages.jar.PackageContents;
import dev.holdfast.packages.jar.PackageId;
import dev.holdfast.packages.jar.PackageLimits;
import dev.holdfast.packages.jar.PackageSignature;
import dev.holdfast.packages.load.DryLoad;
import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.control.ControlDatabase.Statements;
import dev.holdfast.server.packages.PackageException.Reason;
import dev.holdfast.server.tenant.Tenant;
import dev.holdfast.server.tenant.TenantPackages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Verifies packages and stores them. */
public final class PackageUploads {
  /** Each check is a process with a separate heap. */
  private static final int AT_ONCE = 2;

  private static final long PATIENCE_SECONDS = 30;
  private static final JsonMapper JSON = new JsonMapper();

  private final PackageStore store;
  private final AuditLog audit;
  private final PackageCheck check;
  private final DryLoad load;
  private final Runnable changed;
  private final Semaphore loading = new Semaphore(AT_ONCE, true);

  /**
   * @param changed called after a package was stored or deleted
   */
  public PackageUploads(
      PackageStore store,
      AuditLog audit,
      PackageLimits limits,
      DryLoad.Settings load,
      Runnable changed) {
    this.store = store;
    this.audit = audit;
    this.check = new PackageCheck(limits);
    this.load = new DryLoad(load);
    this.changed = changed;
  }

  /**
   * A package that was uploaded.
   *
   * @param created false if the same jar was stored before
   */
  public record Uploaded(StoredPackage stored, boolean created) {}

  /**
   * A package that is uploaded.
   *
   * @param signature the signature of its digest, in Base64; null for none
   * @param permitted throws if the uploader may not upload a package with these contents
   */
  public record Upload(Path jar, @Nullable String signature, Consumer<Checked> permitted) {}

  /** Stores the graphs of workflows in the schema of a tenant, so that runs can be started. */
  @FunctionalInterface
  public interface Graphs {
    void store(List<Definitions.Definition> graphs);
  }

  /**
   * Verifies a package and stores it, unless it is stored.
   *
   * @throws dev.holdfast.packages.jar.InvalidPackageException if it is not in order
   * @throws PackageException if it is refused for another reason
   */
  public Uploaded accept(Tenant tenant, Upload upload, Graphs graphs, Actor actor) {
    try {
      Checked checked = check.check(upload.jar());
      upload.permitted().accept(checked);
      String signer = signer(tenant.settings().packages(), checked, upload.signature());
      Optional<StoredPackage> known = known(store.find(tenant.id(), id(checked)), checked);
      if (known.isPresent()) {
        return new Uploaded(known.get(), false);
      }
      PackageContents contents = dryLoad(upload.jar(), checked);
      requireAcceptable(tenant, checked);
      // Before the package is there. If it is refused after all, because another request was
      // faster,
      // they do no harm: no run uses a graph that no package names.
      graphs.store(contents.graphs());
      Uploaded uploaded = write(tenant, upload.jar(), checked, signer, actor);
      changed.run();
      return uploaded;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static PackageId id(Checked checked) {
    return checked.manifest().id();
  }

  private static Optional<StoredPackage> known(Optional<StoredPackage> found, Checked checked) {
    found
        .filter(other -> !other.digest().equals(checked.digest()))
        .ifPresent(other -> {
          throw new PackageException(
              Reason.EXISTS,
              "Package %s is stored with other content (sha256:%s): give the changed package another version."
                  .formatted(other.id(), other.digest()));
        });
    return found;
  }

  private static @Nullable String signer(
      TenantPackages trust, Checked checked, @Nullable String text) {
    if (text == null) {
      if (trust.requireSignature()) {
        throw new PackageException(
            Reason.NOT_SIGNED,
            "This tenant accepts signed packages only: push it with --sign-key, with a key whose public part is one of %s."
                .formatted(trust.trustedKeys().keySet()));
      }
      return null;
    }
    byte[] signature = Base64.getDecoder().decode(text);
    return trust.trustedKeys().keySet().stream()
        .filter(
            name -> PackageSignature.isValid(checked.digest(), signature, trust.publicKey(name)))
        .findFirst()
        .orElseThrow(() ->
            new PackageException(
                Reason.WRONG_SIGNATURE,
                "None of the keys that this tenant trusts (%s) has made the signature: sign this jar with one of them, or add the public key to packages.trustedKeys in its settings."
                    .formatted(trust.trustedKeys().keySet())));
  }

  private PackageContents dryLoad(Path jar, Checked checked) throws IOException {
    try {
      if (!loading.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new PackageException(
            Reason.BUSY, "Other packages are being checked: try again in a moment.");
      }
      try {
        PackageContents contents = load.load(jar);
        contents.check(checked.manifest());
        return contents;
      } finally {
        loading.release();
      }
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new PackageException(Reason.BUSY, "The server is stopping: try again.");
    }
  }

  /** Before anything is stored: a package that is refused changes nothing. */
  private void requireAcceptable(Tenant tenant, Checked checked) {
    var unused =
        store
            .database()
            .transaction(
                "check package " + id(checked),
                statements -> storable(statements, tenant, checked));
  }

  /**
   * Locks the packages of a tenant and returns the version, if another request has stored it in the
   * meantime.
   *
   * @throws PackageException if it cannot be stored
   */
  private Optional<StoredPackage> storable(Statements statements, Tenant tenant, Checked checked) {
    if (!store.lock(statements, tenant.id())) {
      throw new PackageException(
          Reason.NO_TENANT, "Tenant '%s' is being deleted.".formatted(tenant.name()));
    }
    Optional<StoredPackage> known =
        known(store.find(statements, tenant.id(), id(checked)), checked);
    if (known.isPresent()) {
      return known;
    }
    List<StoredPackage> others = store.overlapping(statements, tenant.id(), checked);
    if (!others.isEmpty()) {
      throw new PackageException(
          Reason.CONFLICT,
          "Package %s has a task or workflow of the same name: a name belongs to one package, so rename it, or delete the other package."
              .formatted(others.getFirst().id()));
    }
    return known;
  }

  private Uploaded write(
      Tenant tenant, Path jar, Checked checked, @Nullable String signer, Actor actor) {
    return store
        .database()
        .transaction(
            "store package " + id(checked),
            statements -> {
              Optional<StoredPackage> known = storable(statements, tenant, checked);
              if (known.isPresent()) {
                return new Uploaded(known.get(), false);
              }
              store.insert(statements, tenant.id(), checked, jar, signer, actor.key());
              LiveStacks.restamp(statements, tenant, id(checked));
              StoredPackage stored = store.find(statements, tenant.id(), id(checked)).orElseThrow();
              audit.record(
                  statements,
                  actor,
                  new AuditLog.Act("package.upload", stored.id().toString(), null, text(stored)));
              return new Uploaded(stored, true);
            });
  }

  private static String text(StoredPackage stored) {
    ObjectNode json = JSON.createObjectNode();
    json.put("digest", stored.digest());
    json.put("size", stored.size());
    json.put("signedBy", stored.signedBy());
    return json.toString();
  }

  /**
   * Deletes a version.
   *
   * @return false if it is not there
   * @throws PackageException if live work needs it
   */
  public boolean delete(Tenant tenant, PackageId id, boolean force, Actor actor) {
    boolean deleted =
        store
            .database()
            .transaction(
                "delete package " + id,
                statements -> {
                  if (!store.lock(statements, tenant.id())) {
                    return false;
                  }
                  Optional<StoredPackage> known = store.find(statements, tenant.id(), id);
                  if (known.isEmpty()) {
                    return false;
                  }
                  if (!force && LiveStacks.isUsed(statements, tenant, id.toString())) {
                    throw new PackageException(
                        Reason.IN_USE,
                        "Package %s has live jobs or open runs: let them end, or delete it with force=true; they then wait until it is pushed again."
                            .formatted(id));
                  }
                  audit.record(
                      statements,
                      actor,
                      new AuditLog.Act("package.delete", id.toString(), text(known.get()), null));
                  boolean gone = store.delete(statements, known.get());
                  store
                      .newest(statements, tenant.id(), id.name())
                      .ifPresent(next -> LiveStacks.restamp(statements, tenant, next.id()));
                  return gone;
                });
    if (deleted) {
      changed.run();
    }
    return deleted;
  }
}
