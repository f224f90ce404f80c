// A process of `holdfast bench peers`: node peer.mjs LIBRARY fill|drain SCHEMA default|tuned [JOBS]
//
// `fill` creates the tables, prints READY, and enqueues as many jobs as each line on standard input
// says. `drain` runs JOBS waiting jobs at once, and then as many as each line says. Both reply with
// DONE; `drain` adds when the first job started and when the last was finished in the tables, in
// microseconds since 1970.
import readline from 'node:readline';
import pg from 'pg';

const PATIENCE_MS = 60_000;
const [library, role, schema, tuning, jobs] = process.argv.slice(2);
const peer = await import(`./${library}.mjs`);

const micros = () => Math.round((performance.timeOrigin + performance.now()) * 1000);
const reply = (...words) => process.stdout.write(words.join(' ') + '\n');

async function unfinished(client) {
  const { rows } = await client.query(`select exists (${peer.unfinished(schema)}) as any`);
  return rows[0].any;
}

async function drain(count) {
  let ran = 0;
  let first = 0;
  let progressed = Date.now();
  let allRan;
  const end = new Promise((resolve) => (allRan = resolve));
  const watch = setInterval(() => {
    if (Date.now() - progressed > PATIENCE_MS) {
      console.error(`${library} made no progress for ${PATIENCE_MS / 1000} s after ${ran} of ${count} jobs.`);
      process.exit(1);
    }
  }, 1_000);
  const stop = await peer.work(schema, tuning === 'tuned', (started) => {
    if (ran === 0) first = micros();
    ran += started;
    progressed = Date.now();
    if (ran >= count) allRan();
  });
  await end;
  const client = new pg.Client();
  await client.connect();
  while (await unfinished(client)) await new Promise((resolve) => setTimeout(resolve, 1));
  const last = micros();
  clearInterval(watch);
  await client.end();
  await stop();
  return [first, last];
}

// Only when they are read: lines that come before would be lost.
const lines = () => readline.createInterface({ input: process.stdin });
if (role === 'fill') {
  const client = await peer.open(schema);
  reply('READY');
  for await (const line of lines()) {
    await client.enqueue(Number(line));
    reply('DONE', line);
  }
  await client.close();
} else {
  reply('DONE', ...(await drain(Number(jobs))));
  for await (const line of lines()) reply('DONE', ...(await drain(Number(line))));
}
process.exit(0);
