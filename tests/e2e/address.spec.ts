// The address and the history: links, back and forward, what the query keeps, and where the page is scrolled to.
import { drawnChart, expect, openIncident, section, test } from './harness';

test('back and forward go through the pages without loading the application again', async ({ page }) => {
  let loads = 0;
  page.on('request', request => {
    if (request.isNavigationRequest()) loads += 1;
  });
  await page.goto('/?q=checkout');
  await page.getByRole('link', { name: /Checkout recovered/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  await expect(page.getByLabel('Search')).toHaveValue('');
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');
  await page.goBack();
  await expect(page).toHaveURL(/\/\?q=checkout$/);
  await expect(page.getByLabel('Search')).toHaveValue('checkout');
  await page.goForward();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');
  expect(loads).toBe(1);
});

test('another page starts at its top', async ({ page }) => {
  await openIncident(page);
  await section(page, 'Evidence').scrollIntoViewIfNeeded();
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(200);
  await page.evaluate(() => document.querySelector<HTMLAnchorElement>('nav a')?.click());
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeInViewport();
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test('what is kept in the query adds nothing to the history and moves nothing', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('link', { name: /Checkout recovered/ }).click();
  await drawnChart(page);
  const menu = page.getByLabel('Times in');
  await page.mouse.wheel(0, 300);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
  const scrolled = await page.evaluate(() => scrollY);
  await menu.evaluate((select: HTMLSelectElement) => {
    select.value = 'local';
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await expect(page).toHaveURL(/\/incidents\/INC-1\?zone=local$/);
  expect(await page.evaluate(() => scrollY)).toBe(scrolled);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expect(page).toHaveURL(/zone=local&view=table$/);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
});

test('a place on the page stays the browser’s, and keeps the query', async ({ page }) => {
  await openIncident(page, '?zone=local');
  await section(page, 'Impact').getByRole('link', { name: 'Evidence 4' }).click();
  await expect(page).toHaveURL(/\?zone=local#evidence-4$/);
  await expect(page.locator('#evidence-4')).toBeInViewport();
  await page.getByLabel('Times in').selectOption({ label: 'UTC' });
  await expect(page).toHaveURL(/\/incidents\/INC-1#evidence-4$/);
  await page.goBack();
  await expect(page).toHaveURL(/\?zone=local$/);
  await expect(page.getByLabel('Times in')).toHaveValue('local');
});

test('a click that asks for a new tab gets one', async ({ page, context }) => {
  await page.goto('/');
  const link = page.getByRole('link', { name: /Checkout recovered/ });
  const opened = context.waitForEvent('page');
  await link.click({ modifiers: ['ControlOrMeta'] });
  const other = await opened;
  await expect(other.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
});

test('the bar says which page is open', async ({ page }) => {
  await page.goto('/');
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' });
  await expect(link).toHaveAttribute('aria-current', 'page');
  await page.getByRole('link', { name: /Checkout recovered/ }).click();
  await expect(link, 'an incident belongs to the list').toHaveAttribute('aria-current', 'true');
});

test('a name that needs escaping is the name that is asked for', async ({ page, troubles }) => {
  troubles.allow(/Failed to load resource/);
  const asked = page.waitForRequest(/\/api\/v1\/incidents\//);
  await page.goto('/incidents/a%2Fb%20c');
  expect(new URL((await asked).url()).pathname).toBe('/api/v1/incidents/a%2Fb%20c');
  await expect(page.getByRole('alert')).toBeVisible();
});

test('an incident’s answer is fetched once, together with the program, and no other page’s', async ({ page }) => {
  const asked: string[] = [];
  page.on('request', request => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/') && !/\/(signals|session|changes|cohort)$/.test(pathname)) asked.push(pathname);
  });
  const shell = page.waitForResponse(/\/incidents\/INC-1$/);
  await openIncident(page);
  await page.waitForLoadState('networkidle');
  const preload = 'rel=preload; as=fetch; crossorigin=anonymous';
  const [answer, chart, ...others] = (await shell).headers()['link']!.split(', ');
  expect(answer).toBe(`</api/v1/incidents/INC-1>; ${preload}`);
  expect(chart).toMatch(/^<\/debrief-app-charting-[0-9a-f]{16}\.wasm>; /);
  expect(others).toEqual([]);
  // What was changed a moment ago is read again; that the preloaded answer was used, the console would tell.
  expect([...new Set(asked)]).toEqual(['/api/v1/incidents/INC-1']);
  const list = await page.goto('/');
  expect(list?.headers()['link']).not.toContain('/api/');
});
