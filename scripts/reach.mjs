// Which function leads to which, and to which data, in a program as the linker left it (with --emit-relocs).
//
// An address in the code or in the data is a plain number; only the linker's own list says what each one is the
// address of. With it, what can be reached from somewhere is known exactly, through tables of functions too.
import { sections } from './wasm.mjs';

const FUNCTION = 0;
const DATA = 1;
const UNDEFINED = 0x10;
const EXPLICIT_NAME = 0x40;
const ABSOLUTE = 0x200;
const TYPE_INDEX = 6;
/** The kinds of entries that hold a distance besides the symbol. */
const WITH_ADDEND = new Set([3, 4, 5, 8, 9, 11, 14, 15, 16, 17, 21, 22, 23, 25]);

/**
 * The graph: `leads` says, for a function's name, the names of the functions and the keys of the data that it leads to;
 * for the key of a piece of data the same. `data` says where each piece lies, by its address.
 */
export function graph(program) {
  const symbols = [];
  const bodies = [];
  const segments = [];
  const entries = [];
  const names = [];
  let place = -1;
  let imported = 0;
  const places = {};
  for (const { id, name, start, body } of sections(program)) {
    place++;
    if (id === 2) imported = functionImports(body);
    if (id === 10) {
      places.code = { place, start };
      body.list(() => {
        const size = body.number();
        bodies.push({ from: body.at - start, until: body.at - start + size });
        body.at += size;
      });
    }
    if (id === 11) {
      places.data = { place, start };
      body.list(() => segments.push(segment(body, start)));
    }
    if (name === 'name') readNames(body, names);
    if (name === 'linking') readSymbols(body, symbols);
    if (name?.startsWith('reloc.')) readEntries(body, entries);
  }
  if (symbols.length === 0 || entries.length === 0) throw new Error('the program was linked without --emit-relocs');
  return connect({ symbols, bodies, segments, entries, names, imported, places });
}

function functionImports(body) {
  return body.list(() => {
    body.text();
    body.text();
    return body.import();
  }).filter(kind => kind === FUNCTION).length;
}

function segment(body, start) {
  if (body.number() !== 0 || body.byte() !== 0x41) throw new Error('a data segment that is not put where a constant says');
  const address = body.signed();
  if (body.byte() !== 0x0b) throw new Error('a data segment whose place is computed');
  const size = body.number();
  body.at += size;
  return { address, from: body.at - size - start, until: body.at - start };
}

function readNames(body, names) {
  while (!body.done) {
    const kind = body.byte();
    const end = body.number() + body.at;
    if (kind === 1) {
      body.list(() => {
        const index = body.number();
        names[index] = body.text();
      });
    }
    body.at = end;
  }
}

function readSymbols(body, symbols) {
  if (body.number() !== 2) throw new Error('another version of the linking section');
  while (!body.done) {
    const kind = body.byte();
    const end = body.number() + body.at;
    if (kind === 8) body.list(() => symbols.push(symbol(body)));
    body.at = end;
  }
}

function symbol(body) {
  const kind = body.byte();
  const flags = body.number();
  if (kind === DATA) {
    body.text();
    if (flags & UNDEFINED) return { kind };
    const [segment, offset, size] = [body.number(), body.number(), body.number()];
    return flags & ABSOLUTE ? { kind } : { kind, segment, offset, size };
  }
  const index = body.number();
  if (kind !== 3 && (!(flags & UNDEFINED) || flags & EXPLICIT_NAME)) body.text();
  return { kind, index };
}

function readEntries(body, entries) {
  const section = body.number();
  body.list(() => {
    const kind = body.byte();
    const entry = { section, kind, offset: body.number(), symbol: body.number() };
    if (WITH_ADDEND.has(kind)) body.signed();
    if (kind !== TYPE_INDEX) entries.push(entry);
  });
}

function connect({ symbols, bodies, segments, entries, names, imported, places }) {
  const leads = new Map();
  const data = new Map();
  const lead = (from, to) => leads.get(from)?.add(to) ?? leads.set(from, new Set([to]));
  const keyOf = symbol => {
    if (symbol?.kind === FUNCTION) return names[symbol.index];
    if (symbol?.kind !== DATA || symbol.size === undefined) return undefined;
    const from = segments[symbol.segment].address + symbol.offset;
    const key = `data ${from} ${symbol.size}`;
    if (!data.has(key)) data.set(key, { from, until: from + symbol.size });
    return key;
  };
  const keys = symbols.map(keyOf);
  const pieces = [...data].map(([key, piece]) => ({ key, ...piece })).sort((a, b) => a.from - b.from);
  let furthest = 0;
  for (const piece of pieces) piece.furthest = furthest = Math.max(furthest, piece.until);
  /** Every piece of data that an address lies in. */
  const around = address => {
    const found = [];
    for (let i = lastBelow(pieces, address); i >= 0 && pieces[i].furthest > address; i--) {
      if (pieces[i].until > address) found.push(pieces[i].key);
    }
    return found;
  };
  for (const { section, offset, symbol } of entries) {
    const to = keys[symbol];
    if (to === undefined) continue;
    if (section === places.code.place) {
      lead(names[imported + lastBelow(bodies, offset)], to);
    } else if (section === places.data.place) {
      const { address, from } = segments[lastBelow(segments, offset)];
      const holders = around(address + offset - from);
      // What lies in no piece is there for whoever asks.
      for (const holder of holders.length > 0 ? holders : [ANYBODY]) lead(holder, to);
    }
  }
  return { leads, data, functions: new Set(names.filter(Boolean)) };
}

/** What everybody leads to. */
export const ANYBODY = 'anybody';

/** The last of some things, ordered by where they begin, that begins at or below a place. */
function lastBelow(things, place) {
  let [low, high] = [0, things.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (things[middle].from <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Everything that some things lead to, themselves included, without going on from where `ends` says so. */
export function reached(leads, from, ends = () => false) {
  const found = new Set(from);
  const next = [...found];
  while (next.length > 0) {
    for (const to of leads.get(next.pop()) ?? []) {
      if (!found.has(to) && !ends(to)) {
        found.add(to);
        next.push(to);
      }
    }
  }
  return found;
}
