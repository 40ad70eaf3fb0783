// Exploring the chart: hands, keys, legend, finer data, what it is saved as, and paper.
import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import type { Locator, Page } from '@playwright/test';
import { violations } from './axe';
import { fillAxis, valueId } from './axis';
import { option, words } from './chart';
import { chartTable, drawnChart, expect, openIncident, test } from './harness';

const query = (page: Page, key: string): string | null => new URL(page.url()).searchParams.get(key);

/** The chart once it can be explored, not only seen. */
async function explored(page: Page): Promise<Locator> {
  const figure = await drawnChart(page);
  await figure.getByRole('heading').hover();
  await expect(figure.getByRole('button', { name: 'Save as CSV' })).toBeVisible();
  await figure.locator('.drawing').scrollIntoViewIfNeeded();
  return figure;
}

/** What the chart shows now. */
async function shown(figure: Locator): Promise<{ from: string; until: string }> {
  const zoom = ((await option(figure))['dataZoom'] as { startValue: number; endValue: number }[])[0]!;
  const text = (at: number) => new Date(at).toISOString().slice(11, 16);
  return { from: text(zoom.startValue), until: text(zoom.endValue) };
}

const FIRST = { from: '09:16', until: '10:47' };

test('drawing over the chart shows what was drawn over, and a reload keeps it', async ({ page }) => {
  await openIncident(page);
  const figure = await explored(page);
  const box = (await figure.locator('.drawing').boundingBox())!;
  const [left, width, y] = [box.x + 48, box.width - 66, box.y + 100];
  await page.mouse.move(left + width * 0.25, y);
  await page.mouse.down();
  await page.mouse.move(left + width * 0.4, y, { steps: 4 });
  await expect(figure.locator('.brush')).toBeVisible();
  await page.mouse.move(left + width * 0.5, y, { steps: 4 });
  await page.mouse.up();
  await expect(figure.locator('.brush')).toHaveCount(0);
  // A quarter and a half of 09:16 to 10:47.
  await expect.poll(() => query(page, 'from')).toMatch(/^2026-07-09T09:3[89]/);
  await expect.poll(() => query(page, 'until')).toMatch(/^2026-07-09T10:01/);
  const zoomed = { from: query(page, 'from')!.slice(11, 16), until: query(page, 'until')!.slice(11, 16) };
  await expect.poll(() => shown(figure)).toEqual(zoomed);
  await page.reload();
  expect(await shown(await drawnChart(page))).toEqual(zoomed);
});

test('a click zooms to nothing, and Escape gives up what was begun', async ({ page }) => {
  await openIncident(page);
  const figure = await explored(page);
  const box = (await figure.locator('.drawing').boundingBox())!;
  await page.mouse.click(box.x + 300, box.y + 100);
  await page.mouse.move(box.x + 300, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 120, { steps: 4 });
  await expect(figure.locator('.brush')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(figure.locator('.brush')).toHaveCount(0);
  await page.mouse.up();
  await page.waitForTimeout(400);
  expect(new URL(page.url()).search).toBe('');
});

test('keys move and zoom the chart, and say so', async ({ page }) => {
  await openIncident(page);
  const figure = await explored(page);
  const drawing = figure.locator('.drawing');
  await figure.getByRole('button', { name: /table/i }).focus();
  // Shown when it has the keyboard's focus.
  for (let i = 0; i < 3 && !(await drawing.evaluate(element => element === document.activeElement)); i++) await page.keyboard.press('Tab');
  await expect(drawing).toBeFocused();
  await expect(figure.getByText('Keys: ←')).toHaveCSS('opacity', '1');
  await page.keyboard.press('+');
  await expect.poll(() => shown(figure)).toEqual({ from: '09:38', until: '10:24' });
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => shown(figure)).toEqual({ from: '09:27', until: '10:12' });
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('-');
  await expect.poll(() => shown(figure)).toEqual(FIRST);
  await page.keyboard.press('+');
  await expect.poll(() => query(page, 'from')).not.toBeNull();
  await page.keyboard.press('0');
  await expect.poll(() => shown(figure)).toEqual(FIRST);
  expect(new URL(page.url()).search).toBe('');
  await expect(drawing, 'it keeps the focus').toBeFocused();
});

test('each series has its panel, its place in the tooltip, in the table and in the words', async ({ page, server }) => {
  await fillAxis(server);
  await openIncident(page);
  const figure = await explored(page);
  const drawn = await words(figure);
  for (const part of ['Provider p95, Provider p50 (s)', 'Queue length (jobs)', 'checkout-sync-retries', 'new-provider', 'canary', 'checkout (production) 2.4.1']) {
    expect(drawn, part).toContain(part);
  }
  expect(drawn).toContain('Provider p95: lowest 0.75 s at 09:16 UTC, highest 4.25 s at 09:47 UTC.');
  expect(drawn).toContain('checkout (production) 2.4.1 was deployed at 09:30 UTC.');
  const box = (await figure.locator('.drawing').boundingBox())!;
  const along = box.x + 48 + ((box.width - 66) * 14) / 91;
  await page.mouse.move(along - 3, box.y + 90);
  await page.mouse.move(along, box.y + 90);
  await expect.poll(() => words(figure)).toContain('Provider p50: 0.5 s');
  const tip = await words(figure);
  for (const part of ['9 July 2026, 09:30 UTC', 'Queue length: 300 jobs', 'new-provider state not known', 'deployed checkout (production) 2.4.1 at 09:30 UTC']) {
    expect(tip, part).toContain(part);
  }
  const table = await chartTable(page);
  for (const name of ['Provider p95, s', 'Queue length, jobs', 'Deploys']) {
    await expect(table.getByRole('columnheader', { name, exact: true })).toBeVisible();
  }
  await expect(table.getByRole('row', { name: /09:30 UTC/ })).toContainText(/300.*checkout \(production\) 2\.4\.1/);
  await expect(table.getByRole('link', { name: 'checkout (production) 2.4.1' })).toHaveAttribute('href', 'https://deploys.example/1');
  for (const inside of [/10:01 UTC/, /10:02 UTC/, /10:03 UTC/]) await expect(table.getByRole('row', { name: inside })).toContainText('no value');
  await expect(table.getByRole('row', { name: /10:04 UTC/ })).not.toContainText('no value');
});

test('the legend switches each thing off and on by keyboard, and a reload keeps it', async ({ page, server }) => {
  await fillAxis(server);
  await openIncident(page);
  let figure = await explored(page);
  const legend = () => figure.getByRole('list', { name: 'Shown in the chart' });
  await expect(legend().getByRole('button')).toHaveCount(7);
  const queue = legend().getByRole('button', { name: /^Queue length \(jobs\).*dotted/ });
  await queue.focus();
  await page.keyboard.press('Enter');
  await expect(queue).toHaveAttribute('aria-pressed', 'false');
  await expect(queue, 'it keeps the focus').toBeFocused();
  await legend().getByRole('button', { name: /^Flag new-provider/ }).press(' ');
  await expect.poll(async () => JSON.stringify(await option(figure))).not.toContain('Queue length');
  await expect.poll(() => words(figure.locator('.canvas'))).not.toContain('canary');
  expect(query(page, 'hide')).toBe(`${await valueId(server, 'Queue length')},flag%3Anew-provider`);
  await page.reload();
  figure = await explored(page);
  await expect(legend().getByRole('button', { name: /^Queue length/ })).toHaveAttribute('aria-pressed', 'false');
  expect(JSON.stringify(await option(figure))).not.toContain('Queue length');
  await legend().getByRole('button', { name: /^Queue length/ }).click();
  await expect.poll(async () => JSON.stringify(await option(figure))).toContain('Queue length');
  await legend().getByRole('button', { name: /^Error rate/ }).click();
  await expect.poll(() => words(figure.locator('.canvas'))).not.toContain('alert above');
});

/** Has the server leave out half of the bins, unless a stretch is asked for, and say so of every answer. */
async function thinned(page: Page, answered: (query: URLSearchParams) => Promise<number>): Promise<void> {
  await page.route(/\/signals\?/, async route => {
    const query = new URL(route.request().url()).searchParams;
    const status = await answered(query);
    if (status !== 200) return route.fulfill({ status, body: '' });
    const response = await route.fetch();
    const json = (await response.json()) as { items: { thinned: boolean; bins: object[] }[] };
    for (const item of json.items) {
      item.thinned = true;
      if (!query.has('from')) item.bins = item.bins.filter((_, i) => i % 2 === 0);
    }
    await route.fulfill({ response, json });
  });
}

test('what is zoomed to is read as finely as it can be shown, an older answer after a newer one is left alone, and trouble is told', async ({ page, troubles }) => {
  troubles.allow(/Failed to load resource/);
  const asked: URLSearchParams[] = [];
  let [status, slow] = [200, 0];
  await thinned(page, async query => {
    asked.push(query);
    const now = status;
    const wait = slow;
    slow = 0;
    if (wait > 0) await new Promise(done => setTimeout(done, wait));
    return now;
  });
  await openIncident(page, '?from=2026-07-09T09:46:00Z&until=2026-07-09T10:17:00Z');
  const figure = await explored(page);
  // All of it first, by the drawing's width; then the view with as much on each side.
  const finer = () => asked.filter(query => query.has('from'));
  await expect.poll(() => finer().length).toBe(1);
  expect(asked[0]!.has('from')).toBe(false);
  expect(Number(asked[0]!.get('width'))).toBeGreaterThan(500);
  expect([finer()[0]!.get('from'), finer()[0]!.get('until')]).toEqual(['2026-07-09T09:15:00.000Z', '2026-07-09T10:48:00.000Z']);
  expect(Number(finer()[0]!.get('width')), 'three times as many pixels').toBeGreaterThan(1500);
  const rows = async () => {
    const series = (await option(figure))['series'] as { data: Record<string, number> }[];
    const at = Object.values(series[0]!.data).filter((_, i) => i % 2 === 0);
    return at.filter(at => at >= Date.parse('2026-07-09T09:46Z') && at < Date.parse('2026-07-09T10:17Z')).length;
  };
  await expect.poll(rows).toBe(31);
  // The first of two is slow, and comes after the second: what it brings is left alone.
  const go = (from: string, until: string) =>
    page.evaluate(query => {
      history.replaceState(null, '', query);
      dispatchEvent(new PopStateEvent('popstate'));
    }, `?from=2026-07-09T${from}:00Z&until=2026-07-09T${until}:00Z`);
  const between = async (from: string, until: string) => {
    const series = (await option(figure))['series'] as { data: Record<string, number> }[];
    const at = Object.values(series[0]!.data).filter((_, i) => i % 2 === 0);
    return at.filter(at => at >= Date.parse(`2026-07-09T${from}Z`) && at < Date.parse(`2026-07-09T${until}Z`)).length;
  };
  slow = 1500;
  const late = page.waitForResponse(response => response.url().includes(encodeURIComponent('09:10:00')));
  await go('09:20', '09:30');
  await expect.poll(() => finer().at(-1)!.get('from')).toBe('2026-07-09T09:10:00.000Z');
  await go('10:30', '10:40');
  await expect.poll(() => finer().at(-1)!.get('from')).toBe('2026-07-09T10:20:00.000Z');
  await expect.poll(() => between('10:30', '10:40')).toBe(10);
  // What was read before around it is gone with the answer in its place.
  await expect.poll(() => between('09:20', '09:30')).toBe(5);
  await late;
  await page.waitForTimeout(300);
  expect([await between('10:30', '10:40'), await between('09:20', '09:30')], 'as it was').toEqual([10, 5]);
  status = 503;
  for (let i = 0; i < 5; i++) await figure.getByRole('button', { name: 'Earlier' }).click();
  const told = figure.getByRole('status').filter({ hasText: 'More of the chart could not be read' });
  await expect(told).toBeVisible();
  await expect(figure.locator('[data-chart=drawn]'), 'the chart stays').toBeVisible();
  status = 200;
  // It may have been tried again by itself meanwhile.
  await figure.evaluate(all => [...all.querySelectorAll('button')].find(button => button.textContent === 'Try again')?.click());
  await expect(told).toHaveCount(0);
});

test('the chart is saved as pixels, as lines and as numbers, of what is in view', async ({ page, server }) => {
  await fillAxis(server);
  await openIncident(page, `?hide=${await valueId(server, 'Provider p50')}&from=2026-07-09T09:46:00Z&until=2026-07-09T10:17:00Z`);
  const figure = await explored(page);
  const saved = async (kind: string) => {
    const [download] = await Promise.all([page.waitForEvent('download'), figure.getByRole('button', { name: `Save as ${kind}` }).click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const png = await saved('PNG');
  expect(png.name).toBe('INC-1-error-rate-2026-07-09-0946-UTC.png');
  expect(png.bytes.subarray(1, 4).toString()).toBe('PNG');
  expect(png.bytes.readUInt32BE(16), 'twice as many pixels as it is wide').toBeGreaterThan(1400);
  const svg = await saved('SVG');
  expect(svg.name).toBe('INC-1-error-rate-2026-07-09-0946-UTC.svg');
  const text = svg.bytes.toString();
  for (const part of ['INC-1: Checkout recovered', '9 July 2026, 09:46–10:17 UTC', 'alert above 5%', 'Queue length (jobs) – dotted', 'Flag checkout-sync-retries', '>5</text>']) {
    expect(text, part).toContain(part);
  }
  expect(text).not.toContain('Provider p50');
  expect(text).not.toContain('$');
  const shades = await page.evaluate(async text => {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d')!;
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set<number>();
    for (let i = 0; i < data.length; i += 4) colours.add((data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!);
    return { colours: colours.size, corner: [data[0], data[1], data[2], data[3]] };
  }, text);
  expect(shades.corner, 'plain ground').toEqual([255, 255, 255, 255]);
  expect(shades.colours, 'and a chart on it').toBeGreaterThan(20);
  const csv = await saved('CSV');
  expect(csv.name).toMatch(/signals\.csv$/);
  const lines = csv.bytes.toString().trim().split('\n');
  expect(lines[0]).toContain('time_utc,kind,name,value');
  expect(lines.filter(line => line.includes(',ratio,'))).toHaveLength(31);
});

for (const [colorScheme, width] of [['light', 1280], ['dark', 1280], ['light', 390], ['dark', 390]] as const) {
  test(`the full chart has no violation, ${colorScheme}, ${width} px wide`, async ({ page, server }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await fillAxis(server);
    await openIncident(page);
    const figure = await explored(page);
    expect(await violations(page)).toEqual([]);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await figure.getByRole('button', { name: /table/i }).click();
    await expect(figure.getByRole('table')).toBeVisible();
    expect(await violations(page)).toEqual([]);
  });
}

/** The drawing operators of a PDF. */
function operators(pdf: Buffer): string {
  const parts: string[] = [];
  for (let at = pdf.indexOf('stream\n'); at >= 0; at = pdf.indexOf('stream\n', at + 1)) {
    try {
      parts.push(inflateSync(pdf.subarray(at + 7)).toString('latin1'));
    } catch {
      // A stream that is not compressed so: a picture, or the end of one.
    }
  }
  return parts.join('\n');
}

test('printed, the chart is whole, in the colours of paper, and its words are there', async ({ page, server }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await fillAxis(server);
  await openIncident(page);
  await explored(page);
  const whole = operators(await page.pdf({ format: 'A4' }));
  // The error rate's red on paper, as lines; on the screen it is a light one.
  const [red, light] = [/\.702 \.149 \.1176 RG/, /1 \.5412 \.502 (rg|RG)/];
  expect(red.test(whole), 'the red of paper').toBe(true);
  expect(light.test(whole), 'the red of the dark theme').toBe(false);
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  const paper = page.locator('.paper > svg');
  await expect(paper).toBeVisible();
  for (const text of ['Queue length (jobs) – dotted', 'alert above 5%', 'canary', '10:00']) await expect(paper).toContainText(text);
  await expect(page.locator('.drawing')).toBeHidden();
  const [drawing, frame] = [(await paper.boundingBox())!, (await page.getByRole('figure').boundingBox())!];
  expect(drawing.x + drawing.width).toBeLessThanOrEqual(frame.x + frame.width);
  await expect(page.getByText('highest 4.25 s at 09:47 UTC')).toBeVisible();
  for (const button of await page.getByRole('figure').getByRole('button').all()) await expect(button).toBeHidden();
  await page.emulateMedia({ colorScheme: 'dark', media: 'screen' });
  await expect(page.locator('.drawing')).toBeVisible();
  await expect(paper).toHaveCount(0);
});

test('where clocks go back, each of two like times is told apart', async ({ browser, server }) => {
  const context = await browser.newContext({ timezoneId: 'Europe/Berlin' });
  await server.signIn(context, 'Cleo Marsh', 'viewer');
  const page = await context.newPage();
  await page.goto(`${server.base}/incidents/INC-1?zone=local&from=2026-10-24T23:30:00Z&until=2026-10-25T02:15:00Z`);
  const figure = await drawnChart(page);
  const drawn = await words(figure.locator('.canvas'));
  for (const label of ['02:00 CEST', '02:30 CEST', '02:00 CET', '02:30 CET']) expect(drawn).toContain(label);
  await page.goto(`${server.base}/incidents/INC-1?zone=local&from=2026-03-29T00:00:00Z&until=2026-03-29T02:00:00Z`);
  const spring = await words((await drawnChart(page)).locator('.canvas'));
  expect(spring).toContain('03:00');
  expect(spring).not.toMatch(/\b02:\d\d\b/);
  await context.close();
});
