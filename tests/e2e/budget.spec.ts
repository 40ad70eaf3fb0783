// The page's weight is a budget: whoever goes over it takes something out, puts it into a part that is loaded when it is
// needed (src/part), or argues for a new budget in ARCHITECTURE.md.
import { expect, test } from './harness';
import { firstLoad, partFiles } from './weight';

/** Everything that is loaded before somebody does anything, but the chart library and what the API answers. */
const FIRST = 260_000;
const CHART = 195_000;

/** Each part that is loaded later, by its file in src/part; `shared` is what several of them share. */
const PARTS: Record<string, number> = {
  actions: 41_000,
  asking: 18_000,
  attaching: 6_000,
  below: 34_000,
  changing: 63_000,
  charting: 40_000,
  exploring: 30_000,
  import_events: 21_000,
  import_lists: 9_000,
  import_prometheus: 12_000,
  import_values: 16_000,
  importing: 14_000,
  incidents: 16_000,
  settings: 24_000,
  shared: 39_000,
  sign_in: 8_000,
};

test('the first load stays within the budget, in brotli', async ({ page }) => {
  const files = await firstLoad(page);
  const table = files.map(file => `${String(file.bytes).padStart(8)} ${file.kind} ${file.path}`).join('\n');
  const sum = (loaded: typeof files) => loaded.reduce((total, file) => total + file.bytes, 0);
  const app = files.filter(file => file.kind !== 'chart' && file.kind !== 'API');
  const first = sum(app);
  expect(first, `all but the chart library and the API; what was loaded:\n${table}`).toBeLessThan(FIRST);
  expect(first, 'the app was loaded at all').toBeGreaterThan(20_000);
  const chart = sum(files.filter(file => file.kind === 'chart'));
  expect(chart, `the chart library; what was loaded:\n${table}`).toBeLessThan(CHART);
  expect(chart, 'the chart library was loaded at all').toBeGreaterThan(20_000);
});

test('each part that is loaded later stays within its bound, in brotli', async ({ request }) => {
  const sizes: Record<string, number> = {};
  for (const [part, path] of Object.entries(await partFiles(request))) {
    const response = await request.head(path, { headers: { 'accept-encoding': 'br' } });
    expect(response.headers()['content-encoding'], path).toBe('br');
    sizes[part] = Number(response.headers()['content-length']);
  }
  expect(Object.keys(sizes).sort(), 'each part has a bound here, and each bound a part').toEqual(Object.keys(PARTS));
  for (const [part, most] of Object.entries(PARTS)) {
    expect(sizes[part], `${part}; all of them: ${JSON.stringify(sizes)}`).toBeLessThan(most);
    expect(sizes[part], `${part} is a part at all`).toBeGreaterThan(1_000);
  }
});

test('the list, which has no chart, does not load the chart library', async ({ page }) => {
  const paths: string[] = [];
  page.on('request', request => paths.push(new URL(request.url()).pathname));
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 2, name: /Checkout recovered/ })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(paths.filter(path => path.includes('echarts'))).toEqual([]);
});
