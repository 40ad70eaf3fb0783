// What every spec starts from: a server with the worked example, and a page on which nothing may go wrong unseen.
import { test as base, expect, type BrowserContext, type Locator, type Page } from '@playwright/test';
import { Server, copyFolder, importExample, newFolder, removeFolder } from './debrief';

/** What went wrong in a browser: errors in the console, uncaught ones, and breaches of the policy. */
export class Troubles {
  private readonly seen: string[] = [];
  private readonly allowed: RegExp[] = [];

  /** Expects trouble of this kind: a test that provokes a refusal finds Chromium's line about it in the console. */
  allow(...kinds: RegExp[]): void {
    this.allowed.push(...kinds);
  }

  watch(context: BrowserContext): void {
    context.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') this.note(message.text());
    });
    context.on('weberror', error => this.note(`uncaught: ${error.error().stack ?? error.error().message}`));
  }

  check(): void {
    expect(this.seen, 'nothing goes wrong in the browser unseen').toEqual([]);
  }

  private note(text: string): void {
    if (!this.allowed.some(kind => kind.test(text))) this.seen.push(text);
  }
}

interface Fixtures {
  /** A server whose data holds the worked example, for this test alone. */
  server: Server;
  /** A server without any incident. */
  emptyServer: Server;
  /** A server that nobody has signed in at, with the worked example; its first link is not used yet. */
  firstStart: Server;
  /** What goes wrong in the browser; checked at the end of each test. */
  troubles: Troubles;
  /** A second person, in a browser context of their own. */
  secondPage: Page;
}

interface WorkerFixtures {
  /** A data folder with the example imported once; each test works on a copy. */
  seed: string;
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  seed: [
    async ({}, use) => {
      const folder = newFolder();
      importExample(folder);
      await use(folder);
      removeFolder(folder);
    },
    { scope: 'worker' },
  ],
  server: async ({ seed }, use) => {
    const folder = newFolder();
    copyFolder(seed, folder);
    const server = await Server.start(folder);
    await use(server);
    await server.stop();
    removeFolder(folder);
  },
  emptyServer: async ({ context }, use) => {
    const folder = newFolder();
    const server = await Server.start(folder);
    // Cookies know no ports, so this takes the place of the session at the other server.
    await server.signIn(context, 'Ada Ferris', 'editor');
    await use(server);
    // An open page would go on asking a server that is no longer there.
    await Promise.all(context.pages().map(page => page.close()));
    await server.stop();
    removeFolder(folder);
  },
  firstStart: async ({ seed }, use) => {
    const folder = newFolder();
    copyFolder(seed, folder);
    const server = await Server.start(folder);
    await use(server);
    await server.stop();
    removeFolder(folder);
  },
  baseURL: async ({ server }, use) => use(server.base),
  troubles: async ({}, use) => {
    const troubles = new Troubles();
    await use(troubles);
    troubles.check();
  },
  context: async ({ context, server, troubles }, use) => {
    troubles.watch(context);
    await server.signIn(context, 'Ada Ferris', 'editor');
    await use(context);
  },
  secondPage: async ({ browser, baseURL, server, troubles }, use) => {
    const context = await browser.newContext({ baseURL: baseURL ?? '' });
    await server.signIn(context, 'Bo Lind', 'editor');
    troubles.watch(context);
    await use(await context.newPage());
    await context.close();
  },
});

export { expect };

/** Opens the example's page and waits for its facts; without the chart, which not every test needs. */
export async function openFacts(page: Page, query = ''): Promise<void> {
  await page.goto(`/incidents/INC-1${query}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');
}

/** The same, read to its end and back. */
export async function openIncident(page: Page, query = ''): Promise<void> {
  await openFacts(page, query);
  await readOn(page);
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
}

/** The section of the page under this heading. */
export const section = (page: Page, heading: string): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: heading, level: 2 }) });

/** Scrolls to what is drawn only when it comes near the screen, until all of it is there. */
export async function readOn(page: Page): Promise<void> {
  await expect(page.locator('article.incident #root-cause')).toBeVisible({ timeout: 10_000 });
  const ahead = page.locator('.ahead');
  await expect(async () => {
    await ahead.first().scrollIntoViewIfNeeded({ timeout: 1_000 }).catch(() => {});
    await expect(ahead).toHaveCount(0, { timeout: 500 });
    await expect(page.locator('.skeleton')).toHaveCount(0, { timeout: 1_000 });
  }).toPass({ timeout: 15_000 });
}

/** The figure around the chart, once the chart is drawn. */
export async function drawnChart(page: Page): Promise<Locator> {
  await expect(page.locator('[data-chart="drawn"]')).toBeVisible({ timeout: 15_000 });
  return page.getByRole('figure');
}

/** The chart's numbers as a table. */
export async function chartTable(page: Page): Promise<Locator> {
  const figure = page.getByRole('figure');
  await figure.getByRole('button', { name: /table/i }).click();
  const table = figure.getByRole('table');
  await expect(table).toBeVisible();
  return table;
}

/** The action item with this change. */
export const actionItem = (page: Page, change: string): Locator =>
  page.locator('tbody').filter({ has: page.getByRole('rowheader', { name: change }) });

export const CHANGES = {
  queue: 'Move retries to the background queue',
  breaker: 'Add provider-specific circuit breaker',
  cohort: 'Add failed-checkout recovery cohort',
  runbook: 'Add retry-amplification runbook',
} as const;

/** Opens an item's form; answers the item. */
export async function openEditor(page: Page, change: string): Promise<Locator> {
  await page.getByRole('button', { name: `Update: ${change}` }).click();
  const item = actionItem(page, change);
  await expect(item.getByRole('form', { name: 'Change this item' })).toBeVisible();
  return item;
}

/** How the page's connection is from now on: so many bytes up in a second, and answers so many milliseconds later. */
export async function line(page: Page): Promise<(change: { up?: number; latency?: number }) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  return async ({ up = -1, latency = 0 }) => {
    const conditions = { offline: false, latency, downloadThroughput: -1, uploadThroughput: up };
    await session.send('Network.emulateNetworkConditions', conditions);
  };
}
