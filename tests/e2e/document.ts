// A reader of the worked example's document that shares nothing with the program: it says what the page must show.
import { readFileSync } from 'node:fs';
import { example } from './debrief';

/** Parts the footnote digit from the word that it is glued to: "logs4" is "logs", citing 4. */
export function part(text: string): { words: string; cited?: number } {
  const match = /^(.*[A-Za-z.])(\d)$/.exec(text);
  return match?.[1] ? { words: match[1], cited: Number(match[2]) } : { words: text };
}

export type Row = Record<string, string>;

/** The document: its paragraphs by heading (the headline under the empty one), and its tables by heading. */
export interface Document {
  prose: Record<string, string[]>;
  tables: Record<string, Row[]>;
}

const HEADINGS = ['Impact', 'Timeline', 'Root cause', 'What changes', 'Customer follow-up'];

export function readDocument(): Document {
  const document: Document = { prose: {}, tables: {} };
  let heading = '';
  let columns: string[] = [];
  for (const line of readFileSync(example('checkout-postmortem.txt'), 'utf8').split('\n')) {
    const cells = line.split('|').slice(1, -1).map(cell => cell.trim());
    if (HEADINGS.includes(line)) {
      heading = line;
      columns = [];
    } else if (cells.length === 0) {
      if (line) (document.prose[heading] ??= []).push(line);
    } else if (columns.length === 0) {
      columns = cells;
    } else if (!cells.every(cell => /^-+$/.test(cell))) {
      (document.tables[heading] ??= []).push(Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? ''])));
    }
  }
  return document;
}
