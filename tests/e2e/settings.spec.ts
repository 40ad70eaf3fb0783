// The settings: people, teams, tokens, shares, sessions, one's own account.
import type { Locator, Page } from '@playwright/test';
import { violations } from './axe';
import { expect, test } from './harness';
import type { Role, Server } from './debrief';

/** Signs the page in as somebody else and opens a section. */
async function open(page: Page, server: Server, section: string, name = 'Root Admin', role: Role = 'admin'): Promise<void> {
  await page.context().clearCookies();
  await server.signIn(page.context(), name, role);
  await page.goto(`/settings/${section}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
}

const row = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });
const dialog = (page: Page): Locator => page.getByRole('dialog');

/** The secret that the dialog shows; closes it. */
async function shown(page: Page): Promise<string> {
  const secret = await dialog(page).getByLabel('What to copy').inputValue();
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  await expect(dialog(page)).toBeHidden();
  return secret;
}

test('an administrator adds somebody; the link signs them in once and is shown once', async ({ page, server, browser }) => {
  await open(page, server, 'people');
  await page.getByRole('button', { name: 'Add somebody' }).click();
  await dialog(page).getByLabel('Name').fill('Cleo Marsh');
  await dialog(page).getByLabel('Address').fill('Cleo@Example.com');
  await dialog(page).getByLabel('Role').selectOption({ label: 'Editor' });
  await dialog(page).getByRole('button', { name: 'Add' }).dblclick();
  const link = await shown(page);
  expect(link).toContain('/sign-in#dbl_');
  await expect(row(page, 'Cleo Marsh')).toHaveCount(1);
  await expect(row(page, 'Cleo Marsh')).toContainText('cleo@example.com');
  await expect(row(page, 'Cleo Marsh')).toContainText('Editor');

  const context = await browser.newContext();
  const theirs = await context.newPage();
  await theirs.goto(link);
  await expect(theirs.getByText('Cleo Marsh')).toBeVisible();
  await context.close();
});

test('the link can be copied', async ({ page, server }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page, server, 'people');
  await page.getByRole('button', { name: 'New link: Root Admin' }).click();
  await dialog(page).getByRole('button', { name: 'Make the link' }).click();
  await dialog(page).getByRole('button', { name: 'Copy' }).click();
  await expect(dialog(page).getByText('Copied')).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await shown(page));
});

test('a field at fault says so beside it, keeps what was typed and has the focus', async ({ page, server, troubles }) => {
  troubles.allow(/status of 422/);
  await open(page, server, 'people');
  await page.getByRole('button', { name: 'Add somebody' }).click();
  await dialog(page).getByLabel('Name').fill('Cleo Marsh');
  await dialog(page).getByLabel('Address').fill('nowhere');
  await dialog(page).getByRole('button', { name: 'Add' }).click();
  await expect(dialog(page).getByText('this does not look like an address')).toBeVisible();
  await expect(dialog(page).getByLabel('Address')).toBeFocused();
  await expect(dialog(page).getByLabel('Address')).toHaveAttribute('aria-invalid', 'true');
  await expect(dialog(page).getByLabel('Name')).toHaveValue('Cleo Marsh');
});

test('switching an account off asks first and ends its sessions at once', async ({ page, server, secondPage, troubles }) => {
  troubles.allow(/status of 401/);
  await secondPage.goto('/');
  await expect(secondPage.getByText('Bo Lind')).toBeVisible();
  await open(page, server, 'people');
  await page.getByRole('button', { name: 'Switch off: Bo Lind' }).click();
  await expect(dialog(page)).toContainText('sessions and tokens end at once');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  await expect(row(page, 'Bo Lind')).not.toContainText('Switched off');
  await page.getByRole('button', { name: 'Switch off: Bo Lind' }).click();
  await dialog(page).getByRole('button', { name: 'Switch off' }).click();
  await expect(row(page, 'Bo Lind')).toContainText('Switched off');
  await secondPage.reload();
  await expect(secondPage.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await page.getByRole('button', { name: 'Switch on: Bo Lind' }).click();
  await dialog(page).getByRole('button', { name: 'Switch on' }).click();
  await expect(row(page, 'Bo Lind')).not.toContainText('Switched off');
});

test('the last administrator stays one, and the page says why', async ({ page, server, troubles }) => {
  troubles.allow(/status of 422/);
  await open(page, server, 'people');
  for (const name of ['Administrator', 'Root Admin']) {
    await page.getByRole('button', { name: `Switch off: ${name}` }).click();
    await dialog(page).getByRole('button', { name: 'Switch off' }).click();
    if (name === 'Administrator') await expect(row(page, name)).toContainText('Switched off');
  }
  await expect(dialog(page).getByRole('alert')).toContainText('last administrator');
});

test('who was changed by somebody else meanwhile is not overwritten unseen', async ({ page, server, troubles }) => {
  troubles.allow(/status of 412/);
  server.addPerson('Cleo Marsh', 'viewer');
  await open(page, server, 'people');
  await page.getByRole('button', { name: 'Change: Cleo Marsh' }).click();
  const users = await server.json<{ items: { id: string; name: string }[] }>('/api/v1/users');
  const { id } = users.items.find(user => user.name === 'Cleo Marsh')!;
  const path = `${server.base}/api/v1/users/${id}`;
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'if-match': '"1"' };
  await fetch(path, { method: 'PATCH', headers, body: JSON.stringify({ role: 'editor' }) });
  await dialog(page).getByLabel('Name').fill('Cleo M. Marsh');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('Somebody else changed this meanwhile');
  await expect(dialog(page).getByLabel('Name')).toHaveValue('Cleo M. Marsh');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(row(page, 'Cleo M. Marsh')).toContainText('Editor');
});

test('a team gets its members, and its members their items', async ({ page, server }) => {
  server.addPerson('Cleo Marsh', 'member');
  await open(page, server, 'teams');
  await expect(page.getByText('There are no teams yet')).toBeVisible();
  await page.getByRole('button', { name: 'Add a team' }).click();
  await dialog(page).getByLabel('Name').fill('Payments');
  await page.keyboard.press('Enter');
  await expect(row(page, 'Payments')).toContainText('nobody yet');
  await page.getByRole('button', { name: 'Change: Payments' }).click();
  await dialog(page).getByLabel('Cleo Marsh').check();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(row(page, 'Payments')).toContainText('Cleo Marsh');
  await page.getByRole('button', { name: 'Remove: Payments' }).click();
  await dialog(page).getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('There are no teams yet')).toBeVisible();
});

test('two people who choose a team’s members at once both have their choice', async ({ page, server, troubles }) => {
  troubles.allow(/status of 412/);
  for (const name of ['Cleo Marsh', 'Dora Pohl']) server.addPerson(name, 'member');
  await open(page, server, 'teams');
  await page.getByRole('button', { name: 'Add a team' }).click();
  await dialog(page).getByLabel('Name').fill('Payments');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Change: Payments' }).click();
  await dialog(page).getByLabel('Cleo Marsh').check();
  await dialog(page).getByLabel('Name').fill('Payments One');
  const users = await server.json<{ items: { id: string; name: string }[] }>('/api/v1/users');
  const { id } = (await server.json<{ items: { id: string }[] }>('/api/v1/teams')).items[0]!;
  const dora = users.items.find(user => user.name === 'Dora Pohl')!.id;
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'if-match': '"1"' };
  const body = JSON.stringify({ name: 'Payments Two', members: [dora] });
  expect((await fetch(`${server.base}/api/v1/teams/${id}`, { method: 'PATCH', headers, body })).status).toBe(200);
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(dialog(page).getByText('Somebody else made this ‘Payments Two’ meanwhile.')).toBeVisible();
  await expect(dialog(page).getByLabel('Name')).toHaveValue('Payments One');
  for (const name of ['Cleo Marsh', 'Dora Pohl']) await expect(dialog(page).getByLabel(name)).toBeChecked();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(row(page, 'Payments One')).toContainText('Cleo Marsh, Dora Pohl');

  // Nor is removed what somebody else changed unseen.
  await page.getByRole('button', { name: 'Remove: Payments One' }).click();
  const again = { ...headers, 'if-match': '"3"' };
  const name = JSON.stringify({ name: 'Payments Three' });
  expect((await fetch(`${server.base}/api/v1/teams/${id}`, { method: 'PATCH', headers: again, body: name })).status).toBe(200);
  await dialog(page).getByRole('button', { name: 'Remove' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('Somebody else changed this meanwhile');
  await dialog(page).getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('There are no teams yet')).toBeVisible();
});

test('who is no administrator reads the teams and sees nobody’s accounts', async ({ page, server }) => {
  await open(page, server, 'teams', 'Vera Hale', 'viewer');
  await expect(page.getByText('There are no teams yet')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add a team' })).toHaveCount(0);
  const sections = page.getByRole('navigation', { name: 'Settings' });
  await expect(sections.getByRole('link')).toHaveText(['Teams', 'Tokens', 'Sessions', 'My account']);
  await page.goto('/settings/people');
  await expect(page.getByRole('heading', { name: 'Not for you' })).toBeVisible();
});

test('a token is made once, works, and ends at once', async ({ page, server, troubles }) => {
  troubles.allow(/status of 422/);
  await open(page, server, 'tokens', 'Emil Voss', 'editor');
  await page.getByRole('button', { name: 'Make a token' }).click();
  await expect(dialog(page).getByLabel('Role').getByRole('option')).toHaveText(['Viewer', 'Member', 'Editor']);
  await dialog(page).getByLabel('What it is for').fill('CI');
  await dialog(page).getByLabel('Days').fill('1000');
  await dialog(page).getByRole('button', { name: 'Make the token' }).click();
  await expect(dialog(page).getByText('from 1 to 366 days')).toBeVisible();
  await dialog(page).getByLabel('Days').fill('30');
  await dialog(page).getByRole('button', { name: 'Make the token' }).dblclick();
  const token = await shown(page);
  expect(token).toMatch(/^dbt_/);
  await expect(page.getByRole('button', { name: 'End: CI' })).toHaveCount(1);
  const status = async () =>
    (await fetch(`${server.base}/api/v1/incidents`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status()).toBe(200);
  await page.getByRole('button', { name: 'End: CI' }).click();
  await dialog(page).getByRole('button', { name: 'End it' }).click();
  await expect(page.getByText('There are no tokens')).toBeVisible();
  expect(await status()).toBe(401);
});

test('a token whose answer was lost is not made twice', async ({ page, server, troubles }) => {
  troubles.allow(/Failed to load resource/);
  await open(page, server, 'tokens', 'Emil Voss', 'editor');
  let lost = false;
  await page.route('**/api/v1/tokens', async route => {
    if (lost || route.request().method() !== 'POST') return route.continue();
    lost = true;
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('button', { name: 'Make a token' }).click();
  await dialog(page).getByLabel('What it is for').fill('CI');
  await dialog(page).getByRole('button', { name: 'Make the token' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('cannot be reached');
  await dialog(page).getByRole('button', { name: 'Make the token' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('its answer showed the secret once');
  await page.keyboard.press('Escape');
  await page.reload();
  await expect(page.getByRole('button', { name: 'End: CI' })).toHaveCount(1);
});

test('a session is ended from another browser, at once', async ({ page, browser, server, troubles }) => {
  troubles.allow(/status of 401/);
  await server.setPassword('Cleo Marsh', 'cleo@example.com', 'four rainy mondays');
  const enter = async (page: Page) => {
    await page.goto(`${server.base}/sign-in`);
    await page.getByLabel('Address').fill('cleo@example.com');
    await page.getByLabel('Password').fill('four rainy mondays');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText('Cleo Marsh')).toBeVisible();
  };
  await page.context().clearCookies();
  await enter(page);
  const context = await browser.newContext();
  const other = await context.newPage();
  await enter(other);
  await page.goto('/settings/sessions');
  await expect(row(page, 'This browser')).toHaveCount(1);
  // The third is the one that set the password.
  await expect(page.getByRole('button', { name: /^End: / })).toHaveCount(3);
  for (let left = 2; left > 0; left--) {
    await page.getByRole('row').filter({ hasNotText: 'This browser' }).getByRole('button', { name: /^End: / }).first().click();
    await dialog(page).getByRole('button', { name: 'End it' }).click();
    await expect(page.getByRole('button', { name: /^End: / })).toHaveCount(left);
  }
  await other.reload();
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await context.close();
});

test('a password is set, and changed only with the one so far', async ({ page, server, troubles }) => {
  troubles.allow(/status of 422/);
  await page.context().clearCookies();
  await page.goto(`/sign-in?to=/settings/account#${server.addPerson('Cleo Marsh', 'member', 'cleo@example.com').split('#')[1]}`);
  await page.getByRole('button', { name: 'Set a password' }).click();
  await dialog(page).getByLabel('New password').fill('short');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByLabel('New password')).toHaveAttribute('aria-invalid', 'true');
  await dialog(page).getByLabel('New password').fill('four rainy mondays');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Your password is set')).toBeVisible();
  await page.getByRole('button', { name: 'Change the password' }).click();
  await dialog(page).getByLabel('Password so far').fill('five rainy mondays');
  await dialog(page).getByLabel('New password').fill('six rainy mondays');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByText('this is not the password so far')).toBeVisible();
});

test('the settings are reached from the menu, with the keyboard alone', async ({ page }) => {
  await page.goto('/');
  const menu = page.locator('summary').filter({ hasText: 'Ada Ferris' });
  await expect(menu).toBeVisible();
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 2, name: 'My account' })).toBeVisible();
  await page.getByRole('link', { name: 'Tokens' }).focus();
  await page.keyboard.press('Enter');
  const make = page.getByRole('button', { name: 'Make a token' });
  await make.focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  await expect(make).toBeFocused();
});

test('a list that cannot be fetched says so and is tried again', async ({ page, server, troubles }) => {
  troubles.allow(/Failed to load resource/);
  // Told that the server is reached, the page would try again by itself.
  await page.route('**/api/v1/changes*', route => route.abort());
  await page.route('**/api/v1/users', route => route.abort());
  await open(page, server, 'people');
  await expect(page.getByRole('alert')).toContainText('cannot be reached');
  await page.unroute('**/api/v1/users');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(row(page, 'Root Admin')).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [device, width] of [['a wide screen', 1280], ['a phone', 390]] as const) {
    test.describe(`${colorScheme}, on ${device}`, () => {
      test.use({ colorScheme, viewport: { width, height: 844 } });

      test('every section is accessible and fits, with a form open too', async ({ page, server }) => {
        server.addPerson('Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaft', 'viewer');
        await open(page, server, 'people');
        for (const section of ['people', 'teams', 'tokens', 'shares', 'sessions', 'account']) {
          await page.goto(`/settings/${section}`);
          await expect(page.getByRole('heading', { level: 2 })).toBeVisible();
          await expect(page.locator('.skeleton')).toHaveCount(0);
          expect(await violations(page)).toEqual([]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth), section).toBeLessThanOrEqual(width);
        }
        await page.goto('/settings/people');
        await page.getByRole('button', { name: 'Add somebody' }).click();
        await expect(dialog(page)).toBeVisible();
        expect(await violations(page)).toEqual([]);
      });
    });
  }
}

test('the settings keep the page’s policy', async ({ page, server }) => {
  await page.addInitScript(() => {
    const breaches: string[] = [];
    Object.assign(window, { breaches });
    document.addEventListener('securitypolicyviolation', event => breaches.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  await open(page, server, 'people');
  await page.getByRole('button', { name: 'Add somebody' }).click();
  await dialog(page).getByLabel('Name').fill('Cleo');
  await dialog(page).getByRole('button', { name: 'Add' }).click();
  await shown(page);
  expect(await page.evaluate(() => (window as unknown as { breaches: string[] }).breaches)).toEqual([]);
});
