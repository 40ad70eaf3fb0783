// The chart: it really drew, it says what the imported data say, and it is tied to the timeline and the address.
import type { Locator } from '@playwright/test';
import { option, words } from './chart';
import type { Signal } from './shapes';
import { chartTable, drawnChart, expect, openIncident, section, test } from './harness';

/** How many areas are filled with a pattern. */
async function patterns(figure: Locator): Promise<number> {
  return figure.evaluate(element => {
    interface Chart {
      getZr(): { storage: { getDisplayList(update: boolean): { style?: { fill?: unknown } }[] } };
    }
    const { echarts } = window as unknown as { echarts: { getInstanceByDom(e: Element): Chart | undefined } };
    const all = [...element.querySelectorAll('*')].flatMap(each => echarts.getInstanceByDom(each)?.getZr().storage.getDisplayList(true) ?? []);
    return all.filter(drawn => (drawn.style?.fill as { image?: unknown } | undefined)?.image).length;
  });
}

/** How many different colours, and what share of pixels differs from the most common one. */
async function pixels(figure: Locator): Promise<{ colours: number; drawn: number }> {
  return figure.locator('canvas').first().evaluate((canvas: HTMLCanvasElement) => {
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext('2d', { willReadFrequently: true })!;
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const counts = new Map<number, number>();
    for (let i = 0; i < data.length; i += 4) {
      const colour = ((data[i]! << 24) | (data[i + 1]! << 16) | (data[i + 2]! << 8) | data[i + 3]!) >>> 0;
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    return { colours: counts.size, drawn: 1 - Math.max(...counts.values()) / (data.length / 4) };
  });
}

async function signal(server: { json<T>(path: string): Promise<T> }): Promise<Signal> {
  const page = await server.json<{ items: Signal[] }>('/api/v1/incidents/INC-1/signals');
  const first = page.items[0];
  if (!first) throw new Error('the example has no signal');
  return first;
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the chart is drawn, in the ${colorScheme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await openIncident(page);
    const figure = await drawnChart(page);
    await expect.poll(async () => (await pixels(figure)).drawn).toBeGreaterThan(0.01);
    expect((await pixels(figure)).colours).toBeGreaterThan(10);
  });
}

test('it draws the error rate, the alert line, the numbered marks and the flag’s states in words', async ({ page }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  const drawn = await words(figure);
  expect(drawn, 'the alert line').toMatch(/alert[^.]*5%/i);
  expect(drawn, 'the flag').toContain('checkout-sync-retries');
  expect(drawn, 'its states').toMatch(/\bon\b/i);
  expect(drawn, 'its states').toMatch(/\boff\b/i);
  expect(drawn, 'the axis').toMatch(/10:00/);
  for (const [i, time] of ['09:46', '09:51', '10:02', '10:11', '10:17'].entries()) {
    await expect(figure.getByRole('link', { name: `${i + 1}, ${time} UTC` }), 'the marks').toHaveText(String(i + 1));
  }
  expect(await patterns(figure), 'the band has a pattern').toBeGreaterThan(0);
  const series = (await option(figure))['series'] as { data?: object }[];
  const numbers = series.map(each => Object.keys(each.data ?? {}).length);
  expect(Math.max(...numbers), 'a point, of two numbers, for each minute of the first view').toBeGreaterThanOrEqual(182);
});

test('the caption compares the rates with the flag on and off, and says how long recovery took', async ({ page }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  for (const text of ['21.7%', '5.8%', '1%']) await expect(figure).toContainText(text);
  await expect(figure).toContainText(/6 min|six minutes/);
});

test('the table holds the same numbers as the API', async ({ page, server }) => {
  await openIncident(page);
  const rows = (await chartTable(page)).getByRole('row');
  const shown = await rows.evaluateAll(all =>
    all.slice(1).map(row => [...row.querySelectorAll('th,td')].map(cell => (cell.textContent ?? '').trim())),
  );
  const { bins } = await signal(server);
  const inWindow = bins.filter(bin => bin.at >= '2026-07-09T09:46' && bin.at < '2026-07-09T10:17');
  expect(inWindow).toHaveLength(31);
  expect(inWindow.reduce((sum, bin) => sum + bin.numerator, 0)).toBe(1284);
  for (const bin of inWindow) {
    const row = shown.find(cells => cells[0]?.includes(bin.at.slice(11, 16)));
    expect(row, `a row for ${bin.at}`).toBeDefined();
    const words = row!.join(' ').replaceAll(',', '');
    expect(words).toContain(String(bin.numerator));
    expect(words).toContain(String(bin.denominator));
    expect(words).toContain(`${((100 * bin.numerator) / bin.denominator).toFixed(1)}%`);
  }
});

test('a screen reader finds the chart described in words', async ({ page }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  const described = figure.getByRole('img', { name: /error rate/i });
  await expect(described).toHaveAccessibleDescription(/It passes 5% at 09:46 UTC\. It is highest at \d\d:\d\d UTC with [\d.]+%/);
});

test('pointing at a timeline entry marks it in the chart', async ({ page }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  const entry = section(page, 'Timeline').getByRole('listitem').nth(3);
  const mark = figure.getByRole('link', { name: /^4, 10:11 UTC/ });
  await entry.hover();
  for (const each of [entry, mark]) await expect(each).toHaveAttribute('aria-current', 'true');
  expect(await shape(mark), 'not by colour alone').not.toBe(await shape(figure.getByRole('link', { name: /^1, / })));
  await page.mouse.move(0, 0);
  for (const each of [entry, mark]) await expect(each).not.toHaveAttribute('aria-current');
  await entry.focus();
  await expect(entry).toHaveAttribute('aria-current', 'true');
  await section(page, 'Timeline').getByRole('listitem').nth(1).hover();
  await expect(entry).not.toHaveAttribute('aria-current');
  await page.mouse.move(0, 0);
  for (const each of [entry, mark]) await expect(each, 'it still has the focus').toHaveAttribute('aria-current', 'true');
});

test('a mark in the chart marks its timeline entry, and leads to it with the keyboard alone', async ({ page }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  const entry = section(page, 'Timeline').getByRole('listitem').nth(3);
  const mark = figure.getByRole('link', { name: '4, 10:11 UTC: Synchronous retries disabled' });
  await mark.hover();
  await expect(entry).toHaveAttribute('aria-current', 'true');
  await page.mouse.move(0, 0);
  await expect(entry).not.toHaveAttribute('aria-current');
  await figure.getByRole('link', { name: /^3, / }).focus();
  await page.keyboard.press('Tab');
  await expect(mark).toBeFocused();
  await expect(entry).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('Enter');
  await expect(entry).toBeFocused();
});

test('the marks stand where the axis has their times, zoomed as well, and those out of view are gone', async ({ page }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  const at = Date.parse('2026-07-09T10:02:00Z');
  const away = async () => {
    const box = (await figure.getByRole('link', { name: /^3, / }).boundingBox())!;
    const canvas = (await figure.locator('canvas').first().boundingBox())!;
    return Math.abs(box.x + box.width / 2 - canvas.x - (await pixelOf(figure, at)));
  };
  await expect(figure.getByRole('list', { name: /Timeline/ }).getByRole('link')).toHaveCount(5);
  expect(await away()).toBeLessThan(1.5);
  await figure.getByRole('button', { name: 'Zoom in' }).click();
  await figure.getByRole('button', { name: 'Zoom in' }).click();
  await expect(figure.getByRole('list', { name: /Timeline/ }).getByRole('link')).toHaveCount(3);
  expect(await away()).toBeLessThan(1.5);
  await page.setViewportSize({ width: 700, height: 900 });
  await expect.poll(away).toBeLessThan(1.5);
});

test('the axis names round times of the chosen zone', async ({ browser, server }) => {
  const context = await browser.newContext({ timezoneId: 'Asia/Kathmandu' });
  await server.signIn(context, 'Cleo Marsh', 'viewer');
  const page = await context.newPage();
  await page.goto(`${server.base}/incidents/INC-1?zone=local&from=2026-07-09T06:15:00Z&until=2026-07-09T14:15:00Z`);
  const figure = await drawnChart(page);
  expect(await words(figure)).toMatch(/\b13:00\b/);
  expect(await words(figure)).not.toMatch(/\b\d\d:45\b/);
  await page.getByLabel('Times in').selectOption('utc');
  await expect.poll(() => words(figure)).toMatch(/\b08:00\b/);
  await context.close();
});

test('the tooltip says attempts, failures and the flag’s state', async ({ page }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  await figure.getByRole('heading').hover();
  await expect(figure.getByRole('button', { name: 'Save as CSV' })).toBeVisible();
  const told = /\d+ of \d+ failed attempts \([\d.]+%\)[^]*checkout-sync-retries on/;
  expect(await words(figure.locator('.canvas'))).not.toMatch(told);
  const box = (await figure.locator('canvas').first().boundingBox())!;
  let to = 0.45;
  await expect.poll(async () => {
    await page.mouse.move(box.x + box.width * (to += 0.003), box.y + box.height * 0.35);
    return words(figure.locator('.canvas'));
  }).toMatch(told);
});

test('a wheel on its way down the page is not caught by the chart', async ({ page }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  await figure.locator('canvas').first().hover();
  const before = await page.evaluate(() => scrollY);
  await page.mouse.wheel(0, 300);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(before);
  await page.waitForTimeout(400);
  expect(new URL(page.url()).search, 'nothing was zoomed').toBe('');
});

test('a zoom is kept in the address and over a reload', async ({ page }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  const zoomOf = async () => {
    const zoom = ((await option(await drawnChart(page)))['dataZoom'] as { startValue: number; endValue: number }[])[0]!;
    return [zoom.startValue, zoom.endValue];
  };
  const first = await zoomOf();
  await figure.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(() => new URL(page.url()).search).not.toBe('');
  const zoomed = await zoomOf();
  expect(zoomed).not.toEqual(first);
  await page.reload();
  expect(await zoomOf()).toEqual(zoomed);
});

test('leaving the page and coming back draws it again, and leaves no chart behind', async ({ page }) => {
  await openIncident(page);
  await drawnChart(page);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  await expect(page.locator('canvas')).toHaveCount(0);
  await page.getByRole('link', { name: /Checkout recovered/ }).click();
  const figure = await drawnChart(page);
  await expect.poll(async () => (await pixels(figure)).colours).toBeGreaterThan(10);
});

test('when the chart library cannot be loaded the page says so and still has the numbers', async ({ page, troubles }) => {
  troubles.allow(/Failed to load resource/);
  await page.route('**/vendor/echarts*', route => route.abort());
  await openIncident(page);
  const figure = page.getByRole('figure');
  await expect(figure.getByRole('alert')).toContainText(/(could|can) ?not be (loaded|drawn)/i);
  await expect(await chartTable(page)).toContainText('10:11');
});

/** Where the time axis has an instant, in pixels from the drawing's left edge. */
async function pixelOf(figure: Locator, at: number): Promise<number> {
  return figure.evaluate((element, at) => {
    interface Chart {
      convertToPixel(finder: object, value: unknown): number;
    }
    const { echarts } = window as unknown as { echarts: { getInstanceByDom(e: Element): Chart | undefined } };
    for (const candidate of element.querySelectorAll('*')) {
      const chart = echarts.getInstanceByDom(candidate);
      if (chart) return chart.convertToPixel({ xAxisIndex: 0 }, at);
    }
    throw new Error('no chart');
  }, at);
}

const shape = (mark: Locator): Promise<string> => mark.evaluate(element => getComputedStyle(element).borderRadius);
