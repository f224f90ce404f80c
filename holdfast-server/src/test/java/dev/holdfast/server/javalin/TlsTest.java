package dev.holdfast.server.javalin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.Certificates;
import dev.holdfast.server.testing.TestServer;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers with a certificate, which may change while they run. */
class TlsTest {

  /** The certificate that a server presents, and its response. */
  private record Answer(X509Certificate certificate, String text) {}

  private static Answer call(URI server, X509Certificate trusted)
      throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("server", trusted);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    try (SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(server.getHost(), server.getPort())) {
      socket.setSoTimeout(30_000);
      socket.startHandshake();
      socket
          .getOutputStream()
          .write(
              "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      String text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Answer((X509Certificate) socket.getSession().getPeerCertificates()[0], text);
    }
  }

  @Test
  void aChangedCertificateIsUsedWithoutARestart(@TempDir Path folder) throws Exception {
    Path certificate = folder.resolve("cert.pem");
    Path key = folder.resolve("key.pem");
    X509Certificate first = Certificates.create(folder, certificate, key, "first");
    try (TestServer server =
        new TestServer(
            Map.of(
                "mode", "api",
                "tls.certificate", certificate.toString(),
                "tls.key", key.toString()))) {
      URI url = server.server().url();
      assertThat(url.getScheme()).isEqualTo("https");
      Answer before = call(url, first);
      assertThat(before.text()).startsWith("HTTP/1.1 200").contains("Strict-Transport-Security");
      assertThat(before.certificate()).isEqualTo(first);

      // Half of a renewal: a certificate without its key. The one in use stays.
      String oldKey = Files.readString(key);
      X509Certificate second = Certificates.create(folder, certificate, key, "second");
      String newKey = Files.readString(key);
      Files.writeString(key, oldKey);
      assertThat(call(url, first).certificate()).isEqualTo(first);

      Files.writeString(key, newKey);
      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(call(url, second).certificate()).isEqualTo(second));
    }
  }

  @Test
  void aKeyOfAnotherCertificateFailsTheStart(@TempDir Path folder) throws Exception {
    Path certificate = folder.resolve("cert.pem");
    Path key = folder.resolve("key.pem");
    Certificates.create(folder, folder.resolve("other.pem"), key, "first");
    Certificates.create(folder, certificate, folder.resolve("other.key"), "second");
    assertThatThrownBy(
            () -> new TlsFiles(new dev.holdfast.server.config.ServerConfig.Tls(certificate, key)))
        .hasMessageContaining("does not belong");
    Files.writeString(key, "-----BEGIN RSA PRIVATE KEY-----");
    assertThatThrownBy(
            () -> new TlsFiles(new dev.holdfast.server.config.ServerConfig.Tls(certificate, key)))
        .hasMessageContaining("openssl pkcs8");
  }
}
