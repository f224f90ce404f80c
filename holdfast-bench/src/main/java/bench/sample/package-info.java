/**
 * The code of the packages that {@code bench packages} pushes. Its classes are copied into their
 * jars, where they see the API and nothing else of Holdfast; so they are in no package of Holdfast,
 * which packages may not contain.
 *
 * <p>The process of the benchmark uses the same classes to measure itself.
 */
@NullMarked
package bench.sample;

import org.jspecify.annotations.NullMarked;
