// Leaves a .br and a .gz beside each text and program of the built front end, so that no request has to compress anything.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { smallestBrotli } from './order.mjs';

const folder = process.argv[2];
for (const name of readdirSync(folder, { recursive: true })) {
  if (!/\.(wasm|js|css|html|svg)$/.test(name)) continue;
  const path = join(folder, name);
  const content = readFileSync(path);
  writeFileSync(`${path}.br`, await smallestBrotli(content));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
