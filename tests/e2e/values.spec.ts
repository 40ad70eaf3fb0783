// Plain values on the page: from a real Prometheus and from a CSV file; looked at, imported, listed, taken away.
import type { Locator, Page } from '@playwright/test';
import { violations } from './axe';
import { Server, copyFolder, newFolder, removeFolder } from './debrief';
import { test as base, expect, line, openIncident, section, readOn } from './harness';
import { PASSWORD, Prometheus } from './prometheus';

/** A queue that grows while checkout fails, in two series; one of them is not reported for twenty minutes. */
function samples(): string {
  const start = Date.parse('2026-07-09T09:00:00Z') / 1000;
  const lines = ['# TYPE queue_length gauge'];
  for (const queue of ['mail', 'retries']) {
    for (let minute = 0; minute <= 120; minute++) {
      const isMissing = queue === 'retries' && minute >= 60 && minute < 80;
      const length = queue === 'mail' ? 3 : minute > 46 && minute < 77 ? 40 + (minute % 7) : 2;
      if (!isMissing) lines.push(`queue_length{queue="${queue}"} ${length} ${start + minute * 60}`);
    }
  }
  return `${lines.join('\n')}\n# EOF\n`;
}

const test = base.extend<{ prometheus: Prometheus }>({
  prometheus: async ({}, use) => {
    const prometheus = await Prometheus.start(samples());
    await use(prometheus);
    await prometheus.stop();
  },
  server: async ({ seed, prometheus }, use) => {
    const folder = newFolder();
    copyFolder(seed, folder);
    prometheus.known(folder);
    const server = await Server.start(folder);
    await use(server);
    await server.stop();
    removeFolder(folder);
  },
});

async function choose(page: Page, kind: string): Promise<Locator> {
  await openIncident(page);
  const area = section(page, 'Import');
  await area.getByRole('button', { name: 'Import a file…' }).click();
  await area.getByRole('radio', { name: kind }).check();
  return area;
}

const list = (page: Page): Locator => section(page, 'Evidence').getByRole('list', { name: 'Values' });

test('what a Prometheus server answers is looked at, imported, and still there when it is gone', async ({ page, server, prometheus, troubles }) => {
  troubles.allow(/status of 422/, /status of 502/);
  const area = await choose(page, 'Values from Prometheus');
  await expect(area.getByLabel('Server')).toContainText('main (http://127.0.0.1:');
  await expect(area.getByLabel('From (UTC)')).toHaveValue(/2026-07-09T09:16/);
  await expect(area.getByLabel('Until (UTC)')).toHaveValue(/2026-07-09T10:47/);
  const take = area.getByRole('button', { name: 'Import', exact: true });
  await expect(take).toBeDisabled();

  // By the keyboard: what is typed wrongly is told at its field.
  await area.getByLabel('Query').fill('rate(');
  await area.getByLabel('Query').press('Enter');
  await expect(area.getByText(/Prometheus refuses the query: .*parse error/).first()).toBeVisible();
  await expect(area.getByLabel('Query')).toHaveAttribute('aria-invalid', 'true');
  await area.getByLabel('Query').fill('no_such_metric');
  await area.getByLabel('Query').press('Enter');
  await expect(area.getByText('the query answers no series in that time')).toBeVisible();
  await expect(take).toBeDisabled();

  await area.getByLabel('Query').fill('queue_length');
  await area.getByLabel('Step in seconds').fill('60');
  await area.getByLabel('Unit').fill('jobs');
  await area.getByRole('button', { name: 'Preview' }).click();
  const table = area.getByRole('table');
  await expect(table.getByRole('row', { name: /queue_length \{queue="retries"\} \(jobs\)/ })).toContainText('points, 1 gap');
  await expect(table.locator('svg path')).toHaveCount(2);
  expect(await violations(page)).toEqual([]);
  const before = await server.json<{ values: unknown[] }>('/api/v1/incidents/INC-1');
  expect(before.values, 'looking stores nothing').toEqual([]);

  // What was looked at is what is imported: another unit is to be looked at again.
  await area.getByLabel('Unit').fill('tasks');
  await expect(take).toBeDisabled();
  await area.getByLabel('Unit').fill('jobs');
  await take.press('Enter');
  await expect(area.getByRole('status')).toContainText('prometheus-main.json: 2 signals imported as evidence');
  await expect(list(page)).toContainText('queue_length {queue="retries"} (jobs): 78 points, 1 gap');
  await expect(list(page)).toContainText('Prometheus ‘main’: queue_length');
  await expect(page.locator('#evidence-6')).toContainText('Prometheus: queue_length');
  expect(await violations(page)).toEqual([]);

  await prometheus.stop();
  await page.reload();
  await readOn(page);
  await expect(list(page)).toContainText('queue_length {queue="mail"} (jobs)');
  const after = await server.json<object>('/api/v1/incidents/INC-1');
  expect(JSON.stringify(after)).not.toContain(PASSWORD);
  expect(server.log()).not.toContain(PASSWORD);
  const again = await choose(page, 'Values from Prometheus');
  await again.getByLabel('Query').fill('queue_length');
  await again.getByRole('button', { name: 'Preview' }).click();
  await expect(again.getByRole('status')).toContainText('The Prometheus server ‘main’ cannot be reached');
});

test('a file of values is looked at, imported, told apart row by row, and taken away again', async ({ page }) => {
  const area = await choose(page, 'Values from a CSV file');
  const text = 'when;p95;note\n2026-07-09 11:46;812;\n2026-07-09 11:47;;deploy\n2026-07-09 11:48;many;\n2026-07-09 11:49;640.5;\n';
  await area.getByLabel('Choose a file or drop it here').setInputFiles({ name: 'latency.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  const take = area.getByRole('button', { name: 'Import', exact: true });
  await expect(area.getByText('which column holds the time?')).toBeVisible();
  await expect(take).toBeDisabled();
  await area.getByLabel('Column of times').selectOption('when');
  await expect(area.getByText('name no zone')).toBeVisible();
  await area.getByLabel('Zone where none is written').fill('Europe/Berlin');
  await page.keyboard.press('Tab');
  await expect(area.getByRole('row', { name: /^p95/ })).toContainText('3 points, 1 gap');
  await area.getByLabel('Unit of the values').fill('ms');
  await page.keyboard.press('Tab');
  await expect(area.getByRole('row', { name: /^p95 \(ms\)/ })).toBeVisible();
  await expect(area.getByText('‘note’ holds no values and is not read')).toBeVisible();
  await expect(area.getByRole('list', { name: 'Rows that were not taken' })).toContainText('Line 4: p95 ‘many’ is not a number');
  expect(await violations(page)).toEqual([]);
  await take.click();
  await expect(area.getByRole('status')).toContainText('latency.csv: 1 signal imported as evidence 6; 4 rows read, 0 repeated, 1 refused');
  await expect(list(page)).toContainText('p95 (ms): 3 points, 1 gap');

  await list(page).getByRole('button', { name: 'Remove p95 (ms)' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'p95 (ms) was removed.' })).toBeVisible();
  await expect(list(page)).toBeHidden();
  await expect(section(page, 'Evidence')).toContainText('removed on');
});

const FILE = 'Choose a file or drop it here';

/** A file of values, chosen in the form. */
async function chooseFile(page: Page, name: string, text: string): Promise<Locator> {
  const area = await choose(page, 'Values from a CSV file');
  await area.getByLabel(FILE).setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  return area;
}

const THREE = 'time,p50,p95,host\n2026-07-09T09:46:00Z,0.5,4.25,a\n2026-07-09T09:47:00Z,0.6,,b\n2026-07-09T09:48:00Z,0.7,3,a\n';

test('the columns that become signals are chosen by keyboard, and a second choice takes the place of the first', async ({ page }) => {
  const area = await chooseFile(page, 'latency.csv', THREE);
  const columns = area.getByRole('group', { name: 'Columns that become signals' });
  const column = (name: string): Locator => columns.getByRole('checkbox', { name });
  await expect(column('p50')).toBeChecked();
  await expect(column('p95')).toBeChecked();
  await expect(column('host')).not.toBeChecked();
  await expect(columns).toContainText('p95 4.25, 3');
  await expect(columns.getByRole('checkbox')).toHaveCount(3);
  const signals = area.getByRole('region', { name: 'Signals' });
  await expect(signals.getByRole('row')).toHaveCount(3);

  // With none there is nothing to import, and nothing is proposed again.
  for (const name of ['p50', 'p95']) {
    await column(name).focus();
    await page.keyboard.press('Space');
    await expect(column(name), 'it keeps the focus').toBeFocused();
    await expect(column(name)).not.toBeChecked();
  }
  await expect(area.getByText('Choose at least one column of values.')).toBeVisible();
  const take = area.getByRole('button', { name: 'Import', exact: true });
  await expect(take).toBeDisabled();
  expect(await violations(page)).toEqual([]);

  await column('p95').check();
  await expect(signals.getByRole('row')).toHaveCount(2);
  await expect(signals.getByRole('row', { name: /^p95/ })).toContainText('3 points, 1 gap');
  await expect(area.getByRole('list', { name: 'Remarks' })).toHaveText('‘host’ holds no values and is not read');
  expect(await violations(page)).toEqual([]);
  await take.click();
  await expect(area.getByRole('status')).toContainText('latency.csv: 1 signal imported as evidence 6');
  await expect(list(page).getByRole('listitem')).toHaveCount(1);
  await expect(list(page)).toContainText('p95: 3 points, 1 gap');

  // A column of words has no number to read.
  await area.getByLabel(FILE).setInputFiles({ name: 'latency.csv', mimeType: 'text/csv', buffer: Buffer.from(THREE) });
  await column('host').check();
  await expect(area.getByText('none of the 3 rows could be read; line 2: host ‘a’ is not a number')).toBeVisible();
  await expect(take).toBeDisabled();
  await column('host').uncheck();
  await expect(signals.getByRole('row')).toHaveCount(3);
  await take.click();
  await expect(area.getByRole('status')).toContainText('latency.csv: 2 signals imported as evidence 6');
  await expect(list(page).getByRole('listitem')).toHaveCount(2);
});

test('a file of values that is on its way tells how far it is, is given up, and comes when it is sent again', async ({ page, server }) => {
  const before = await server.json('/api/v1/incidents/INC-1');
  const change = await line(page);
  const start = Date.parse('2026-07-09T09:00:00Z');
  const rows = Array.from({ length: 60_000 }, (_, i) => `${new Date(start + i * 100).toISOString()},${i % 1000}\n`);
  const text = `time,load\n${rows.join('')}`;
  const area = await chooseFile(page, 'load.csv', text);
  await expect(area.getByRole('row', { name: /^load/ })).toBeVisible();
  await change({ up: 200_000 });
  const take = area.getByRole('button', { name: 'Import', exact: true });
  await take.click();
  const progress = area.getByRole('progressbar', { name: 'Sent' });
  await expect(progress).toBeVisible();
  await expect.poll(async () => Number(await progress.getAttribute('value')), { timeout: 15_000 }).toBeGreaterThan(9);
  await expect(area.getByText(/^[1-9]\d% sent$/)).toBeVisible();
  await expect(take).toBeDisabled();
  expect(await violations(page)).toEqual([]);
  await area.getByRole('button', { name: 'Cancel' }).press('Enter');
  await expect(area.getByRole('status')).toContainText('Cancelled; nothing of it was kept.');
  await expect(progress).toHaveCount(0);
  expect(await server.json('/api/v1/incidents/INC-1')).toEqual(before);
  expect(await server.json<{ items: unknown[] }>('/api/v1/incidents/INC-1/imports')).toMatchObject({ items: [{}, {}] });

  // Once more, dropped this time.
  await change({});
  const data = await page.evaluateHandle(text => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'load.csv', { type: 'text/csv' }));
    return data;
  }, text);
  await area.getByText(FILE).dispatchEvent('drop', { dataTransfer: data });
  await expect(area.getByRole('row', { name: /^load/ })).toBeVisible();
  await take.click();
  await expect(area.getByRole('status')).toContainText('load.csv: 1 signal imported as evidence 6; 60,000 rows read, 0 repeated, 0 refused');
  await expect(list(page)).toContainText('load: 60,000 points');
});

test('an import of values stands among the imported files, and all of it is taken back there', async ({ page, server }) => {
  await server.bringIn('signals', 'name=latency.csv', THREE);
  await openIncident(page);
  const files = section(page, 'Evidence').getByRole('list', { name: 'Imported files' });
  await expect(files.getByRole('listitem').filter({ hasText: 'latency.csv' })).toContainText('Values');
  await expect(list(page).getByRole('listitem')).toHaveCount(2);
  await files.getByRole('button', { name: 'Remove the import of latency.csv' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'latency.csv was removed, and with it 2 entries.' })).toBeVisible();
  await expect(list(page)).toBeHidden();
  await expect(files).not.toContainText('latency.csv');
  await expect(page.locator('#evidence-6')).toContainText('removed on');
});

test('a figure is checked with a value', async ({ page, server }) => {
  const text = 'time,customers\n2026-07-09T09:50:00Z,973\n2026-07-09T10:00:00Z,950\n';
  await server.bringIn('signals', 'name=customers.csv', text);
  await openIncident(page);
  const row = page.getByRole('row', { name: /Affected customers/ });
  await row.getByRole('button', { name: 'Check with the events…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is computed').selectOption('Greatest of a value');
  await dialog.getByLabel('Of which value').selectOption('customers');
  await dialog.getByRole('button', { name: 'Check it' }).click();
  await expect(row).toContainText('Agrees with the values');
  await expect(row).toContainText('computed 973');
});

for (const [theme, width] of [['light', 390], ['dark', 390], ['dark', 1280]] as const) {
  test(`the forms fit a ${theme} page of ${width} pixels, and axe has nothing to say`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 800 });
    const area = await choose(page, 'Values from Prometheus');
    await area.getByLabel('Query').fill('queue_length');
    await area.getByLabel('Query').press('Enter');
    await expect(area.getByRole('table')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
}
