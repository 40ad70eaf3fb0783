// Going from page to page: the focus goes along, titles are heard, fragments lead somewhere, nothing jumps.
import type { Page } from '@playwright/test';
import { drawnChart, expect, openIncident, section, test } from './harness';

const focused = (page: Page) => page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName);
const home = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' });

test('from the list to an incident and back the focus follows and the title is said; the first page takes nothing', async ({ page }) => {
  const said = page.locator('p.vh[role="status"]').first();
  await page.goto('/');
  const link = page.getByRole('link', { name: /Checkout recovered/ });
  await expect(link).toBeVisible();
  expect(await focused(page), 'the first page leaves the focus alone').toBe('BODY');
  await expect(said).toBeEmpty();

  await link.click();
  await expect(page.getByRole('heading', { level: 1, name: /Checkout recovered/ })).toBeVisible();
  await expect(page.getByRole('main')).toBeFocused();
  await expect(said).toHaveText(/^INC-1 Checkout recovered/);
  expect(await page.evaluate(() => scrollY)).toBe(0);

  await home(page).click();
  await expect(page.getByRole('main')).toBeFocused();
  await expect(said).toHaveText('Incidents');
  await page.goBack();
  await expect(said).toHaveText(/^INC-1 Checkout recovered/);
  await expect(page.getByRole('main')).toBeFocused();
});

test('a change of the query leaves the focus where it is', async ({ page }) => {
  await page.goto('/');
  await page.getByLabel('Status').selectOption('resolved');
  await expect(page).toHaveURL(/status=resolved/);
  await page.getByLabel('Status').focus();
  await page.getByLabel('Times in').focus();
  await page.getByLabel('Times in').selectOption('local');
  await expect(page).toHaveURL(/status=resolved&zone=local/);
  await expect(page.getByLabel('Times in')).toBeFocused();
});

test('an address with a fragment leads to what it names once the data is there', async ({ page }) => {
  await page.route('**/api/v1/incidents/INC-1', async route => {
    await new Promise(done => setTimeout(done, 300));
    await route.continue();
  });
  await page.goto('/incidents/INC-1#evidence-4');
  const cited = page.locator('#evidence-4');
  await expect(cited).toBeInViewport();
  await expect(cited).toBeFocused();
  expect(await cited.evaluate(element => element.matches(':target'))).toBe(true);
});

test('a fragment that names nothing does no harm', async ({ page }) => {
  await page.goto('/incidents/INC-1#nothing');
  await expect(page.getByRole('heading', { level: 1, name: /Checkout recovered/ })).toBeVisible();
});

test('with a fragment in the address a switch does not make the page jump, and the fragment stays', async ({ page }) => {
  await page.goto('/incidents/INC-1#evidence-4');
  await drawnChart(page);
  await expect(page.locator('#evidence-4')).toBeFocused();
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await page.getByLabel('Times in').selectOption('local');
  await expect(page).toHaveURL(/\?zone=local#evidence-4$/);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect(page).toHaveURL(/from=.*#evidence-4$/);
  await page.waitForTimeout(300);
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test('a missing page’s link keeps the zone', async ({ page }) => {
  await page.goto('/nowhere?zone=local');
  await page.getByRole('link', { name: 'See all incidents' }).click();
  await expect(page).toHaveURL(/\/\?zone=local$/);
  await expect(page.getByRole('main')).toBeFocused();
});

test('trying again shows that it tries, keeps the focus, says each failure, and leads to the page', async ({ page, troubles }) => {
  troubles.allow(/Failed to load resource/);
  let fail: (() => void) | undefined;
  // What changes elsewhere would have the page ask by itself.
  await page.route('**/api/v1/changes*', route => route.abort());
  const incident = '**/api/v1/incidents/INC-1';
  await page.route(incident, route => route.abort());
  await page.goto('/incidents/INC-1');
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('The incident cannot be shown');
  await expect(alert).toContainText('cannot be reached');
  await page.unroute(incident);
  let tries = 0;
  await page.route(incident, async route => {
    tries++;
    await new Promise<void>(done => (fail = done));
    await route.abort();
  });
  const again = page.getByRole('button', { name: 'Try again' });
  await again.focus();
  await page.keyboard.press('Enter');
  await expect(alert).toContainText('Trying again');
  await expect(again).toHaveAttribute('aria-disabled', 'true');
  await expect(again).toBeFocused();
  await page.keyboard.press('Enter');
  fail?.();
  await expect(alert).toContainText('cannot be reached');
  await expect(again).toBeFocused();
  expect(tries, 'while it tries it is not asked twice').toBe(1);

  await page.unroute(incident);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: /Checkout recovered/ })).toBeVisible();
  await expect(page.getByRole('main')).toBeFocused();
});

test('an answer that is none of the server’s is told apart from a server that is not there', async ({ page, troubles }) => {
  troubles.allow(/status of 502/);
  for (const [status, body] of [[502, '<h1>Bad gateway</h1>'], [200, '{"name": 1}']] as const) {
    await page.route('**/api/v1/incidents/INC-1', route => route.fulfill({ status, body }));
    await page.goto('/incidents/INC-1');
    await expect(page.getByRole('alert')).toContainText(`HTTP status ${status}`);
    await expect(page.getByRole('alert')).not.toContainText('cannot be reached');
    await page.unroute('**/api/v1/incidents/INC-1');
  }
});

test('evidence says when it was captured, and where it is cited only if it is', async ({ page }) => {
  await page.route('**/api/v1/incidents/INC-1', async route => {
    const response = await route.fetch();
    const dashboard = (await response.json()) as { evidence: object[] };
    const more = { number: 9, title: 'Load test of Friday', kind: 'load_test', link: null, captured_at: '2026-07-10T08:30:00Z', version: 1 };
    dashboard.evidence.push(more);
    await route.fulfill({ response, json: dashboard });
  });
  await openIncident(page);
  const source = section(page, 'Evidence').locator('#evidence-9');
  await expect(source).toContainText('captured 10 July 2026, 08:30 UTC');
  await expect(source).not.toContainText('Cited in');
  await expect(page.locator('#evidence-4')).toContainText('Cited in Incident window');
  await expect(page.locator('#evidence-4')).not.toContainText('captured');
});
