// Measures the incident page against a floor: a hand-written static page and the same JSON as a file, both from nginx.
// Prints a table, writes bench/results/latest.json, and ends everything that it started. See bench/README.md.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { startNginx } from './nginx.mjs';
import { loadPage } from './page.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
const HTTP_ROUNDS = Number(process.env.BENCH_HTTP_ROUNDS ?? 5);
const HTTP_SECONDS = Number(process.env.BENCH_HTTP_SECONDS ?? 4);
const CONNECTIONS = 16;
const PATH = '/api/v1/incidents/INC-1';

const say = text => process.stdout.write(`\x1b[1m==> ${text}\x1b[0m\n`);
const median = values => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const spread = values => ({ median: median(values), min: Math.min(...values), max: Math.max(...values), runs: values.length });

const freePort = () =>
  new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });

async function startDebrief(data) {
  const program = join(ROOT, 'target/release/debrief');
  const child = spawn(program, ['serve', '--listen', '127.0.0.1:0', '--demo', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DEBRIEF_LOG: 'warn' },
  });
  let base;
  const link = await new Promise((found, failed) => {
    createInterface({ input: child.stdout }).on('line', line => {
      base ??= /listening on (http:\S+)/.exec(line)?.[1];
      const link = /sign in, once, with http\S+#(\S+)/.exec(line)?.[1];
      if (link) found(link);
    });
    child.once('error', failed);
    child.once('exit', code => failed(new Error(`debrief ended with ${code}`)));
  });
  const signedIn = await fetch(`${base}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link }),
  });
  const [name, value] = signedIn.headers.get('set-cookie').split(';')[0].split('=');
  const args = ['token', 'create', '--role', 'viewer', '--data', data];
  const token = execFileSync(program, args, { encoding: 'utf8' }).trim();
  return { base, token, cookie: { name, value, url: base }, stop: () => child.kill('SIGTERM') };
}

/** The first load by kind, in bytes of the bodies as sent. */
async function weigh(browser, cookies, url, facts, chart) {
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const { files } = await loadPage(await context.newPage(), url, facts, chart);
  await context.close();
  const kinds = {};
  for (const { kind, bytes } of files) kinds[kind] = (kinds[kind] ?? 0) + bytes;
  return { kinds, files };
}

/** Cold (nothing cached) and warm (second visit) times in milliseconds from the start of the navigation. */
async function time(browser, cookies, url, facts, chart) {
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const cold = await loadPage(await context.newPage(), url, facts, chart);
  const warm = await loadPage(await context.newPage(), url, facts, chart);
  await context.close();
  return { cold: cold.times, warm: warm.times };
}

function wrk(url, seconds, token) {
  const header = token ? ['-H', `Authorization: Bearer ${token}`] : [];
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--latency', ...header, url];
  const out = execFileSync('wrk', args, { encoding: 'utf8' });
  if (/Non-2xx|Socket errors/.test(out)) throw new Error(`${url} did not answer as it should:\n${out}`);
  const unit = { us: 0.001, ms: 1, s: 1000 };
  const p99 = /99%\s+([\d.]+)(us|ms|s)/.exec(out);
  return { perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(out)[1]), p99: Number(p99[1]) * unit[p99[2]] };
}

const ms = value => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const ratio = (ours, floor) => (ours / floor).toFixed(2);
function table(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map(row => String(row[i]).length)));
  for (const row of rows) {
    console.log('  ' + row.map((cell, i) => (i === 0 ? String(cell).padEnd(widths[i]) : String(cell).padStart(widths[i]))).join('   '));
  }
}

const folder = mkdtempSync(join(tmpdir(), 'debrief-bench-'));
const started = [];
try {
  say('starting debrief with the worked example, and nginx with the floor');
  const debrief = await startDebrief(join(folder, 'data'));
  started.push(debrief);
  const json = Buffer.from(await (await fetch(debrief.base + PATH, { headers: { 'accept-encoding': 'identity', authorization: `Bearer ${debrief.token}` } })).arrayBuffer());
  const root = join(folder, 'floor');
  mkdirSync(root);
  copyFileSync(join(ROOT, 'bench/floor.html'), join(root, 'floor.html'));
  writeFileSync(join(root, 'incident.json'), json);
  const nginx = await startNginx(folder, root, await freePort());
  started.push(nginx);

  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  started.push({ stop: () => browser.close() });
  const page = [[debrief.cookie], `${debrief.base}/incidents/INC-1`, '1,284', '[data-chart="drawn"]'];
  const floor = [[], `${nginx.base}/floor.html`, '1,284', null];

  say('weighing the first load of the incident page');
  const weight = await weigh(browser, ...page);

  say(`timing ${ROUNDS} rounds of page and floor, cold and warm`);
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push({ floor: await time(browser, ...floor), page: await time(browser, ...page) });
    process.stdout.write(`\r  ${round + 1} of ${ROUNDS}`);
  }
  console.log();
  await browser.close();

  say(`asking for ${json.length} bytes of JSON: ${HTTP_ROUNDS} rounds of ${HTTP_SECONDS} s each, ${CONNECTIONS} connections`);
  const http = { debrief: [], nginx: [] };
  // A second to warm both up.
  wrk(debrief.base + PATH, 1, debrief.token);
  wrk(`${nginx.base}/incident.json`, 1);
  for (let round = 0; round < HTTP_ROUNDS; round++) {
    http.nginx.push(wrk(`${nginx.base}/incident.json`, HTTP_SECONDS));
    http.debrief.push(wrk(debrief.base + PATH, HTTP_SECONDS, debrief.token));
    process.stdout.write(`\r  ${round + 1} of ${HTTP_ROUNDS}`);
  }
  console.log('\n');

  const of = (who, state, what) => spread(times.map(each => each[who][state][what]));
  const result = {
    measured_at: new Date().toISOString(),
    machine: { cpu: cpus()[0]?.model, cores: cpus().length, memory_gb: Math.round(totalmem() / 1e9) },
    bytes: weight.kinds,
    files: weight.files,
    milliseconds: {
      facts: { cold: { page: of('page', 'cold', 'facts'), floor: of('floor', 'cold', 'facts') }, warm: { page: of('page', 'warm', 'facts'), floor: of('floor', 'warm', 'facts') } },
      chart: { cold: of('page', 'cold', 'chart'), warm: of('page', 'warm', 'chart') },
    },
    http: {
      body_bytes: json.length,
      connections: CONNECTIONS,
      debrief: { per_second: spread(http.debrief.map(run => run.perSecond)), p99_ms: spread(http.debrief.map(run => run.p99)) },
      nginx: { per_second: spread(http.nginx.map(run => run.perSecond)), p99_ms: spread(http.nginx.map(run => run.p99)) },
    },
  };
  const app = ['HTML', 'CSS', 'WebAssembly', 'JS'].reduce((sum, kind) => sum + (weight.kinds[kind] ?? 0), 0);
  table([['first load, as sent', 'bytes'], ...Object.entries(weight.kinds), ['HTML + CSS + WebAssembly + JS', app]]);
  console.log();
  const { facts, chart } = result.milliseconds;
  table([
    ['time to', 'page', 'floor', 'ratio'],
    ...['cold', 'warm'].map(state => [`the facts, ${state}`, ms(facts[state].page.median), ms(facts[state].floor.median), ratio(facts[state].page.median, facts[state].floor.median)]),
    ...['cold', 'warm'].map(state => [`the drawn chart, ${state}`, ms(chart[state].median), '', '']),
  ]);
  console.log();
  const { debrief: ours, nginx: theirs } = result.http;
  table([
    [`GET ${PATH}`, 'debrief', 'nginx', 'ratio'],
    ['requests a second', Math.round(ours.per_second.median), Math.round(theirs.per_second.median), ratio(ours.per_second.median, theirs.per_second.median)],
    ['p99', ms(ours.p99_ms.median), ms(theirs.p99_ms.median), ratio(ours.p99_ms.median, theirs.p99_ms.median)],
  ]);
  mkdirSync(join(ROOT, 'bench/results'), { recursive: true });
  writeFileSync(join(ROOT, 'bench/results/latest.json'), JSON.stringify(result, null, 2) + '\n');
  console.log('\n  written to bench/results/latest.json');
} finally {
  for (const { stop } of started.reverse()) await stop();
  rmSync(folder, { recursive: true, force: true });
}
