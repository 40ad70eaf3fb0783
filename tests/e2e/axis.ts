// What stands on the chart's axis beside the example: values, a second flag and deploys, brought in as a person would.
import { expect } from '@playwright/test';
import type { Server } from './debrief';

const at = (minute: number): string => new Date(Date.parse('2026-07-09T09:00:00Z') + minute * 60_000).toISOString();

/** A table of 09:00 to 11:20 by the minute; from 10:01 to 10:03 nothing was measured. */
function table(columns: Record<string, (minute: number) => number>): string {
  const rows = Array.from({ length: 141 }, (_, minute) => {
    const cells = Object.values(columns).map(of => (minute > 60 && minute < 64 ? '' : String(of(minute))));
    return [at(minute), ...cells].join(',');
  });
  return [`time,${Object.keys(columns).join(',')}`, ...rows].join('\n');
}

const LATENCY = table({
  'Provider p95': minute => (minute > 46 && minute < 75 ? 4.25 : 0.75),
  'Provider p50': minute => (minute > 46 && minute < 75 ? 2 : 0.5),
});

const QUEUE = table({ 'Queue length': minute => (minute > 50 ? 12_000 + minute * 100 : 300) });

const FLAGS = JSON.stringify([{ flag: 'new-provider', state: 'canary', changed_at: at(65) }]);

const DEPLOYS = JSON.stringify([
  { at: at(30), service: 'checkout', version: '2.4.1', environment: 'production', by: 'ci', link: 'https://deploys.example/1' },
  { at: at(80), service: 'checkout', version: '2.4.2', environment: 'production', by: 'ci' },
]);

/** From now on the incident has three values in two units, a second flag, and two deploys. */
export async function fillAxis(server: Server): Promise<void> {
  const unit = (unit: string): string => `&mapping=${encodeURIComponent(JSON.stringify({ unit }))}`;
  await server.bringIn('signals', `name=latency.csv${unit('s')}`, LATENCY);
  await server.bringIn('signals', `name=queue.csv${unit('jobs')}`, QUEUE);
  await server.bringIn('flags', 'name=flags.json', FLAGS);
  await server.bringIn('deploys', 'name=deploys.json', DEPLOYS);
  const { values } = await server.json<{ values: { gaps: number }[] }>('/api/v1/incidents/INC-1');
  expect(values.map(value => value.gaps), 'each value has its gap').toEqual([1, 1, 1]);
}

/** The id of the value with this title. */
export async function valueId(server: Server, title: string): Promise<string> {
  const { values } = await server.json<{ values: { id: string; title: string }[] }>('/api/v1/incidents/INC-1');
  return values.find(value => value.title === title)!.id;
}
