// Reads WebAssembly's binary form, as far as finishing the pages needs it.

/** Reads numbers and names one after the other. */
export class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end });
  }

  get done() {
    return this.at >= this.end;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** A number as WebAssembly writes it (LEB128). */
  number() {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  /** The same with a sign. */
  signed() {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return byte & 64 ? value - scale * 128 : value;
    }
  }

  text() {
    const length = this.number();
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  /** What kind of thing is imported; its type is read over. */
  import() {
    const kind = this.byte();
    if (kind === 1) this.byte();
    if (kind === 1 || kind === 2) {
      // Limits: with a most, or without.
      if (this.number() & 1) this.number();
      this.number();
    } else if (kind === 3) {
      this.at += 2;
    } else {
      if (kind === 4) this.byte();
      this.number();
    }
    return kind;
  }

  /** What `read` reads, as often as the number that stands here says. */
  list(read) {
    return Array.from({ length: this.number() }, (_, i) => read(i));
  }
}

/** The sections of a file: id, name where it is a custom one, and a reader of the rest. */
export function* sections(bytes) {
  const reader = new Reader(bytes, 8);
  while (!reader.done) {
    const id = reader.byte();
    const size = reader.number();
    const body = new Reader(bytes, reader.at, reader.at + size);
    reader.at += size;
    yield { id, start: body.at, name: id === 0 ? body.text() : undefined, body };
  }
}

/** The same file with what `visit` answers in place of each section: its content, or a yes or no to the section as it is. */
export function rewritten(bytes, visit) {
  const parts = [bytes.subarray(0, 8)];
  for (const section of sections(bytes)) {
    const content = bytes.subarray(section.start, section.body.end);
    const answer = visit({ ...section, content });
    const kept = answer === true ? content : answer;
    if (kept) parts.push(Buffer.from([section.id]), leb(kept.length), kept);
  }
  return Buffer.concat(parts);
}

/** A number as WebAssembly writes it. */
export function leb(value) {
  const bytes = [];
  do {
    bytes.push((value & 127) | (value > 127 ? 128 : 0));
    value >>>= 7;
  } while (value > 0);
  return Buffer.from(bytes);
}
