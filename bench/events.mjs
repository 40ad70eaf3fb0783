// Ten million attempts, from the file to attempts by minute, distinct customers and cohort, each attempt once: this
// program and DuckDB, in turn, on as many threads, and the same results. See bench/README.md.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ROWS = Number(process.env.BENCH_EVENTS_ROWS ?? 10_000_000);
const ROUNDS = Number(process.env.BENCH_EVENTS_ROUNDS ?? 5);
const THREADS = availableParallelism();
const TOOLS = process.env.DEBRIEF_TOOLS ?? '';
const ATTEMPTS = join(ROOT, 'target/release/examples/attempts');
const DEBRIEF = join(ROOT, 'target/release/debrief');

const say = text => process.stdout.write(`\x1b[1m==> ${text}\x1b[0m\n`);
const told = ({ seconds, cpu, peak }) =>
  `${seconds.toFixed(2)} s, ${cpu.toFixed(2)} s of processors, ${peak.toFixed(0)} MiB`;
const median = values => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Runs a program; its output, wall and processor time in seconds, and the most memory that it held, in MiB. */
async function measure(program, args, env = {}) {
  const started = process.hrtime.bigint();
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  let out = '';
  let peak = 0;
  let cpu = 0;
  child.stdout.on('data', chunk => (out += chunk));
  const look = () => {
    try {
      const held = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
      if (held) peak = Math.max(peak, Number(held[1]) / 1024);
      // In hundredths of a second; the program's name, in brackets, may hold anything.
      const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ').at(-1).split(' ').slice(11, 13);
      cpu = (Number(user) + Number(system)) / 100;
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(look, 20);
  const code = await new Promise(done => child.on('close', done));
  clearInterval(timer);
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return { out, seconds: Number(process.hrtime.bigint() - started) / 1e9, cpu, peak };
}

const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'debrief-events-'));
try {
  const file = join(folder, 'attempts.csv');
  say(`writing ${ROWS.toLocaleString('en')} attempts`);
  execFileSync(ATTEMPTS, ['generate', String(ROWS), file]);
  const megabytes = statSync(file).size / 1e6;
  const python = join(TOOLS, 'python/bin/python');
  const runs = { debrief: [], duckdb: [] };
  say(`${ROUNDS} rounds of each on ${THREADS} threads, from a file of ${megabytes.toFixed(0)} MB in the page cache`);
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await measure(ATTEMPTS, ['compute', file]);
    const theirs = await measure(python, [join(ROOT, 'bench/events.py'), file, String(THREADS)]);
    const [{ seconds: _, ...mine }, { seconds: __, ...other }] = [JSON.parse(ours.out), JSON.parse(theirs.out)];
    assert.deepEqual(mine, other, 'both find the same');
    runs.debrief.push(ours);
    runs.duckdb.push(theirs);
    console.log(`  ${round + 1}: ${told(ours)}; DuckDB ${told(theirs)}`);
  }
  const result = { rows: ROWS, megabytes, threads: THREADS, cpu: cpus()[0]?.model };
  for (const [who, all] of Object.entries(runs)) {
    result[who] = Object.fromEntries(['seconds', 'cpu', 'peak'].map(what => [what, median(all.map(run => run[what]))]));
  }
  const ratio = what => (result.debrief[what] / result.duckdb[what]).toFixed(2);
  console.log(`\n  median: ${told(result.debrief)}; DuckDB ${told(result.duckdb)}`);
  console.log(`  ratio to DuckDB: wall time ${ratio('seconds')}, processors ${ratio('cpu')}, memory ${ratio('peak')}`);
  if (existsSync(DEBRIEF)) {
    say('the same file as a whole import: kept, compressed, its hash taken, its signal in the database');
    const data = { DEBRIEF_DATA: join(folder, 'data') };
    const document = join(ROOT, 'tests/data/checkout-postmortem.txt');
    execFileSync(DEBRIEF, ['import', 'postmortem', document, '--date', '2026-07-09'], { env: { ...process.env, ...data }, stdio: 'pipe' });
    const whole = await measure(DEBRIEF, ['import', 'events', 'INC-1', file], data);
    result.import = { seconds: whole.seconds, cpu: whole.cpu, peak: whole.peak };
    console.log(`  ${told(whole)}: ${whole.out.split('\n')[0]}`);
  }
  mkdirSync(join(ROOT, 'bench/results'), { recursive: true });
  writeFileSync(join(ROOT, 'bench/results/events.json'), JSON.stringify(result, null, 2) + '\n');
  console.log('\n  written to bench/results/events.json');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
