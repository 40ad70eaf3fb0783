// Small screens, long words, large text: nothing pushes the page sideways.
import type { Page } from '@playwright/test';
import { actionItem, CHANGES, chartTable, drawnChart, expect, openEditor, openIncident, test } from './harness';

/** By how many pixels the page is wider than its window. */
const overhang = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const width of [320, 390, 768, 1280]) {
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

test('printed, the page has no switches and no forms', async ({ page }) => {
  await openIncident(page);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByLabel('Times in')).toBeHidden();
  await expect(page.getByRole('button', { name: `Update: ${CHANGES.queue}` })).toBeHidden();
  await expect(actionItem(page, CHANGES.queue)).toContainText('14 Jul 2026');
});
