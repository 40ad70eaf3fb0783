// Proofs: how a criterion is verified, a value or a word that is accepted, and evidence that carries it.
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { violations } from './axe';
import { CHANGES, actionItem, expect, openEditor, openIncident, section, test } from './harness';

const LOAD_TEST = join(__dirname, '../../server/tests/data/load_test/vegeta.json');

/** Brings an item to where its proof is awaited. */
async function toVerify(page: Page, change: string) {
  const item = await openEditor(page, change);
  await item.getByLabel('Status').selectOption({ label: 'To verify' });
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByText('✓ Saved')).toBeVisible();
  return item;
}

test('a proposal is confirmed, a value that misses is refused by how much, one that holds verifies', async ({ page, troubles }) => {
  troubles.allow(/status of 422/);
  await openIncident(page);
  const item = await toVerify(page, CHANGES.queue);
  await expect(item.getByText('Read as:')).toContainText('p95 below 2 s');
  await item.getByRole('button', { name: 'Confirm' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(item.getByText('Verified when:')).toContainText('p95 below 2 s');

  await item.getByRole('button', { name: 'Give the measured value' }).click();
  expect(await violations(page)).toEqual([]);
  await dialog.getByLabel('Value').fill('2.31');
  await dialog.getByLabel('Or a link').fill('https://graphs.example/p95');
  await dialog.getByRole('button', { name: 'Verify' }).click();
  await expect(dialog.getByText('2.31 s is 0.31 s over the limit of 2 s')).toBeVisible();
  await dialog.getByLabel('Value').fill('1.8');
  await dialog.getByRole('button', { name: 'Verify' }).click();
  await expect(dialog).toBeHidden();
  await expect(actionItem(page, CHANGES.queue)).toContainText('Verified');
  await expect(item.getByText('Accepted by Ada Ferris')).toContainText('1.8 s');

  await page.reload();
  await expect(actionItem(page, CHANGES.queue)).toContainText('accepted by Ada Ferris');
});

test('a measured value is read off a signal over a time', async ({ page, troubles }) => {
  troubles.allow(/status of 422/);
  await openIncident(page);
  const item = await toVerify(page, CHANGES.queue);
  await item.getByRole('button', { name: /how it is verified/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is measured').fill('error rate');
  await dialog.getByLabel('Threshold').fill('1');
  await dialog.getByLabel('Unit').selectOption('percent');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByText('Verified when:')).toContainText('error rate below 1%');

  await item.getByRole('button', { name: 'Give the measured value' }).click();
  await dialog.getByLabel('It comes from').selectOption({ label: 'One of the incident’s signals' });
  await expect(dialog.getByLabel('Value', { exact: false })).toBeHidden();
  await expect(dialog.getByLabel('From (date')).toHaveValue('2026-07-09T10:17:00Z');
  expect(await violations(page)).toEqual([]);
  await dialog.getByLabel('From (date').fill('9:46');
  await dialog.getByRole('button', { name: 'Verify' }).click();
  await expect(dialog.getByText('write a date and a time with its zone')).toBeVisible();
  await dialog.getByLabel('From (date').fill('2026-07-09T09:46:00Z');
  await dialog.getByLabel('Until (date').fill('2026-07-09T10:17:00Z');
  await dialog.getByRole('button', { name: 'Verify' }).click();
  await expect(dialog.getByText(/over the limit of 1%/)).toBeVisible();
  await dialog.getByLabel('From (date').fill('2026-07-09T10:17:00Z');
  await dialog.getByLabel('Until (date').fill('2026-07-09T11:17:00Z');
  await dialog.getByRole('button', { name: 'Verify' }).click();
  await expect(dialog).toBeHidden();
  await expect(actionItem(page, CHANGES.queue)).toContainText('Verified');
  const proved = actionItem(page, CHANGES.queue).getByText('pooled over the time of the signal');
  await expect(proved.first()).toContainText('10:17–11:17 UTC');
  await page.reload();
  await expect(actionItem(page, CHANGES.queue)).toContainText('pooled over the time of the signal “Failed attempts”');
});

test('a source that somebody else renamed meanwhile is not overwritten unseen', async ({ page, server, troubles }) => {
  troubles.allow(/status of 412/);
  await openIncident(page);
  const evidence = section(page, 'Evidence');
  await evidence.getByRole('button', { name: 'Edit source 1', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Deploy log');
  const rename = async (version: number, body: object) => {
    const headers = {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      'if-match': `"${version}"`,
    };
    const path = `${server.base}/api/v1/incidents/INC-1/evidence/1`;
    return (await fetch(path, { method: 'PATCH', headers, body: JSON.stringify(body) })).status;
  };
  expect(await rename(1, { title: 'Alert log', link: 'https://logs.example/1' })).toBe(200);
  expect(await rename(1, { title: 'Late' })).toBe(412);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Somebody else made this ‘Alert log’ meanwhile.')).toBeVisible();
  await expect(dialog.getByLabel('Title')).toHaveValue('Deploy log');
  await expect(dialog.getByLabel('Link')).toHaveValue('https://logs.example/1');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await expect(evidence.getByRole('link', { name: 'Deploy log' })).toHaveAttribute('href', 'https://logs.example/1');
});

test('a load test proves its metric; taking it away opens the item again', async ({ page }) => {
  await openIncident(page);
  const item = await toVerify(page, CHANGES.queue);
  await item.getByRole('button', { name: 'Confirm' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog).toBeHidden();

  const evidence = section(page, 'Evidence');
  await evidence.getByLabel('Import a load test').setInputFiles(LOAD_TEST);
  await expect(evidence.getByText(/Added as evidence 6/)).toBeVisible();
  await expect(evidence).toContainText('vegeta');
  await evidence.getByLabel('Import a load test').setInputFiles(LOAD_TEST);
  await expect(evidence.getByText(/imported before/)).toBeVisible();

  await item.getByRole('button', { name: 'Give the measured value' }).click();
  await dialog.getByLabel('Evidence that shows it').selectOption('6');
  await dialog.getByRole('button', { name: 'Verify' }).click();
  await expect(dialog).toBeHidden();
  await expect(item.getByRole('link', { name: 'evidence 6' })).toBeVisible();

  await evidence.getByRole('button', { name: 'Remove vegeta load test: vegeta.json' }).click();
  await dialog.getByRole('button', { name: 'Remove it' }).click();
  await expect(dialog).toBeHidden();
  await expect(actionItem(page, CHANGES.queue)).toContainText('reopened once');
  await expect(actionItem(page, CHANGES.queue)).toContainText('Open');
  await expect(evidence).toContainText('removed on');
});

test('an owner cannot attest their own item; somebody else can', async ({ page, secondPage }) => {
  await openIncident(page);
  const item = await openEditor(page, CHANGES.runbook);
  await item.getByLabel('Assignee').fill('Ada Ferris');
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByText('✓ Saved')).toBeVisible();
  await item.getByRole('button', { name: 'Confirm' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(item.getByText('Verified when:')).toContainText('anybody but the owner');
  await item.getByLabel('Status').selectOption({ label: 'To verify' });
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByText('Somebody else than its owner attests this item.')).toBeVisible();
  await expect(item.getByRole('button', { name: 'Attest that it holds' })).toBeHidden();

  await openIncident(secondPage);
  const theirs = await openEditor(secondPage, CHANGES.runbook);
  await theirs.getByRole('button', { name: 'Attest that it holds' }).click();
  const asked = secondPage.getByRole('dialog');
  await asked.getByLabel('What holds, in your words').fill('I followed it from end to end');
  await asked.getByLabel('This is true of me').check();
  await asked.getByRole('button', { name: 'Attest' }).click();
  await expect(asked).toBeHidden();
  await expect(theirs.getByText('Accepted by Bo Lind')).toContainText('I followed it from end to end');
});

test('an item is added with its criterion, and hints say what will be missed', async ({ page }) => {
  await openIncident(page);
  await page.getByRole('button', { name: 'Add an item' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is to change').fill('Improve alerting');
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await expect(dialog).toBeHidden();
  const item = await openEditor(page, 'Improve alerting');
  const hints = item.getByRole('list', { name: 'Hints' });
  await expect(hints).toContainText('Nobody owns this yet');
  await expect(hints).toContainText('‘Improve’ has no end');
  await item.getByText('More fields').click();
  await item.getByLabel('What must hold when it is done').fill('An alert fires within 2 min');
  await item.getByLabel('Priority').selectOption({ label: 'High' });
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByText('✓ Saved')).toBeVisible();
  await expect(hints).not.toContainText('has no end');
});
