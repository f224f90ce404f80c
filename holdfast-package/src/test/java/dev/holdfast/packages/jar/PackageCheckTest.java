package dev.holdfast.packages.jar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.run.TaskModule;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jars that are read without being loaded. */
class PackageCheckTest {
  private static final String MODULES = "META-INF/services/" + TaskModule.class.getName();
  private static final PackageId ID = new PackageId("orders", "1.0");
  private static final PackageContents CONTENTS =
      new PackageContents(
          List.of("shop::pack"), Map.of("shop::fulfil", "ab".repeat(32)), List.of());

  @TempDir private Path folder;

  private Path written(Path... classPath) throws IOException {
    Path jar = folder.resolve("package.jar");
    try (PackageWriter writer = new PackageWriter()) {
      for (Path each : classPath) {
        writer.add(each);
      }
      PackageCheck.Checked unused = writer.write(jar, ID, CONTENTS, PackageLimits.DEFAULT);
    }
    return jar;
  }

  private Path classes(String... files) throws IOException {
    Path classes = Files.createTempDirectory(folder, "classes");
    write(classes, MODULES, "shop.Shop");
    for (String file : files) {
      write(classes, file, "content of " + file);
    }
    return classes;
  }

  private static void write(Path folder, String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static PackageCheck.Checked check(Path jar) throws IOException {
    return new PackageCheck(PackageLimits.DEFAULT).check(jar);
  }

  /** Writes a jar as an attacker would: with a manifest that is right about its entries. */
  private Path crafted(Map<String, byte[]> entries) throws IOException {
    EntryDigest digest = new EntryDigest();
    entries.forEach((name, content) -> digest.add(name, EntryDigest.sha256().digest(content)));
    Map<String, byte[]> all = new LinkedHashMap<>(entries);
    all.put(
        PackageManifest.ENTRY,
        new PackageManifest(ID, CONTENTS.tasks(), CONTENTS.workflows(), digest.value()).toJson());
    return zip(all);
  }

  private Path crafted(String name, String content) throws IOException {
    return crafted(
        Map.of(
            MODULES,
            "shop.Shop".getBytes(StandardCharsets.UTF_8),
            name,
            content.getBytes(StandardCharsets.UTF_8)));
  }

  private Path zip(Map<String, byte[]> entries) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(bytes)) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        out.putNextEntry(new ZipEntry(entry.getKey()));
        out.write(entry.getValue());
      }
    }
    return Files.write(folder.resolve("crafted.jar"), bytes.toByteArray());
  }

  private static void assertRefused(Path jar, String because) {
    assertThatThrownBy(() -> check(jar))
        .isInstanceOf(InvalidPackageException.class)
        .hasMessageContaining(because);
  }

  @Test
  void aPackageSaysWhatItContains() throws IOException {
    Path jar = written(classes("shop/Shop.class", "prices.txt"));

    PackageCheck.Checked checked = check(jar);

    assertThat(checked.manifest().id()).hasToString("orders@1.0");
    assertThat(checked.manifest().tasks()).containsExactly("shop::pack");
    assertThat(checked.manifest().workflows()).containsOnlyKeys("shop::fulfil");
    assertThat(checked.size()).isEqualTo(Files.size(jar));
    assertThat(checked.digest()).isEqualTo(PackageCheck.digest(jar));
  }

  @Test
  void theSameContentGivesTheSameDigest() throws IOException {
    Path classes = classes("b/B.class", "a/A.class");
    String first = check(written(classes)).digest();
    assertThat(classes.resolve("a/A.class").toFile().setLastModified(1_000_000)).isTrue();

    assertThat(check(written(classes)).digest()).isEqualTo(first);
    write(classes, "a/A.class", "changed");
    assertThat(check(written(classes)).digest()).isNotEqualTo(first);
  }

  @Test
  void servicesOfSeveralJarsAreJoinedAndClassesOfHoldfastAreLeftOut() throws IOException {
    Path library =
        zip(
            Map.of(
                MODULES,
                "other.Module # ours\n".getBytes(StandardCharsets.UTF_8),
                "dev/holdfast/api/Holdfast.class",
                new byte[] {1},
                "META-INF/SIGNED.RSA",
                new byte[] {1},
                "module-info.class",
                new byte[] {1},
                "other/Module.class",
                new byte[] {1}));
    Path jar = written(classes("shop/Shop.class"), library);

    try (ZipFile zip = new ZipFile(jar.toFile())) {
      assertThat(zip.stream().map(ZipEntry::getName))
          .containsExactlyInAnyOrder(
              "META-INF/MANIFEST.MF",
              PackageManifest.ENTRY,
              MODULES,
              "other/Module.class",
              "shop/Shop.class");
      assertThat(zip.getInputStream(zip.getEntry(MODULES))).hasContent("shop.Shop\nother.Module\n");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../outside.txt",
        "a/../../outside.txt",
        "/etc/passwd",
        "C:/windows.txt",
        "a\\b.txt",
        "a//b.txt",
        "./a.txt",
        "a\nb.txt"
      })
  void anEntryThatLeadsElsewhereIsRefused(String name) throws IOException {
    assertRefused(crafted(name, "text"), "is not allowed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dev/holdfast/api/run/TaskModule.class",
        "dev/holdfast/engine/codec/JsonCodec.class",
        "META-INF/versions/21/dev/holdfast/api/Holdfast.class",
        "java/lang/String.class",
        "jdk/internal/misc/Unsafe.class"
      })
  void aClassThatShadowsThePlatformIsRefused(String name) throws IOException {
    assertRefused(crafted(name, "text"), "classes of Java or of Holdfast");
  }

  @Test
  void twoEntriesOfOneNameAreRefused() throws IOException {
    Path jar = crafted("shop/A.class", "one");
    byte[] bytes = Files.readAllBytes(crafted(twoEntries("shop/A.class", "shop/B.class")));
    String text = new String(bytes, StandardCharsets.ISO_8859_1).replace("shop/B", "shop/A");
    Files.write(jar, text.getBytes(StandardCharsets.ISO_8859_1));

    assertRefused(jar, "it is there twice");
  }

  private static Map<String, byte[]> twoEntries(String one, String other) {
    Map<String, byte[]> entries = new LinkedHashMap<>();
    entries.put(MODULES, "shop.Shop".getBytes(StandardCharsets.UTF_8));
    entries.put(one, new byte[] {1});
    entries.put(other, new byte[] {2});
    return entries;
  }

  @Test
  void aSymbolicLinkIsRefused() throws IOException {
    Path jar = crafted("link", "/etc/passwd");
    patch(jar, "link", 38, (0xA1FF << 16));

    assertRefused(jar, "symbolic link");
  }

  @Test
  void anEncryptedEntryIsRefused() throws IOException {
    Path jar = crafted("secret", "text");
    patch(jar, "secret", 8, 0x0801 | (8 << 16));

    assertRefused(jar, "encrypted");
  }

  /** Changes four bytes of an entry in the list at the end of a jar. */
  private static void patch(Path jar, String name, int offset, int value) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(jar)).order(ByteOrder.LITTLE_ENDIAN);
    int at = bytes.getInt(bytes.limit() - 6);
    while (true) {
      int length = bytes.getShort(at + 28);
      if (new String(bytes.array(), at + 46, length, StandardCharsets.UTF_8).equals(name)) {
        bytes.putInt(at + offset, value);
        Files.write(jar, bytes.array());
        return;
      }
      at += 46 + length + bytes.getShort(at + 30) + bytes.getShort(at + 32);
    }
  }

  @Test
  void anEntryThatGrowsTooMuchIsRefused() throws IOException {
    assertRefused(crafted("zeros", "0".repeat(8 << 20)), "times larger than its compressed form");
  }

  @Test
  void moreContentThanTheLimitIsRefusedWhateverSizesTheJarStates() throws IOException {
    Path jar = crafted("text", "abc".repeat(100));
    patch(jar, "text", 24, 1);

    assertThatThrownBy(() -> new PackageCheck(new PackageLimits(1 << 20, 100, 250, 200)).check(jar))
        .isInstanceOf(InvalidPackageException.class)
        .hasMessageContaining("more than 250 bytes, uncompressed");
  }

  @Test
  void entriesThatOverlapAreRefused() throws IOException {
    Path jar = crafted("text", "abc");
    patch(jar, "text", 20, 1 << 20);

    assertRefused(jar, "its entries overlap");
  }

  @Test
  void aJarThatIsLargerThanTheLimitIsRefused() throws IOException {
    Path jar = crafted("text", "abc");

    assertThatThrownBy(() -> new PackageCheck(new PackageLimits(100, 10, 10, 10)).check(jar))
        .isInstanceOf(InvalidPackageException.class)
        .hasMessageContaining("more than the limit of 100");
  }

  @Test
  void moreEntriesThanTheLimitAreRefused() throws IOException {
    Path jar = crafted("text", "abc");

    assertThatThrownBy(() -> new PackageCheck(new PackageLimits(1 << 20, 2, 1000, 10)).check(jar))
        .isInstanceOf(InvalidPackageException.class)
        .hasMessageContaining("3 entries, more than the limit of 2");
  }

  @Test
  void aFileWithSomethingBeforeOrAfterTheJarIsRefused() throws IOException {
    Path jar = crafted("text", "abc");
    byte[] plain = Files.readAllBytes(jar);
    Files.write(jar, concat(new byte[8], plain));
    assertRefused(jar, "not a jar in plain form");

    Files.write(jar, concat(plain, new byte[8]));
    assertRefused(jar, "not a jar in plain form");

    Files.writeString(jar, "not a jar at all, but longer than the end of one");
    assertRefused(jar, "not a jar in plain form");

    Files.write(jar, new byte[0]);
    assertRefused(jar, "not a jar in plain form");
  }

  private static byte[] concat(byte[] one, byte[] other) {
    ByteBuffer both = ByteBuffer.allocate(one.length + other.length);
    return both.put(one).put(other).array();
  }

  @Test
  void aClassPathInTheManifestIsRefused() throws IOException {
    assertRefused(
        crafted(
            "META-INF/MANIFEST.MF",
            "Manifest-Version: 1.0\r\nClass-Path: file:/opt/server/\r\n\r\n"),
        "Class-Path");
  }

  @Test
  void aDamagedJarIsRefused() throws IOException {
    assertRefused(
        crafted("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nbroken\r\n\r\n"),
        "cannot be read");

    Path jar = crafted("text", "abc".repeat(1_000));
    patch(jar, "text", 20, 2);
    assertRefused(jar, "cannot be read");
  }

  @Test
  void aManifestThatLiesAboutTheEntriesIsRefused() throws IOException {
    Map<String, byte[]> entries = twoEntries("a", "b");
    entries.put(
        PackageManifest.ENTRY,
        new PackageManifest(ID, List.of(), Map.of(), "00".repeat(32)).toJson());

    assertRefused(zip(entries), "lies");
  }

  @Test
  void aManifestThatLiesAboutTasksAndWorkflowsIsRefused() {
    PackageManifest manifest =
        new PackageManifest(ID, List.of("shop::pack"), Map.of(), "00".repeat(32));

    assertThatThrownBy(() -> CONTENTS.check(manifest))
        .isInstanceOf(InvalidPackageException.class)
        .hasMessageContaining("workflows [], but the package has [shop::fulfil]");
    assertThatThrownBy(() -> new PackageContents(List.of(), Map.of(), List.of()).check(manifest))
        .isInstanceOf(InvalidPackageException.class)
        .hasMessageContaining("tasks [shop::pack], but the package has []");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no json",
        "{}",
        "{\"format\":2}",
        "{\"format\":1,\"name\":\"a\",\"version\":\"1\",\"tasks\":{},\"workflows\":{},\"entries\":\"x\"}",
        "{\"format\":1,\"name\":\"A"
            + " b\",\"version\":\"1\",\"tasks\":[],\"workflows\":{},\"entries\":\"x\"}",
        "{\"format\":1,\"name\":\"a\",\"version\":\"1\",\"tasks\":[1],\"workflows\":{},\"entries\":\"x\"}"
      })
  void aManifestThatCannotBeReadIsRefused(String json) throws IOException {
    Map<String, byte[]> entries = twoEntries("a", "b");
    entries.put(PackageManifest.ENTRY, json.getBytes(StandardCharsets.UTF_8));

    assertRefused(zip(entries), PackageManifest.ENTRY + " is not valid");
  }

  @Test
  void aJarWithoutModulesOrManifestIsRefused() throws IOException {
    assertRefused(crafted(Map.of("a", new byte[] {1})), "which names its modules");
    assertRefused(zip(twoEntries("a", "b")), "has no " + PackageManifest.ENTRY);
  }
}
