// Takes out of the built program what nothing uses, and shortens the names between WebAssembly and JavaScript.
//
// A library of leptos' exports classes for streams whether or not anybody streams, and an exported thing is never taken
// out as unused. Every import's name carries a hash, which no compression makes smaller, in both files.
// Where the output of wasm-bindgen changes its form, what is not recognised stays: heavier, and as right as before.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = process.argv[2];
const tool = name => resolve(import.meta.dirname, '../node_modules/.bin', name);
const names = readdirSync(folder);
const only = pattern => {
  const found = names.filter(name => pattern.test(name));
  if (found.length !== 1) throw new Error(`one file like ${pattern} expected in ${folder}, found ${found.length}: ${found}`);
  return join(folder, found[0]);
};
const scriptFile = only(/^debrief-app-[0-9a-f]+\.js$/);
const programFile = only(/^debrief-app-[0-9a-f]+_bg\.wasm$/);

/** Calls `visit` for every section of a WebAssembly file, and answers the file with the sections that it answers. */
function rewrite(bytes, visit) {
  const parts = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    const id = bytes[at];
    const [size, start] = number(bytes, at + 1);
    const body = visit(id, bytes.subarray(start, start + size));
    parts.push(Buffer.from([id]), leb(body.length), body);
    at = start + size;
  }
  return Buffer.concat(parts);
}

/** A number as WebAssembly writes it (LEB128), and where it ends. */
function number(bytes, at) {
  for (let value = 0, shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
}

function leb(value) {
  const bytes = [];
  do {
    bytes.push((value & 127) | (value > 127 ? 128 : 0));
    value >>>= 7;
  } while (value > 0);
  return Buffer.from(bytes);
}

const text = (bytes, at) => {
  const [length, start] = number(bytes, at);
  return [bytes.toString('utf8', start, start + length), start + length];
};

/** The imports of functions with the places of their names; other kinds of import are not looked at. */
function functionImports(body) {
  const found = [];
  let [count, at] = number(body, 0);
  for (; count > 0; count--) {
    at = text(body, at)[1];
    const start = at;
    const [name, end] = text(body, at);
    const kind = body[end];
    if (kind !== 0) throw new Error(`an import of kind ${kind} (${name}): wasm-bindgen's output has changed`);
    at = number(body, end + 1)[1];
    found.push({ name, start, end });
  }
  return found;
}

let script = readFileSync(scriptFile, 'utf8');

// 1. The classes for streams, and with them the only mention of their exports.
script = script
  .replace(/^export class (IntoUnderlying\w+) \{\n[\s\S]*?^\}\n/gm, '')
  .replace(/^if \(Symbol\.dispose\) IntoUnderlying\w+\.prototype.*\n/gm, '')
  .replace(/^const IntoUnderlying\w+Finalization = [\s\S]*?;\n/gm, '');

// 2. What the script does not mention is no way into the program.
const exported = [];
rewrite(readFileSync(programFile), (id, body) => {
  if (id === 7) {
    let [count, at] = number(body, 0);
    for (; count > 0; count--) {
      const [name, end] = text(body, at);
      exported.push(name);
      at = number(body, end + 1)[1];
    }
  }
  return body;
});
const used = exported.filter(name => new RegExp(`\\bwasm\\.${name.replaceAll('$', '\\$')}\\b`).test(script));
const graph = join(folder, 'reached.json');
writeFileSync(
  graph,
  JSON.stringify([
    { name: 'script', root: true, reaches: used },
    ...used.map(name => ({ name, export: name })),
  ]),
);
execFileSync(tool('wasm-metadce'), [programFile, '--graph-file', graph, '-o', programFile], { stdio: ['ignore', 'ignore', 'inherit'] });
rmSync(graph);
execFileSync(tool('wasm-opt'), ['-Oz', programFile, '-o', programFile], { stdio: 'inherit' });

// 3. Short names for what the program asks of the script; what it no longer asks for goes.
const asked = new Map();
const program = rewrite(readFileSync(programFile), (id, body) => {
  if (id !== 2) return body;
  const parts = [];
  let done = 0;
  for (const { name, start, end } of functionImports(body)) {
    if (!asked.has(name)) asked.set(name, asked.size.toString(36));
    const short = Buffer.from(asked.get(name));
    parts.push(body.subarray(done, start), leb(short.length), short);
    done = end;
  }
  return Buffer.concat([...parts, body.subarray(done)]);
});
script = script.replace(/(?<=const import0 = \{\n)[\s\S]*?(?=^ {4}\};)/m, object =>
  object
    .split(/^ {8}(?=\w+: )/m)
    .map(entry => {
      const name = /^\w+(?=: )/.exec(entry)?.[0];
      if (name === undefined || name === '__proto__') return entry;
      return asked.has(name) ? `'${asked.get(name)}'${entry.slice(name.length)}` : '';
    })
    .join(''),
);
for (const [name, short] of asked) {
  if (!script.includes(`'${short}': `)) throw new Error(`the script does not define ${name}: wasm-bindgen's output has changed`);
}
writeFileSync(programFile, program);
writeFileSync(scriptFile, script);
execFileSync(tool('esbuild'), [scriptFile, '--minify', '--format=esm', '--target=es2022', '--log-level=warning', '--allow-overwrite', `--outfile=${scriptFile}`], { stdio: 'inherit' });
