package dev.holdfast.engine.run;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.held.DrainNotice;
import dev.holdfast.engine.time.Ticker;
import java.util.function.Function;

/**
 * What the contexts of all attempts of a node share.
 *
 * @param node the id of the node
 * @param clients returns a client whose jobs are children of a job
 * @param drain notifies attempts that the node is draining
 * @param notes stores what attempts report
 * @param journal stores the durable steps of attempts
 * @param logLines how many log lines to store with a job; 0 for none
 * @param secrets what handlers may read, and what is hidden in their reports
 */
public record ContextServices(
    String node,
    Ticker ticker,
    Function<JobId, Holdfast> clients,
    DrainNotice drain,
    NotesWriter notes,
    JournalServices journal,
    int logLines,
    NodeSecrets secrets) {}
