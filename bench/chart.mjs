// Measures a chart of a million points: the incident's page against a bare ECharts page with the same points.
// Prints a table, writes bench/results/chart.json, and ends everything that it started. See bench/README.md.
import { execFileSync, spawn } from 'node:child_process';
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const POINTS = Number(process.env.BENCH_CHART_POINTS ?? 1_000_000);
const ROUNDS = Number(process.env.BENCH_CHART_ROUNDS ?? 5);
const STEPS = 40;
const START = Date.parse('2026-07-01T00:00:00Z');
const END = START + (POINTS - 1) * 1000;
const PROGRAM = join(ROOT, 'target/release/debrief');

const say = text => process.stdout.write(`\x1b[1m==> ${text}\x1b[0m\n`);
const sorted = values => [...values].sort((a, b) => a - b);
const at = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))];
const ms = value => (value === undefined ? '' : `${value.toFixed(value < 10 ? 1 : 0)} ms`);

/** The points: a walk a second at a time, with a peak of one second now and then. */
async function generate(folder) {
  const numbers = new Float64Array(POINTS * 2);
  const csv = createWriteStream(join(folder, 'points.csv'));
  csv.write('time,value\n');
  let [seed, value] = [1, 50];
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let i = 0; i < POINTS; i++) {
    value = Math.min(100, Math.max(0, value + random() - 0.5));
    const now = Math.round((i % 50_000 === 49_999 ? 180 : value) * 1000) / 1000;
    numbers[2 * i] = START + i * 1000;
    numbers[2 * i + 1] = now;
    if (!csv.write(`${new Date(START + i * 1000).toISOString()},${now}\n`)) await new Promise(done => csv.once('drain', done));
  }
  await new Promise(done => csv.end(done));
  writeFileSync(join(folder, 'points.bin'), Buffer.from(numbers.buffer));
}

async function startDebrief(data) {
  const child = spawn(PROGRAM, ['serve', '--listen', '127.0.0.1:0', '--demo', '--data', data], {
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
  const cookie = signedIn.headers.get('set-cookie').split(';')[0];
  const [name, value] = cookie.split('=');
  return { base, cookie, session: { name, value, url: base }, stop: () => child.kill('SIGTERM') };
}

/** The bare page, its library as npm has it, and the points as the numbers that they are. */
async function startBare(folder) {
  const files = {
    '/': [join(ROOT, 'bench/chart.html'), 'text/html'],
    '/echarts.js': [join(ROOT, 'node_modules/echarts/dist/echarts.min.js'), 'text/javascript'],
    '/points.bin': [join(folder, 'points.bin'), 'application/octet-stream'],
  };
  const server = createServer((request, response) => {
    const file = files[request.url];
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': file[1], 'content-length': statSync(file[0]).size });
    createReadStream(file[0]).pipe(response);
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return { base: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** Runs in a page: moves and zooms the chart step by step, and answers how long each step took until its frame was there. */
async function explore({ steps, start, end }) {
  const chart = echarts.getInstanceByDom(document.querySelector('.drawing'));
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
  const took = { pan: [], zoom: [] };
  const go = async (kind, from, length) => {
    const begun = performance.now();
    chart.dispatchAction({ type: 'dataZoom', dataZoomIndex: 0, startValue: from, endValue: from + length });
    await frame();
    took[kind].push(performance.now() - begun);
  };
  const all = end - start;
  for (let i = 0; i < steps; i++) await go('zoom', start + (all * 0.4 * i) / steps, all * (1 - (0.8 * i) / steps));
  for (let i = 0; i < steps; i++) await go('pan', start + (all * 0.5 * i) / steps, all * 0.2);
  return took;
}

const drawn = page => page.waitForFunction(() => document.querySelector('[data-chart=drawn]'), null, { polling: 'raf', timeout: 120_000 });

async function measure(browser, url, session, ready) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  if (session) await context.addCookies([session]);
  const page = await context.newPage();
  let bytes = 0;
  const wire = await context.newCDPSession(page);
  await wire.send('Network.enable');
  wire.on('Network.loadingFinished', event => (bytes += event.encodedDataLength));
  await page.goto(url, { waitUntil: 'commit' });
  await drawn(page);
  const frame = () => page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0))));
  const something = await frame();
  if (ready) await ready(page);
  // All of the points, as far as the pixels can show them.
  const first = ready ? await frame() : something;
  const received = bytes;
  const took = await page.evaluate(explore, { steps: STEPS, start: START, end: END });
  let finer;
  if (ready) {
    const begun = Date.now();
    await page.waitForResponse(response => /\/signals\?.*from=/.test(response.url()), { timeout: 30_000 });
    finer = Date.now() - begun;
  }
  await context.close();
  return { first, something, finer, bytes: received, ...took };
}

const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'debrief-bench-chart-'));
const started = [];
try {
  say(`writing ${POINTS.toLocaleString('en')} points`);
  await generate(folder);
  const data = join(folder, 'data');
  const debrief = await startDebrief(data);
  started.push(debrief);
  say('importing them');
  const begun = Date.now();
  execFileSync(PROGRAM, ['import', 'signals', 'INC-1', join(folder, 'points.csv'), '--data', data], { stdio: ['ignore', 'ignore', 'inherit'] });
  const imported = Date.now() - begun;
  const read = path => fetch(debrief.base + path, { headers: { cookie: debrief.cookie } }).then(answer => answer.json());
  const { items, values } = await read('/api/v1/incidents/INC-1/signals?width=1000');
  if (values[0]?.count !== POINTS) throw new Error(`${values[0]?.count} points were imported, not ${POINTS}`);
  const peaks = values[0].points.filter(point => point.value === 180).length;
  if (peaks !== Math.floor(POINTS / 50_000)) throw new Error(`${peaks} of ${Math.floor(POINTS / 50_000)} peaks are left of the answer`);
  const bare = await startBare(folder);
  started.push(bare);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  started.push({ stop: () => browser.close() });
  const { flags } = await read('/api/v1/incidents/INC-1');
  const hide = [...items.map(item => item.id), ...new Set(flags.map(change => encodeURIComponent(`flag:${change.flag}`)))].join(',');
  const view = `from=${new Date(START).toISOString()}&until=${new Date(END).toISOString()}`;
  const url = `${debrief.base}/incidents/INC-1?${view}&hide=${encodeURIComponent(hide)}`;
  // The whole of them on the screen, not the first view alone.
  const whole = page => page.waitForFunction(() => {
    const chart = echarts.getInstanceByDom(document.querySelector('.drawing'));
    return chart.getOption().series.some(series => Object.keys(series.data ?? {}).length > 3000);
  }, null, { polling: 'raf', timeout: 60_000 });
  say(`${ROUNDS} rounds of the incident's page and the bare page`);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ bare: await measure(browser, bare.base, null, null), page: await measure(browser, url, debrief.session, whole) });
    process.stdout.write(`\r  ${round + 1} of ${ROUNDS}`);
  }
  console.log('\n');
  const of = (who, what) => rounds.flatMap(each => each[who][what]);
  const row = (name, what, share) => {
    const [ours, theirs] = [at(of('page', what), share), at(of('bare', what), share)];
    return [name, ms(ours), ms(theirs), (ours / theirs).toFixed(2)];
  };
  const rows = [
    [`${POINTS.toLocaleString('en')} points`, 'page', 'bare ECharts', 'ratio'],
    row('first draw, median', 'first', 0.5),
    row('zoom, a step, median', 'zoom', 0.5),
    row('zoom, a step, p95', 'zoom', 0.95),
    row('pan, a step, median', 'pan', 0.5),
    row('pan, a step, p95', 'pan', 0.95),
    ['finer points after the last step', ms(at(of('page', 'finer'), 0.5)), '', ''],
    ['received until drawn, bytes', at(of('page', 'bytes'), 0.5), at(of('bare', 'bytes'), 0.5), (at(of('page', 'bytes'), 0.5) / at(of('bare', 'bytes'), 0.5)).toFixed(2)],
  ];
  const widths = rows[0].map((_, i) => Math.max(...rows.map(each => String(each[i]).length)));
  for (const each of rows) console.log('  ' + each.map((cell, i) => (i === 0 ? String(cell).padEnd(widths[i]) : String(cell).padStart(widths[i]))).join('   '));
  console.log(`\n  imported in ${ms(imported)}; all ${peaks} peaks of one point are in what 1,000 pixels are sent`);
  mkdirSync(join(ROOT, 'bench/results'), { recursive: true });
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memory_gb: Math.round(totalmem() / 1e9) };
  writeFileSync(join(ROOT, 'bench/results/chart.json'), JSON.stringify({ measured_at: new Date().toISOString(), machine, points: POINTS, imported, rounds }, null, 2) + '\n');
  console.log('  written to bench/results/chart.json');
} finally {
  for (const { stop } of started.reverse()) await stop();
  rmSync(folder, { recursive: true, force: true });
}
