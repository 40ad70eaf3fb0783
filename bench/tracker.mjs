// Measures the tracker with 100,000 action items: how long one page of it takes in each order and under each filter.
// Prints a table, writes bench/results/tracker.json, and ends the server that it started. See bench/README.md.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = resolve(ROOT, process.env.DEBRIEF_BIN ?? 'target/release/debrief');
const ROUNDS = Number(process.env.BENCH_TRACKER_ROUNDS ?? 20);
const INCIDENTS = 20;
const ITEMS = 5000;

const QUERIES = [
  '',
  'sort=due&order=desc',
  'sort=owner',
  'sort=status&order=desc',
  'sort=updated',
  'sort=priority',
  'sort=incident',
  'status=open,blocked',
  'status=blocked&sort=updated',
  'owner=team+7',
  'owner=team+7&sort=updated',
  'due=overdue',
  'due=none&sort=owner',
  'incident=INC-7',
  'stale=true',
  'q=change',
  'q=17-4321',
  'q=nothing+like+it',
];

const folder = mkdtempSync(join(tmpdir(), 'debrief-bench-'));
const data = join(folder, 'data');
const env = { ...process.env, DEBRIEF_DATA: data, DEBRIEF_LOG: 'warn' };
const run = (...args) => execFileSync(PROGRAM, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const median = values => [...values].sort((a, b) => a - b)[values.length >> 1];

let server;
try {
  console.log(`==> importing ${INCIDENTS} documents of ${ITEMS} action items each`);
  for (let n = 1; n <= INCIDENTS; n++) {
    const rows = Array.from(
      { length: ITEMS },
      (_, i) => `| Team ${i % 20} | Change ${n}-${i} | ${i % 11 === 0 ? '' : `${1 + (i % 28)} July ${2020 + (n % 12)}`} | Load test ${i} holds |`,
    );
    const file = join(folder, `outage-${n}.md`);
    const table = '| Owner | Change | Due | Verification |\n|---|---|---|---|\n' + rows.join('\n');
    writeFileSync(file, `# Outage ${n}\n\nRequests failed.\n\n## Action items\n\n${table}\n`);
    run('import', 'postmortem', file, '--date', '2026-07-09');
  }
  const token = run('token', 'create', '--role', 'admin').trim();
  server = spawn(PROGRAM, ['serve', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const base = await new Promise((found, failed) => {
    createInterface({ input: server.stdout }).on('line', line => {
      const address = /listening on (http:\S+)/.exec(line)?.[1];
      if (address) found(address);
    });
    server.once('exit', code => failed(new Error(`debrief ended with ${code}`)));
  });
  const time = async path => {
    const began = performance.now();
    const response = await fetch(base + path, { headers: { authorization: `Bearer ${token}` } });
    const body = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${body}`);
    return performance.now() - began;
  };
  const result = {};
  for (const query of [...QUERIES.map(query => `/api/v1/actions?${query}`), '/api/v1/actions/counts', '/api/v1/actions.csv']) {
    const rounds = query.endsWith('.csv') ? 2 : ROUNDS;
    await time(query);
    const times = [];
    for (let i = 0; i < rounds; i++) times.push(await time(query));
    result[query] = { median_ms: median(times), max_ms: Math.max(...times), rounds };
    console.log(`  ${query.padEnd(48)} ${median(times).toFixed(1).padStart(8)} ms   at most ${Math.max(...times).toFixed(1)} ms`);
  }
  mkdirSync(join(ROOT, 'bench/results'), { recursive: true });
  writeFileSync(join(ROOT, 'bench/results/tracker.json'), JSON.stringify(result, null, 2) + '\n');
} finally {
  server?.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}
