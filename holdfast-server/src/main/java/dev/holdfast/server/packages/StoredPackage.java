package dev.holdfast.server.packages;

import dev.holdfast.packages.jar.PackageId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A version of a package of a tenant.
 *
 * @param number rises with each package that is stored
 * @param digest the SHA-256 of its jar, as 64 hexadecimal digits
 * @param size the size of its jar in bytes
 * @param workflows the hashes of the graphs of its workflows, by name
 * @param signedBy the name of the trusted key that it was signed with; null if it was not signed
 * @param uploadedBy the id of the key that uploaded it
 * @param newest whether no later version of it is stored
 */
public record StoredPackage(
    long number,
    int tenant,
    PackageId id,
    String digest,
    long size,
    List<String> tasks,
    Map<String, String> workflows,
    @Nullable String signedBy,
    Instant uploadedAt,
    @Nullable String uploadedBy,
    boolean newest) {}
