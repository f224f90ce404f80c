/**
 * The configuration of the server: defaults, then a YAML file, then the environment, then flags.
 */
@NullMarked
package dev.holdfast.server.config;

import org.jspecify.annotations.NullMarked;
