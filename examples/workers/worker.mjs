// A Holdfast worker with nothing but Node.js 20. Replace the tasks with yours, and run it:
// HOLDFAST_URL=http://localhost:7420 HOLDFAST_KEY=holdfast_... node worker.mjs
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const { HOLDFAST_URL, HOLDFAST_KEY, HOLDFAST_TENANT = 'default' } = process.env;
const { HOLDFAST_CAPACITY = '10', HOLDFAST_TIMEOUT = 'PT1M' } = process.env;
const base = `${HOLDFAST_URL}/v1/tenants/${HOLDFAST_TENANT}/workers`;
const headers = { authorization: `Bearer ${HOLDFAST_KEY}`, 'content-type': 'application/json' };
let stopping = false; // Set by SIGTERM: the worker ends what it has, and deregisters.

// The heartbeat needs the event loop: await, or compute in a worker thread.
const tasks = {
  'example::add': async (payload) => payload.a + payload.b,
  'example::count': async (payload, job) => {
    for (let done = 1; done <= payload.steps; done++) {
      await sleep((payload.pause ?? 0.1) * 1000, undefined, { signal: job.stop.signal });
      job.progress = { done, total: payload.steps };
    }
  },
};

class Dead extends Error {} // Others may run its jobs: the worker forgets them and registers again.
const now = () => performance.now();
const units = { H: 3600e3, M: 60e3, S: 1e3 }; // Durations are texts such as PT7.5S.
const millis = (text) => [...text.matchAll(/([\d.]+)([HMS])/g)].reduce((sum, [, n, unit]) => sum + n * units[unit], 0);
const id = ({ claim: { job, token } }) => ({ job, token });

class Worker {
  path = ''; held = new Map(); answered = 0; allowed = Infinity; dead = new AbortController(); beaten = now();

  async register() {
    const reply = await this.call('', { worker: randomUUID(), id: `${hostname()}-${process.pid}`,
      tasks: Object.keys(tasks), capacity: Number(HOLDFAST_CAPACITY), timeout: HOLDFAST_TIMEOUT });
    Object.assign(this, { path: `/${reply.worker}`, allowed: millis(reply.fenceAfter) });
    this.beat(millis(reply.heartbeatEvery)).catch(() => this.held.forEach((job) => job.stop.abort()));
  }

  check() { if (this.dead.signal.aborted || now() - this.beaten > this.allowed) throw new Dead(); }

  async call(what, body, method = 'POST') {
    for (;;) { // Every call may be repeated: it has a number, or names tokens.
      this.check();
      try {
        const reply = await fetch(base + this.path + what,
          { method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) });
        const text = await reply.text();
        if (reply.ok) return text ? JSON.parse(text) : {};
        if (reply.status === 404 || reply.status === 409) this.dead.abort();
        else if (reply.status < 500 && reply.status !== 429) throw new SyntaxError(text);
      } catch (failure) {
        if (failure instanceof SyntaxError) throw failure; // The program is wrong; a repeat does not help.
        console.log(`${what}: ${failure.message}, trying again`);
      }
      await sleep(500);
    }
  }

  async beat(every) {
    for (;;) {
      await sleep(every, undefined, { signal: this.dead.signal });
      const jobs = [...this.held.values()].map((job) => ({ ...id(job), progress: job.progress }));
      const sent = now(); // Before the call: the server counts from no earlier.
      const reply = await this.call('/heartbeat', { jobs, answered: this.answered });
      this.beaten = sent;
      const stop = (verdict) => ({ job }) => Object.assign(this.held.get(job) ?? {}, { verdict }).stop?.abort();
      [...reply.lost, ...reply.cancel].forEach(stop('CANCELLED'));
      reply.release.forEach(stop('HANDED_BACK'));
    }
  }

  async run(job) {
    this.check(); // Nothing starts once it may run elsewhere.
    try {
      return { ...id(job), outcome: 'SUCCEEDED', result: await tasks[job.claim.task](job.claim.payload, job) };
    } catch ({ name: type, message, taskCode: code }) { // A code, if any, is for the retry policy of the job.
      return { ...id(job), ...(job.verdict ? { outcome: job.verdict } : { outcome: 'FAILED', code, message, type }) };
    }
  }

  async work() {
    await this.register();
    for (let outcomes = []; outcomes.length > 0 || !stopping; ) {
      const most = stopping ? { max: 0 } : { max: +HOLDFAST_CAPACITY, wait: 'PT5S' };
      const reply = await this.call('/claim', { call: this.answered + 1, outcomes, ...most });
      const held = new Map(reply.jobs.map((claim) => [claim.job, { claim, stop: new AbortController() }]));
      Object.assign(this, { held, answered: this.answered + 1 });
      const done = await Promise.allSettled([...this.held.values()].map((job) => this.run(job)));
      this.check(); // If it is dead, it has waited for the tasks, and registers again.
      outcomes = done.map(({ value }) => value);
    }
    await this.call('', {}, 'DELETE');
  }
}

process.on('SIGTERM', () => { stopping = true; });
while (!stopping) await new Worker().work().catch((failure) => { if (!(failure instanceof Dead)) throw failure; });
process.exit(0);
