// What the first load of the incident page takes over the wire.
import type { APIRequestContext, Page } from '@playwright/test';
import { drawnChart, openFacts } from './harness';

export interface File {
  path: string;
  kind: 'HTML' | 'CSS' | 'WebAssembly' | 'JS' | 'chart' | 'API' | 'other';
  /** Bytes of the body as sent, compressed. */
  bytes: number;
  cached: boolean;
}

function kindOf(path: string, type: string): File['kind'] {
  if (path.startsWith('/api/')) return 'API';
  if (path.startsWith('/vendor/')) return 'chart';
  if (type.includes('html')) return 'HTML';
  if (type.includes('css')) return 'CSS';
  if (type.includes('wasm')) return 'WebAssembly';
  if (type.includes('javascript')) return 'JS';
  return 'other';
}

/** The address of each part of the program that is loaded when it is needed, as the page's script names them. */
export async function partFiles(request: APIRequestContext): Promise<Record<string, string>> {
  const page = await (await request.get('/')).text();
  const script = await (await request.get(/"(\/debrief-app-[0-9a-f]+\.js)"/.exec(page)![1]!)).text();
  const files = [...script.matchAll(/debrief-app-(\w+)-[0-9a-f]{16}\.wasm/g)];
  return Object.fromEntries(files.map(([name, part]) => [part, `/${name}`]));
}

/** Loads the incident page to the drawn chart, and answers every file that it took. */
export async function firstLoad(page: Page): Promise<File[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const files = new Map<string, File>();
  const headers = new Map<string, number>();
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const url = new URL(response.url);
    if (!url.protocol.startsWith('http')) return;
    const cached = response.fromDiskCache === true || response.fromPrefetchCache === true;
    headers.set(requestId, response.encodedDataLength);
    files.set(requestId, { path: url.pathname, kind: kindOf(url.pathname, response.mimeType), bytes: 0, cached });
  });
  session.on('Network.requestServedFromCache', ({ requestId }) => {
    const file = files.get(requestId);
    if (file) file.cached = true;
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const file = files.get(requestId);
    if (file) file.bytes = Math.max(0, encodedDataLength - (headers.get(requestId) ?? 0));
  });
  await openFacts(page);
  await drawnChart(page);
  await page.waitForLoadState('networkidle');
  await session.detach();
  return [...files.values()];
}
