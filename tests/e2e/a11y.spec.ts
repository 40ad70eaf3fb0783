// axe finds nothing: each page, both themes, a wide screen and a phone.
import { violations } from './axe';
import { CHANGES, chartTable, drawnChart, expect, openEditor, openFacts, readOn, test } from './harness';

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [device, viewport] of [
    ['a wide screen', { width: 1280, height: 900 }],
    ['a phone', { width: 390, height: 844 }],
  ] as const) {
    test.describe(`${colorScheme}, on ${device}`, () => {
      test.use({ colorScheme, viewport });

      test('the list is accessible', async ({ page }) => {
        await page.goto('/');
        await expect(page.getByRole('heading', { level: 2, name: /Checkout recovered/ })).toBeVisible();
        expect(await violations(page)).toEqual([]);
      });

      test('the incident is accessible, with an item and the chart’s table open', async ({ page }) => {
        await openFacts(page);
        await drawnChart(page);
        expect(await violations(page)).toEqual([]);
        await readOn(page);
        expect(await violations(page)).toEqual([]);
        await chartTable(page);
        await openEditor(page, CHANGES.queue);
        expect(await violations(page)).toEqual([]);
      });

      test('the empty list is accessible', async ({ page, emptyServer }) => {
        await page.goto(emptyServer.base);
        await expect(page.getByRole('heading', { name: 'No incidents yet' })).toBeVisible();
        expect(await violations(page)).toEqual([]);
      });

      test('the error pages are accessible', async ({ page, troubles }) => {
        troubles.allow(/status of 404/);
        await page.goto('/incidents/INC-99');
        await expect(page.getByRole('alert')).toBeVisible();
        expect(await violations(page)).toEqual([]);
        await page.goto('/nowhere');
        await expect(page.getByRole('heading', { name: 'There is no such page' })).toBeVisible();
        expect(await violations(page)).toEqual([]);
      });
    });
  }
}

test('the theme that the reader chooses wins over the system’s, and holds over a reload', async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  const light = await background();
  await page.getByLabel('Theme').selectOption('dark');
  await expect.poll(background).not.toBe(light);
  const dark = await background();
  await page.reload();
  await expect(page.getByLabel('Theme')).toHaveValue('dark');
  expect(await background()).toBe(dark);
  await page.getByLabel('Theme').selectOption('system');
  await expect.poll(background).toBe(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(background).toBe(dark);
});
