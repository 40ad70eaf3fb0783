// What stands on the chart's axis beside the example: values and deploys, put into the server's answers.
import type { Page } from '@playwright/test';

const at = (minute: number): string => new Date(Date.parse('2026-07-09T09:00:00Z') + minute * 60_000).toISOString();

function value(id: string, title: string, unit: string, labels: Record<string, string>, of: (minute: number) => number): object {
  return {
    id,
    title,
    unit,
    labels,
    source: { file_name: 'metrics.csv', evidence: 1, sha256: 'ab'.repeat(32), imported_at: at(0) },
    span: { from: at(0), until: at(140) },
    count: 141,
    gaps: 3,
    thinned: false,
    points: Array.from({ length: 141 }, (_, minute) => ({ at: at(minute), value: minute > 60 && minute < 64 ? null : of(minute) })),
  };
}

const VALUES = [
  value('sig_p95', 'Provider latency', 's', { quantile: '0.95' }, minute => (minute > 46 && minute < 75 ? 4.25 : 0.75)),
  value('sig_p50', 'Provider latency', 's', { quantile: '0.5' }, minute => (minute > 46 && minute < 75 ? 2 : 0.5)),
  value('sig_queue', 'Queue length', 'jobs', {}, minute => (minute > 50 ? 12_000 + minute * 100 : 300)),
];

const DEPLOYS = [
  { id: 'dep_1', at: at(30), service: 'checkout', version: '2.4.1', environment: 'production', by: 'ci', link: 'https://deploys.example/1' },
  { id: 'dep_2', at: at(80), service: 'checkout', version: '2.4.2', environment: 'production', by: 'ci', link: null },
];

/** From now on the incident has three values in two units, a second flag, and two deploys. */
export async function fillAxis(page: Page): Promise<void> {
  await page.route(/\/api\/v1\/incidents\/[^/]+(\/signals\?.*)?$/, async route => {
    const response = await route.fetch();
    const json = (await response.json()) as { values: object[]; deploys?: object[]; flags?: { flag: string }[] };
    json.values = VALUES;
    if (json.flags) {
      json.flags.push({ ...json.flags[0]!, ...{ flag: 'new-provider', state: 'canary', changed_at: at(65) } });
      json.deploys = DEPLOYS;
    }
    await route.fulfill({ response, json });
  });
}
