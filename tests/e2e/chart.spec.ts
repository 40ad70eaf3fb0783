// The chart: it really drew, it says what the imported data say, and it is tied to the timeline and the address.
import type { Locator } from '@playwright/test';
import type { Dashboard, Signal } from './shapes';
import { chartTable, drawnChart, expect, openIncident, section, test } from './harness';

/** What ECharts was told, read from the instance that stands in the page. */
async function option(figure: Locator): Promise<Record<string, unknown>> {
  return figure.evaluate(element => {
    const { echarts } = window as unknown as { echarts: { getInstanceByDom(e: Element): { getOption(): object } | undefined } };
    for (const candidate of [element, ...element.querySelectorAll('*')]) {
      const instance = echarts.getInstanceByDom(candidate);
      if (instance) return JSON.parse(JSON.stringify(instance.getOption())) as Record<string, unknown>;
    }
    throw new Error('no chart instance stands in the figure');
  });
}

/** Every word that stands in the figure: in the page, and drawn on the canvas. */
async function words(figure: Locator): Promise<string> {
  return figure.evaluate(element => {
    interface Drawn {
      style?: { text?: string };
    }
    interface Chart {
      getZr(): { storage: { getDisplayList(update: boolean): Drawn[] } };
    }
    const { echarts } = window as unknown as { echarts: { getInstanceByDom(e: Element): Chart | undefined } };
    const all = [element.textContent ?? ''];
    for (const candidate of element.querySelectorAll('*')) {
      const list = echarts.getInstanceByDom(candidate)?.getZr().storage.getDisplayList(true) ?? [];
      all.push(...list.map(drawn => drawn.style?.text ?? ''));
    }
    return all.join(' ');
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
  expect(drawn, 'the axis').toMatch(/09:30|09:45|10:00/);
  const series = (await option(figure))['series'] as { type: string; data?: unknown[] }[];
  expect(Math.max(...series.map(each => each.data?.length ?? 0)), 'a point for each minute of the first view').toBeGreaterThanOrEqual(91);
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
  const described = figure.getByRole('img');
  await expect(described).toHaveAttribute('aria-label', /error rate/i);
});

test('pointing at a timeline entry marks it in the chart', async ({ page }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  const entry = section(page, 'Timeline').getByRole('listitem').nth(3);
  const before = await pixelsOf(figure);
  await entry.hover();
  await expect(entry).toHaveClass(/marked/);
  await expect.poll(async () => (await pixelsOf(figure)) !== before, { message: 'the chart changes' }).toBe(true);
  await page.mouse.move(0, 0);
  await expect(entry).not.toHaveClass(/marked/);
  await entry.focus();
  await expect(entry).toHaveClass(/marked/);
});

test('pointing at a mark in the chart marks its timeline entry', async ({ page, server }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  await figure.scrollIntoViewIfNeeded();
  const dashboard = await server.json<Dashboard>('/api/v1/incidents/INC-1');
  const canvas = figure.locator('canvas').first();
  const box = (await canvas.boundingBox())!;
  const x = await figure.evaluate((element, at) => {
    interface Chart {
      convertToPixel(finder: object, value: unknown): number;
    }
    const { echarts } = window as unknown as { echarts: { getInstanceByDom(e: Element): Chart | undefined } };
    for (const candidate of element.querySelectorAll('*')) {
      const chart = echarts.getInstanceByDom(candidate);
      if (chart) return chart.convertToPixel({ xAxisIndex: 0 }, at);
    }
    throw new Error('no chart');
  }, Date.parse(dashboard.timeline[3]!.occurred_at));
  const entry = section(page, 'Timeline').getByRole('listitem').nth(3);
  for (let y = 2; y < box.height; y += 4) {
    await page.mouse.move(box.x + x, box.y + y);
    if (/marked/.test((await entry.getAttribute('class')) ?? '')) return;
  }
  throw new Error('no point on the mark’s line marks the entry');
});

test('the tooltip says attempts, failures and the flag’s state', async ({ page }) => {
  await openIncident(page);
  const figure = await drawnChart(page);
  await figure.scrollIntoViewIfNeeded();
  const before = (await words(figure)).match(/\d+ of \d+/g)?.length ?? 0;
  const box = (await figure.locator('canvas').first().boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.35);
  await page.mouse.move(box.x + box.width * 0.51, box.y + box.height * 0.35);
  await expect.poll(async () => (await words(figure)).match(/\d+ of \d+/g)?.length ?? 0).toBeGreaterThan(before);
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

async function pixelsOf(figure: Locator): Promise<string> {
  return figure.locator('canvas').first().evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
}
