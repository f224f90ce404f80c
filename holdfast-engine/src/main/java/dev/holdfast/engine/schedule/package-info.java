/**
 * Recurring jobs. {@code DueTimes} computes when a schedule is due, {@code MisfireDecision} which
 * of several due times are fired, {@code FirePlan} which jobs they create: pure functions. {@link
 * dev.holdfast.engine.schedule.Scheduler} fires schedules, on every node; {@link
 * dev.holdfast.engine.schedule.Registrar} keeps the stored schedules equal to those declared in
 * code; {@link dev.holdfast.engine.schedule.StoredSchedules} is the client's side.
 *
 * <h2>One job for each due time</h2>
 *
 * <p>Any node may fire; there is no leader. A firing is one transaction: the schedule moves to its
 * next due time if its revision and due time are what the node read, and the jobs are inserted,
 * each due time with its own key in the table of unique keys. Of many nodes that fire at once, one
 * finds the row unchanged. If a node dies before the commit, nothing has happened, and another node
 * fires. If a node dies after the commit, or resumes an hour later with an old row in memory, the
 * row has moved on.
 *
 * <h2>Declarations and deployments</h2>
 *
 * <p>Several versions of an application run side by side during a deployment, and any of their
 * nodes may restart at any time. So a node does not impose its declarations when it starts. It
 * records them under its incarnation, and every node follows what live nodes declare:
 *
 * <ul>
 *   <li>A declared schedule is kept while any live node of its application declares it, and deleted
 *       when none does. So it survives a rolling deployment until the last node of the old version
 *       has gone, and nodes of the new version that restart meanwhile change nothing. The deletion
 *       is one statement that checks the declarations itself; only one node deletes the row. A node
 *       declares before it deletes, so a node that declares while another deletes finds the
 *       schedule missing afterwards, and creates it.
 *   <li>If live nodes declare one schedule differently, the newest declaration wins. It gets a
 *       generation when it is made for the first time. A node of the old version that restarts
 *       makes a known declaration, and gets the old generation: it does not revert the schedule. A
 *       declaration is stored as long as the row of a node that made it, which is kept for a day
 *       after the node has gone.
 *   <li>In a rollback the old declaration is the older one, and wins as soon as the last node of
 *       the version that is rolled back has gone.
 * </ul>
 *
 * <p>Schedules that a client created, or another application declared, are never changed. Nodes of
 * one application should declare the same schedules; programs that declare different schedules
 * should have different application names.
 */
@NullMarked
package dev.holdfast.engine.schedule;

import org.jspecify.annotations.NullMarked;
