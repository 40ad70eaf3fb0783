// Small screens, long words, large text: nothing pushes the page sideways.
import type { Page } from '@playwright/test';
import type { Dashboard } from './shapes';
import { actionItem, CHANGES, chartTable, drawnChart, expect, openEditor, openIncident, test } from './harness';

/** By how many pixels the page is wider than its window. */
const overhang = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const width of [320, 390, 560, 720, 820, 1000, 1280]) {
  test(`${width} px wide, nothing scrolls sideways`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 });
    await page.goto('/');
    await expect(page.getByRole('heading', { level: 2, name: /Checkout recovered/ })).toBeVisible();
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    await openIncident(page);
    await drawnChart(page);
    await chartTable(page);
    await openEditor(page, CHANGES.queue);
    expect(await overhang(page)).toBeLessThanOrEqual(0);
  });
}

/** The words that are cut in the middle: those of which one line's end and the next line's begin are parts. */
const cutWords = (page: Page) =>
  page.evaluate(() => {
    const cut: string[] = [];
    const range = document.createRange();
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const parent = node.parentElement!;
      if (!parent.checkVisibility({ visibilityProperty: true }) || parent.closest('.vh, script, option, code')) continue;
      const head = parent.closest('thead');
      if (head && getComputedStyle(head).position === 'absolute') continue;
      for (const word of node.textContent!.matchAll(/[^\s\-–—/·]+/g)) {
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].filter(box => box.width > 1).map(box => Math.round(box.top)));
        if (lines.size > 1) cut.push(word[0]);
      }
    }
    return cut;
  });

test('on no width a word, a figure or a date is cut in the middle, and nothing scrolls sideways', async ({ page, server, context }) => {
  test.setTimeout(90_000);
  await context.clearCookies();
  await server.signIn(context, 'Bartholomew Featherstonehaugh-Cholmondeley', 'editor');
  const { actions } = await server.json<Dashboard>('/api/v1/incidents/INC-1');
  const [first] = actions;
  const reason = 'Waiting for the provider to tell us which of its limits apply to a second queue, and since when';
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'if-match': `"${first!.version}"` };
  const body = JSON.stringify({ status: 'blocked', reason });
  expect((await fetch(`${server.base}/api/v1/actions/${first!.id}`, { method: 'PATCH', headers, body })).status).toBe(200);
  await page.route('**/api/v1/incidents/INC-1', async route => {
    const response = await route.fetch();
    const dashboard = (await response.json()) as { impact: { result: string; html: Record<string, string> }[] };
    dashboard.impact[0]!.result = '12,345,678,901';
    dashboard.impact[0]!.html = {};
    await route.fulfill({ response, json: dashboard });
  });
  for (const path of ['/incidents/INC-1', '/actions', '/']) {
    await page.goto(path);
    await expect(page.getByText(path === '/' ? 'INC-1' : CHANGES.queue).first()).toBeVisible();
    for (const width of [320, 390, 560, 720, 820, 1000, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      expect.soft(await cutWords(page), `${path}, ${width} px wide`).toEqual([]);
      expect.soft(await overhang(page), `${path}, ${width} px wide`).toBeLessThanOrEqual(0);
      const top = await page.getByRole('banner').evaluate(bar => bar.getBoundingClientRect().height);
      expect.soft(top, `the bar, ${width} px wide`).toBeLessThanOrEqual(width < 400 ? 150 : 110);
    }
  }
});

test('between a phone and a wide screen, and on paper, the tracker is cards that can be read', async ({ page }) => {
  await page.goto('/actions');
  const title = page.getByRole('link', { name: CHANGES.queue });
  await expect(title).toBeVisible();
  for (const [width, media] of [[660, 'screen'], [720, 'screen'], [820, 'screen'], [718, 'print'], [1000, 'screen']] as const) {
    await page.emulateMedia({ media });
    await page.setViewportSize({ width, height: 900 });
    const room = await title.evaluate(link => link.closest('th')!.getBoundingClientRect().width);
    expect(room, `${width} px, ${media}`).toBeGreaterThan(width < 960 ? 400 : 250);
  }
});

test('on a phone action items are cards: each value under its item, with its label', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openIncident(page);
  const item = actionItem(page, CHANGES.queue);
  const change = await item.getByText(CHANGES.queue).first().boundingBox();
  const due = await item.getByText('14 Jul 2026').boundingBox();
  const verification = await item.getByText('Load test holds p95').boundingBox();
  expect(due!.y, 'the due date stands below the change, not beside it').toBeGreaterThan(change!.y);
  expect(verification!.y).toBeGreaterThan(due!.y);
  for (const box of [change!, due!, verification!]) expect(box.x + box.width).toBeLessThanOrEqual(390);
});

test('a word without end does not push the page sideways', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByLabel('New note').fill('x'.repeat(400));
  await item.getByRole('button', { name: 'Add note' }).click();
  await expect(item.getByText('x'.repeat(400))).toBeVisible();
  await item.getByLabel('Assignee').fill('y'.repeat(300));
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item).toContainText('Saved');
  for (const width of [390, 820, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await overhang(page), `${width} px wide`).toBeLessThanOrEqual(0);
  }
});

for (const width of [390, 768, 1024, 1280, 1600]) {
  test(`${width} px wide, the headline facts fill their lines`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await openIncident(page);
    const gaps = await page.getByRole('group', { name: 'Headline facts' }).locator('dl').evaluateAll(lists =>
      lists.flatMap(list => {
        const end = list.getBoundingClientRect().right;
        const lines = new Map<number, DOMRect[]>();
        for (const fact of list.children) {
          const box = fact.getBoundingClientRect();
          lines.set(Math.round(box.y), [...(lines.get(Math.round(box.y)) ?? []), box]);
        }
        return [...lines.values()].map(line => Math.round(end - Math.max(...line.map(box => box.right))));
      }),
    );
    expect(Math.max(...gaps.map(Math.abs)), 'no line ends short').toBeLessThanOrEqual(1);
    expect(gaps.length, 'and there are few of them').toBeLessThanOrEqual({ 390: 5, 768: 4 }[width] ?? 2);
  });
}

test('printed from the dark theme, the chart is dark on light and fits the paper', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await openIncident(page);
  await drawnChart(page);
  // Whoever prints presses a key before.
  await page.keyboard.press('Control');
  await expect(page.getByRole('button', { name: 'Save as CSV' })).toBeVisible();
  await page.setViewportSize({ width: 720, height: 1000 });
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  const figure = page.getByRole('figure');
  const paper = figure.locator('.paper > svg');
  await expect(paper).toBeVisible();
  const drawing = (await paper.boundingBox())!;
  const frame = (await figure.boundingBox())!;
  expect(drawing.x + drawing.width).toBeLessThanOrEqual(frame.x + frame.width);
  const picture = (await paper.screenshot()).toString('base64');
  const shades = await page.evaluate(async picture => {
    const bytes = Uint8Array.from(atob(picture), letter => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const copy = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = copy.getContext('2d')!;
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    let [light, dark] = [0, 0];
    for (let i = 0; i < data.length; i += 4) {
      const shade = (data[i]! + data[i + 1]! + data[i + 2]!) / 3;
      if (shade > 200) light++;
      if (shade < 120) dark++;
    }
    return { light: (4 * light) / data.length, dark: (4 * dark) / data.length };
  }, picture);
  expect(shades.light, 'the ground is light').toBeGreaterThan(0.8);
  expect(shades.dark, 'and what is drawn is dark').toBeGreaterThan(0.003);
});

test('printed, the page has no switches and no forms', async ({ page }) => {
  await openIncident(page);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByLabel('Times in')).toBeHidden();
  await expect(page.getByRole('button', { name: `Update: ${CHANGES.queue}` })).toBeHidden();
  await expect(actionItem(page, CHANGES.queue)).toContainText('14 Jul 2026');
});
