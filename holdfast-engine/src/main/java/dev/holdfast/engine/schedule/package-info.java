/**
 * Work that recurs. {@code DueTimes} says when a schedule is due, {@code MisfireDecision} which of
 * several due times are fired, {@code FirePlan} what jobs that makes: pure functions. {@link
 * dev.holdfast.engine.schedule.Scheduler} fires, on every node; {@link
 * dev.holdfast.engine.schedule.Registrar} keeps schedules that are declared in code in step with
 * the code; {@link dev.holdfast.engine.schedule.ScheduleDesk} is the client's side.
 *
 * <h2>One job for each due time</h2>
 *
 * <p>Any node may fire, and nobody is elected. A firing is one transaction: the schedule moves on
 * if its revision and its next due time are what the node saw, and the jobs are inserted, each due
 * time with a key of its own in the ledger of unique keys. Of many nodes that fire at once one
 * finds the row as it was. A node that dies before the commit has done nothing, and another fires;
 * one that dies after it, or wakes an hour later with an old row in hand, finds that the row has
 * moved on.
 *
 * <h2>Declarations and deployments</h2>
 *
 * <p>Several versions of an application run side by side during a deployment, and any of their
 * nodes may restart at any time. So a node does not impose what it declares when it starts. It
 * notes its declarations under its incarnation, and everybody goes by what live nodes declare:
 *
 * <ul>
 *   <li>A declared schedule is kept while any live node of its application declares it, and deleted
 *       when none does. So it survives a rolling deployment until the last node of the old version
 *       has gone, and nodes of the new version that restart meanwhile change nothing. The deletion
 *       is one statement that looks at the declarations itself; one node's touches the row. A node
 *       declares before it deletes, so a node that declares while another deletes finds the
 *       schedule missing afterwards, and makes it.
 *   <li>Where live nodes declare one schedule differently, the newest declaration holds. It gets a
 *       generation when it is made for the first time. A node of the old version that restarts
 *       makes a declaration that is known, and gets the old generation: it does not set the
 *       schedule back. The memory of a declaration lasts as long as the row of a node that made it,
 *       which outlives the node by a day.
 *   <li>In a rollback the old declaration is the older one, and holds as soon as the last node of
 *       the version that is rolled back has gone.
 * </ul>
 *
 * <p>What a client made, or another application declared, is never touched. Nodes of one
 * application should declare the same; programs that differ should differ in name.
 */
@NullMarked
package dev.holdfast.engine.schedule;

import org.jspecify.annotations.NullMarked;
