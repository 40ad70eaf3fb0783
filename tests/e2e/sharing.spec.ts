// Who may see and change what: roles, ownership, share links, restricted incidents.
import type { Locator, Page } from '@playwright/test';
import { violations } from './axe';
import { CHANGES, actionItem, drawnChart, expect, openEditor, openIncident, test } from './harness';
import type { Role, Server } from './debrief';

/** Signs the page in as somebody else. */
async function become(page: Page, server: Server, name: string, role: Role): Promise<void> {
  // Nothing that the page still asks for may meet the time between the two.
  await page.goto('about:blank');
  await page.context().clearCookies();
  await server.signIn(page.context(), name, role);
}

const dialog = (page: Page): Locator => page.getByRole('dialog');

/** Opens a form of the page's Access menu. */
async function access(page: Page, form: string): Promise<void> {
  await page.locator('summary').filter({ hasText: 'Access' }).click();
  await page.getByRole('button', { name: form }).click();
  await expect(dialog(page)).toBeVisible();
}

/** Shares the incident; answers the link. */
async function share(page: Page, audience: string): Promise<string> {
  await access(page, 'Share…');
  await dialog(page).getByLabel('With whom').fill(audience);
  await dialog(page).getByRole('button', { name: 'Make the link' }).click();
  const link = await dialog(page).getByLabel('What to copy').inputValue();
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  return link;
}

/** Makes a team of everybody with these names. */
async function makeTeam(server: Server, name: string, members: string[]): Promise<void> {
  const people = await server.json<{ items: { id: string; name: string }[] }>('/api/v1/people');
  const ids = people.items.filter(person => members.includes(person.name)).map(person => person.id);
  const response = await fetch(`${server.base}/api/v1/teams`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, members: ids }),
  });
  if (response.status !== 201) throw new Error(`making a team answered ${response.status}`);
}

test('a viewer reads, and is offered nothing that would be refused', async ({ page, server }) => {
  await become(page, server, 'Vera Hale', 'viewer');
  await openIncident(page);
  await expect(page.getByText('Vera Hale')).toBeVisible();
  await expect(actionItem(page, CHANGES.queue)).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Update|Notes): / })).toHaveCount(0);
  await expect(page.locator('summary').filter({ hasText: 'Access' })).toHaveCount(0);
  await page.goto('/incidents/INC-1?item=1');
  await expect(page.getByText('Vera Hale')).toBeVisible();
  await expect(page.getByRole('form')).toHaveCount(0);
});

test('a viewer reads the notes that are there', async ({ page, server }) => {
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByLabel('New note').fill('Half of the retries moved');
  await item.getByRole('button', { name: 'Add note' }).click();
  await expect(item.getByText('Half of the retries moved')).toBeVisible();
  await become(page, server, 'Vera Hale', 'viewer');
  await openIncident(page);
  await page.getByRole('button', { name: `Notes: ${CHANGES.queue}` }).click();
  await expect(item.getByText('Half of the retries moved')).toBeVisible();
  await expect(item.getByRole('form')).toHaveCount(0);
});

test('a member updates the items of their team, and writes notes on the others', async ({ page, server }) => {
  await become(page, server, 'Mona Reyes', 'member');
  await makeTeam(server, 'payments', ['Mona Reyes']);
  await openIncident(page);
  await expect(page.getByRole('button', { name: /^Update: / })).toHaveCount(1);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByLabel('Status').selectOption({ label: 'In progress' });
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item).toContainText('Saved');
  await page.getByRole('button', { name: `Notes: ${CHANGES.runbook}` }).click();
  const other = actionItem(page, CHANGES.runbook);
  await expect(other.getByRole('form', { name: 'Change this item' })).toHaveCount(0);
  await other.getByLabel('New note').fill('I can help');
  await other.getByRole('button', { name: 'Add note' }).click();
  await expect(other.getByText('I can help')).toBeVisible();
});

test('a shared incident is read without signing in: no notes, no updating, no history, no marks', async ({ page, browser, troubles }) => {
  troubles.allow(/status of 404/);
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByLabel('New note').fill('For us alone');
  await item.getByRole('button', { name: 'Add note' }).click();
  await expect(item.getByText('For us alone')).toBeVisible();
  const link = await share(page, 'Acme Pay');
  expect(link).toContain('/s/dbv_');
  await expect(page.getByText(/Shared with Acme Pay until \d+ \w+ \d{4}, \d\d:\d\d UTC/)).toBeVisible();

  const context = await browser.newContext();
  troubles.watch(context);
  const theirs = await context.newPage();
  const asked: string[] = [];
  theirs.on('request', request => asked.push(new URL(request.url()).pathname));
  await theirs.goto(link);
  await expect(theirs.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');
  await drawnChart(theirs);
  await expect(theirs.getByText(/A shared view, to read only\. The link works until \d+/)).toBeVisible();
  await expect(actionItem(theirs, CHANGES.queue)).toContainText('14 Jul 2026');
  for (const text of ['For us alone', '1 note', 'Shared with', 'Export', 'Sign out']) {
    await expect(theirs.getByText(text)).toHaveCount(0);
  }
  await expect(theirs.getByRole('button', { name: /^(Update|Notes): / })).toHaveCount(0);
  await expect(theirs.getByRole('link', { name: 'Incidents' })).toHaveCount(0);
  await expect(theirs.getByRole('form')).toHaveCount(0);
  expect(asked.filter(path => path.startsWith('/api/') && !path.startsWith('/api/v1/shared/'))).toEqual([]);
  const told = await (await fetch(link.replace('/s/', '/api/v1/shared/'))).text();
  for (const word of ['For us alone', 'Acme Pay', '"access"', 'usr_']) expect(told).not.toContain(word);

  // Revoked, it leads nowhere at once, and the mark is gone.
  await page.getByRole('link', { name: 'Manage' }).click();
  await page.getByRole('button', { name: 'Revoke: INC-1, Acme Pay' }).click();
  await dialog(page).getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('Nothing is shared')).toBeVisible();
  await theirs.reload();
  await expect(theirs.getByRole('alert')).toContainText('This link does not work, or no longer');
  await openIncident(page);
  await expect(page.getByText('Shared with Acme Pay')).toHaveCount(0);
  await context.close();
});

test('two people who say at once who may see an incident both have their choice', async ({ page, server, secondPage, troubles }) => {
  troubles.allow(/status of 412/);
  server.addPerson('Cleo Marsh', 'viewer');
  await openIncident(page);
  await openIncident(secondPage);
  for (const [each, named] of [[page, 'Bo Lind'], [secondPage, 'Cleo Marsh']] as const) {
    await access(each, 'Who may see it…');
    await dialog(each).getByLabel('Who may see it').selectOption({ label: 'Administrators and those named here' });
    await dialog(each).getByLabel('Bo Lind').check();
    await dialog(each).getByLabel('Ada Ferris').check();
    await dialog(each).getByLabel(named).check();
  }
  await dialog(secondPage).getByRole('button', { name: 'Save' }).click();
  await expect(dialog(secondPage)).toBeHidden();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('Somebody else changed this meanwhile');
  await expect(dialog(page).getByLabel('Cleo Marsh'), 'what they chose').toBeChecked();
  await expect(dialog(page).getByLabel('Bo Lind'), 'what was chosen here').toBeChecked();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(dialog(page)).toBeHidden();
  const now = await server.json<{ people: string[]; version: number }>('/api/v1/incidents/INC-1/access');
  expect([now.people.length, now.version]).toEqual([3, 3]);
});

test('everybody who may read the incident sees that it is shared', async ({ page, server }) => {
  await openIncident(page);
  await share(page, 'the provider');
  await become(page, server, 'Vera Hale', 'viewer');
  await openIncident(page);
  await expect(page.getByText('Shared with the provider until')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Manage' })).toHaveCount(0);
});

test('a restricted incident is nowhere for others, and its share links end', async ({ page, server, secondPage, troubles }) => {
  troubles.allow(/status of 404/);
  await openIncident(page);
  const link = await share(page, 'the provider');
  await secondPage.goto('/incidents/INC-1');
  await expect(secondPage.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');

  await access(page, 'Who may see it…');
  await expect(dialog(page)).toContainText('revokes its share links');
  await dialog(page).getByLabel('Who may see it').selectOption({ label: 'Administrators and those named here' });
  await expect(dialog(page).getByLabel('Ada Ferris'), 'whoever restricts it keeps sight of it').toBeChecked();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.badge').filter({ hasText: 'Restricted' })).toBeVisible();
  await expect(page.getByText('Shared with the provider')).toHaveCount(0);
  await page.locator('summary').filter({ hasText: 'Access' }).click();
  await expect(page.getByRole('button', { name: 'Share…' })).toHaveCount(0);
  expect((await fetch(link.replace('/s/', '/api/v1/shared/'))).status).toBe(404);

  await secondPage.reload();
  await expect(secondPage.getByRole('alert')).toContainText('There is no such incident.');
  await secondPage.goto('/');
  await expect(secondPage.getByText('No incidents yet')).toBeVisible();

  // A team that is named sees it.
  await makeTeam(server, 'Payments', ['Bo Lind']);
  await page.getByRole('button', { name: 'Who may see it…' }).click();
  await dialog(page).getByLabel('Payments').check();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(dialog(page)).toBeHidden();
  await secondPage.goto('/incidents/INC-1');
  await expect(secondPage.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');

  // Open again, everybody does.
  await access(page, 'Who may see it…');
  await dialog(page).getByLabel('Who may see it').selectOption({ label: 'Everybody who is signed in' });
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.badge').filter({ hasText: 'Restricted' })).toHaveCount(0);
});

test('who shuts themselves out is told that there is nothing to see', async ({ page, troubles }) => {
  troubles.allow(/status of 404/);
  await openIncident(page);
  await access(page, 'Who may see it…');
  await dialog(page).getByLabel('Who may see it').selectOption({ label: 'Administrators and those named here' });
  await dialog(page).getByLabel('Ada Ferris').uncheck();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert')).toContainText('There is no such incident.');
  await expect(page.getByText('Checkout recovered')).toHaveCount(0);
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [device, width] of [['a wide screen', 1280], ['a phone', 390]] as const) {
    test.describe(`${colorScheme}, on ${device}`, () => {
      test.use({ colorScheme, viewport: { width, height: 844 } });

      test('the marks, the forms and the shared view are accessible and fit', async ({ page, troubles }) => {
        troubles.allow(/status of 404/);
        const fits = async () =>
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        await openIncident(page);
        const link = await share(page, 'the payment provider’s incident team, under their non-disclosure agreement');
        await expect(page.getByText('Shared with the payment provider')).toBeVisible();
        expect(await violations(page)).toEqual([]);
        await fits();
        await access(page, 'Who may see it…');
        expect(await violations(page)).toEqual([]);
        await page.goto(link);
        await drawnChart(page);
        expect(await violations(page)).toEqual([]);
        await fits();
        await page.goto('/s/dbv_nothing');
        await expect(page.getByRole('alert')).toBeVisible();
        expect(await violations(page)).toEqual([]);
      });
    });
  }
}
