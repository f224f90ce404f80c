package dev.holdfast.server.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Creates certificates with the keytool of the JDK. */
public final class Certificates {
  private static final char[] PASSWORD = "changeit".toCharArray();

  private Certificates() {}

  /** Creates a certificate, and writes it and its key as PEM. */
  public static X509Certificate create(Path folder, Path certificate, Path key, String name)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    "a",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=" + name,
                    "-ext",
                    "SAN=ip:127.0.0.1",
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    "changeit",
                    "-keystore",
                    store.toString()))
            .inheritIO()
            .start();
    if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
      throw new IOException("keytool failed");
    }
    KeyStore created = KeyStore.getInstance(store.toFile(), PASSWORD);
    X509Certificate made = (X509Certificate) created.getCertificate("a");
    Files.writeString(certificate, pem("CERTIFICATE", made.getEncoded()));
    Files.writeString(key, pem("PRIVATE KEY", created.getKey("a", PASSWORD).getEncoded()));
    return made;
  }

  private static String pem(String type, byte[] bytes) {
    return "-----BEGIN %s-----%n%s%n-----END %s-----%n"
        .formatted(type, Base64.getMimeEncoder().encodeToString(bytes), type);
  }
}
