// Live: what somebody changes is on every open page within a second, and nothing that is being done there is disturbed.
import type { BrowserContext, Page } from '@playwright/test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { violations } from './axe';
import { Server, debrief, example } from './debrief';
import { CHANGES, actionItem, drawnChart, expect, openEditor, openIncident, test, readOn } from './harness';
import type { Action, Dashboard } from './shapes';

// A second is what is meant; a busy machine may take longer to draw.
const SOON = { timeout: 3_000 };

/** The streams that a browser's tabs open; wait for the first before anything is to be heard. */
function streams(context: BrowserContext): string[] {
  const opened: string[] = [];
  context.on('request', request => {
    if (request.url().includes('/api/v1/changes')) opened.push(request.url());
  });
  return opened;
}

async function openWithStream(page: Page, path = '/incidents/INC-1'): Promise<void> {
  const stream = page.waitForResponse(/\/api\/v1\/changes/);
  await page.goto(path);
  expect((await stream).status()).toBe(200);
}

async function action(server: Server, change: string): Promise<Action> {
  const dashboard = await server.json<Dashboard>('/api/v1/incidents/INC-1');
  const found = dashboard.actions.find(each => each.change === change);
  if (!found) throw new Error(`no item '${change}'`);
  return found;
}

async function patch(server: Server, change: string, body: object): Promise<void> {
  const { id, version } = await action(server, change);
  const response = await fetch(`${server.base}/api/v1/actions/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'if-match': `"${version}"` },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

test('what one person saves another sees at once, and stays where they are', async ({ page, secondPage }) => {
  await openWithStream(page);
  await openWithStream(secondPage, '/incidents/INC-1?zone=incident');
  // Nothing moves by itself: neither by what is drawn later nor by scrolling smoothly.
  await secondPage.emulateMedia({ reducedMotion: 'reduce' });
  await drawnChart(secondPage);
  const mine = await openEditor(page, CHANGES.queue);
  const focused = secondPage.getByRole('button', { name: `Update: ${CHANGES.breaker}` });
  await focused.focus();
  // What the reader sees stays in its place, also where something above it grows and the page is scrolled for it.
  const place = async (): Promise<number> => Math.round((await focused.boundingBox())!.y);
  const before = await place();
  await mine.getByLabel('Assignee').fill('Grace');
  await mine.getByRole('button', { name: 'Save' }).click();
  await expect(actionItem(secondPage, CHANGES.queue)).toContainText('Grace', SOON);
  await expect(focused).toBeFocused();
  expect(await place()).toBe(before);
  expect(secondPage.url()).toContain('zone=incident');
  await mine.getByLabel('New note').fill('Half the traffic is moved');
  await mine.getByRole('button', { name: 'Add note' }).click();
  await expect(actionItem(secondPage, CHANGES.queue)).toContainText('1 note', SOON);
});

test('a form that somebody is typing in is not overwritten, and says who changed the item', async ({
  page,
  secondPage,
  server,
}) => {
  await openWithStream(page);
  await openWithStream(secondPage);
  const mine = await openEditor(page, CHANGES.queue);
  await mine.getByLabel('Assignee').fill('Linus');
  await mine.getByLabel('New note').fill('Half a thought');
  const theirs = await openEditor(secondPage, CHANGES.queue);
  await theirs.getByLabel('Assignee').fill('Grace');
  await theirs.getByLabel('Due').fill('2026-07-20');
  await theirs.getByRole('button', { name: 'Save' }).click();
  await expect(mine.getByText('Bo Lind changed this item meanwhile', { exact: false })).toBeVisible(SOON);
  await expect(mine.getByRole('cell', { name: /20 Jul 2026/ })).toBeVisible();
  await expect(mine.getByLabel('Assignee')).toHaveValue('Linus');
  await expect(mine.getByLabel('Due')).toHaveValue('2026-07-14');
  await expect(mine.getByLabel('New note')).toHaveValue('Half a thought');
  expect(await violations(page)).toEqual([]);

  await mine.getByRole('button', { name: 'Show what changed' }).click();
  await expect(mine.getByLabel('Due')).toHaveValue('2026-07-20');
  const conflict = mine.getByRole('alert');
  await expect(conflict).toContainText('Grace');
  await conflict.getByLabel(/^Yours/).check();
  await mine.getByRole('button', { name: 'Save what is chosen' }).click();
  await expect.poll(async () => (await action(server, CHANGES.queue)).assignee).toBe('Linus');
  await expect(mine.getByLabel('New note')).toHaveValue('Half a thought');
});

test('a command’s change shows on the list and on the page', async ({ page, context, server }) => {
  await openWithStream(page, '/');
  const other = await context.newPage();
  await openIncident(other);
  const document = join(server.data, 'second.txt');
  writeFileSync(document, `${readFileSync(example('checkout-postmortem.txt'), 'utf8')}\nOne more line.\n`);
  debrief(server.data, 'import', 'postmortem', document, '--date', '2026-07-10');
  await expect(page.getByText('INC-2')).toBeVisible(SOON);
  const flags = join(server.data, 'flags.json');
  const changes = JSON.parse(readFileSync(example('flag-changes.json'), 'utf8')) as object[];
  const again = { flag: 'checkout-sync-retries', state: 'on', changed_at: '2026-07-09T10:40:00Z', by: 'payments' };
  writeFileSync(flags, JSON.stringify([...changes, again]));
  const reread = other.waitForResponse(/\/api\/v1\/incidents\/INC-1$/, SOON);
  debrief(server.data, 'import', 'flags', 'INC-1', flags);
  await reread;
});

test('the tabs of a browser share one stream, and the next takes over when one closes', async ({ page, context, server }) => {
  const opened = streams(context);
  await openWithStream(page);
  const second = await context.newPage();
  const third = await context.newPage();
  for (const tab of [second, third]) await openIncident(tab);
  await patch(server, CHANGES.queue, { assignee: 'Grace' });
  for (const tab of [page, second, third]) await expect(actionItem(tab, CHANGES.queue)).toContainText('Grace', SOON);
  expect(opened).toHaveLength(1);

  await page.close();
  await expect.poll(() => opened.length).toBe(2);
  expect(opened[1], 'where the first one stopped').toMatch(/after=\d+/);
  await patch(server, CHANGES.breaker, { assignee: 'Linus' });
  for (const tab of [second, third]) await expect(actionItem(tab, CHANGES.breaker)).toContainText('Linus', SOON);
  expect(opened).toHaveLength(2);
});

test('a page says that it is offline, tries again, and catches up by itself', async ({ page, context, server, troubles }) => {
  troubles.allow(/Failed to load resource|ERR_/);
  await openWithStream(page);
  const follower = await context.newPage();
  await openIncident(follower);
  const port = new URL(server.base).port;
  const item = await openEditor(page, CHANGES.cohort);
  await item.getByLabel('Assignee').fill('Still typing');
  await server.stop();
  for (const tab of [page, follower]) {
    await expect(tab.getByRole('status').filter({ hasText: 'Offline, trying again' })).toBeVisible({ timeout: 10_000 });
  }
  expect(await violations(page)).toEqual([]);
  const started = await Server.start(server.data, ['--listen', `127.0.0.1:${port}`]);
  try {
    await patch(started, CHANGES.queue, { assignee: 'Grace' });
    for (const tab of [page, follower]) {
      await expect(tab.getByText('Offline, trying again')).toHaveCount(0, { timeout: 15_000 });
      await expect(actionItem(tab, CHANGES.queue)).toContainText('Grace', SOON);
    }
    await expect(item.getByLabel('Assignee')).toHaveValue('Still typing');
  } finally {
    await started.stop();
  }
});

test('pages that failed while the server was away heal when it is back', async ({ page, context, server, troubles }) => {
  test.setTimeout(60_000);
  troubles.allow(/Failed to load resource|ERR_/);
  await openWithStream(page);
  const list = await context.newPage();
  await list.goto('/');
  await expect(list.getByText('INC-1').first()).toBeVisible();
  await list.getByRole('link', { name: 'Actions' }).hover();
  await list.getByRole('link', { name: 'Actions' }).click();
  await expect(list.locator('.track .title')).toHaveCount(4);
  const port = new URL(server.base).port;
  await server.stop();
  await list.getByRole('link', { name: 'Incidents' }).click();
  await expect(list.getByRole('alert')).toContainText('The server cannot be reached. Check the connection');
  await expect(list.getByText('What you typed'), 'nothing was typed').toHaveCount(0);
  const started = await Server.start(server.data, ['--listen', `127.0.0.1:${port}`]);
  try {
    await expect(list.getByRole('link', { name: /Checkout recovered/ })).toBeVisible({ timeout: 20_000 });
  } finally {
    await started.stop();
  }
});

test('a page that slept shows what happened meanwhile as soon as it wakes', async ({ page, context, server }) => {
  await openWithStream(page);
  const item = await openEditor(page, CHANGES.cohort);
  await item.getByLabel('Assignee').fill('Still typing');
  const sleep = await context.newCDPSession(page);
  // Frozen, it runs no timer and hears nothing, as in a laptop that is shut.
  await sleep.send('Page.setWebLifecycleState', { state: 'frozen' });
  await patch(server, CHANGES.queue, { assignee: 'Grace' });
  await patch(server, CHANGES.breaker, { assignee: 'Linus' });
  await new Promise(done => setTimeout(done, 3_000));
  await sleep.send('Page.setWebLifecycleState', { state: 'active' });
  await expect(actionItem(page, CHANGES.queue)).toContainText('Grace', SOON);
  await expect(actionItem(page, CHANGES.breaker)).toContainText('Linus', SOON);
  await expect(item.getByLabel('Assignee')).toHaveValue('Still typing');
  await patch(server, CHANGES.runbook, { assignee: 'Edsger' });
  await expect(actionItem(page, CHANGES.runbook)).toContainText('Edsger', SOON);
});

test('a stream that died unnoticed is replaced once its heartbeat is missed, and nothing is lost', async ({ page, context, server }) => {
  const opened = streams(context);
  // From the second stream on all is well; the first one is never heard of again after it began.
  await page.addInitScript(() => {
    type Listen = (this: EventSource, name: string, heard: (event: Event) => void) => void;
    const listen = EventSource.prototype.addEventListener as Listen;
    let first: EventSource | undefined;
    const deaf: Listen = function (name, heard) {
      first ??= this;
      listen.call(this, name, event => {
        if (this !== first || !(window as unknown as { dead?: boolean }).dead) heard(event);
      });
    };
    Object.assign(EventSource.prototype, { addEventListener: deaf });
  });
  await page.clock.install();
  await openWithStream(page);
  await page.evaluate(() => Object.assign(window, { dead: true }));
  await patch(server, CHANGES.queue, { assignee: 'Grace' });
  await page.waitForTimeout(1_500);
  await expect(actionItem(page, CHANGES.queue)).not.toContainText('Grace');
  expect(opened).toHaveLength(1);
  await page.clock.runFor(60_000);
  await expect(actionItem(page, CHANGES.queue)).toContainText('Grace', SOON);
  expect(opened.length).toBeGreaterThan(1);
  expect(opened[1], 'where the first one stopped').toMatch(/after=\d+/);
});

test('a network that is gone for longer than a heartbeat is made up for', async ({ page, context, server, troubles }) => {
  test.setTimeout(60_000);
  troubles.allow(/Failed to load resource|ERR_/);
  await openWithStream(page);
  const item = await openEditor(page, CHANGES.cohort);
  await item.getByLabel('Assignee').fill('Still typing');
  await context.setOffline(true);
  await patch(server, CHANGES.queue, { assignee: 'Grace' });
  // The server says something every 15 seconds. What is heard of a change is no use while nothing can be read.
  await page.waitForTimeout(17_000);
  await patch(server, CHANGES.breaker, { assignee: 'Linus' });
  await page.waitForTimeout(1_000);
  await expect(actionItem(page, CHANGES.queue)).not.toContainText('Grace');
  await context.setOffline(false);
  for (const [change, name] of [[CHANGES.queue, 'Grace'], [CHANGES.breaker, 'Linus']] as const) {
    await expect(actionItem(page, change)).toContainText(name, { timeout: 6_000 });
  }
  await expect(page.getByText('Offline, trying again')).toHaveCount(0);
  await expect(item.getByLabel('Assignee')).toHaveValue('Still typing');
});

test('signing out ends the stream, and so does the end of the session', async ({ page, context, server, troubles }) => {
  troubles.allow(/status of 401/);
  const opened = streams(context);
  await openWithStream(page);
  const { items } = await server.json<{ items: { id: string }[] }>('/api/v1/sessions');
  for (const { id } of items) {
    await fetch(`${server.base}/api/v1/sessions/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${server.token}` },
    });
  }
  await expect(page).toHaveURL(/\/sign-in/, { timeout: 10_000 });
  await page.waitForTimeout(2_500);
  expect(opened, 'nobody tries on').toHaveLength(1);
});

test('the history tells in words who changed what, also on a phone', async ({ page, server }) => {
  await patch(server, CHANGES.queue, { due: '2026-07-20', status: 'in_progress' });
  await patch(server, CHANGES.queue, { status: 'wont_do', reason: 'the queue went away' });
  await patch(server, CHANGES.queue, { status: 'open' });
  await page.setViewportSize({ width: 390, height: 800 });
  await openWithStream(page);
  const item = actionItem(page, CHANGES.queue);
  await expect(item).toContainText('date moved once');
  await expect(item).toContainText('reopened once');
  await readOn(page);
  const history = page.locator('article > details.history');
  await history.getByText('History', { exact: true }).click();
  await expect(history).toContainText('moved due 14 Jul 2026 → 20 Jul 2026');
  await expect(history).toContainText('opened it again: Won’t do → Open');
  await expect(history.getByText(/\d+ \w+ \d{4}, \d\d:\d\d(:\d\d)? UTC/).first()).toBeVisible();
  await patch(server, CHANGES.breaker, { priority: 'high' });
  await expect(history, 'an open history grows').toContainText('priority High', SOON);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await violations(page)).toEqual([]);

  await openEditor(page, CHANGES.queue);
  const own = item.locator('details.history');
  await own.getByText('History', { exact: true }).click();
  await expect(own).toContainText('moved due 14 Jul 2026 → 20 Jul 2026');
  await expect(own).not.toContainText('priority High');
});

test('a long history shows its older part when it is asked for', async ({ page, server }) => {
  for (let day = 10; day < 32; day++) await patch(server, CHANGES.queue, { due: `2026-08-${day}` });
  await openIncident(page);
  const history = page.locator('article > details.history');
  await history.getByText('History', { exact: true }).click();
  await expect(history.getByRole('listitem')).toHaveCount(20);
  await history.getByRole('button', { name: 'Show older' }).click();
  await expect(history).toContainText('moved due 14 Jul 2026 → 10 Aug 2026');
});
