package dev.holdfast.cli.connect;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.cli.print.Closest;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Value;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The profiles of a user: a file that only its owner may read, since it contains keys. It is
 * replaced as a whole, so that a command that is killed leaves the old or the new one.
 *
 * @param file where they are stored
 * @param current the name of the profile that is used if none is named; null for none
 */
public record Profiles(Path file, @Nullable String current, Map<String, Profile> all) {
  private static final String OWNER_ONLY = "rw-------";
  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  /** Copies the map. */
  public Profiles {
    all = new LinkedHashMap<>(all);
  }

  /** Reads the profiles of the user; none if there is no file. */
  public static Profiles read(Environment environment) {
    Path file = file(environment.variables());
    try {
      requirePrivate(file);
      return parse(file, Json.read(Files.readString(file)));
    } catch (NoSuchFileException none) {
      return new Profiles(file, null, Map.of());
    } catch (IOException | IllegalArgumentException unreadable) {
      throw new HoldfastException(
          "The profiles in %s cannot be read: correct or delete the file.".formatted(file),
          unreadable);
    }
  }

  private static Path file(Map<String, String> variables) {
    String xdg = variables.getOrDefault("XDG_CONFIG_HOME", "");
    Path base = xdg.isBlank() ? Path.of(System.getProperty("user.home"), ".config") : Path.of(xdg);
    return base.resolve("holdfast").resolve("profiles.json");
  }

  private static void requirePrivate(Path file) throws IOException {
    if (POSIX) {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
      if (!PosixFilePermissions.fromString(OWNER_ONLY).containsAll(permissions)) {
        throw new HoldfastException(
            "%s contains keys, but others may read or change it (%s): run 'chmod 600' on it, and replace the keys if others may have read them."
                .formatted(file, PosixFilePermissions.toString(permissions)));
      }
    }
  }

  private static Profiles parse(Path file, JsonNode json) {
    Map<String, Profile> all = new LinkedHashMap<>();
    JsonNode profiles = json.get("profiles");
    if (profiles != null) {
      profiles
          .properties()
          .forEach(entry ->
              all.put(
                  entry.getKey(),
                  new Profile(
                      Value.text(entry.getValue(), "url"),
                      Value.text(entry.getValue(), "key"),
                      Value.orNull(entry.getValue(), "tenant"))));
    }
    return new Profiles(file, Value.orNull(json, "current"), all);
  }

  /**
   * Returns a profile.
   *
   * @throws ApiException if there is none with this name
   */
  public Profile get(String name) {
    Profile profile = all.get(name);
    if (profile == null) {
      throw ApiException.refused(
          ExitCode.NOT_FOUND,
          "There is no profile '%s'.%s See 'holdfast profile list'."
              .formatted(
                  name,
                  Closest.to(name, all.keySet()).map(" Did you mean '%s'?"::formatted).orElse("")));
    }
    return profile;
  }

  /** Returns the profile that is used if none is named. */
  public Optional<Profile> chosen() {
    return current == null ? Optional.empty() : Optional.ofNullable(all.get(current));
  }

  /** Returns these profiles with another one, which becomes the current one if there is none. */
  public Profiles with(String name, Profile profile) {
    Map<String, Profile> more = new LinkedHashMap<>(all);
    more.put(name, profile);
    return new Profiles(file, chosen().isPresent() ? current : name, more);
  }

  /** Returns these profiles without one. */
  public Profiles without(String name) {
    Map<String, Profile> fewer = new LinkedHashMap<>(all);
    fewer.remove(name);
    return new Profiles(file, name.equals(current) ? null : current, fewer);
  }

  /** Returns these profiles with another current one. */
  public Profiles using(String name) {
    return new Profiles(file, name, all);
  }

  /** Stores the profiles. */
  public void write() {
    ObjectNode json = Json.object();
    json.put("current", current);
    ObjectNode profiles = json.putObject("profiles");
    all.forEach((name, profile) -> {
      ObjectNode entry = profiles.putObject(name);
      entry.put("url", profile.url()).put("key", profile.key());
      if (profile.tenant() != null) {
        entry.put("tenant", profile.tenant());
      }
    });
    Path folder = file.toAbsolutePath().getParent();
    try {
      Files.createDirectories(folder, permissions("rwx------"));
      Path next = Files.createTempFile(folder, "profiles", ".new", permissions(OWNER_ONLY));
      try {
        Files.writeString(next, json.toPrettyString() + System.lineSeparator());
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(next);
      }
    } catch (IOException failure) {
      throw new HoldfastException(
          "The profiles cannot be stored in %s: check that you may write there.".formatted(file),
          failure);
    }
  }

  private static FileAttribute<?>[] permissions(String text) {
    return POSIX
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))
        }
        : new FileAttribute<?>[0];
  }
}
