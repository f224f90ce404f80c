/**
 * Running jobs: what the code of a task implements and uses.
 *
 * <p>A {@link dev.holdfast.api.run.TaskHandler} or {@link dev.holdfast.api.run.VoidTaskHandler}
 * executes jobs, with a {@link dev.holdfast.api.run.TaskContext} that describes the current attempt
 * and can enqueue further jobs. It can throw {@link dev.holdfast.api.run.TaskFailure} and {@link
 * dev.holdfast.api.run.RetryLater}. {@link dev.holdfast.api.run.DurableSteps} are parts of a
 * handler that are not repeated when its job runs again. An {@link
 * dev.holdfast.api.run.AttemptInterceptor} wraps the attempts of all tasks of a node. A {@link
 * dev.holdfast.api.run.TaskModule} names the tasks and workflows of a jar. A {@link
 * dev.holdfast.api.run.SecretSource} has the secrets that handlers ask their context for.
 */
@NullMarked
package dev.holdfast.api.run;

import org.jspecify.annotations.NullMarked;
