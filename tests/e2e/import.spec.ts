// Importing a log of attempts in the browser: looked at, mapped, sent, cancelled, and told what was not taken.
import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { violations } from './axe';
import { expect, line, openIncident, section, test } from './harness';

const HEADER = 'ts,attempt_id,customer_id,outcome\n';
const rows = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `2026-07-09T09:50:00Z,new-${from + i},c-${i},failed\n`).join('');

async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
  await openIncident(page);
  await section(page, 'Import').getByRole('button', { name: 'Import a file…' }).click();
  await section(page, 'Import')
    .getByLabel('Choose a file or drop it here')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
}

test('a file is looked at and imported; rows that were not taken are told with their lines', async ({ page, server }) => {
  const before = await server.json<{ signals: { total: { denominator: number } }[] }>('/api/v1/incidents/INC-1');
  await choose(page, 'more.csv.gz', gzipSync(`${HEADER}${rows(0, 3)}2026-07-09T09:50:00Z,new-9,c,maybe\nsoon,new-8,c,failed\n`));
  const area = section(page, 'Import');
  await expect(area).toContainText('more.csv.gz: CSV parted by ‘,’, compressed with gzip.');
  await expect(area.getByLabel('What ‘attempt_id’ is')).toHaveValue('attempt');
  await expect(area).toContainText('Of the first 5 rows, 2 would be refused.');
  expect(await violations(page)).toEqual([]);
  await area.getByRole('button', { name: 'Import' }).click();
  await expect(area.getByRole('status')).toContainText('5 rows read, 3 new attempts, 0 repeated, 0 conflicting, 2 refused');
  const refused = area.getByRole('list', { name: 'Rows that were not taken' });
  await expect(refused).toContainText('Line 5: outcome ‘maybe’ is neither');
  await expect(refused).toContainText('Line 6: ts ‘soon’ is not a time');
  expect(await violations(page)).toEqual([]);
  const after = await server.json<{ signals: { total: { denominator: number } }[] }>('/api/v1/incidents/INC-1');
  expect(after.signals[0]!.total.denominator).toBe(before.signals[0]!.total.denominator + 3);
  await expect(section(page, 'Evidence')).toContainText('more.csv.gz');
});

test('columns and words are mapped by keyboard, and the mapping is proposed for the next such file', async ({ page }) => {
  const text = 'when;what;who;end\n2026-07-09 11:50;n-1;c-1;ok\n2026-07-09 11:51;n-2;c-2;KO\n';
  await choose(page, 'shop.csv', text);
  const area = section(page, 'Import');
  await expect(area.getByText('which column holds the time, the attempt, the customer, the outcome?')).toBeVisible();
  await expect(area.getByRole('button', { name: 'Import' })).toBeDisabled();
  for (const [column, key] of [['when', 'T'], ['what', 'A'], ['who', 'C'], ['end', 'O']] as const) {
    const select = area.getByLabel(`What ‘${column}’ is`);
    await select.focus();
    await page.keyboard.press(key);
    await expect(select).toBeFocused();
    await expect(select).not.toHaveValue('');
  }
  await expect(area.getByText('name no zone')).toBeVisible();
  await area.getByLabel('Zone where none is written').fill('Europe/Berlin');
  await page.keyboard.press('Tab');
  await area.getByLabel('‘ok’ means').selectOption('Completed');
  await area.getByLabel('‘KO’ means').selectOption('Failed');
  await expect(area).toContainText('Of the first 2 rows, 0 would be refused.');
  await area.getByLabel('Save this mapping as').fill('Shop');
  await area.getByRole('button', { name: 'Import' }).press('Enter');
  await expect(area.getByRole('status')).toContainText('2 new attempts');

  await choose(page, 'again.csv', text.replaceAll('n-', 'm-'));
  await expect(area).toContainText('Mapped as saved under ‘Shop’.');
  await area.getByRole('button', { name: 'Import' }).click();
  await expect(area.getByRole('status')).toContainText('2 new attempts');
});

/** A large file that is on its way, on a slow line; answers how the line is changed. */
async function onItsWay(page: Page): Promise<Awaited<ReturnType<typeof line>>> {
  const change = await line(page);
  await choose(page, 'large.csv', HEADER + rows(0, 100_000));
  const area = section(page, 'Import');
  await expect(area).toContainText('would be refused');
  await change({ up: 200_000 });
  await area.getByRole('button', { name: 'Import' }).click();
  await expect(area.getByRole('progressbar', { name: 'Sent' })).toBeVisible();
  return change;
}

test('a file that is on its way can be given up, and nothing of it is kept', async ({ page, server }) => {
  const before = await server.json('/api/v1/incidents/INC-1');
  await onItsWay(page);
  const area = section(page, 'Import');
  await area.getByRole('button', { name: 'Cancel' }).click();
  await expect(area.getByRole('status')).toContainText('Cancelled; nothing of it was kept.');
  await expect(area.getByRole('progressbar')).toBeHidden();
  expect(await server.json('/api/v1/incidents/INC-1')).toEqual(before);
});

test('what was given up when all of it was sent is said to be uncertain, and shown where it was taken', async ({ page }) => {
  const change = await line(page);
  await choose(page, 'late.csv', HEADER + rows(0, 3));
  const area = section(page, 'Import');
  await expect(area).toContainText('0 would be refused');
  await change({ latency: 3_000 });
  await area.getByRole('button', { name: 'Import' }).click();
  await expect(area.getByText('All sent; it is being read')).toBeVisible();
  await area.getByRole('button', { name: 'Cancel' }).click();
  await expect(area.getByRole('status')).toContainText('all of it had been sent: look under Evidence whether it was taken');
  await change({});
  await expect(section(page, 'Evidence')).toContainText('late.csv', { timeout: 15_000 });
});

test('whoever leaves the page while a file is sent is asked, and gives it up by leaving', async ({ page, server }) => {
  const before = await server.json('/api/v1/incidents/INC-1');
  const change = await onItsWay(page);
  const asked = page.waitForEvent('dialog');
  const leaving = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Actions' }).click();
  await (await asked).accept();
  await leaving;
  await change({});
  await expect(page.getByRole('heading', { level: 1, name: 'Action items' })).toBeVisible();
  expect(await server.json('/api/v1/incidents/INC-1')).toEqual(before);
});

test('whoever may not change the incident is offered no import', async ({ page, server, context }) => {
  await server.signIn(context, 'Vi Viewer', 'viewer');
  await openIncident(page);
  await expect(page.getByRole('heading', { name: 'Import', exact: true })).toHaveCount(0);
});

/** Opens the form for a kind of file and chooses one. */
async function chooseList(page: Page, kind: string, name: string, content: string): Promise<void> {
  await openIncident(page);
  const area = section(page, 'Import');
  await area.getByRole('button', { name: 'Import a file…' }).click();
  await area.getByRole('radio', { name: kind }).check();
  await area.getByLabel('Choose a file or drop it here').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
}

test('deploys are looked at in the zone that is said, imported, and taken back', async ({ page, server, troubles }) => {
  troubles.allow(/422/);
  await chooseList(page, 'Deploys', 'deploys.csv', 'time,version,env\n2026-07-09 11:44,1.4.1,production\n2026-07-09 11:50,,production\n');
  const area = section(page, 'Import');
  await expect(area.getByRole('status')).toContainText('service');
  await expect(area.getByRole('button', { name: 'Import' })).toBeDisabled();
  await area.getByLabel('Service where none is named').fill('checkout');
  await page.keyboard.press('Tab');
  await expect(area.getByRole('status')).toContainText('name no zone');
  await area.getByLabel('Zone where none is written').fill('Europe/Berlin');
  await page.keyboard.press('Tab');
  await expect(area.getByRole('list', { name: 'What the file holds' })).toContainText('09:44 UTC checkout 1.4.1 (production)');
  await expect(area.getByRole('list', { name: 'Rows that were not taken' })).toContainText('Line 3: ‘version’ is missing');
  expect(await violations(page)).toEqual([]);
  await area.getByRole('button', { name: 'Import' }).click();
  await expect(area.getByRole('status')).toContainText('✓ deploys.csv: 2 read, 1 new, 0 repeated, 1 refused.');
  const deploys = async () => (await server.json<{ deploys: { service: string }[] }>('/api/v1/incidents/INC-1')).deploys;
  expect((await deploys()).map(deploy => deploy.service)).toEqual(['checkout']);
  const files = section(page, 'Evidence');
  await expect(files).toContainText('deploys.csv');
  await files.getByRole('button', { name: 'Remove the import of deploys.csv' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
  await expect(files.getByRole('button', { name: 'Remove the import of deploys.csv' })).toHaveCount(0);
  expect(await deploys()).toEqual([]);
});

test('a list that is on its way can be given up, and comes when it is sent again', async ({ page, server }) => {
  const before = await server.json('/api/v1/incidents/INC-1');
  const change = await line(page);
  const lines = Array.from({ length: 10_000 }, (_, i) => `2026-07-09T09:46:00Z,cart,2.4.${i},production\n`);
  const file = `time,service,version,env\n${lines.join('')}`;
  await chooseList(page, 'Deploys', 'deploys.csv', file);
  const area = section(page, 'Import');
  await expect(area.getByText('deploys.csv: 10,000 read, 10,000 new')).toBeVisible();
  await change({ up: 50_000 });
  await area.getByRole('button', { name: 'Import' }).click();
  await expect(area.getByRole('progressbar', { name: 'Sent' })).toBeVisible();
  await area.getByRole('button', { name: 'Cancel' }).click();
  await expect(area.getByRole('status')).toContainText('Cancelled; nothing of it was kept.');
  expect(await server.json('/api/v1/incidents/INC-1')).toEqual(before);
  await change({});
  await area.getByLabel('Choose a file or drop it here').setInputFiles({ name: 'deploys.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
  await area.getByRole('button', { name: 'Import' }).click();
  await expect(area.getByRole('status')).toContainText('✓ deploys.csv: 10,000 read, 10,000 new');
});

test('changes of flags are looked at and imported once', async ({ page, server }) => {
  const flags = '[{"flag":"cache","state":"off","changed_at":"2026-07-09T10:00:00Z"},{"flag":"cache"}]';
  const area = section(page, 'Import');
  for (const said of ['✓ flags.json: 2 read, 1 new, 0 repeated, 1 refused.', 'flags.json was imported before; nothing was changed.']) {
    await chooseList(page, 'Changes of feature flags', 'flags.json', flags);
    await expect(area.getByRole('list', { name: 'Rows that were not taken' })).toContainText('Element 1: ‘state’ is missing');
    await area.getByRole('button', { name: 'Import' }).press('Enter');
    await expect(area.getByRole('status')).toContainText(said);
  }
  const incident = await server.json<{ flags: { flag: string }[] }>('/api/v1/incidents/INC-1');
  expect(incident.flags.filter(change => change.flag === 'cache').length).toBe(1);
});

test('a saved mapping is forgotten', async ({ page, server }) => {
  const text = 'when;attempt_id;customer_id;outcome\n2026-07-09T09:50:00Z;n-1;c-1;failed\n';
  await choose(page, 'shop.csv', text);
  const area = section(page, 'Import');
  await area.getByLabel('What ‘when’ is').selectOption('Time');
  await expect(area).toContainText('Of the first 1 rows, 0 would be refused.');
  await area.getByLabel('Save this mapping as').fill('Shop');
  await area.getByRole('button', { name: 'Import' }).click();
  await expect(area.getByRole('status')).toContainText('1 new attempts');
  await choose(page, 'again.csv', text.replace('n-1', 'n-2'));
  await expect(area).toContainText('Mapped as saved under ‘Shop’.');
  await area.getByRole('button', { name: 'Forget this mapping' }).click();
  await expect(area.getByRole('button', { name: 'Forget this mapping' })).toHaveCount(0);
  const saved = await server.json<{ items: { name: string }[] }>('/api/v1/imports/mappings');
  expect(saved.items).toEqual([]);
});
