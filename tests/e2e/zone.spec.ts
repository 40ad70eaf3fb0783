// Times: in UTC, in the incident's zone, in the reader's own; page, chart and table always agree.
import { chartTable, drawnChart, expect, openIncident, section, test } from './harness';

test.use({ timezoneId: 'America/New_York' });

test('the reader switches to their own zone; the address keeps it over a reload and across pages', async ({ page }) => {
  await openIncident(page);
  const entry = section(page, 'Timeline').getByRole('listitem').first();
  await expect(entry).toContainText('09:46');
  await expect(entry).toContainText('UTC');
  await page.getByLabel('Times in').selectOption({ label: 'My zone' });
  await expect(page).toHaveURL(/[?&]zone=local/);
  await expect(entry).toContainText('05:46');
  await expect(entry).toContainText(/EDT|GMT-4/);
  await expect(page.getByLabel('Headline facts')).toContainText(/05:46–06:17 (EDT|GMT-4)/);
  await page.reload();
  await expect(page.getByLabel('Times in')).toHaveValue('local');
  await expect(section(page, 'Timeline').getByRole('listitem').first()).toContainText('05:46');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' }).click();
  await expect(page).toHaveURL(/[?&]zone=local/);
  await expect(page.getByRole('listitem').filter({ hasText: 'INC-1' })).toContainText(/05:46–06:17 (EDT|GMT-4)/);
});

test('the incident’s zone is UTC here, whatever the reader’s is', async ({ page }) => {
  await openIncident(page, '?zone=incident');
  await expect(page.getByLabel('Headline facts')).toContainText('09:46–10:17 UTC');
});

test('a zone that nobody knows is UTC', async ({ page }) => {
  await openIncident(page, '?zone=mars');
  await expect(page.getByLabel('Headline facts')).toContainText('09:46–10:17 UTC');
});

test('chart and table show the same zone as the page', async ({ page }) => {
  await openIncident(page, '?zone=local');
  await drawnChart(page);
  const table = await chartTable(page);
  await expect(table).toContainText('05:46');
  await expect(table).toContainText(/EDT|GMT-4/);
  await page.getByLabel('Times in').selectOption({ label: 'UTC' });
  await expect(table).toContainText('09:46');
  await expect(table).not.toContainText('05:46');
});
