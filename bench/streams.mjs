// What open pages cost: many live streams on one server, idle and told one change.
//
//   node bench/streams.mjs [how many, 2000]
//
// Starts the release program (DEBRIEF_BIN) on a temporary folder, opens the streams, and prints its memory and
// processor time while they are idle, and how long after a change each of them heard of it.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const COUNT = Number(process.argv[2] ?? 2000);
const IDLE = Number(process.env.BENCH_SECONDS ?? 20);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = resolve(ROOT, process.env.DEBRIEF_BIN ?? 'target/release/debrief');
const data = mkdtempSync(join(tmpdir(), 'debrief-streams-'));
const debrief = (...args) => execFileSync(PROGRAM, args, { encoding: 'utf8', env: { ...process.env, DEBRIEF_DATA: data } }).trim();

debrief('import', 'postmortem', join(ROOT, 'tests/data/checkout-postmortem.txt'), '--date', '2026-07-09');
const server = spawn(PROGRAM, ['serve', '--listen', '127.0.0.1:0', '--data', data], { stdio: ['ignore', 'pipe', 'inherit'] });
const base = await new Promise(found =>
  createInterface({ input: server.stdout }).on('line', line => {
    const address = /listening on (http:\S+)/.exec(line)?.[1];
    if (address) found(address);
  }),
);
const authorization = `Bearer ${debrief('token', 'create', '--role', 'admin')}`;
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) / 1024;
/** Seconds of processor time so far; the kernel counts hundredths. */
const processor = () => {
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
const sleep = seconds => new Promise(done => setTimeout(done, seconds * 1000));

try {
  const before = memory();
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const heard = [];
  const began = performance.now();
  let wake = () => {};
  const open = () =>
    new Promise((ready, failed) => {
      get(`${base}/api/v1/changes`, { agent, headers: { authorization } }, response => {
        if (response.statusCode !== 200) return failed(new Error(`a stream answered ${response.statusCode}`));
        response.setEncoding('utf8').on('data', text => {
          if (text.includes('event: ready')) ready();
          if (text.includes('event: change') && heard.push(performance.now()) === COUNT) wake();
        });
      }).on('error', failed);
    });
  for (let opened = 0; opened < COUNT; opened += 100) {
    await Promise.all(Array.from({ length: Math.min(100, COUNT - opened) }, open));
  }
  console.log(`${COUNT} streams opened in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await sleep(2);
  const [idleFrom, usedFrom] = [performance.now(), processor()];
  await sleep(IDLE);
  const used = ((processor() - usedFrom) / ((performance.now() - idleFrom) / 1000)) * 100;
  const now = memory();
  console.log(`memory ${before.toFixed(0)} MiB without, ${now.toFixed(0)} MiB with: ${(((now - before) * 1024) / COUNT).toFixed(1)} KiB a stream`);
  console.log(`processor while idle: ${used.toFixed(1)} % of one core`);

  const dashboard = await (await fetch(`${base}/api/v1/incidents/INC-1`, { headers: { authorization } })).json();
  const delays = [];
  for (let round = 0; round < 5; round++) {
    heard.length = 0;
    const all = new Promise(done => (wake = done));
    const response = await fetch(`${base}/api/v1/actions/${dashboard.actions[0].id}/notes`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ text: `round ${round}` }),
    });
    if (response.status !== 201) throw new Error(`the note answered ${response.status}`);
    const answered = performance.now();
    await all;
    delays.push([heard[0] - answered, heard.at(-1) - answered]);
    await sleep(1);
  }
  for (const [first, last] of delays) {
    console.log(`a change, after its answer: first heard ${first.toFixed(0)} ms, by all ${last.toFixed(0)} ms`);
  }
  console.log(`memory afterwards ${memory().toFixed(0)} MiB`);
} finally {
  const ended = new Promise(done => server.once('exit', done));
  const asked = performance.now();
  server.kill('SIGTERM');
  await ended;
  console.log(`stopped in ${(performance.now() - asked).toFixed(0)} ms with all of them open`);
  rmSync(data, { recursive: true, force: true });
  process.exit(0);
}
