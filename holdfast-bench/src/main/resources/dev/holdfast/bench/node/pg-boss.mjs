// pg-boss for peer.mjs. Tuned for throughput as its documentation describes: batches, the next of
// which is fetched at once while batches are full.
import { PgBoss } from 'pg-boss';

const QUEUE = 'noop';
const CHUNK = 10_000;
const TUNED = {
  batchSize: 500,
  burstWhenBatchFull: true,
  localConcurrency: 2,
};

export const unfinished = (schema) => `select from ${schema}.job where name = '${QUEUE}' and state < 'completed'`;

async function started(schema, options) {
  const boss = new PgBoss({ schema, connectionString: 'postgres://', ...options });
  boss.on('error', console.error);
  await boss.start();
  return boss;
}

export async function open(schema) {
  // Without its periodic work, which would go on while other libraries are measured.
  const boss = await started(schema, { supervise: false, schedule: false });
  await boss.createQueue(QUEUE);
  return {
    async enqueue(count) {
      for (let done = 0; done < count; done += CHUNK) {
        const jobs = Array.from({ length: Math.min(CHUNK, count - done) }, () => ({
          data: { text: 'x'.repeat(39) },
        }));
        await boss.insert(QUEUE, jobs);
      }
    },
    close: () => boss.stop(),
  };
}

export async function work(schema, tuned, jobsStarted) {
  const boss = await started(schema);
  await boss.work(QUEUE, tuned ? TUNED : {}, async (jobs) => jobsStarted(jobs.length));
  return () => boss.stop();
}
