// Figures checked with the events, what the flag did, and the cohort: for every reader, and for those who see customers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { violations } from './axe';
import { debrief, truth } from './debrief';
import { expect, openIncident, readOn, section, test } from './harness';

const COHORT = 'Customers to write to';

test('an editor checks a figure with the events, and sees it differ when the events change', async ({ page, server }) => {
  await openIncident(page);
  const row = section(page, 'Impact').getByRole('row').filter({ hasText: 'Failed attempts' });
  await expect(row).toContainText('Not checked');
  await row.getByRole('button', { name: 'Check with the events…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('What is computed')).toHaveValue('failed_attempts');
  await dialog.getByRole('button', { name: 'Check it' }).click();
  await expect(row).toContainText('✓Agrees with the events');
  await expect(row).toContainText('computed 1,284');
  await expect(row, 'the author’s word stands beside it as it was').toContainText('Confirmed');

  const share = page.getByLabel('Figures in the text').getByRole('listitem').filter({ hasText: '18.6%' });
  await share.getByRole('button', { name: 'Check with the events…' }).click();
  await dialog.getByRole('button', { name: 'Check it' }).click();
  await expect(share).toContainText('Agrees with the events');

  const more = join(server.data, 'more.csv');
  const rows = Array.from({ length: 7 }, (_, i) => `2026-07-09T10:00:00Z,late-${i},c-late-${i},failed`);
  writeFileSync(more, ['ts,attempt_id,customer_id,outcome', ...rows, ''].join('\n'));
  debrief(server.data, 'import', 'events', 'INC-1', more);
  await expect(row).toContainText('≠Differs from the events');
  await expect(row).toContainText('computed 1,291, +7');
  expect(await violations(page)).toEqual([]);

  await row.getByRole('button', { name: 'Unbind…' }).click();
  await dialog.getByRole('button', { name: 'Unbind it' }).click();
  await expect(row).toContainText('Not checked');
});

test('a binding that cannot be computed is refused beside its field', async ({ page, troubles }) => {
  troubles.allow(/status of 422/);
  await openIncident(page);
  const row = section(page, 'Impact').getByRole('row').filter({ hasText: 'Incident window' });
  await row.getByRole('button', { name: 'Check with the events…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('It begins over (%)')).toHaveValue('5%');
  await dialog.getByLabel('It ends under (%)').fill('');
  await dialog.getByRole('button', { name: 'Check it' }).click();
  await expect(dialog.getByText('a duration needs both thresholds')).toBeVisible();
  await dialog.getByLabel('It ends under (%)').fill('1');
  await dialog.getByRole('button', { name: 'Check it' }).click();
  await expect(row).toContainText('computed 09:46–10:17 UTC');
});

test('the flag’s comparison stands as a table with intervals and says what it does not prove', async ({ page }) => {
  await openIncident(page);
  const flag = section(page, 'What the flag did');
  await expect(flag.getByRole('row')).toHaveCount(4);
  await expect(flag.getByRole('row').filter({ hasText: 'In the incident' })).toContainText('21.7%');
  await expect(flag.getByRole('row').filter({ hasText: 'After the change' })).toContainText('5.8%');
  await expect(flag).toContainText('does not show that the change was the cause');
});

test('every reader sees numbers that add up, and no customer', async ({ page }) => {
  await openIncident(page);
  const cohort = section(page, COHORT);
  const { affected_customers, recovered_inside_window, bought_within_24h, cohort: left } = truth;
  await expect(cohort).toContainText(`${affected_customers} − ${recovered_inside_window} − ${bought_within_24h} = ${left}`);
  await expect(cohort.getByRole('listitem')).toHaveCount(4);
  await expect(cohort).not.toContainText('Provisional');
  await expect(cohort.getByRole('link', { name: /CSV/ })).toHaveCount(0);
  expect(await page.content()).not.toMatch(/c-\d{6}/);
});

test('without events it says why there is no cohort', async ({ page, emptyServer }) => {
  debrief(emptyServer.data, 'import', 'postmortem', join(__dirname, '../data/checkout-postmortem.txt'), '--date', '2026-07-09');
  await page.goto(`${emptyServer.base}/incidents/INC-1`);
  await readOn(page);
  await expect(section(page, COHORT)).toContainText('There is no cohort: no events have been imported.');
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 390]) {
    test.describe(`${colorScheme}, ${width} px`, () => {
      test.use({ colorScheme, viewport: { width, height: 900 } });

      test('whoever sees customers exports them, writes the message, and marks whom they wrote to', async ({ page, context, server }) => {
        await server.signIn(context, 'Sana Desk', 'admin');
        await openIncident(page);
        const cohort = section(page, COHORT);
        const customers = cohort.getByRole('region', { name: 'Customers' });
        await expect(customers.getByRole('row')).toHaveCount(51);
        await cohort.getByRole('button', { name: 'Show more customers' }).click();
        await expect(customers.getByRole('row')).toHaveCount(101);
        await cohort.getByLabel('Show').selectOption({ label: 'Recovered on retry' });
        await expect(customers.getByRole('row').nth(1)).toContainText('recovered on retry at 9 July 2026');
        await cohort.getByLabel('Show').selectOption({ label: 'To be written to' });

        const download = page.waitForEvent('download');
        await cohort.getByRole('link', { name: 'Export the cohort as CSV' }).click();
        expect((await download).suggestedFilename()).toBe('cohort.csv');

        await cohort.getByText('The message to them').click();
        const text = cohort.getByLabel('Text');
        await expect(text).toHaveValue(/did not go through/);
        await text.fill('We will refund you.');
        await cohort.getByRole('button', { name: 'Check the wording' }).click();
        await expect(cohort.getByLabel('Held against the message')).toContainText('Implies a charge: ‘refund’');
        await text.fill('You were not charged. Please try again.');
        await cohort.getByRole('button', { name: 'Save' }).click();
        await expect(cohort.getByText('Saved. Nothing is held against it.')).toBeVisible();
        expect(await violations(page)).toEqual([]);

        const first = customers.getByRole('row').nth(1);
        await first.getByRole('button', { name: /^Mark as written to: c-\d+/ }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Mark as written to' }).click();
        await expect(first).toContainText('by Sana Desk');
        await expect(cohort).toContainText('Written to so far: 1 of 508 in the cohort.');
        await page.getByText('History', { exact: true }).last().click();
        await expect(page.getByText('exported the cohort: customers 508')).toBeVisible();
        const overhang = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(overhang, 'nothing pushes the page sideways').toBeLessThanOrEqual(0);
      });
    });
  }
}
