/** Support for tests of programs that use Holdfast. */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
