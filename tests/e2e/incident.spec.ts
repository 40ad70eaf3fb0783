// The incident's page: everything that the document states is on it, and the parts lead to each other.
import { truth } from './debrief';
import { part, readDocument } from './document';
import { actionItem, expect, openFacts, openIncident, section, test } from './harness';

const source = readDocument();
const rows = (heading: string) => source.tables[heading] ?? [];
const cell = (row: Record<string, string>, column: string) => part(row[column] ?? '');

test('the headline and the three key points are there, without their footnote digits', async ({ page }) => {
  await openIncident(page);
  const [headline = '', ...points] = source.prose[''] ?? [];
  expect(points).toHaveLength(3);
  await expect(page.locator('#summary')).toContainText(part(headline).words);
  for (const [i, point] of points.entries()) {
    await expect(page.locator(`#key-point-${i + 1}`)).toContainText(part(point.replace(/^- /, '')).words);
  }
});

test('each impact measure stands with its result, confidence, basis and evidence', async ({ page }) => {
  await openIncident(page);
  const impact = section(page, 'Impact');
  const measures = rows('Impact');
  expect(measures).toHaveLength(4);
  const levels = ['Confirmed', 'Confirmed', 'Confirmed', 'Observed'];
  for (const [i, measure] of measures.entries()) {
    const row = impact.getByRole('row').filter({ has: page.getByRole('rowheader', { name: measure['Measure'] ?? '' }) });
    await expect(row).toContainText(measure['Result'] ?? '');
    await expect(row).toContainText(levels[i] ?? '');
    const basis = cell(measure, 'Confidence');
    await expect(row).toContainText(basis.words.replace(/^confirmed (from )?/, ''));
    await expect(row.getByRole('link', { name: `Evidence ${basis.cited}` })).toBeVisible();
  }
});

test('the facts repeat the document’s figures and what follows from them', async ({ page }) => {
  await openIncident(page);
  const facts = page.getByLabel('Headline facts');
  const fact = (label: string) => facts.locator('div').filter({ has: page.getByText(label, { exact: true }) });
  await expect(fact('Duration')).toContainText('31 min');
  await expect(fact('Duration')).toContainText('09:46–10:17 UTC');
  await expect(fact('Failed attempts')).toContainText(truth.window_failed.toLocaleString('en-US'));
  await expect(fact('Affected customers')).toContainText(String(truth.affected_customers));
  await expect(fact('Incorrect charges')).toContainText('0');
  await expect(fact('Time to detect')).toContainText('0 s');
  await expect(fact('Time to acknowledge')).toContainText('5 min');
  await expect(fact('Time to mitigate')).toContainText('25 min');
  await expect(fact('Time to resolve')).toContainText('31 min');
  await expect(fact('Action items')).toContainText('0 of 4');
  await expect(page.locator('#summary')).toContainText(`${truth.failed_share_percent}%`);
});

test('the five timeline entries stand in order, each with its decision', async ({ page }) => {
  await openIncident(page);
  const entries = section(page, 'Timeline').getByRole('listitem');
  await expect(entries).toHaveCount(5);
  for (const [i, entry] of rows('Timeline').entries()) {
    for (const column of ['UTC', 'Event', 'Decision']) await expect(entries.nth(i)).toContainText(entry[column] ?? '');
    await expect(entries.nth(i)).toContainText('UTC');
  }
  for (const [i, milestone] of [[0, 'Detected'], [1, 'Declared'], [3, 'Mitigated'], [4, 'Resolved']] as const) {
    await expect(entries.nth(i)).toContainText(milestone);
  }
});

test('root cause and follow-up rule are there whole', async ({ page }) => {
  await openIncident(page);
  for (const heading of ['Root cause', 'Customer follow-up']) {
    for (const paragraph of source.prose[heading] ?? []) {
      await expect(section(page, heading)).toContainText(part(paragraph).words);
    }
  }
});

test('the four changes stand with owner, due date and verification', async ({ page }) => {
  await openIncident(page);
  const changes = rows('What changes');
  expect(changes).toHaveLength(4);
  for (const change of changes) {
    const item = actionItem(page, change['Change'] ?? '');
    const [month, day] = (change['Due'] ?? '').split(' ');
    for (const text of [change['Owner'], `${day} ${month} 2026`, change['Verification'], 'Open']) {
      await expect(item).toContainText(text ?? '');
    }
  }
});

test('footnote numbers lead to their evidence and back', async ({ page }) => {
  await openFacts(page);
  await section(page, 'Impact').getByRole('link', { name: 'Evidence 4' }).click();
  await expect(page).toHaveURL(/#evidence-4$/);
  const cited = page.locator('#evidence-4');
  await expect(cited).toBeInViewport();
  await expect(section(page, 'Evidence').locator('ol').getByRole('listitem')).toHaveCount(5);
  await cited.getByRole('link', { name: 'Incident window' }).click();
  await expect(page).toHaveURL(/#impact-1$/);
  await expect(page.locator('#impact-1')).toBeInViewport();
});

test('every citation leads to something on the page', async ({ page }) => {
  await openIncident(page);
  const targets = await page.locator('article a[href^="#"]').evaluateAll(links =>
    links.map(link => link.getAttribute('href') ?? '').filter(href => !document.getElementById(href.slice(1))),
  );
  expect(targets).toEqual([]);
});

test('the exports are the files that their names promise', async ({ page }) => {
  await openIncident(page);
  await page.locator('summary').filter({ hasText: 'Export' }).click();
  for (const [name, extension] of [['Markdown', 'md'], ['JSON', 'json'], ['CSV', 'csv']] as const) {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name, exact: true }).click();
    expect((await download).suggestedFilename()).toMatch(new RegExp(`\\.${extension}$`));
  }
});

test('the export menu closes with Escape and when the focus leaves it', async ({ page }) => {
  await openIncident(page);
  const menu = page.locator('summary').filter({ hasText: 'Export' });
  const link = page.getByRole('link', { name: 'Markdown' });
  await menu.press('Enter');
  await expect(link).toBeVisible();
  await menu.press('Escape');
  await expect(link).toBeHidden();
  await menu.press('Enter');
  await page.keyboard.press('Tab');
  await expect(link).toBeFocused();
  await expect(link).toBeVisible();
  await page.getByRole('heading', { level: 1 }).click();
  await expect(link).toBeHidden();
});

test('an incident that is not there is told in words', async ({ page, troubles }) => {
  troubles.allow(/status of 404/);
  await page.goto('/incidents/INC-99');
  await expect(page.getByRole('alert')).toContainText('The incident cannot be shown');
});

test('a document without telemetry makes a page that says what is missing', async ({ page, emptyServer }) => {
  const { debrief, example } = await import('./debrief');
  debrief(emptyServer.data, 'import', 'postmortem', example('checkout-postmortem.txt'), '--date', '2026-07-09');
  await page.goto(`${emptyServer.base}/incidents/INC-1`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Checkout recovered');
  await expect(page.locator('[data-chart="drawn"]')).toHaveCount(0);
  await expect(page.locator('article')).toContainText('debrief import events');
});
