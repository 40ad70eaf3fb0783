// Times: in UTC, in the incident's zone, in the reader's own; page, chart and table always agree.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debrief, example } from './debrief';
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

test('an incident that has a zone of its own is told in it, in UTC and in the reader’s', async ({ page, emptyServer }) => {
  const text = readFileSync(example('checkout-postmortem.txt'), 'utf8').replaceAll(' UTC |', ' Time |').replaceAll(' UTC', '');
  const file = join(emptyServer.data, 'berlin.txt');
  writeFileSync(file, text);
  debrief(emptyServer.data, 'import', 'postmortem', file, '--date', '2026-07-09', '--zone', 'Europe/Berlin');
  await page.goto(`${emptyServer.base}/incidents/INC-1?zone=incident`);
  const facts = page.getByLabel('Headline facts');
  const entry = section(page, 'Timeline').getByRole('listitem').nth(3);
  await expect(facts).toContainText(/09:46–10:17 (CEST|GMT\+2)/);
  await expect(entry).toContainText(/10:11 ?(CEST|GMT\+2)/);
  await page.getByLabel('Times in').selectOption({ label: 'UTC' });
  await expect(facts).toContainText('07:46–08:17 UTC');
  await expect(entry).toContainText(/08:11 ?UTC/);
  await page.getByLabel('Times in').selectOption({ label: 'My zone' });
  await expect(facts).toContainText(/03:46–04:17 (EDT|GMT-4)/);
  await expect(entry).toContainText(/04:11 ?(EDT|GMT-4)/);
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
