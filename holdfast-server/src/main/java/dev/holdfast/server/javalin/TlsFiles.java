package dev.holdfast.server.javalin;

import dev.holdfast.server.config.ConfigException;
import dev.holdfast.server.config.ServerConfig;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate of the server, from PEM files that may change while it runs. New connections use
 * the new certificate. Files that cannot be used, because they are half written or do not belong
 * together, change nothing and are tried again.
 */
final class TlsFiles {
  private static final Logger log = LoggerFactory.getLogger(TlsFiles.class);
  private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");
  private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
  private static final String END = "-----END PRIVATE KEY-----";
  private static final char[] NO_PASSWORD = new char[0];

  private final ServerConfig.Tls files;
  private final SslContextFactory.Server factory = new SslContextFactory.Server();
  private byte[] used;
  private byte @Nullable [] refused;

  /**
   * @throws ConfigException if the files cannot be used
   */
  TlsFiles(ServerConfig.Tls files) {
    this.files = files;
    try {
      this.used = read();
      factory.setKeyStore(keyStore(used));
    } catch (IOException | GeneralSecurityException | IllegalArgumentException wrong) {
      throw new ConfigException(
          "TLS cannot be used with certificate %s and key %s: %s"
              .formatted(files.certificate(), files.key(), wrong));
    }
    factory.setKeyStorePassword("");
  }

  SslContextFactory.Server factory() {
    return factory;
  }

  /** Uses the files if they have changed. */
  void refresh() {
    byte[] found;
    try {
      found = read();
    } catch (IOException away) {
      log.warn("The certificate cannot be read and stays as it is: {}", away.toString());
      return;
    }
    if (Arrays.equals(found, used) || Arrays.equals(found, refused)) {
      return;
    }
    try {
      KeyStore store = keyStore(found);
      factory.reload(any -> factory.setKeyStore(store));
      used = found;
      refused = null;
      log.info("The certificate in {} has changed and is used from now on", files.certificate());
    } catch (Exception wrong) {
      refused = found;
      log.error(
          "The certificate in {} has changed and cannot be used; the one before stays in use: {}",
          files.certificate(),
          wrong.toString());
    }
  }

  private byte[] read() throws IOException {
    byte[] certificate = Files.readAllBytes(files.certificate());
    byte[] key = Files.readAllBytes(files.key());
    byte[] all = Arrays.copyOf(certificate, certificate.length + 1 + key.length);
    System.arraycopy(key, 0, all, certificate.length + 1, key.length);
    return all;
  }

  private static KeyStore keyStore(byte[] both) throws GeneralSecurityException, IOException {
    int middle = 0;
    while (both[middle] != 0) {
      middle++;
    }
    Collection<? extends Certificate> chain =
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(both, 0, middle));
    if (chain.isEmpty()) {
      throw new GeneralSecurityException("the certificate file has no certificate");
    }
    PrivateKey key =
        key(new String(both, middle + 1, both.length - middle - 1, StandardCharsets.US_ASCII));
    if (!matches(key, chain.iterator().next().getPublicKey())) {
      throw new GeneralSecurityException("the key does not belong to the first certificate");
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, NO_PASSWORD);
    store.setKeyEntry("server", key, NO_PASSWORD, chain.toArray(Certificate[]::new));
    return store;
  }

  private static PrivateKey key(String pem) throws GeneralSecurityException {
    int begin = pem.indexOf(BEGIN);
    int end = pem.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new GeneralSecurityException(
          "the key file has no '%s': convert the key with 'openssl pkcs8 -topk8 -nocrypt'"
              .formatted(BEGIN));
    }
    byte[] bytes = Base64.getMimeDecoder().decode(pem.substring(begin + BEGIN.length(), end));
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
      } catch (InvalidKeySpecException another) {
        log.trace("The key is not of type {}", algorithm, another);
      }
    }
    throw new GeneralSecurityException("the key is of none of the types " + ALGORITHMS);
  }

  private static boolean matches(PrivateKey key, PublicKey certified)
      throws GeneralSecurityException {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> "Ed25519";
        };
    byte[] text = {1, 2, 3};
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(key);
    signature.update(text);
    byte[] signed = signature.sign();
    try {
      signature.initVerify(certified);
      signature.update(text);
      return signature.verify(signed);
    } catch (java.security.InvalidKeyException anotherType) {
      return false;
    }
  }
}
