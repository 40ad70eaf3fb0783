// The main job with the keyboard alone.
import type { Locator, Page } from '@playwright/test';
import { CHANGES, actionItem, expect, openIncident, section, test } from './harness';

/** Tabs until this has the focus. */
async function tabTo(page: Page, target: Locator, most = 80): Promise<void> {
  for (let i = 0; i < most; i++) {
    if (await target.evaluate(element => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${most} tabs did not reach ${target}`);
}

test('from the list to a saved change, a note and a lookup of evidence, without a mouse', async ({ page }) => {
  await page.goto('/');
  const link = page.getByRole('link', { name: /Checkout recovered/ });
  await expect(link).toBeVisible();
  await tabTo(page, link);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: /Checkout recovered/ })).toBeVisible();

  const update = page.getByRole('button', { name: `Update: ${CHANGES.runbook}` });
  await tabTo(page, update);
  await page.keyboard.press('Enter');
  const item = actionItem(page, CHANGES.runbook);
  await tabTo(page, item.getByLabel('Status'));
  await page.keyboard.press('ArrowDown');
  await expect(item.getByLabel('Status')).toHaveValue('in_progress');
  await tabTo(page, item.getByLabel('Assignee'));
  await page.keyboard.type('Ada');
  await page.keyboard.press('Enter');
  await expect(item).toContainText('Saved');
  await tabTo(page, item.getByLabel('New note'));
  await page.keyboard.type('Drafted');
  await tabTo(page, item.getByRole('button', { name: 'Add note' }));
  await page.keyboard.press('Enter');
  await expect(item.getByText('Drafted')).toBeVisible();
  await page.reload();
  for (const text of ['In progress', 'Ada', 'Drafted']) await expect(actionItem(page, CHANGES.runbook)).toContainText(text);
});

test('the focus follows a footnote to its evidence', async ({ page }) => {
  await openIncident(page);
  const cite = section(page, 'Impact').getByRole('link', { name: 'Evidence 4' });
  await cite.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#evidence-4$/);
  const back = page.locator('#evidence-4').getByRole('link', { name: 'Incident window' });
  await tabTo(page, back, 5);
  await page.keyboard.press('Enter');
  await expect(page.locator('#impact-1')).toBeInViewport();
});

test('the first tab skips to the content', async ({ page }) => {
  await openIncident(page);
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to the content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('whatever has the focus shows it', async ({ page }) => {
  await openIncident(page);
  for (let i = 0; i < 25; i++) {
    await page.keyboard.press('Tab');
    const seen = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return 'nothing';
      const style = getComputedStyle(element);
      const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
      return ring || style.boxShadow !== 'none' ? 'shown' : element.outerHTML.slice(0, 120);
    });
    expect(['shown', 'nothing']).toContain(seen);
  }
});
