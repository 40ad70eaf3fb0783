// The list of incidents: what it shows, its search and filters, and what it says where there is nothing.
import { expect, test } from './harness';

test('an incident is listed with what matters of it, and leads to its page', async ({ page }) => {
  await page.goto('/');
  await expect(page).toHaveTitle('Incidents · Debrief');
  const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2 }) });
  await expect(row).toHaveCount(1);
  for (const text of ['SEV-2', 'Resolved', 'INC-1', '9 July 2026', '09:46–10:17 UTC', '4 of 4 action items open']) {
    await expect(row).toContainText(text);
  }
  await row.getByRole('link').click();
  await expect(page).toHaveURL(/\/incidents\/INC-1$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');
  await expect(page).toHaveTitle(/^INC-1 Checkout recovered.* · Debrief$/);
});

test('a search is in the address, holds over a reload, and says when nothing matches', async ({ page }) => {
  await page.goto('/');
  const words = page.getByLabel('Search');
  await words.fill('checkout');
  await words.press('Enter');
  await expect(page).toHaveURL(/[?&]q=checkout/);
  await expect(page.getByRole('heading', { level: 2, name: /Checkout recovered/ })).toBeVisible();
  await words.fill('volcano');
  await words.press('Enter');
  await expect(page.getByRole('heading', { name: 'No incident matches' })).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Search')).toHaveValue('volcano');
  await expect(page.getByRole('heading', { name: 'No incident matches' })).toBeVisible();
});

test('a search on a slow network is seen to work, and what it found is said', async ({ page }) => {
  await page.goto('/');
  const said = page.getByRole('status').filter({ hasText: /incident|Searching/ });
  await expect(said).toHaveText('1 incident');
  await page.route(/\/api\/v1\/incidents\?q=/, async route => {
    await new Promise(done => setTimeout(done, 500));
    await route.continue();
  });
  await page.getByLabel('Search').fill('volcano');
  await page.getByLabel('Search').press('Enter');
  await expect(said).toHaveText('Searching…');
  await expect(said).toHaveText('0 incidents');
});

test('filters by status and severity mean what the API means', async ({ page }) => {
  await page.goto('/?status=resolved&severity=sev2');
  await expect(page.getByLabel('Status')).toHaveValue('resolved');
  await expect(page.getByLabel('Severity')).toHaveValue('sev2');
  await expect(page.getByRole('heading', { level: 2, name: /Checkout recovered/ })).toBeVisible();
  await page.getByLabel('Severity').selectOption('sev1');
  await expect(page).toHaveURL(/severity=sev1/);
  await expect(page.getByRole('heading', { name: 'No incident matches' })).toBeVisible();
  await page.getByLabel('Severity').selectOption('');
  await expect(page.getByRole('heading', { level: 2, name: /Checkout recovered/ })).toBeVisible();
});

test('where there is no incident yet the page says how one comes in', async ({ page, emptyServer }) => {
  await page.goto(emptyServer.base);
  await expect(page.getByRole('heading', { name: 'No incidents yet' })).toBeVisible();
  await expect(page.getByText('debrief import postmortem')).toBeVisible();
});

test('when the server does not answer the page says so, and trying again works', async ({ page, troubles }) => {
  troubles.allow(/Failed to load resource/);
  // Told that the server is reached, the page would try again by itself.
  await page.route('**/api/v1/changes*', route => route.abort());
  const list = /\/api\/v1\/incidents(\?.*)?$/;
  await page.route(list, route => route.abort());
  await page.goto('/');
  await expect(page.getByRole('alert')).toContainText('cannot be reached');
  await page.unroute(list);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { level: 2, name: /Checkout recovered/ })).toBeVisible();
});

test('an address that is none of ours says so and leads on', async ({ page }) => {
  await page.goto('/nowhere');
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such page' })).toBeVisible();
  await page.getByRole('link', { name: 'See all incidents' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
});
