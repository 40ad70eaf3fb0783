// Orders the functions of a program so that it compresses well: alike ones beside each other are packed into less.
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { isLent, lentName } from './split.mjs';
import { leb, rewritten } from './wasm.mjs';

const { BROTLI_MODE_FONT, BROTLI_MODE_GENERIC } = constants;

/** How brotli may write distances: the bits that it leaves to the end, and how many it names directly. */
const DISTANCES = [[0, 0], [0, 12], [1, 16]];

/** The sizes of its blocks, as powers of two; 0 leaves them to it. */
const BLOCKS = [0, 16];

/** What brotli makes of something with its two models of text and programs. */
export function brotli(content, [postfix, direct] = DISTANCES[0], block = BLOCKS[0]) {
  const packed = [BROTLI_MODE_GENERIC, BROTLI_MODE_FONT].map(mode =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_MODE]: mode,
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        [constants.BROTLI_PARAM_NPOSTFIX]: postfix,
        [constants.BROTLI_PARAM_NDIRECT]: direct,
        [constants.BROTLI_PARAM_LGBLOCK]: block,
      },
    }),
  );
  return Promise.all(packed).then(packed => smallest(packed, size => size));
}

/** The smallest that it makes: what fits cannot be told before. */
export async function smallestBrotli(content) {
  const packed = BLOCKS.flatMap(block => DISTANCES.map(distances => brotli(content, distances, block)));
  return smallest(await Promise.all(packed), size => size);
}

function smallest(all, size) {
  return all.reduce((one, other) => (size(other).length < size(one).length ? other : one));
}

const instructions = text => text.replace(/\$\S+|[-0-9.]+/g, '');
const signature = text => instructions(text.slice(0, text.indexOf('\n')));

/** What functions are ordered by; null leaves them as they are. No one of them is best for every program. */
const ORDERS = [null, instructions, text => signature(text) + instructions(text)];

/**
 * Of files that hold the same program the one, with its functions in the order, that compresses best as `finished` makes it;
 * `run` runs a tool of binaryen.
 */
export async function ordered(files, { features, run, finished = program => program }) {
  const tried = (await Promise.all(files.map(file => orders(file, features, run)))).flat();
  const sized = tried.map(async program => ({ program, packed: await brotli(finished(program)) }));
  return smallest(await Promise.all(sized), each => each.packed).program;
}

/**
 * The program with its exports in the order of what they name, those for parts named in this order; and their new names by
 * the old ones. The list is the longest of the first file, and what rises evenly is packed into least.
 */
export function inOrder(program) {
  const names = new Map();
  const listed = body => {
    const entries = body.list(() => ({ name: body.text(), kind: body.byte(), index: body.number() }));
    entries.sort((one, other) => one.kind - other.kind || one.index - other.index);
    for (const { name } of entries.filter(({ name }) => isLent(name))) names.set(name, lentName(names.size));
    const written = ({ name, kind, index }) => {
      const text = Buffer.from(names.get(name) ?? name);
      return [leb(text.length), text, Buffer.from([kind]), leb(index)];
    };
    return Buffer.concat([leb(entries.length), ...entries.flatMap(written)]);
  };
  return { program: rewritten(program, ({ id, body, content }) => (id === 7 ? listed(body) : content)), names };
}

/** The program in a file in each order. */
async function orders(file, features, run) {
  const text = `${file}.wat`;
  await run('wasm-dis', file, ...features, '-o', text);
  const items = readFileSync(text, 'latin1').trimEnd().replace(/\n\)$/, '').split(/\n(?= \()/);
  const isFunction = item => item.startsWith(' (func ');
  const [functions, others] = [items.filter(isFunction), items.filter(item => !isFunction(item))];
  return Promise.all(ORDERS.map(async (by, number) => {
    if (!by) return readFileSync(file);
    const keyed = functions.map(item => [by(item), item]).sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
    const [from, to] = [`${file}.${number}.wat`, `${file}.${number}.wasm`];
    writeFileSync(from, [...others, ...keyed.map(([, item]) => item), ')\n'].join('\n'), 'latin1');
    await run('wasm-as', from, ...features, '-o', to);
    return readFileSync(to);
  }));
}
