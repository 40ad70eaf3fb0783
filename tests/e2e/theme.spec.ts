// The theme that was chosen is there with the first paint, whatever the system's.
import { expect, test } from './harness';

for (const [system, chosen] of [['dark', 'light'], ['light', 'dark']] as const) {
  test(`on a ${system} system the ${chosen} theme is there before the program`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: system });
    await page.goto('/');
    await page.getByLabel('Theme').selectOption(chosen);
    // The program never comes; the page and its styles do.
    await page.route('**/*.wasm', () => undefined);
    await page.reload({ waitUntil: 'commit' });
    await expect(page.getByText('Loading…')).toBeVisible();
    const seen = () => page.evaluate(() => ({
      scheme: getComputedStyle(document.documentElement).colorScheme,
      ground: getComputedStyle(document.body).backgroundColor,
      canvas: document.querySelector<HTMLMetaElement>('meta[name=color-scheme]')?.content,
    }));
    const ground = chosen === 'light' ? 'rgb(251, 250, 248)' : 'rgb(20, 22, 26)';
    await expect.poll(seen).toEqual({ scheme: chosen, ground, canvas: chosen });
  });
}
