// Signing in and out: links, passwords, what ends at once, and where one arrives.
import type { Page } from '@playwright/test';
import { violations } from './axe';
import { debrief } from './debrief';
import { CHANGES, expect, openEditor, openIncident, test } from './harness';

/** Leaves the page without a session, as somebody who comes for the first time. */
const arrive = async (page: Page): Promise<void> => page.context().clearCookies();

test('the link of the first start leads to the incidents in one click, once', async ({ page, firstStart, troubles }) => {
  troubles.allow(/status of 401/);
  await arrive(page);
  await page.goto(firstStart.firstLink);
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  await expect(page).toHaveURL(`${firstStart.base}/`);
  await expect(page.getByText('Administrator')).toBeVisible();
  await page.goBack();
  expect(page.url()).not.toContain('dbl_');

  await arrive(page);
  await page.goto(firstStart.firstLink);
  await expect(page.getByRole('alert')).toContainText('This link was used before or has expired');
  await expect(page.getByRole('alert')).toContainText('debrief user link');
  expect(new URL(page.url()).hash).toBe('');
  await expect(page.getByLabel('Password')).toBeVisible();
});

test('somebody else’s link says whose it is and asks, before it takes the place of a session', async ({ page, server, troubles }) => {
  troubles.allow(/status of 409/);
  const link = server.addPerson('Cleo Marsh', 'viewer');
  await page.goto(link);
  const asked = page.getByRole('alert').filter({ hasText: 'Cleo Marsh' });
  await expect(asked).toContainText('This link signs in Cleo Marsh, and you are signed in as Ada Ferris.');
  expect(new URL(page.url()).hash, 'the secret is not in the address').toBe('');
  expect(await violations(page)).toEqual([]);
  await asked.getByRole('link', { name: 'Stay signed in as you are' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  await expect(page.getByText('Ada Ferris')).toBeVisible();

  // It was not used up, neither by looking nor by whatever fetches addresses ahead.
  for (const method of ['GET', 'HEAD']) await page.request.fetch(link.split('#')[0]!, { method });
  await page.goto(link);
  await asked.getByRole('button', { name: 'Sign out, and sign in with the link' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  await expect(page.getByText('Cleo Marsh')).toBeVisible();
  await expect(page.getByText('Ada Ferris')).toHaveCount(0);
});

test('one’s own link asks nothing', async ({ page, server }) => {
  const users = await server.json<{ items: { id: string; name: string }[] }>('/api/v1/users');
  const { id } = users.items.find(user => user.name === 'Ada Ferris')!;
  const link = debrief(server.data, 'user', 'link', id, '--url', server.base).trim();
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  await expect(page.getByText('Ada Ferris')).toBeVisible();
});

test('who is not signed in is led to signing in, and from there to where they wanted to go', async ({ page, server, troubles }) => {
  troubles.allow(/status of 401/);
  await arrive(page);
  await page.goto('/incidents/INC-1?item=2');
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  const to = new URL(page.url()).searchParams.get('to');
  expect(to).toBe('/incidents/INC-1?item=2');
  const secret = server.addPerson('Cleo Marsh', 'editor').split('#')[1];
  await page.goto(`/sign-in?to=${encodeURIComponent(to!)}#${secret}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');
  await expect(page.getByRole('form', { name: 'Change this item' })).toBeVisible();
});

test('signing in leads nowhere else', async ({ page, server, troubles }) => {
  // A page that is still open asks on while its session is taken away.
  troubles.allow(/status of 401/);
  for (const to of ['//evil.example/', '/\\evil.example', 'https://evil.example/', '/sign-in']) {
    await arrive(page);
    const secret = server.addPerson('Cleo Marsh', 'viewer').split('#')[1];
    await page.goto(`/sign-in?to=${encodeURIComponent(to)}#${secret}`);
    await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
    expect(new URL(page.url()).origin).toBe(server.base);
  }
});

test('a password that is not right says so once, and the right one leads in', async ({ page, server, troubles }) => {
  troubles.allow(/status of 401/);
  await server.setPassword('Cleo Marsh', 'cleo@example.com', 'four rainy mondays');
  await arrive(page);
  await page.goto('/sign-in');
  await page.getByLabel('Address').fill('cleo@example.com');
  await page.getByLabel('Password').fill('five rainy mondays');
  await page.getByLabel('Password').press('Enter');
  await expect(page.getByRole('alert')).toHaveText('The address or the password is not right.');
  await expect(page.getByRole('alert')).toHaveCount(1);
  await expect(page.getByLabel('Address')).toHaveValue('cleo@example.com');
  await page.getByLabel('Password').fill('four rainy mondays');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  await expect(page.getByText('Cleo Marsh')).toBeVisible();
});

test('a password manager finds its way', async ({ page }) => {
  await arrive(page);
  await page.goto('/sign-in');
  await expect(page.getByLabel('Address')).toHaveAttribute('autocomplete', 'username');
  await expect(page.getByLabel('Password')).toHaveAttribute('autocomplete', 'current-password');
});

test('signing out ends the session in every tab at once', async ({ page, troubles }) => {
  troubles.allow(/status of 401/);
  await openIncident(page);
  const other = await page.context().newPage();
  await other.goto('/');
  await expect(other.getByRole('heading', { level: 2, name: /Checkout recovered/ })).toBeVisible();
  await page.getByText('Ada Ferris').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  await expect(other.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  expect((await page.request.get('/api/v1/incidents')).status()).toBe(401);
});

test('a session that ended loses nothing that was typed: sign in elsewhere, then save', async ({ page, server, troubles }) => {
  troubles.allow(/status of 401/);
  await openIncident(page);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByLabel('Assignee').fill('Grace');
  await page.context().clearCookies();
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item.getByRole('alert')).toContainText('You were signed out');
  await expect(page.getByText('What you typed is still here')).toBeVisible();
  await expect(item.getByLabel('Assignee')).toHaveValue('Grace');

  const secret = server.addPerson('Ada Again', 'editor').split('#')[1];
  const other = await page.context().newPage();
  await other.goto(`/sign-in#${secret}`);
  await expect(other.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  await expect(page.getByText('What you typed is still here')).toBeHidden();
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item).toContainText('Saved');
  await expect(item).toContainText('Grace');
});

test('signing in takes the keyboard alone', async ({ page, server }) => {
  await server.setPassword('Cleo Marsh', 'cleo@example.com', 'four rainy mondays');
  await arrive(page);
  await page.goto('/sign-in');
  await page.getByLabel('Address').focus();
  await page.keyboard.type('cleo@example.com');
  await page.keyboard.press('Tab');
  await page.keyboard.type('four rainy mondays');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [device, width] of [['a wide screen', 1280], ['a phone', 390]] as const) {
    test.describe(`${colorScheme}, on ${device}`, () => {
      test.use({ colorScheme, viewport: { width, height: 844 } });

      test('signing in is accessible, with an error too', async ({ page, troubles }) => {
        troubles.allow(/status of 401/);
        await arrive(page);
        await page.goto('/sign-in');
        await expect(page.getByLabel('Password')).toBeVisible();
        expect(await violations(page)).toEqual([]);
        await page.goto('/sign-in#dbl_spent');
        await expect(page.getByRole('alert')).toContainText('used before');
        expect(await violations(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      });
    });
  }
}
