// What somebody types: it stays where it is while others change things, it is asked for before it goes, and the focus comes
// back to where it was.
import type { Dialog, Page } from '@playwright/test';
import type { Server } from './debrief';
import { CHANGES, actionItem, expect, openEditor, openIncident, section, test } from './harness';
import type { Action, Dashboard } from './shapes';

async function patch(server: Server, change: string, body: object): Promise<void> {
  const dashboard = await server.json<Dashboard>('/api/v1/incidents/INC-1');
  const { id, version } = dashboard.actions.find((each: Action) => each.change === change)!;
  const response = await fetch(`${server.base}/api/v1/actions/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'if-match': `"${version}"` },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

const order = (page: Page) => page.locator('table.actions tbody th[data-label=Change]').allTextContents();

/** Answers every question with no, and counts them. */
function refuse(page: Page): { asked: number } {
  const seen = { asked: 0 };
  page.on('dialog', (dialog: Dialog) => {
    seen.asked++;
    void dialog.dismiss();
  });
  return seen;
}

const focused = (page: Page) =>
  page.evaluate(() => {
    const now = document.activeElement;
    return now?.getAttribute('aria-label') ?? (now?.id || now?.tagName);
  });

test('while somebody types nothing moves, whatever others change; closed, the items take their order', async ({ page, server }) => {
  await openIncident(page);
  const item = await openEditor(page, CHANGES.breaker);
  const note = item.getByLabel('New note');
  await note.focus();
  await page.keyboard.type('I am typing th');
  const before = await order(page);
  const at = (await note.boundingBox())!.y;
  await patch(server, CHANGES.queue, { status: 'wont_do', reason: 'not needed' });
  await expect(actionItem(page, CHANGES.queue)).toContainText('Won’t do');
  await page.keyboard.type('ese wor');
  await patch(server, CHANGES.runbook, { due: '2026-01-01' });
  await expect(actionItem(page, CHANGES.runbook)).toContainText('1 Jan 2026');
  await page.keyboard.type('ds');
  await expect(note).toHaveValue('I am typing these words');
  await expect(note).toBeFocused();
  expect(await order(page), 'nothing moves').toEqual(before);
  expect(Math.abs((await note.boundingBox())!.y - at), 'and the form stands where it stood').toBeLessThan(60);

  const close = item.getByRole('button', { name: `Close: ${CHANGES.breaker}` });
  await close.focus();
  const top = (await close.boundingBox())!.y;
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await order(page))[0]).toContain(CHANGES.runbook);
  expect((await order(page)).at(-1)).toContain(CHANGES.queue);
  const update = page.getByRole('button', { name: `Update: ${CHANGES.breaker}` });
  await expect(update).toBeFocused();
  expect(Math.abs((await update.boundingBox())!.y - top)).toBeLessThan(40);
});

test('one’s own save moves neither the form nor the focus', async ({ page }) => {
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByLabel('Due').fill('2027-01-01');
  const before = await order(page);
  await item.getByRole('button', { name: 'Save' }).focus();
  await page.keyboard.press('Enter');
  await expect(item.getByText('✓ Saved')).toBeVisible();
  await expect(item.getByRole('button', { name: 'Save' })).toBeFocused();
  expect(await order(page)).toEqual(before);
  // What was saved is not what is typed next.
  await item.getByLabel('Assignee').fill('Grace');
  await expect(item.getByText('✓ Saved')).toBeHidden();
});

test('leaving a page with something typed asks first: by a link, back, and a reload', async ({ page }) => {
  await page.goto('/actions');
  await expect(page.locator('.track .title')).toHaveCount(4);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' }).click();
  await page.getByRole('link', { name: /Checkout recovered/ }).click();
  const item = await openEditor(page, CHANGES.queue);
  await item.getByLabel('New note').fill('Half a note');
  const seen = refuse(page);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Actions' }).click();
  await expect.poll(() => seen.asked).toBe(1);
  await expect(page).toHaveURL(/incidents\/INC-1/);
  await page.evaluate(() => history.back());
  await expect.poll(() => seen.asked).toBe(2);
  await expect(page).toHaveURL(/incidents\/INC-1/);
  await expect(item.getByLabel('New note')).toHaveValue('Half a note');
  await page.evaluate(() => location.reload());
  await expect.poll(() => seen.asked).toBe(3);
  await expect(item.getByLabel('New note')).toHaveValue('Half a note');
  await page.getByText('Ada Ferris').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect.poll(() => seen.asked).toBe(4);
  await expect(item.getByLabel('New note')).toHaveValue('Half a note');

  await item.getByRole('button', { name: 'Add note' }).click();
  await expect(item.getByText('Half a note')).toBeVisible();
  await item.getByLabel('Assignee').fill('Grace');
  await item.getByLabel('Assignee').fill('');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Actions' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Action items' })).toBeVisible();
  expect(seen.asked, 'what is saved, or taken back, is nothing to ask about').toBe(4);
});

test('a dialog with something typed asks before it closes, and an empty one does not', async ({ page }) => {
  await openIncident(page);
  const seen = refuse(page);
  const open = page.getByRole('button', { name: 'Add an item' });
  await open.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is to change').fill('Half an item');
  for (let times = 1; times <= 2; times++) {
    await page.keyboard.press('Escape');
    await expect.poll(() => seen.asked).toBe(times);
    await expect(dialog.getByLabel('What is to change')).toHaveValue('Half an item');
  }
  await dialog.getByLabel('What is to change').fill('');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  expect(seen.asked).toBe(2);
  await expect(open, 'the focus goes back to what opened it').toBeFocused();
});

test('after each deed the focus is where one goes on', async ({ page }) => {
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByLabel('Status').selectOption({ label: 'To verify' });
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByText('✓ Saved')).toBeVisible();
  const dialog = page.getByRole('dialog');
  await item.getByRole('button', { name: 'Confirm' }).click();
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => focused(page), 'the item, since the button is gone').toBe('action-1');
  await item.getByRole('button', { name: 'Give the measured value' }).click();
  await dialog.getByLabel('Value').fill('1842.5');
  await dialog.getByLabel('Unit').selectOption('ms');
  await dialog.getByLabel('Or a link').fill('https://graphs.example/p95');
  await dialog.getByRole('button', { name: 'Verify' }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => focused(page)).toBe('action-1');
  await expect(item.locator('.proved'), 'in the unit of its limit').toContainText('measured 1.843 s');

  // Below a menu that closed meanwhile.
  await page.locator('summary').filter({ hasText: 'Access' }).click();
  await page.getByRole('button', { name: 'Share…' }).click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.locator('summary').filter({ hasText: 'Access' })).toBeFocused();
  await page.locator('summary').filter({ hasText: 'Export' }).click();
  await page.getByRole('link', { name: 'Markdown' }).focus();
  await page.keyboard.press('Escape');
  await expect(page.locator('summary').filter({ hasText: 'Export' })).toBeFocused();

  // What takes something away begins at the way out, and what is drawn anew gives the focus back.
  const evidence = section(page, 'Evidence');
  await evidence.getByRole('button', { name: 'Edit source 1', exact: true }).click();
  await dialog.getByLabel('Title').fill('Deploy log');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(evidence).toContainText('Deploy log');
  await expect.poll(() => focused(page)).toBe('Edit Deploy log');
  await evidence.getByRole('button', { name: 'Remove Deploy log' }).click();
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Remove it' }).click();
  await expect(evidence).toContainText('removed on');
  await expect.poll(() => focused(page)).toBe('evidence-1');

  const said = page.getByText('Evidence 1 was removed.');
  await expect(said, 'what was done is said where one is').toBeInViewport();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Actions' }).click();
  await expect(said, 'and not on the next page').toHaveCount(0);
});

test('how a criterion is verified asks for what that way needs alone', async ({ page }) => {
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByRole('button', { name: 'Choose how it is verified' }).click();
  const dialog = page.getByRole('dialog', { name: 'How is this verified?' });
  await expect(dialog.getByLabel('What is measured')).toBeVisible();
  await expect(dialog.getByLabel('By which team or role')).toBeHidden();
  await dialog.getByLabel('Verified by').selectOption('attested');
  await expect(dialog.getByLabel('What is measured')).toBeHidden();
  await expect(dialog.getByLabel('Threshold')).toBeHidden();
  await dialog.getByLabel('By which team or role').fill('Support');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByText('Verified when:')).toContainText('Support');
});
