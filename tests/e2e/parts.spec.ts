// Parts of the program that are loaded when they are needed: when, how often, and what is said where one cannot be had.
import type { Page } from '@playwright/test';
import { drawnChart, expect, openEditor, CHANGES, openFacts, readOn, section, test } from './harness';

const PART = /\/debrief-app-([a-z_]+)-[0-9a-f]{16}\.wasm$/;

/** The parts that the page asks for from now on, in their order. */
function asked(page: Page): string[] {
  const parts: string[] = [];
  page.on('request', request => {
    const part = PART.exec(new URL(request.url()).pathname)?.[1];
    if (part) parts.push(part);
  });
  return parts;
}

const file = (part: string): RegExp => new RegExp(`/debrief-app-${part}-[0-9a-f]{16}\\.wasm$`);

test('an incident takes the first file and its chart, and the rest when its place comes near the screen', async ({ page }) => {
  const parts = asked(page);
  await openFacts(page);
  await drawnChart(page);
  await page.waitForLoadState('networkidle');
  expect([...new Set(parts)].sort()).toEqual(['charting']);
  await expect(page.getByRole('heading', { name: 'Customers to write to' })).toBeAttached();
  await readOn(page);
  expect([...new Set(parts)].sort()).toEqual(['below', 'charting', 'shared']);
});

test('whoever is about to print the page, or to look for words in it, has all of it', async ({ page }) => {
  await openFacts(page);
  await expect(page.getByRole('heading', { name: 'Customers to write to' })).toBeAttached();
  await expect(page.getByText('had a failed attempt')).toHaveCount(0);
  await page.keyboard.press('Control');
  await expect(section(page, 'Customers to write to')).toContainText('had a failed attempt');
});

test('what is drawn above what one came for does not move it out of sight', async ({ page }) => {
  await page.route(file('below'), async route => {
    await new Promise(done => setTimeout(done, 700));
    await route.continue();
  });
  await page.goto('/incidents/INC-1#evidence-4');
  await drawnChart(page);
  const cited = page.locator('#evidence-4');
  await expect(cited).toBeInViewport();
  await page.keyboard.press('Control');
  await expect(section(page, 'Customers to write to')).toContainText('had a failed attempt');
  await page.waitForTimeout(300);
  await expect(cited).toBeInViewport();
  // Where the reader has gone on, nothing takes them back.
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await page.setViewportSize({ width: 600, height: 900 });
  await page.waitForTimeout(300);
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test('a page fetches its part together with the program, once', async ({ page }) => {
  for (const [path, part, heading] of [
    ['/', 'incidents', 'Incidents'],
    ['/actions', 'actions', 'Action items'],
    ['/settings', 'settings', 'Settings'],
  ] as const) {
    const parts = asked(page);
    const shell = await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await page.waitForLoadState('networkidle');
    expect([...new Set(parts)].sort(), path).toEqual([part, 'shared'].sort());
    // That what was preloaded is what was used, the console would tell.
    expect(shell?.headers()['link'], path).toMatch(new RegExp(`</debrief-app-${part}-[0-9a-f]{16}\\.wasm>; rel=preload`));
    page.removeAllListeners('request');
  }
});

test('pointing at a link, or at a button that opens a form, begins to load what it needs', async ({ page }) => {
  await openFacts(page);
  const list = page.waitForRequest(file('actions'));
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Actions' }).hover();
  await list;
  const form = page.waitForRequest(file('changing'));
  await page.getByRole('button', { name: `Update: ${CHANGES.queue}` }).focus();
  await form;
});

test('what is here already is not asked for again', async ({ page }) => {
  await openFacts(page);
  await openEditor(page, CHANGES.queue);
  const parts = asked(page);
  await openEditor(page, CHANGES.breaker);
  await page.getByText('History', { exact: true }).last().click();
  await expect(section(page, 'Evidence')).toBeVisible();
  expect(parts).toEqual([]);
});

test('a part on its way is told, and drawn once it is here', async ({ page }) => {
  await openFacts(page);
  let go = (): void => {};
  const held = new Promise<void>(done => (go = done));
  await page.route(file('actions'), async route => {
    await held;
    await route.continue();
  });
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Actions' }).click();
  await expect(page.getByText('Loading the action items…')).toBeVisible();
  go();
  await expect(page.getByRole('heading', { level: 1, name: 'Action items' })).toBeVisible();
});

test('a page whose part cannot be had says so, and is tried again', async ({ page, troubles }) => {
  troubles.allow(/Failed to load resource/);
  await openFacts(page);
  await page.route(file('actions'), route => route.abort());
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Actions' }).click();
  await expect(page.getByRole('alert')).toContainText('The action items cannot be shown');
  await expect(page.getByRole('alert')).toContainText('The server cannot be reached');
  await page.unroute(file('actions'));
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Action items' })).toBeVisible();
});

test('a part that the server no longer has tells to load the page again', async ({ page, troubles }) => {
  troubles.allow(/Failed to load resource/);
  await openFacts(page);
  await page.route(file('changing'), route => route.fulfill({ status: 404, body: 'no such file' }));
  await page.getByRole('button', { name: `Update: ${CHANGES.queue}` }).click();
  await expect(page.getByRole('alert')).toContainText('The server was updated since this page was loaded');
});

test('a dialog whose part cannot be had says so, and opens when it is asked for again', async ({ page, troubles }) => {
  troubles.allow(/Failed to load resource/);
  await openFacts(page);
  for (const part of ['changing', 'asking']) {
    await page.route(file(part), route => route.abort());
    // What was said of the part before may still stand there.
    const failed = page.waitForEvent('requestfailed', request => file(part).test(request.url()));
    await page.getByRole('button', { name: 'Add an item' }).click();
    await failed;
    await expect(page.getByRole('alert')).toContainText('The server cannot be reached');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.unroute(file(part));
  }
  await page.getByRole('button', { name: 'Add an item' }).click();
  await expect(page.getByRole('dialog', { name: 'Add an item' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the form of each kind of import comes when that kind is pointed at or chosen, and no other with it', async ({ page }) => {
  await openFacts(page);
  await readOn(page);
  const parts = asked(page);
  const area = section(page, 'Import');
  await area.getByRole('button', { name: 'Import a file…' }).click();
  await expect(area.getByText('CSV or NDJSON')).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect([...parts].sort()).toEqual(['import_events', 'importing']);
  const lists = page.waitForRequest(file('import_lists'));
  await area.getByText('Deploys').hover();
  await lists;
  await area.getByRole('radio', { name: 'Deploys' }).check();
  await expect(area.getByText('a service and a version')).toBeVisible();
  await area.getByRole('radio', { name: 'Values from a CSV file' }).check();
  await expect(area.getByText('CSV with a time')).toBeVisible();
  await area.getByRole('radio', { name: 'Values from Prometheus' }).check();
  await expect(area.getByText('No Prometheus server is known here')).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect([...parts].sort(), 'each once').toEqual(['import_events', 'import_lists', 'import_prometheus', 'import_values', 'importing']);
});

test('the facts are painted before what follows them is drawn', async ({ page }) => {
  await page.addInitScript(() => {
    const order: string[] = [];
    Object.assign(window, { order });
    const look = (): void => {
      for (const [name, what] of [['facts', '.facts dl'], ['rest', '#root-cause']] as const) {
        if (!order.includes(name) && document.querySelector(what)) order.push(name);
      }
      if (order.length < 2) requestAnimationFrame(look);
    };
    // What a frame shows is looked at in the frame, before it is painted.
    requestAnimationFrame(look);
    new MutationObserver(() => {
      if (document.querySelector('.facts dl') && document.querySelector('#root-cause') && !order.includes('facts')) order.push('together');
    }).observe(document, { childList: true, subtree: true });
  });
  await openFacts(page);
  await expect(page.locator('#root-cause')).toBeAttached();
  await expect.poll(() => page.evaluate(() => (window as unknown as { order: string[] }).order)).toEqual(['facts', 'rest']);
});

test('whoever waits for the program is told that it is loading', async ({ page }) => {
  await page.route(/_bg\.wasm$/, async route => {
    await new Promise(done => setTimeout(done, 1_500));
    await route.continue();
  });
  await page.goto('/incidents/INC-1');
  await expect(page.locator('#boot')).toHaveText(/Loading…/);
  await expect(page.locator('#boot')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');
  await expect(page.locator('#boot')).toHaveCount(0);
});

for (const [what, path, api] of [
  ['incident', '/incidents/INC-1', /\/api\/v1\/incidents\/INC-1$/],
  ['item', '/actions/INC-1/1', /\/api\/v1\/actions\?/],
] as const) {
  test(`a page that is gone hears nothing of its late answer: ${what}`, async ({ page, troubles }) => {
    troubles.allow(/Failed to load resource/);
    await page.route(api, async route => {
      await new Promise(done => setTimeout(done, 1_000));
      await route.fulfill({ status: 503, body: '' }).catch(() => {});
    });
    await page.goto(path);
    const late = page.waitForResponse(api);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
    await late;
    // What was asked for early is asked for again where it was refused.
    await page.waitForTimeout(1_500);
    await expect(page.getByRole('listitem').filter({ hasText: 'INC-1' })).toBeVisible();
  });
}
