// The page's policy: nothing from elsewhere, no script but the app's, no eval; and the page keeps it.
import { createHash } from 'node:crypto';
import { CHANGES, drawnChart, expect, openEditor, openIncident, test } from './harness';

test('the policy is exactly the strict one, with the hashes of the page’s own inline scripts', async ({ request }) => {
  for (const path of ['/', '/incidents/INC-1']) {
    const response = await request.get(path);
    const html = await response.text();
    const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]+?)<\/script>/g)].map(match => match[1] ?? '');
    expect(inline, 'the theme, and the program').toHaveLength(2);
    const hashes = inline.map(script => `'sha256-${createHash('sha256').update(script).digest('base64')}'`).join(' ');
    expect(response.headers()['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${hashes}; style-src 'self'; style-src-attr 'unsafe-inline'; ` +
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
  }
});

test('reading, pointing, changing and switching breach nothing', async ({ page }) => {
  await page.addInitScript(() => {
    const breaches: string[] = [];
    Object.assign(window, { breaches });
    document.addEventListener('securitypolicyviolation', event => breaches.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  await openIncident(page);
  const figure = await drawnChart(page);
  const box = (await figure.boundingBox())!;
  for (const share of [0.3, 0.5, 0.7]) await page.mouse.move(box.x + box.width * share, box.y + box.height * 0.4);
  const item = await openEditor(page, CHANGES.queue);
  await item.getByLabel('Assignee').fill('Grace');
  await item.getByRole('button', { name: 'Save' }).click();
  await expect(item).toContainText('Saved');
  await page.getByLabel('Theme').selectOption('dark');
  await page.getByLabel('Times in').selectOption({ label: 'My zone' });
  await drawnChart(page);
  expect(await page.evaluate(() => (window as unknown as { breaches: string[] }).breaches)).toEqual([]);
});

test('the page asks nobody but its own server', async ({ page, server }) => {
  const hosts = new Set<string>();
  page.on('request', request => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http')) hosts.add(url.origin);
  });
  await openIncident(page);
  await drawnChart(page);
  expect([...hosts]).toEqual([server.base]);
});
