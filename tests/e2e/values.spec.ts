// Plain values on the page: from a real Prometheus and from a CSV file; looked at, imported, listed, taken away.
import type { Locator, Page } from '@playwright/test';
import { violations } from './axe';
import { Server, copyFolder, newFolder, removeFolder } from './debrief';
import { test as base, expect, openIncident, section, readOn } from './harness';
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

test('a figure is checked with a value', async ({ page, server }) => {
  const text = 'time,customers\n2026-07-09T09:50:00Z,973\n2026-07-09T10:00:00Z,950\n';
  const sent = await fetch(`${server.base}/api/v1/incidents/INC-1/imports/signals?name=customers.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/octet-stream' },
    body: text,
  });
  expect(sent.status).toBe(201);
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
