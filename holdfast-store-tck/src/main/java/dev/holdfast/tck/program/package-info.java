/** Programs of users that tests compile and load: modules with tasks and workflows. */
@NullMarked
package dev.holdfast.tck.program;

import org.jspecify.annotations.NullMarked;
