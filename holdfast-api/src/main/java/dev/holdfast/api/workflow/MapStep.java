package dev.holdfast.api.workflow;

import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.StepDefinition.Work;
import java.util.List;

/**
 * A step that runs a task once for each element of a list. Its output is the list of their results,
 * in the order of the elements; a tolerated failure is null.
 *
 * @param <R> the type of the result for one element
 */
public final class MapStep<R> extends Step<List<R>> {

  MapStep(String name, TypeRef<List<R>> type, Work.MapTask work, JobOptions options) {
    super(name, type, work, options);
  }

  private Work.MapTask map() {
    return (Work.MapTask) work;
  }

  /**
   * Limits how many jobs of this map exist at a time. A lower number takes longer and leaves more
   * capacity to other work. Defaults to no limit: as many as nodes have slots.
   */
  public MapStep<R> concurrency(int most) {
    Work.MapTask map = map();
    this.work = new Work.MapTask(map.task(), map.items(), most, map.tolerated(), map.itemLabel());
    return this;
  }

  /**
   * Lets the step succeed although up to this number of its jobs have failed; their results are
   * null. With one more failure the step fails, and jobs that have not started are cancelled.
   * Defaults to 0.
   */
  public MapStep<R> tolerateFailures(int most) {
    Work.MapTask map = map();
    this.work = new Work.MapTask(map.task(), map.items(), map.concurrency(), most, map.itemLabel());
    return this;
  }

  /**
   * Labels each job with a field of its element.
   *
   * @param field the path of the field, such as {@code customer.name}. Defaults to none
   */
  public MapStep<R> labelItems(String field) {
    Work.MapTask map = map();
    this.work =
        new Work.MapTask(map.task(), map.items(), map.concurrency(), map.tolerated(), field);
    return this;
  }
}
