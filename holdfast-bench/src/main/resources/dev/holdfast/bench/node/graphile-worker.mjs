// graphile-worker for peer.mjs. The tuned settings are those of its page on performance, with the
// 64 handlers of the published comparison.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';

const CHUNK = 10_000;
const TUNED = {
  concurrentJobs: 64,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};
const connectionString = 'postgres://';
const logger = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message);
});

export const unfinished = (schema) => `select from ${schema}._private_jobs`;

export async function open(schema) {
  const utils = await makeWorkerUtils({ connectionString, schema, logger });
  await utils.migrate();
  return {
    async enqueue(count) {
      for (let done = 0; done < count; done += CHUNK) {
        const specs = Array.from({ length: Math.min(CHUNK, count - done) }, () => ({
          identifier: 'noop',
          payload: { text: 'x'.repeat(39) },
        }));
        await utils.addJobs(specs);
      }
    },
    close: () => utils.release(),
  };
}

export async function work(schema, tuned, started) {
  const runner = await run({
    connectionString,
    schema,
    logger,
    noHandleSignals: true,
    preset: { worker: tuned ? TUNED : {} },
    taskList: { noop: async () => started(1) },
  });
  return () => runner.stop();
}
