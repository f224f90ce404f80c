/**
 * The guides as a site: the Markdown of the checkout, which the build puts into the jar, rendered
 * to pages that contain no scripts.
 *
 * <p>All pages are rendered at the start. A request selects one of them by its path and reads no
 * file, so that nothing else can be requested.
 */
@NullMarked
package dev.holdfast.cli.docs;

import org.jspecify.annotations.NullMarked;
