// Files and pictures as evidence: added, shown, described, removed, and not shown under a share link.
import type { Page } from '@playwright/test';
import { violations } from './axe';
import { expect, line, openIncident, section, test, readOn } from './harness';

/** A picture of eight by four pixels that says who made it. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAECAIAAAA8r+mnAAAACnRFWHRBdXRob3IATWlhISGM3QAAAERJREFUeNoNyTEBwEAMAzEzCRRDCY3bDOWhGEqotFoliREWKyKeqDghmTE2a2KeqTn/ESY4bEh4oeHyR5nisiXllZYrH7/QKM1OISFcAAAAAElFTkSuQmCC',
  'base64',
);

const evidence = (page: Page) => section(page, 'Evidence');

/** Waits until the page says so; the form has a place of its own for what it says. */
async function said(page: Page, text: string): Promise<void> {
  await expect(evidence(page).getByRole('status').filter({ hasText: text })).toBeVisible();
}

async function choose(page: Page, name: string, mimeType: string, buffer: Buffer): Promise<void> {
  await evidence(page).getByRole('button', { name: 'Add a file or picture' }).click();
  await evidence(page).getByLabel('Choose a file or drop it here').setInputFiles({ name, mimeType, buffer });
}

test('a picture is added with what it shows, seen small, and opens large', async ({ page, server, context, troubles }) => {
  // The browser's own viewer of pictures may not even dress itself there.
  troubles.allow(/Applying inline style/, /Blocked script execution/);
  await openIncident(page);
  await choose(page, 'p95.png', 'image/png', PICTURE);
  await evidence(page).getByLabel('Title').fill('p95 over the hour');
  const shows = evidence(page).getByLabel('What the picture shows');
  await expect(shows).toHaveAttribute('required');
  await shows.fill('p95 falls from 4 s to 0.3 s at 10:11');
  expect(await violations(page)).toEqual([]);
  await evidence(page).getByRole('button', { name: 'Add it' }).click();
  await said(page, '✓ Added as evidence 6.');
  const item = page.locator('#evidence-6');
  await expect(item).toContainText('p95 over the hour');
  const picture = item.getByRole('img', { name: 'p95 falls from 4 s to 0.3 s at 10:11' });
  await picture.scrollIntoViewIfNeeded();
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(8);
  await expect(item).toContainText('PNG picture, 8 × 4 pixels, ');
  await expect(item).toContainText('was taken out before it was kept');
  expect(await violations(page)).toEqual([]);
  const opened = context.waitForEvent('page');
  await item.locator('a.thumb').click();
  await expect((await opened).locator('img')).toBeVisible();

  await item.getByRole('button', { name: /^Edit / }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What the picture shows').fill('p95 falls at 10:11');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByRole('img', { name: 'p95 falls at 10:11' })).toBeVisible();

  const before = await server.json<{ evidence: { number: number }[] }>('/api/v1/incidents/INC-1');
  await choose(page, 'again.png', 'image/png', PICTURE);
  await evidence(page).getByLabel('What the picture shows').fill('the same');
  await evidence(page).getByRole('button', { name: 'Add it' }).click();
  await said(page, 'This very file is evidence 6 already');
  const after = await server.json<{ evidence: { number: number }[] }>('/api/v1/incidents/INC-1');
  expect(after.evidence.length).toBe(before.evidence.length);
});

test('a text is read on demand, as text, and is gone when it is removed', async ({ page }) => {
  await openIncident(page);
  await choose(page, 'provider.log', 'text/plain', Buffer.from('09:46 timeout\n<img src=x onerror=alert(1)>\n'));
  await expect(evidence(page).getByLabel('Kind')).toHaveValue('log');
  await evidence(page).getByRole('button', { name: 'Add it' }).click();
  const item = page.locator('#evidence-6');
  await expect(item).toContainText('provider.log · Text, 43 bytes');
  await item.getByRole('button', { name: 'Show the text' }).click();
  await expect(item.getByRole('region', { name: 'The text' })).toHaveText('09:46 timeout\n<img src=x onerror=alert(1)>\n');
  expect(await violations(page)).toEqual([]);
  await item.getByRole('button', { name: 'Remove provider.log' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
  await expect(item).toContainText('✕ removed on');
  await expect(item.getByRole('button', { name: 'Show the text' })).toHaveCount(0);
});

test('what is no evidence is refused with the reason, and nothing that was typed is lost', async ({ page, troubles }) => {
  troubles.allow(/422/);
  await openIncident(page);
  await choose(page, 'tool.png', 'image/png', Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1'));
  await evidence(page).getByLabel('What the picture shows').fill('a graph');
  await evidence(page).getByRole('button', { name: 'Add it' }).click();
  await expect(evidence(page).getByText('no kind of file that is known here')).toBeVisible();
  await expect(evidence(page).getByLabel('What the picture shows')).toHaveValue('a graph');
  await evidence(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(evidence(page).getByLabel('What the picture shows')).toHaveCount(0);
  await expect(page.locator('#evidence-6')).toHaveCount(0);
});

test('a file that is on its way can be given up', async ({ page, server }) => {
  const before = await server.json('/api/v1/incidents/INC-1');
  const change = await line(page);
  await openIncident(page);
  await choose(page, 'large.log', 'text/plain', Buffer.from('09:46 timeout\n'.repeat(500_000)));
  await change({ up: 200_000 });
  await evidence(page).getByRole('button', { name: 'Add it' }).click();
  await expect(evidence(page).getByRole('progressbar', { name: 'Sent' })).toBeVisible();
  await evidence(page).getByRole('button', { name: 'Cancel' }).click();
  await said(page, 'Cancelled; nothing of it was kept.');
  expect(await server.json('/api/v1/incidents/INC-1')).toEqual(before);
});

test('under a share link a file is told of and not shown', async ({ page, server }) => {
  const headers = { authorization: `Bearer ${server.token}` };
  const incident = `${server.base}/api/v1/incidents/INC-1`;
  const added = await fetch(`${incident}/evidence/files?name=c-1.log`, { method: 'POST', headers, body: 'c-1 failed' });
  expect(added.status).toBe(201);
  const body = JSON.stringify({ incident_id: 'INC-1', audience: 'the provider', days: 1 });
  const json = { ...headers, 'content-type': 'application/json' };
  const share = (await (await fetch(`${server.base}/api/v1/shares`, { method: 'POST', headers: json, body })).json()) as { url: string };
  await page.goto(new URL(share.url).pathname);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');
  await readOn(page);
  await expect(page.locator('#evidence-6')).toContainText('A file, which is not shown under a share link.');
  await expect(page.getByRole('button', { name: 'Add a file or picture' })).toBeHidden();
});

test('the form fits a narrow screen in both themes', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await openIncident(page);
    await choose(page, 'p95.png', 'image/png', PICTURE);
    await expect(evidence(page).getByLabel('What the picture shows')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  }
});

test('a PDF is said to keep what one does not see in it', async ({ page }) => {
  await openIncident(page);
  await choose(page, 'report.pdf', 'application/pdf', Buffer.from('%PDF-1.7\n'));
  await expect(evidence(page).getByText('A PDF is kept as it is, with its author’s name')).toBeVisible();
  expect(await violations(page)).toEqual([]);
});
