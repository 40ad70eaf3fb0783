// axe, put into the page as text: the page's policy refuses a script from elsewhere.
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';

const source = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  help: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

/** What axe finds wrong with the page, in lines that say where. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: unknown[] }> } };
    return (await axe.run()).violations;
  });
  return (found as Violation[]).flatMap(({ id, help, nodes }) =>
    nodes.map(node => `${id} (${help}): ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  );
}
