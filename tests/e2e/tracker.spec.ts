// The tracker: action items across incidents, as owners and a status review use it.
import type { Locator, Page } from '@playwright/test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { violations } from './axe';
import { Server, debrief, newFolder, removeFolder } from './debrief';
import { CHANGES, expect, test } from './harness';
import type { Action } from './shapes';

interface Listed {
  items: (Action & { owner: string })[];
}

const heading = (page: Page) => page.getByRole('heading', { level: 1, name: 'Action items' });

/** The row of the item with this change. */
const row = (page: Page, change: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: change }) });

/** The changes on screen, in their order. */
const order = (page: Page): Promise<string[]> => page.locator('.track .title').allTextContents();

async function open(page: Page, query = ''): Promise<void> {
  await page.goto(`/actions${query}`);
  await expect(heading(page)).toBeVisible();
  await expect(page.locator('.track .title, div.empty').first()).toBeVisible();
}

/** By how many pixels the page is wider than its window. */
const overhang = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Imports documents with this many action items each. */
function importItems(data: string, documents: number, items: number): void {
  for (let n = 1; n <= documents; n++) {
    const rows = Array.from(
      { length: items },
      (_, i) => `| Team ${i % 20} | Change ${n}-${i} of the batch | ${1 + (i % 28)} July 2030 | Load test ${i} holds |`,
    );
    const table = '| Owner | Change | Due | Verification |\n|---|---|---|---|\n' + rows.join('\n');
    const file = join(data, `outage-${n}.md`);
    writeFileSync(file, `# Outage ${n}\n\nRequests failed.\n\n## Action items\n\n${table}\n`);
    debrief(data, 'import', 'postmortem', file, '--date', '2030-06-30');
  }
}

test('the tracker is a page of the application and shows each item with its incident', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Actions' }).click();
  await expect(page).toHaveURL(/\/actions$/);
  await expect(page).toHaveTitle('Action items · Debrief');
  await expect(page.locator('.track .title')).toHaveCount(4);
  const queue = row(page, CHANGES.queue);
  for (const text of ['INC-1 Checkout recovered', 'Payments', '14 Jul 2026', 'late', 'Open', 'Load test holds p95']) {
    await expect(queue).toContainText(text);
  }
  const dues = await page.locator('.track td[data-label=Due]').allTextContents();
  expect(dues.map(due => Number(due.split(' ')[0]))).toEqual([...dues.map(due => Number(due.split(' ')[0]))].sort((a, b) => a - b));
  await queue.getByRole('link', { name: CHANGES.queue }).click();
  await expect(page).toHaveURL(/\/incidents\/INC-1\?item=1$/);
  await expect(page.getByRole('form', { name: 'Change this item' })).toBeVisible();
});

test('filters, order and view are in the address and hold over a reload', async ({ page }) => {
  await open(page);
  await page.getByLabel('Search', { exact: true }).fill('breaker');
  await page.getByLabel('Search', { exact: true }).press('Enter');
  await expect(page).toHaveURL(/[?&]q=breaker/);
  await expect(page.locator('.track .title')).toHaveText([CHANGES.breaker]);
  await page.getByLabel(/^StatusAny/).selectOption('blocked');
  await expect(page.getByRole('heading', { name: 'No action item matches' })).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Search', { exact: true })).toHaveValue('breaker');
  await expect(page.getByLabel(/^StatusAny/)).toHaveValue('blocked');
  await expect(page.getByRole('heading', { name: 'No action item matches' })).toBeVisible();
  await page.getByRole('link', { name: 'Show all action items' }).click();
  await expect(page.locator('.track .title')).toHaveCount(4);
  const byOwner = page.getByRole('columnheader', { name: 'Owner' });
  await byOwner.getByRole('link').click();
  await expect(byOwner).toHaveAttribute('aria-sort', 'ascending');
  const owners = page.locator('.track td[data-label=Owner]');
  const inOrder = (names: string[]) => [...names].sort((one, other) => one.localeCompare(other));
  await expect(async () => {
    const shown = await owners.allTextContents();
    expect(shown).toEqual(inOrder(shown));
  }).toPass();
  const ascending = await order(page);
  await byOwner.getByRole('link').click();
  await expect(byOwner).toHaveAttribute('aria-sort', 'descending');
  await expect.poll(() => order(page)).toEqual([...ascending].reverse());
  await page.reload();
  await expect(page.locator('.track .title')).toHaveCount(4);
  expect(await order(page)).toEqual([...ascending].reverse());
  await page.goBack();
  await expect.poll(() => order(page)).toEqual(ascending);
});

test('views lead to overdue, later and stale items, with their counts', async ({ page, server }) => {
  const items = (await server.json<Listed>('/api/v1/actions')).items;
  const later = items.find(item => item.change === CHANGES.runbook)!;
  await fetch(`${server.base}/api/v1/actions/${later.id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'if-match': '"1"' },
    body: JSON.stringify({ due: '2199-01-01' }),
  });
  await open(page);
  const views = page.getByRole('navigation', { name: 'Views' });
  await expect(views.getByRole('link', { name: 'Overdue 3' })).toBeVisible();
  await expect(page.locator('.lede')).toHaveText(/^4 left to do · 3 overdue/);
  await views.getByRole('link', { name: 'Later 1' }).click();
  await expect(page).toHaveURL(/due=later/);
  await expect(page.locator('.track .title')).toHaveText([CHANGES.runbook]);
  await expect(views.getByRole('link', { name: 'Later 1' })).toHaveAttribute('aria-current', 'true');
  await expect(row(page, CHANGES.runbook)).toContainText('moved 1×');
  await views.getByRole('link', { name: 'Overdue' }).click();
  await expect(page.locator('.track .title')).toHaveCount(3);
  await expect(page.getByRole('rowheader', { name: 'Overdue', exact: true })).toBeVisible();
});

test('what is mine comes first, and several items are updated at once but for one that somebody else changed', async ({
  page,
  server,
  troubles,
}) => {
  // Told of the other's change, the page would show it before it is met.
  await page.route('**/api/v1/changes*', route => route.abort());
  troubles.allow(/Failed to load resource/);
  await open(page);
  const last = (await order(page)).at(-1)!;
  await page.getByRole('checkbox', { name: `Select: ${last}` }).check();
  const form = page.getByRole('form', { name: 'Change the selected items' });
  await form.getByLabel('Assignee').fill('Ada Ferris');
  await form.getByRole('button', { name: 'Update 1 item' }).click();
  await expect(page.getByText('1 item is updated.').last()).toBeVisible();
  await page.reload();
  await expect(page.getByRole('rowheader', { name: 'Yours', exact: true })).toBeVisible();
  expect((await order(page))[0]).toBe(last);

  await page.getByRole('checkbox', { name: 'Select all shown' }).check();
  await expect(form).toContainText('4 items selected');
  const other = (await server.json<Listed>('/api/v1/actions')).items.find(item => item.change === CHANGES.breaker)!;
  const behind = await fetch(`${server.base}/api/v1/actions/${other.id}`, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      'if-match': `"${other.version}"`,
    },
    body: JSON.stringify({ owner: 'Somebody else' }),
  });
  expect(behind.status).toBe(200);
  await form.getByLabel('Status').selectOption('in_progress');
  await form.getByRole('button', { name: 'Update 4 items' }).click();
  const report = page.locator('#bulk-report');
  await expect(report).toContainText('3 items are updated; 1 is not:');
  await expect(report).toContainText(`${CHANGES.breaker}: somebody else changed it meanwhile`);
  await expect(report).toBeFocused();
  await expect(row(page, CHANGES.breaker)).toContainText('Somebody else');
  await expect(row(page, CHANGES.queue)).toContainText('In progress');
  // It stays selected, at the version that is now shown.
  await expect(form).toContainText('1 item selected');
  await form.getByRole('button', { name: 'Update 1 item' }).click();
  await expect(report).toContainText('1 item is updated.');
  await expect(form).toBeHidden();
  await expect(row(page, CHANGES.breaker)).toContainText('In progress');
  await page.getByRole('checkbox', { name: `Select: ${CHANGES.queue}` }).check();
  await form.getByLabel('Status').selectOption('blocked');
  await form.getByRole('button', { name: 'Update 1 item' }).click();
  await expect(report).toContainText('‘blocked’ needs a reason');
});

test('of a restricted incident nothing is shown but an owner’s own item', async ({ page, server, secondPage }) => {
  const items = (await server.json<Listed>('/api/v1/actions')).items;
  const queue = items.find(item => item.change === CHANGES.queue)!;
  const send = (method: string, path: string, body: unknown, version = '"1"') =>
    fetch(server.base + path, {
      method,
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'if-match': version },
      body: JSON.stringify(body),
    });
  expect((await send('PATCH', `/api/v1/actions/${queue.id}`, { assignee: 'Ada Ferris' })).status).toBe(200);
  const access = { visibility: 'restricted', people: [], teams: [] };
  expect((await send('PUT', '/api/v1/incidents/INC-1/access', access)).status).toBe(200);
  await page.goto('/actions');
  await expect(row(page, CHANGES.queue)).toContainText('INC-1 · restricted');
  await expect(page.getByRole('rowheader', { name: CHANGES.breaker })).toHaveCount(0);
  await expect(page.getByText('Checkout recovered')).toHaveCount(0);
  await expect(page.locator('.lede')).toHaveText(/^1 left to do/);
  await page.goto('/actions?q=checkout+recovered');
  await expect(page.getByRole('heading', { name: 'No action item matches' })).toBeVisible();
  await secondPage.goto('/actions');
  await expect(secondPage.getByRole('heading', { name: 'No action items yet' })).toBeVisible();
});

test('an item of an incident that its owner may not see is changed, noted and proved by itself', async ({
  page,
  server,
  secondPage,
  troubles,
}) => {
  troubles.allow(/status of 412/);
  // A member, so that nothing but owning the item lets them change it.
  await server.signIn(page.context(), 'Olu Owner', 'member');
  const queue = (await server.json<Listed>('/api/v1/actions')).items.find(item => item.change === CHANGES.queue)!;
  const send = (method: string, path: string, body: unknown, version: number) =>
    fetch(server.base + path, {
      method,
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/json',
        'if-match': `"${version}"`,
      },
      body: JSON.stringify(body),
    });
  const path = `/api/v1/actions/${queue.id}`;
  expect((await send('PATCH', path, { assignee: 'Olu Owner' }, queue.version)).status).toBe(200);
  const access = { visibility: 'restricted', people: [], teams: [] };
  expect((await send('PUT', '/api/v1/incidents/INC-1/access', access, 1)).status).toBe(200);

  await page.goto('/actions');
  await row(page, CHANGES.queue).getByRole('link', { name: CHANGES.queue }).click();
  await expect(page).toHaveURL(/\/actions\/INC-1\/1$/);
  await expect(page.getByRole('heading', { level: 1, name: CHANGES.queue })).toBeVisible();
  await expect(page.getByText('restricted; you see this item alone')).toBeVisible();
  await expect(page.getByText('Checkout recovered')).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
  const form = page.getByRole('form', { name: 'Change this item' });
  await form.getByLabel('Due').fill('2026-07-20');
  await form.getByLabel('Status').selectOption({ label: 'To verify' });
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('✓ Saved')).toBeVisible();
  await expect(page.locator('.headline')).toContainText('20 Jul 2026');
  await page.getByLabel('New note').fill('The queue is **live**');
  await page.getByRole('button', { name: 'Add note' }).click();
  await expect(page.getByText('The queue is live')).toBeVisible();

  // Somebody else's change shows at once, and meets what is typed.
  await form.getByLabel('Owner').fill('Mine');
  const now = await server.json<Action>(path);
  expect((await send('PATCH', path, { priority: 'high' }, now.version)).status).toBe(200);
  await expect(page.getByText('changed this item meanwhile')).toBeVisible();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('button', { name: /^Save/ }).click();
  await expect.poll(async () => (await server.json<Listed['items'][0]>(path)).owner).toBe('Mine');

  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'Give the measured value' }).click();
  await page.getByRole('dialog').getByLabel('Value').fill('1.8');
  await page.getByRole('dialog').getByLabel('Or a link').fill('https://graphs.example/p95');
  await page.getByRole('dialog').getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByText('Accepted by Olu Owner')).toBeVisible();
  await page.locator('summary').filter({ hasText: 'History' }).click();
  await expect(page.locator('details.history')).toContainText('20 Jul 2026');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overhang(page)).toBe(0);

  await secondPage.goto('/actions/INC-1/1');
  await expect(secondPage.getByRole('alert')).toContainText('There is no such action item, or it is not yours');
});

/** Changes an item as somebody else. */
async function changed(server: Server, change: string, body: object): Promise<void> {
  const item = (await server.json<Listed>('/api/v1/actions')).items.find(each => each.change === change)!;
  const response = await fetch(`${server.base}/api/v1/actions/${item.id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'if-match': `"${item.version}"` },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

test('an item leads to itself in its incident, and back to where one was in the list', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 500 });
  await open(page);
  const link = page.getByRole('link', { name: CHANGES.queue });
  await link.scrollIntoViewIfNeeded();
  await page.evaluate(() => scrollBy({ top: -60, behavior: 'instant' }));
  const scrolled = await page.evaluate(() => scrollY);
  expect(scrolled).toBeGreaterThan(100);
  await link.evaluate((link: HTMLAnchorElement) => link.click());
  await expect(page.locator('#action-1')).toBeFocused();
  await expect(page.locator('#action-1')).toBeInViewport();
  await page.goBack();
  await expect(heading(page)).toBeVisible();
  await expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(Math.round(scrolled));
});

test('the tracker shows what others change, at once, and leaves the focus and what is chosen alone', async ({ page, server }) => {
  await open(page);
  const pick = page.getByRole('checkbox', { name: `Select: ${CHANGES.breaker}` });
  await pick.check();
  await expect(pick).toBeFocused();
  await changed(server, CHANGES.queue, { status: 'in_progress', due: '2030-01-01' });
  await expect(row(page, CHANGES.queue)).toContainText('In progress', { timeout: 3_000 });
  await expect(page.locator('.lede')).toContainText('left to do');
  await expect(pick).toBeChecked();
  await expect(pick).toBeFocused();
});

for (const width of [1280, 390]) {
  test(`${width} px wide, choosing an item moves none, and what can be done with it is in sight`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    await open(page);
    const last = row(page, (await order(page)).at(-1)!);
    await last.getByRole('checkbox').scrollIntoViewIfNeeded();
    const before = (await last.boundingBox())!.y;
    await last.getByRole('checkbox').check();
    expect((await last.boundingBox())!.y).toBe(before);
    const form = page.getByRole('form', { name: 'Change the selected items' });
    await expect(form.getByText('1 item selected')).toBeInViewport();
    const box = (await last.getByRole('checkbox').boundingBox())!;
    expect(Math.min(box.width, box.height), 'large enough for a finger').toBeGreaterThanOrEqual(24);
    if (width < 640) await form.getByText('What is to change').click();
    await form.getByRole('button', { name: 'Update 1 item' }).click();
    await expect(form.getByRole('alert')).toContainText('Nothing is to change yet');
  });
}

test('what is counted is what is asked for', async ({ page, server }) => {
  await changed(server, CHANGES.queue, { status: 'blocked', reason: 'Waits' });
  await open(page, '?status=blocked');
  await expect(page.locator('.track .title')).toHaveCount(1);
  await expect(page.locator('.lede')).toHaveText('4 action items in all');
  await expect(page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'All' })).not.toContainText(/\d/);
  await open(page, '?q=nothing-like-this');
  await expect(page.getByRole('heading', { name: 'No action item matches' })).toBeVisible();
  await expect(page.getByText('Nothing is left to do')).toHaveCount(0);
  await open(page, '?mine=true');
  await expect(page.getByRole('heading', { name: 'Nothing is yours' })).toBeVisible();
});

test('who may change nothing is offered nothing', async ({ page, server, context }) => {
  await context.clearCookies();
  await server.signIn(context, 'Vera Hale', 'viewer');
  await open(page);
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await expect(row(page, CHANGES.queue)).toContainText('14 Jul 2026');
});

test('the tracker with the keyboard alone', async ({ page }) => {
  await open(page);
  const tabTo = async (target: Locator) => {
    for (let i = 0; i < 80; i++) {
      if (await target.evaluate(element => element === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`the keyboard did not reach ${target}`);
  };
  await tabTo(page.getByRole('checkbox', { name: `Select: ${CHANGES.queue}` }));
  await page.keyboard.press('Space');
  const form = page.getByRole('form', { name: 'Change the selected items' });
  await expect(form).toBeVisible();
  const owner = form.getByLabel('Owner');
  await owner.focus();
  await page.keyboard.type('Platform');
  await page.keyboard.press('Enter');
  await expect(page.locator('#bulk-report')).toBeFocused();
  await expect(row(page, CHANGES.queue)).toContainText('Platform');
  await tabTo(page.getByRole('link', { name: CHANGES.queue }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/incidents\/INC-1\?item=1$/);
});

test('when the server does not answer the page says so, and trying again works', async ({ page, troubles }) => {
  troubles.allow(/Failed to load resource/);
  // Told that the server is reached, the page would try again by itself.
  await page.route('**/api/v1/changes*', route => route.abort());
  const list = /\/api\/v1\/actions(\?.*)?$/;
  await page.route(list, route => route.abort());
  await page.goto('/actions');
  await expect(page.getByRole('alert')).toContainText('cannot be reached');
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await page.unroute(list);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.locator('.track .title')).toHaveCount(4);
});

test('printed, the tracker has no switches and no forms', async ({ page }) => {
  await open(page);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('checkbox').first()).toBeHidden();
  await expect(page.getByRole('link', { name: 'Export CSV' })).toBeHidden();
  await expect(row(page, CHANGES.queue)).toContainText('14 Jul 2026');
});

test('the list on screen is exported in its order', async ({ page }) => {
  await open(page, '?sort=owner&order=desc');
  const changes = await order(page);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  const text = await (await download).createReadStream().then(async stream => {
    let all = '';
    for await (const chunk of stream) all += String(chunk);
    return all;
  });
  const places = changes.map(change => text.indexOf(change));
  expect(places.every(place => place > 0)).toBe(true);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 390]) {
    test(`${colorScheme}, ${width} px wide: accessible, and nothing scrolls sideways`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await open(page);
      expect(await violations(page)).toEqual([]);
      await page.getByText('More filters').click();
      await page.getByRole('checkbox', { name: `Select: ${CHANGES.queue}` }).check();
      expect(await violations(page)).toEqual([]);
      expect(await overhang(page)).toBeLessThanOrEqual(0);
      await page.goto('/actions?q=nothing+like+it');
      await expect(page.getByRole('heading', { name: 'No action item matches' })).toBeVisible();
      expect(await violations(page)).toEqual([]);
    });
  }
}

test.describe('with a hundred thousand items', () => {
  test.describe.configure({ mode: 'serial' });
  test.setTimeout(120_000);
  let large: Server;

  test.beforeAll(async () => {
    test.setTimeout(120_000);
    const folder = newFolder();
    importItems(folder, 20, 5000);
    large = await Server.start(folder);
  });
  test.afterAll(async () => {
    await large.stop();
    removeFolder(large.data);
  });

  test('more comes as one reads on, none twice, and a reload is where one was', async ({ page, context }) => {
    await large.signIn(context, 'Ada Ferris', 'editor');
    await page.goto(`${large.base}/actions`);
    await expect(page.locator('.lede')).toHaveText(/^100,000 left to do/);
    await expect(page.locator('.track .title')).toHaveCount(50);
    for (let pages = 2; pages <= 4; pages++) {
      await page.getByRole('button', { name: 'Show more' }).click();
      await expect(page.locator('.track .title')).toHaveCount(50 * pages);
    }
    const seen = await order(page);
    expect(new Set(seen).size).toBe(200);
    await expect(page).toHaveURL(/rows=200/);
    // The keyboard is at the first of the new items.
    await expect(page.locator('.track tr:focus .title')).toHaveText(seen[150]!);
    await page.reload();
    await expect(page.locator('.track .title')).toHaveCount(200);
    expect(await order(page)).toEqual(seen);
  });

  test('filters, orders and the search find one among all', async ({ page, context }) => {
    await large.signIn(context, 'Ada Ferris', 'editor');
    await page.goto(`${large.base}/actions`);
    await page.getByLabel('Search', { exact: true }).fill('17-4321 batch');
    await page.getByLabel('Search', { exact: true }).press('Enter');
    await expect(page.locator('.track .title')).toHaveText(['Change 17-4321 of the batch']);
    await page.goto(`${large.base}/actions?owner=team+7&sort=incident`);
    await expect(page.locator('.track .title')).toHaveCount(50);
    await expect(page.locator('.track .title').first()).toHaveText('Change 1-7 of the batch');
    const owners = await page.locator('.track td[data-label=Owner]').allTextContents();
    expect(new Set(owners)).toEqual(new Set(['Team 7']));
  });
});
