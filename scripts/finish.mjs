// Finishes what Trunk built: splits the program, takes out what nothing uses, shortens the names between WebAssembly and
// JavaScript, and names every file by its content.
//
// A library of leptos' exports classes for streams whether or not anybody streams, and an exported thing is never taken
// out as unused. Every import's name carries a hash, which no compression makes smaller, in both files.
// Where the output of wasm-bindgen changes its form, what is not recognised stays: heavier, and as right as before.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inOrder, ordered } from './order.mjs';
import { graph } from './reach.mjs';
import { split } from './split.mjs';
import { leb, rewritten } from './wasm.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const folder = process.argv[2];
const linked = join(process.env.CARGO_TARGET_DIR ?? 'target', 'wasm32-unknown-unknown/wasm-release/debrief-app.wasm');
const work = mkdtempSync(join(tmpdir(), 'debrief-finish-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

const run = async (name, ...given) => {
  const { stderr } = await promisify(execFile)(resolve(HERE, '../node_modules/.bin', name), given);
  process.stderr.write(stderr);
};
const only = pattern => {
  const found = readdirSync(folder).filter(name => pattern.test(name));
  if (found.length !== 1) throw new Error(`one file like ${pattern} expected in ${folder}, found ${found.length}: ${found}`);
  return found[0];
};
const scriptName = only(/^debrief-app-[0-9a-f]+\.js$/);
const programName = only(/^debrief-app-[0-9a-f]+_bg\.wasm$/);
let script = readFileSync(join(folder, scriptName), 'utf8');

// 1. The classes for streams, and with them the only mention of their exports.
script = script
  .replace(/^export class (IntoUnderlying\w+) \{\n[\s\S]*?^\}\n/gm, '')
  .replace(/^if \(Symbol\.dispose\) IntoUnderlying\w+\.prototype.*\n/gm, '')
  .replace(/^const IntoUnderlying\w+Finalization = [\s\S]*?;\n/gm, '');

// 2. The parts.
const bare = join(work, 'bare.wasm');
const text = join(work, 'program.wat');
// What the linker left for us would have the tools warn.
writeFileSync(bare, rewritten(readFileSync(join(folder, programName)), ({ name }) => name !== 'linking' && !name?.startsWith('reloc.')));
await run('wasm-dis', bare, '-o', text);
const program = readFileSync(text, 'latin1');
const features = / ;; features section: (.*)/.exec(program)[1].split(', ').map(name => `--enable-${name}`);
const { first, parts, needs: wanted, asked, ways } = split(program, graph(readFileSync(linked)));
for (const way of declared()) {
  if (!ways.includes(way)) throw new Error(`src/part: ${way} is no function of the program; is it #[inline(never)], and called?`);
}

/** The ways in that src/part declares. */
function declared() {
  const sources = resolve(HERE, '../src/part');
  return readdirSync(sources).filter(file => file !== 'mod.rs').flatMap(file => {
    const functions = readFileSync(join(sources, file), 'utf8').matchAll(/^pub fn (\w+)/gm);
    return [...functions].map(([, name]) => `${file.replace('.rs', '')}::${name}`);
  });
}

// 3. What neither the script nor a part mentions is no way into the first file.
const texts = { first: join(work, 'first.wat') };
const used = exports(first).filter(name => asked.has(name) || new RegExp(`\\bwasm\\.${name.replaceAll('$', '\\$')}\\b`).test(script));
writeFileSync(texts.first, first, 'latin1');
const reached = join(work, 'reached.json');
writeFileSync(reached, JSON.stringify([{ name: 'outside', root: true, reaches: used }, ...used.map(name => ({ name, export: name }))]));
await run('wasm-metadce', texts.first, ...features, '--graph-file', reached, '-S', '-o', texts.first);
for (const [name, content] of parts) writeFileSync((texts[name] = join(work, `${name}.wat`)), content, 'latin1');
/** What an incident's page waits for. */
const WAITED_FOR = new Set(['first', 'charting']);

// Loops and branches drawn anew, and then optimised twice, take 1% less than once.
const OPTIMISED = ['--flatten', '--rereloop', '-Oz', '-Oz'];
const optimised = Object.entries(texts).map(async ([name, from]) => {
  const [once, again] = ['', '-again'].map(time => join(work, `${name}${time}.wasm`));
  await run('wasm-opt', from, ...features, ...OPTIMISED, '-o', once);
  // In the small ones it makes no difference.
  if (!WAITED_FOR.has(name)) return [name, readFileSync(once)];
  // What is smaller then is not always packed into less.
  await run('wasm-opt', once, ...features, ...OPTIMISED, '-o', again);
  return [name, await ordered([once, again], { features, run, finished: program => inOrder(program).program })];
});
const programs = new Map(await Promise.all(optimised));

function exports(text) {
  return [...text.matchAll(/^ \(export "([^"]*)"/gm)].map(found => found[1]);
}

// 4. What a file has for parts in the order of its functions, and named in this order.
const lent = new Map();
for (const [name, program] of programs) {
  const told = inOrder(program);
  programs.set(name, told.program);
  lent.set(name, told.names);
}

// 5. Short names for what the programs ask of the script; what none of them asks for goes. What they ask of each other is
// named as it now is.
const short = new Map();
for (const [name, program] of programs) {
  programs.set(name, rewritten(program, ({ id, body, content }) => (id === 2 ? renamed(body, content) : content)));
}
script = script.replace(/(?<=const import0 = \{\n)[\s\S]*?(?=^ {4}\};)/m, object =>
  object
    .split(/^ {8}(?=\w+: )/m)
    .map(entry => {
      const name = /^\w+(?=: )/.exec(entry)?.[0];
      if (name === undefined || name === '__proto__') return entry;
      return short.has(name) ? `'${short.get(name)}'${entry.slice(name.length)}` : '';
    })
    .join(''),
);
for (const [name, brief] of short) {
  if (!script.includes(`'${brief}': `)) throw new Error(`the script does not define ${name}: wasm-bindgen's output has changed`);
}

/** A section of imports under these names. */
function renamed(body, content) {
  const begin = body.at;
  const found = [];
  let done = begin;
  body.list(() => {
    const module = body.text();
    const from = body.at;
    const name = body.text();
    if (module.startsWith('./') && !short.has(name)) short.set(name, short.size.toString(36));
    const now = module.startsWith('./') ? short.get(name) : lent.get(module)?.get(name);
    if (now !== undefined) {
      const brief = Buffer.from(now);
      found.push(body.bytes.subarray(done, from), leb(brief.length), brief);
      done = body.at;
    }
    body.import();
  });
  return Buffer.concat([...found, content.subarray(content.length - (body.end - done))]);
}

// 6. Under these names another order may be packed into less.
for (const name of WAITED_FOR) {
  const file = join(work, `${name}-named.wasm`);
  writeFileSync(file, programs.get(name));
  programs.set(name, await ordered([file], { features, run }));
}

// 7. Every file under a name that holds a hash of its content, so that it may be kept for ever.
const hashed = content => createHash('sha256').update(content).digest('hex').slice(0, 16);
const files = {};
for (const [name, program] of programs) {
  if (name === 'first') continue;
  files[name] = `debrief-app-${name}-${hashed(program)}.wasm`;
  writeFileSync(join(folder, files[name]), program);
}
// What a part calls, and whose data it reads without calling it.
const lenders = text => [...text.matchAll(/\(import "(\w+)" /g)].map(([, from]) => from);
const needed = (name, text) => [...new Set([...lenders(text), ...(wanted.get(name) ?? [])])].filter(from => from in files);
const needs = Object.fromEntries([...parts].map(([name, text]) => [name, needed(name, text)]));
script += `const PARTS = ${JSON.stringify(files)};\nconst NEEDS = ${JSON.stringify(needs)};\n${readFileSync(resolve(HERE, 'parts.js'), 'utf8')}`;
script = await minified(script);
const names = [
  [programName, `debrief-app-${hashed(programs.get('first'))}_bg.wasm`, programs.get('first')],
  [scriptName, `debrief-app-${hashed(script)}.js`, script],
];
let page = readFileSync(join(folder, 'index.html'), 'utf8');
for (const [before, after, content] of names) {
  rmSync(join(folder, before));
  writeFileSync(join(folder, after), content);
  page = page.replaceAll(before, after);
}
// The scripts in the page itself, without what Trunk's leaves for others: nobody here asks for it. The module goes to the
// end, where the body is there, and begins as soon as its script is: in the head it waits for the style.
for (const [whole, begin, text] of page.matchAll(/(<script(?: type="module")?>)([\s\S]*?)<\/script>/g)) {
  const needed = text
    .replace('import init, * as bindings', 'import init')
    .replace('const wasm = await init', 'await init')
    .replace(/^(window\.wasmBindings|dispatchEvent\b).*$/gm, '');
  const script = [begin.replace('module"', 'module" async'), (await minified(needed)).trim(), '</script>'].join('');
  page = begin === '<script>' ? page.replace(whole, () => script) : page.replace(whole, '').replace('</body>', () => `${script}\n  </body>`);
}
writeFileSync(join(folder, 'index.html'), page);

/** The same script, without what only people read. */
async function minified(script) {
  const path = join(work, 'script.js');
  writeFileSync(path, script);
  await run('esbuild', path, '--minify', '--format=esm', '--target=es2022', '--log-level=warning', '--allow-overwrite', `--outfile=${path}`);
  return readFileSync(path, 'utf8');
}
