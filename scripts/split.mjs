// Splits the program: what can only be reached through the ways into a part (src/part) becomes a file of its own.
//
// A way in is a function of `debrief_app::part::<part>`. What leads nowhere but through one is known exactly
// (scripts/reach.mjs), so nothing of a part can be called but through its ways in, and those take what only loading the
// part gives. What several parts share, and the first file does not need, is a part as well.
//
// It works on WebAssembly's text, in which functions are called by name.
import { ANYBODY, reached } from './reach.mjs';

/** The part of what several parts share; loaded before any of them. */
export const SHARED = 'shared';

/** Whose it is what the first file holds. */
const FIRST = 'first';

/**
 * The parts of the page that most readers open, which are loaded whatever they do. What these share with others is in the
 * first file, so that they bring nothing of what several other parts share.
 */
const AT_ONCE = new Set(['charting', 'exploring']);

/**
 * The parts that are used only where another is: they take from it what they share with it, and it has what several of them
 * share. The values of a Prometheus server are shown as those of a file are.
 */
const BUILT_ON = new Map([
  ['exploring', 'charting'],
  ['attaching', 'importing'],
  ['import_events', 'importing'],
  ['import_lists', 'importing'],
  ['import_values', 'importing'],
  ['import_prometheus', 'import_values'],
]);

/** A part, what it is built on, and so on. */
const stack = part => (BUILT_ON.has(part) ? [part, ...stack(BUILT_ON.get(part))] : [part]);

/** Whose it is what two parts share. */
function common(one, other) {
  const found = stack(one).find(part => stack(other).includes(part));
  return found ?? (AT_ONCE.has(one) || AT_ONCE.has(other) ? FIRST : SHARED);
}

/** What stands in the table where a function of a part will be. */
const HOLE = '$hole';

const WAY_IN = /^_RNvNtNtCs[0-9A-Za-z]+_11debrief_app4part(\d+)(.+)/;

/** The part that a function is a way into, and its own name. */
function wayIn(symbol) {
  const [, length, rest] = WAY_IN.exec(symbol) ?? [];
  if (!rest) return undefined;
  const [part, name] = [rest.slice(0, Number(length)), /^\d+_?(\w+)$/.exec(rest.slice(Number(length)))?.[1]];
  return { part, name };
}

const isWayIn = symbol => WAY_IN.test(symbol);

/** The names that a pattern finds in a text, each once. */
const named = (text, pattern) => new Set([...text.matchAll(pattern)].map(found => found[1]));

/** A pattern in which NAME stands for a name. */
const pattern = (source, flags) => new RegExp(source.replaceAll('NAME', String.raw`\$("(?:[^"\\]|\\.)*"|[^\s()"]+)`), flags);
const FUNCTIONS = pattern('\\((?:return_call|call|ref\\.func) NAME', 'g');
const GLOBALS = pattern('\\(global\\.[gs]et NAME', 'g');
const TABLES = pattern('\\(table\\.\\w+ NAME', 'g');
const ROOTS = pattern('\\((?:func|start) NAME', 'g');
const IMPORTED = pattern('\\((?:func|global|table|memory|tag) NAME');
const DEFINED = pattern('^ \\(\\w+ NAME');
const EXPORTED = pattern('\\(export "([^"]*)" \\((\\w+) NAME\\)');
const MEMORY = pattern('\\(memory NAME ([^()]*)\\)');
const TABLE_SIZE = pattern('(NAME) \\d+(?: \\d+)?');
const TABLE_TYPE = pattern('^ \\(table NAME( .*)\\)$', 's');
const GLOBAL_TYPE = pattern('^ \\(global NAME (\\(mut \\w+\\)|\\w+)');
const PARAMETER = pattern('\\(param NAME (\\w+)\\)', 'g');
const LIST = pattern('^( \\(elem NAME(?: \\(table NAME\\))? \\(i32\\.const (\\d+)\\) func )(.*)\\)$', 's');
const ENTRY = pattern('NAME', 'g');
const SEGMENT = pattern('^( \\(data NAME \\(i32\\.const (\\d+)\\) )"(.*)"\\)$', 's');
const nameOf = form => DEFINED.exec(form)?.[1];

/** A program's text, form by form, by what they are. */
function read(text) {
  const program = { functions: new Map(), imports: new Map(), globals: new Map(), tables: new Map(), elements: [], data: [], exports: [], types: [], rest: [] };
  const [, ...forms] = text.replace(/\n ;;.*/g, '').replace(/\n\)\s*$/, '').split(/\n(?= \()/);
  for (const form of forms) {
    switch (/^ \((\w+)/.exec(form)[1]) {
      case 'func': program.functions.set(nameOf(form), form); break;
      case 'import': program.imports.set(IMPORTED.exec(form)[1], form); break;
      case 'global': program.globals.set(nameOf(form), form); break;
      case 'table': program.tables.set(nameOf(form), form); break;
      case 'elem': program.elements.push(form); break;
      case 'data': program.data.push(form); break;
      case 'export': program.exports.push(form); break;
      case 'type': case 'rec': program.types.push(form); break;
      default: program.rest.push(form);
    }
  }
  return program;
}

/**
 * Where each function that is not in the first file belongs, and each piece of data; and which parts each part leads into,
 * beside those that it calls.
 */
function owners(program, { leads, functions }) {
  const ways = new Map();
  for (const name of program.functions.keys()) {
    const part = wayIn(name)?.part;
    if (part) ways.set(name, part);
  }
  if (ways.size === 0) throw new Error('the program has no function of debrief_app::part');
  const isWay = name => ways.has(name);
  const first = [ANYBODY, ...named(program.exports.concat(program.rest).join('\n'), ROOTS)];
  for (const [name, form] of program.functions) {
    // What wasm-bindgen made is not in the graph, and stays.
    if (!functions.has(name)) first.push(name, ...named(form, FUNCTIONS));
  }
  const early = reached(leads, first.filter(name => !isWay(name)), isWay);
  const owner = new Map();
  // Those that are loaded at once go first: what another reaches of theirs is everybody's.
  const rank = part => (AT_ONCE.has(part) ? 0 : 1);
  const parts = [...new Set(ways.values())].sort((one, other) => rank(one) - rank(other));
  const within = new Map();
  for (const part of parts) {
    const from = [...ways].filter(([, into]) => into === part).map(([name]) => name);
    within.set(part, [...reached(leads, from, name => isWay(name) && ways.get(name) !== part)]);
    for (const name of within.get(part)) {
      if (early.has(name)) continue;
      const whose = owner.has(name) ? common(owner.get(name), part) : part;
      if (whose === FIRST) {
        owner.delete(name);
        early.add(name);
      } else owner.set(name, whose);
    }
  }
  const needs = new Map(parts.map(part => [part, new Set(within.get(part).map(name => owner.get(name) ?? part))]));
  for (const [part, others] of needs) others.delete(part);
  return { ways, owner, needs };
}

/**
 * Splits a program's text along the graph that the linker left. Answers the text of the first file; for each part its text;
 * which parts each needs; the names of the exports that the parts ask the first file for; and the ways in, as
 * `part::function`.
 */
export function split(text, graph) {
  const program = read(text);
  const { ways, owner, needs } = owners(program, graph);
  const parts = new Map();
  for (const part of [...new Set(ways.values())].sort().concat(SHARED)) {
    parts.set(part, { functions: new Map(), slots: new Map(), data: [] });
  }

  // A way in is called through a place in the table, which is empty until the part is here.
  const table = [...program.tables.keys()].find(name => /funcref/.test(program.tables.get(name)));
  const size = Number(/ (\d+) /.exec(program.tables.get(table))[1]);
  program.tables.set(table, program.tables.get(table).replace(TABLE_SIZE, `$1 ${size + ways.size} ${size + ways.size}`));
  const functions = new Map();
  for (const [name, form] of program.functions) {
    if (owner.has(name)) parts.get(owner.get(name)).functions.set(name, form);
    else functions.set(name, form);
  }
  [...ways.keys()].forEach((name, i) => {
    functions.set(name, leadingIn(program.functions.get(name), table, size + i));
    parts.get(owner.get(name)).slots.set(size + i, name);
  });
  const elements = program.elements.map(form => holed(form, owner, parts));
  if (elements.some(form => form.includes(HOLE))) functions.set('hole', ` (func ${HOLE}\n  (unreachable)\n )`);
  const data = divided(program.data, graph.data, owner, parts);

  const asked = new Exports(program.exports);
  const lent = new Map([SHARED, ...BUILT_ON.values()].map(part => [part, new Exports([])]));
  const texts = new Map();
  // Those that lend come after those that they lend to: by then it is known what the others ask of them.
  const turn = part => (part === SHARED ? 1 : lent.has(part) ? -stack(part).length : -Infinity);
  const order = [...parts.keys()].sort((one, other) => (turn(one) === turn(other) ? 0 : turn(one) - turn(other)));
  for (const part of order) {
    const content = parts.get(part);
    const forms = [...formsOf({ part, content, program, table, owner, asked, lent }), ...(lent.get(part)?.forms ?? [])];
    if (part !== SHARED || content.functions.size > 0 || content.data.length > 0) texts.set(part, moduleText(forms));
  }
  const first = moduleText([
    ...program.types,
    ...program.imports.values(),
    ...program.globals.values(),
    ...program.rest,
    ...data,
    ...program.tables.values(),
    ...elements,
    ...program.exports,
    ...asked.forms,
    ...functions.values(),
  ]);
  return { first, parts: texts, needs, asked: asked.names, ways: [...ways.keys()].map(each => `${wayIn(each).part}::${wayIn(each).name}`) };
}

const moduleText = forms => `(module\n${forms.join('\n')}\n)\n`;

/** The text of a part, form by form. */
function formsOf({ part, content, program, table, owner, asked, lent }) {
  const code = [...content.functions.values()].join('\n');
  const imports = [];
  const take = (kind, name, type) => {
    // A way into another part is called through the first file.
    const lender = kind === 'func' && !isWayIn(name) && owner.get(name) !== part ? owner.get(name) : undefined;
    const exports = lender === undefined ? asked : lent.get(lender);
    imports.push(` (import "${lender ?? 'first'}" "${exports.name(kind, name)}" (${kind} $${name}${type}))`);
  };
  const [, memory, limits] = MEMORY.exec(program.rest.join('\n'));
  take('memory', memory, ` ${limits}`);
  for (const [name, form] of program.tables) {
    if (name === table || named(code, TABLES).has(name)) take('table', name, TABLE_TYPE.exec(form)[2]);
  }
  for (const name of named(code, GLOBALS)) take('global', name, ` ${GLOBAL_TYPE.exec(program.globals.get(name))[2]}`);
  for (const name of named(code, FUNCTIONS)) {
    if (content.functions.has(name)) continue;
    if (program.imports.has(name)) imports.push(program.imports.get(name));
    else take('func', name, signature(program.functions.get(name)));
  }
  const elements = runs(content.slots).map(([slot, names]) => ` (elem (table $${table}) (i32.const ${slot}) func ${names.map(name => `$${name}`).join(' ')})`);
  const data = content.data.map(([address, bytes]) => ` (data (i32.const ${address}) "${escaped(bytes)}")`);
  return [...program.types, ...imports, ...data, ...elements, ...content.functions.values()];
}

/** The name of the export of this number, of those that a file has for parts. wasm-bindgen's own names hold no colon. */
export const lentName = number => `:${number.toString(36)}`;

/** Whether a name is one of these. */
export const isLent = name => name.startsWith(':');

/** What parts ask a file for, each under a short name; what it exports already keeps its name. */
class Exports {
  /** The exports to be added. */
  forms = [];
  /** All that was asked for. */
  names = new Set();
  #known = new Map();

  constructor(exports) {
    for (const form of exports) {
      const [, name, kind, of] = EXPORTED.exec(form);
      this.#known.set(`${kind} ${of}`, name);
    }
  }

  name(kind, of) {
    const key = `${kind} ${of}`;
    if (!this.#known.has(key)) {
      const name = lentName(this.forms.length);
      this.#known.set(key, name);
      this.forms.push(` (export "${name}" (${kind} $${of}))`);
    }
    this.names.add(this.#known.get(key));
    return this.#known.get(key);
  }
}

/** In place of a way in: what calls the function at a place of the table with the same arguments. */
function leadingIn(form, table, slot) {
  const [head] = form.split('\n');
  const given = [...named(head, PARAMETER)].map(name => ` (local.get $${name})`).join('');
  return `${head}\n  (call_indirect $${table}${signature(form)}${given} (i32.const ${slot}))\n )`;
}

/** What a function takes and gives. */
function signature(form) {
  const [head] = form.split('\n');
  const takes = [...head.matchAll(PARAMETER)].map(([, , type]) => ` (param ${type})`).join('');
  return `${takes}${/ \(result [^()]*\)/.exec(head)?.[0] ?? ''}`;
}

/** A list of the table's functions without those of parts, which go to their part. */
function holed(form, owner, parts) {
  const [, head, , , at, list] = LIST.exec(form) ?? [];
  if (head === undefined) throw new Error(`a list of functions that is written in another way: ${form.slice(0, 100)}`);
  const names = [...list.matchAll(ENTRY)].map(([each, name], i) => {
    const part = owner.get(name);
    if (part) parts.get(part).slots.set(Number(at) + i, name);
    return part ? HOLE : each;
  });
  return `${head}${names.join(' ')})`;
}

/** Neighbours of a map from numbers, put together: the first number and all values. */
function runs(slots) {
  const found = [];
  for (const [slot, name] of [...slots].sort(([a], [b]) => a - b)) {
    const last = found.at(-1);
    if (last && last[0] + last[1].length === slot) last[1].push(name);
    else found.push([slot, [name]]);
  }
  return found;
}

/** The data without that of parts, which goes to its part. */
function divided(segments, pieces, owner, parts) {
  return segments.map(form => {
    const [, head, , at, text] = SEGMENT.exec(form) ?? [];
    if (head === undefined) throw new Error(`data that is written in another way: ${form.slice(0, 100)}`);
    const bytes = unescaped(text);
    const begin = Number(at);
    const whose = new Array(bytes.length);
    const mark = ({ from, until }, part) => {
      for (let i = Math.max(from - begin, 0); i < until - begin && i < bytes.length; i++) {
        if (whose[i] === FIRST || whose[i] === part) continue;
        if (part === FIRST || whose[i] === undefined) whose[i] = part;
        // Pieces lie over each other where the linker found one in another.
        else whose[i] = common(part, whose[i]);
      }
    };
    for (const [key, piece] of pieces) mark(piece, owner.get(key) ?? FIRST);
    for (let i = 0; i < bytes.length; ) {
      const part = whose[i];
      let end = i + 1;
      // A few bytes that fill up to the next piece go along.
      for (let at = end; at < end + 8 && (whose[at] === part || whose[at] === undefined) && at < bytes.length; at++) {
        if (whose[at] === part) end = at + 1;
      }
      if (part !== undefined && part !== FIRST) parts.get(part).data.push([begin + i, Buffer.from(bytes.subarray(i, end))]);
      i = end;
    }
    for (let i = 0; i < bytes.length; i++) if (whose[i] !== undefined && whose[i] !== FIRST) bytes[i] = 0;
    return `${head}"${escaped(bytes)}")`;
  });
}

const escaped = bytes => bytes.toString('hex').replace(/../g, '\\$&');

function unescaped(text) {
  const named = { t: 9, n: 10, r: 13, '"': 34, "'": 39, '\\': 92 };
  const bytes = [];
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '\\') bytes.push(text.charCodeAt(i));
    else if (text[i + 1] in named) bytes.push(named[text[++i]]);
    else bytes.push(parseInt(text.slice(i + 1, (i += 2) + 1), 16));
  }
  return Buffer.from(bytes);
}
