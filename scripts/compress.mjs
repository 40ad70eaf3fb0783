// Leaves a .br and a .gz beside each text and program of the built front end, so that no request has to compress anything.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const { BROTLI_PARAM_MODE, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_MODE_FONT, BROTLI_MODE_GENERIC, BROTLI_MODE_TEXT } =
  constants;
const folder = process.argv[2];

/** The smallest that brotli makes of it: which of its models fits a program cannot be told before. */
function brotli(content) {
  const packed = [BROTLI_MODE_GENERIC, BROTLI_MODE_TEXT, BROTLI_MODE_FONT].map(mode =>
    brotliCompressSync(content, {
      params: {
        [BROTLI_PARAM_MODE]: mode,
        [BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  );
  return packed.reduce((one, other) => (other.length < one.length ? other : one));
}

for (const name of readdirSync(folder, { recursive: true })) {
  if (!/\.(wasm|js|css|html|svg)$/.test(name)) continue;
  const path = join(folder, name);
  const content = readFileSync(path);
  writeFileSync(`${path}.br`, brotli(content));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
