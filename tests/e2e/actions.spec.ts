// Action items: an owner changes one in place; two people change the same one; what is typed is never lost.
import { violations } from './axe';
import type { Action, Dashboard } from './shapes';
import { CHANGES, actionItem, expect, openEditor, openIncident, test } from './harness';

test('an owner changes status and person and adds a note in place; both are there after a reload', async ({ page }) => {
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByLabel('Status').selectOption({ label: 'In progress' });
  await item.getByLabel('Assignee').fill('Grace');
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByText('Saved', { exact: false }).first()).toBeVisible();
  await item.getByLabel('New note').fill('Queue is **live** for 5% of traffic');
  await item.getByRole('button', { name: 'Add note' }).click();
  await expect(item.getByText('Queue is live for 5% of traffic')).toBeVisible();
  await expect(item.getByLabel('New note')).toHaveValue('');

  await page.reload();
  const again = actionItem(page, CHANGES.queue);
  for (const text of ['In progress', 'Grace', '1 note', 'Queue is live for 5% of traffic']) {
    await expect(again).toContainText(text);
  }
  await expect(again.locator('strong')).toHaveText('live');
});

test('the open item is in the address', async ({ page }) => {
  await openIncident(page);
  await openEditor(page, CHANGES.runbook);
  await page.reload();
  await expect(actionItem(page, CHANGES.runbook).getByRole('form', { name: 'Change this item' })).toBeVisible();
  await expect(page.getByRole('form', { name: 'Change this item' })).toHaveCount(1);
});

test('closing an item loses nothing that was typed in it', async ({ page }) => {
  await openIncident(page);
  const item = await openEditor(page, CHANGES.breaker);
  await item.getByLabel('Assignee').fill('Grace');
  await item.getByLabel('New note').fill('Half a thought');
  await item.getByRole('button', { name: 'Close' }).click();
  await expect(item.getByLabel('New note')).toBeHidden();
  const again = await openEditor(page, CHANGES.breaker);
  await expect(again.getByLabel('Assignee')).toHaveValue('Grace');
  await expect(again.getByLabel('New note')).toHaveValue('Half a thought');
});

test('a due date moves', async ({ page, server }) => {
  await openIncident(page);
  const item = await openEditor(page, CHANGES.cohort);
  await item.getByLabel('Due').fill('2026-07-20');
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item).toContainText('20 Jul 2026');
  const dashboard = await server.json<Dashboard>('/api/v1/incidents/INC-1');
  expect(dashboard.actions.find(action => action.change === CHANGES.cohort)?.due).toBe('2026-07-20');
});

test('while somebody writes, what will be missed later is said beside the form, after a pause and in nobody’s way', async ({ page }) => {
  let asked = 0;
  page.on('request', request => (asked += Number(request.url().endsWith('/actions/advice'))));
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  const hints = item.getByRole('form').locator('[aria-live=polite]');
  await expect(hints).toBeEmpty();
  expect(asked, 'nobody who only reads is advised').toBe(0);
  await item.getByText('More fields').click();
  await item.getByLabel('What must hold when it is done').fill('');
  await item.getByLabel('What must hold when it is done').pressSequentially('Improve it', { delay: 30 });
  await expect(hints).toContainText('Nobody could check ‘Improve’');
  expect(asked, 'once, not for every letter').toBeLessThanOrEqual(2);
  await item.getByLabel('Due').fill('');
  await expect(hints).toContainText('Without a due date this is never late');
  await item.getByLabel('What must hold when it is done').fill('p95 stays below 2 s');
  await expect(hints).not.toContainText('Nobody could check');
  const before = asked;
  await item.getByLabel('Status').selectOption({ label: 'In progress' });
  await page.waitForTimeout(1_000);
  expect(asked, 'a status is nothing to be advised on').toBe(before);
  expect(await violations(page)).toEqual([]);
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByText('✓ Saved'), 'hints stop nobody').toBeVisible();
  await expect(hints).toBeEmpty();
});

test('a new item is hinted at while it is written, and so is everything at the highest priority', async ({ page, server }) => {
  const { actions } = await server.json<Dashboard>('/api/v1/incidents/INC-1');
  for (const { id, version } of actions) {
    await fetch(`${server.base}/api/v1/actions/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'if-match': `"${version}"` },
      body: JSON.stringify({ priority: 'high' }),
    });
  }
  await openIncident(page);
  await page.getByRole('button', { name: 'Add an item' }).click();
  const dialog = page.getByRole('dialog');
  const hints = dialog.locator('[aria-live=polite]');
  await expect(hints).toBeEmpty();
  await dialog.getByLabel('What is to change').fill('Be more careful');
  for (const hint of ['‘Be more’ has no end', 'Nobody owns this yet', 'Without a due date']) await expect(hints).toContainText(hint);
  await dialog.getByLabel('Owner').fill('Payments');
  await expect(hints).not.toContainText('Nobody owns this yet');
  await dialog.getByLabel('Priority').selectOption({ label: 'High' });
  await expect(hints).toContainText('All 5 open items have the highest priority');
  await dialog.getByLabel('Priority').selectOption({ label: 'Low' });
  await expect(hints).not.toContainText('highest priority');
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await expect(dialog).toBeHidden();
  await expect(actionItem(page, 'Be more careful')).toContainText('Payments');
});

test('a blocked item needs a reason, and what was chosen stays until there is one', async ({ page, troubles }) => {
  troubles.allow(/status of 422/);
  await openIncident(page);
  const item = await openEditor(page, CHANGES.breaker);
  await item.getByLabel('Status').selectOption({ label: 'Blocked' });
  await item.getByRole('button', { name: 'Save' }).click();
  const reason = item.getByLabel('Reason');
  await expect(reason).toBeFocused();
  await expect(reason).toHaveAttribute('aria-invalid', 'true');
  await expect(reason).toHaveAccessibleDescription(/reason/);
  await expect(item.getByRole('alert'), 'it is heard with its field, once').toHaveCount(0);
  await expect(item.getByLabel('Status')).toHaveValue('blocked');
  await reason.fill('Waits for the provider’s limits');
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item).toContainText('Saved');
  await expect(reason).not.toHaveAttribute('aria-invalid');
  await expect(reason).toHaveAccessibleDescription('');
  await page.reload();
  await expect(actionItem(page, CHANGES.breaker)).toContainText('Waits for the provider’s limits');
});

test('two people change different fields of one item: both changes hold', async ({ page, secondPage, server, troubles }) => {
  troubles.allow(/status of 412/);
  await openIncident(page);
  await openIncident(secondPage);
  const mine = await openEditor(page, CHANGES.queue);
  const theirs = await openEditor(secondPage, CHANGES.queue);
  await theirs.getByLabel('Assignee').fill('Grace');
  await theirs.getByRole('button', { name: 'Save' }).click();
  await expect(theirs).toContainText('Saved');

  await mine.getByLabel('Status').selectOption({ label: 'In progress' });
  await mine.getByRole('button', { name: 'Save' }).click();
  await expect(mine.getByLabel('Assignee')).toHaveValue('Grace');
  await expect(mine.getByLabel('Status')).toHaveValue('in_progress');
  await mine.getByRole('button', { name: /^Save/ }).click();
  await expect.poll(async () => (await item(server, CHANGES.queue)).status).toBe('in_progress');
  expect((await item(server, CHANGES.queue)).assignee).toBe('Grace');
});

test('two people change the same field: the second sees both values, nothing is lost, and the merge is saved', async ({
  page,
  secondPage,
  server,
  troubles,
}) => {
  troubles.allow(/status of 412/);
  await openIncident(page);
  await openIncident(secondPage);
  const mine = await openEditor(page, CHANGES.queue);
  const theirs = await openEditor(secondPage, CHANGES.queue);
  // A form that nobody has typed in follows the item; this one does not.
  await mine.getByLabel('Assignee').fill('Linus');
  await mine.getByLabel('New note').fill('Half a thought');
  await theirs.getByLabel('Assignee').fill('Grace');
  await theirs.getByLabel('Due').fill('2026-07-15');
  await theirs.getByRole('button', { name: 'Save' }).click();
  await expect(theirs).toContainText('Saved');

  await mine.getByRole('button', { name: 'Save' }).click();
  const conflict = mine.getByRole('alert');
  await expect(conflict).toContainText('Somebody else changed this item');
  await expect(conflict).toContainText('Grace');
  await expect(conflict).toContainText('Linus');
  await expect(mine.getByLabel('New note')).toHaveValue('Half a thought');
  expect((await item(server, CHANGES.queue)).assignee, 'nothing was overwritten').toBe('Grace');

  await conflict.getByLabel(/^Yours/).check();
  await mine.getByRole('button', { name: 'Save what is chosen' }).click();
  await expect(mine.getByRole('alert')).toHaveCount(0);
  const merged = await item(server, CHANGES.queue);
  expect([merged.assignee, merged.due], 'mine where chosen, theirs where untouched').toEqual(['Linus', '2026-07-15']);
});

test('when the server fails what was typed stays, and saving again works', async ({ page, troubles }) => {
  troubles.allow(/status of 500/, /Failed to load resource/);
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  await page.route('**/api/v1/actions/**', route => route.fulfill({ status: 500, body: 'no' }));
  await item.getByLabel('Assignee').fill('Grace');
  await item.getByLabel('New note').fill('Keep me');
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByRole('alert')).toBeVisible();
  await item.getByRole('button', { name: 'Add note' }).click();
  await expect(item.getByRole('alert')).toHaveCount(2);
  await expect(item.getByLabel('Assignee')).toHaveValue('Grace');
  await expect(item.getByLabel('New note')).toHaveValue('Keep me');
  await page.unroute('**/api/v1/actions/**');
  await item.getByRole('button', { name: 'Save' }).click();
  await item.getByRole('button', { name: 'Add note' }).click();
  await expect(item.getByText('Keep me')).toBeVisible();
  await expect(item).toContainText('Grace');
});

test('a note whose answer was lost is added once', async ({ page, server, troubles }) => {
  troubles.allow(/Failed to load resource/);
  await openIncident(page);
  const row = await openEditor(page, CHANGES.queue);
  await row.getByLabel('New note').fill('Once');
  let lost = false;
  await page.route('**/notes', async route => {
    if (lost) return route.continue();
    lost = true;
    await route.fetch();
    await route.abort();
  });
  await row.getByRole('button', { name: 'Add note' }).click();
  await expect(row.getByRole('alert')).toBeVisible();
  await row.getByRole('button', { name: 'Add note' }).click();
  await expect(row.getByRole('alert')).toHaveCount(0);
  const { id } = await item(server, CHANGES.queue);
  const notes = await server.json<{ items: unknown[] }>(`/api/v1/actions/${id}/notes`);
  expect(notes.items).toHaveLength(1);
});

test('an empty note is told at its field, which gets the focus', async ({ page, troubles }) => {
  troubles.allow(/status of 422/);
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByRole('button', { name: 'Add note' }).click();
  const note = item.getByLabel('New note');
  await expect(note).toBeFocused();
  await expect(note).toHaveAttribute('aria-invalid', 'true');
  await expect(note).toHaveAccessibleDescription('A note needs some text.');
  await expect(item.getByRole('alert')).toHaveCount(0);
});

test('on a slow network a double click makes one thing, is seen to work, and keeps the focus', async ({ page, server }) => {
  await openIncident(page);
  const row = await openEditor(page, CHANGES.queue);
  let requests = 0;
  await page.route('**/api/v1/actions/**', async route => {
    // What is advised while one writes is asked for besides.
    if (!route.request().url().endsWith('/advice')) requests++;
    await new Promise(done => setTimeout(done, 600));
    await route.continue();
  });
  await row.getByLabel('Assignee').fill('Grace');
  const save = row.getByRole('button', { name: /^Sav/ });
  await save.dblclick();
  await expect(save).toHaveText('Saving…');
  await expect(save).toHaveAttribute('aria-disabled', 'true');
  await expect(save).toBeFocused();
  await expect(row.getByText('✓ Saved')).toBeVisible();
  await expect(save).toHaveText('Save');
  await expect(save).toBeFocused();
  await row.getByLabel('New note').fill('Once');
  const add = row.getByRole('button', { name: /^Add/ });
  await add.dblclick();
  await expect(add).toHaveText('Adding…');
  await expect(row.getByText('Once')).toBeVisible();
  await expect(row.getByLabel('New note')).toHaveValue('');
  expect(requests).toBe(2);
  const action = await item(server, CHANGES.queue);
  expect([action.version, action.notes?.length], 'changed once, one note').toEqual([2, 1]);
});

test('a change whose answer was lost is saved by saving again, and nobody else is blamed', async ({ page, server, troubles }) => {
  troubles.allow(/Failed to load resource/, /status of 412/);
  await openIncident(page);
  const row = await openEditor(page, CHANGES.queue);
  await row.getByLabel('Assignee').fill('Grace');
  let lost = false;
  await page.route('**/api/v1/actions/**', async route => {
    if (lost) return route.continue();
    lost = true;
    await route.fetch();
    await route.abort();
  });
  await row.getByRole('button', { name: 'Save' }).click();
  await expect(row.getByRole('alert')).toContainText('cannot be reached');
  await row.getByRole('button', { name: 'Save' }).click();
  await expect(row.getByText('✓ Saved')).toBeVisible();
  await expect(row.getByRole('alert')).toHaveCount(0);
  expect((await item(server, CHANGES.queue)).assignee).toBe('Grace');
});

test('a status that cannot follow any more is said so, with those that can', async ({ page, secondPage, server, troubles }) => {
  troubles.allow(/status of 412/, /Failed to load resource/);
  // Whoever hears of the change at once is not offered what cannot follow.
  await page.route('**/api/v1/changes*', route => route.abort());
  await openIncident(page);
  await openIncident(secondPage);
  const mine = await openEditor(page, CHANGES.queue);
  const theirs = await openEditor(secondPage, CHANGES.queue);
  await theirs.getByLabel('Status').selectOption({ label: 'To verify' });
  await theirs.getByRole('button', { name: 'Save' }).click();
  await expect(theirs).toContainText('Saved');
  await mine.getByLabel('Status').selectOption({ label: 'Blocked' });
  await mine.getByLabel('Reason').fill('Waits for limits');
  await mine.getByRole('button', { name: 'Save' }).click();
  const conflict = mine.getByRole('alert');
  await expect(conflict).toContainText('Yours: Blocked cannot follow To verify. Under Status you can choose In progress');
  await expect(conflict.getByLabel(/^Yours/)).toHaveCount(0);
  await expect(mine.getByLabel('Status')).toHaveValue('to_verify');
  await mine.getByLabel('Status').selectOption({ label: 'In progress' });
  await mine.getByRole('button', { name: 'Save what is chosen' }).click();
  await expect(mine.getByRole('alert')).toHaveCount(0);
  expect((await item(server, CHANGES.queue)).status).toBe('in_progress');
});

test('text that people write stays text', async ({ page }) => {
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByLabel('New note').fill('<img src=x onerror=alert(1)> [go](javascript:alert(1)) & <b>plain</b>');
  await item.getByRole('button', { name: 'Add note' }).click();
  await expect(item.getByText('<b>plain</b>')).toBeVisible();
  await expect(item.locator('img')).toHaveCount(0);
  await expect(item.locator('a[href^="javascript"]')).toHaveCount(0);
});

async function item(server: { json<T>(path: string): Promise<T> }, change: string): Promise<Action> {
  const dashboard = await server.json<Dashboard>('/api/v1/incidents/INC-1');
  const action = dashboard.actions.find(each => each.change === change);
  if (!action) throw new Error(`no item '${change}'`);
  return action;
}
