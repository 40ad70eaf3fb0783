// How files are served: compressed once at build time, cached as long as their names allow.
import { expect, test } from './harness';
import { firstLoad, partFiles } from './weight';

const TYPES: Record<string, string> = {
  wasm: 'application/wasm',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
};

test('every file of the first load and every part loaded later is served compressed, typed and cacheable', async ({ page, request }) => {
  const later = Object.values(await partFiles(request)).map(path => ({ path }));
  for (const file of [...(await firstLoad(page)), ...later]) {
    const extension = file.path.includes('.') ? file.path.split('.').pop()! : 'html';
    if (file.path.startsWith('/api/')) continue;
    const plain = await request.get(file.path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers()['content-type'], file.path).toBe(TYPES[extension]);
    expect(plain.headers()['content-encoding'], file.path).toBeUndefined();
    const hashed = /[-_.][0-9a-f]{8,}/.test(file.path);
    const lasting = hashed ? 'public, max-age=31536000, immutable' : 'no-cache';
    const tags = new Set([plain.headers()['etag']]);
    for (const coding of ['br', 'gzip']) {
      const response = await request.get(file.path, { headers: { 'accept-encoding': coding } });
      const headers = response.headers();
      expect(headers['content-encoding'], `${file.path} in ${coding}`).toBe(coding);
      expect(headers['content-type'], file.path).toBe(TYPES[extension]);
      expect(headers['cache-control'], file.path).toBe(lasting);
      expect(headers['vary']?.toLowerCase(), file.path).toContain('accept-encoding');
      expect(await response.body(), `${file.path}: ${coding} holds the same bytes`).toEqual(await plain.body());
      tags.add(headers['etag']);
      const again = await request.get(file.path, {
        headers: { 'accept-encoding': coding, 'if-none-match': headers['etag'] ?? '' },
      });
      expect(again.status(), `${file.path} has not changed`).toBe(304);
    }
    expect(tags.size, `each coding of ${file.path} has a tag of its own`).toBe(3);
  }
});

test('all but the page itself has a name with a hash, so that a second visit loads only what changed', async ({ page }) => {
  const files = await firstLoad(page);
  const unhashed = files.map(file => file.path).filter(path => !path.startsWith('/api/') && !/[-_.][0-9a-f]{8,}/.test(path));
  expect(unhashed.filter(path => path !== '/favicon.svg')).toEqual(['/incidents/INC-1']);
  const again = await firstLoad(page);
  const transferred = again.filter(file => file.bytes > 0 && !file.cached).map(file => file.path);
  expect(transferred.filter(path => !path.startsWith('/api/') && path !== '/incidents/INC-1' && path !== '/favicon.svg')).toEqual([]);
});

test('an unknown API path is a JSON 404, a missing file a 404, a page’s address the app', async ({ request }) => {
  const api = await request.get('/api/v1/nothing');
  expect([api.status(), api.headers()['content-type']]).toEqual([404, 'application/problem+json']);
  expect(((await api.json()) as { status: number }).status).toBe(404);
  expect((await request.get('/no-such-file.js')).status()).toBe(404);
  const page = await request.get('/incidents/anything');
  expect([page.status(), page.headers()['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
});
