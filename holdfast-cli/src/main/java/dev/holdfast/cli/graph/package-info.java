/**
 * Draws workflows and runs: {@link dev.holdfast.cli.graph.Picture} is what is drawn, {@link
 * dev.holdfast.cli.graph.TextGraph} draws it for the terminal and {@link
 * dev.holdfast.cli.graph.Mermaid} as the text of a Mermaid flowchart. Everything here is a pure
 * function of a graph and, if there is one, a run.
 */
@NullMarked
package dev.holdfast.cli.graph;

import org.jspecify.annotations.NullMarked;
