/** A piece of a file that should be one JSON value, or a piece that is too long to read. */
export interface JsonText {
  /** The bytes, which may be those of the chunk; truncated if the piece is too long. */
  readonly bytes: Uint8Array;
  readonly tooLong: boolean;
  /** The line on which it starts, from 1. */
  readonly line: number;
  /** Offset of its end in the file, in bytes. */
  readonly end: number;
}

/** The layout of the values in a file: one per line, or in one list or consecutively, spanning several lines. */
export type JsonLayout = "lines" | "values";

/** Number of bytes kept of a piece that is too long. */
const keptOfLong = 1024;

const noBytes = new Uint8Array(0);
const newline = 0x0a;
const quote = 0x22;
const backslash = 0x5c;

/** The layout of a file by its first bytes: a list, or an object that continues after its first line, spans lines. */
export function layoutOf(head: Uint8Array): JsonLayout {
  const first = new TextDecoder().decode(head).trimStart().split("\n", 1)[0]?.trim() ?? "";
  return first === "{" || first.startsWith("[") ? "values" : "lines";
}

/** Splits a stream into its values, in constant memory: a value beyond `most` bytes is truncated. */
export async function* jsonTexts(
  chunks: AsyncIterable<Uint8Array>,
  layout: JsonLayout,
  most: number,
): AsyncGenerator<JsonText> {
  for await (const texts of jsonTextGroups(chunks, layout, most)) yield* texts;
}

/**
 * {@link jsonTexts}, as many at a time as end in a chunk: one at a time, waiting takes longer than splitting. The chunks may
 * share a buffer, whose bytes are then valid until the next ones are asked for.
 */
export async function* jsonTextGroups(
  chunks: AsyncIterable<Uint8Array>,
  layout: JsonLayout,
  most: number,
): AsyncGenerator<readonly JsonText[]> {
  const cutter = layout === "lines" ? new LineCutter(most) : new ValueCutter(most);
  for await (const { buffer, byteOffset, byteLength } of chunks) {
    const texts = [...cutter.push(new Uint8Array(buffer, byteOffset, byteLength))];
    if (texts.length > 0) yield texts;
  }
  yield [...cutter.end()];
}

/** Collects the bytes of one piece, up to a limit. */
class Piece {
  readonly #most: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds the end of a chunk: the next one may have the same buffer. */
  begin(part: Uint8Array): void {
    if (part.byteLength > 0) this.add(new Uint8Array(part));
  }

  add(part: Uint8Array): void {
    const before = this.#length;
    this.#length += part.byteLength;
    if (before > this.#most) return;
    if (this.#length <= this.#most) this.#parts.push(part);
    else
      this.#parts = [
        Buffer.concat([...this.#parts, part].map((own) => own.subarray(0, keptOfLong))).subarray(0, keptOfLong),
      ];
  }

  take(): { readonly bytes: Uint8Array; readonly tooLong: boolean } {
    const [only = noBytes, ...more] = this.#parts;
    const bytes = more.length === 0 ? only : new Uint8Array(Buffer.concat(this.#parts));
    const taken = { bytes, tooLong: this.#length > this.#most };
    this.#parts = [];
    this.#length = 0;
    return taken;
  }
}

class LineCutter {
  readonly #piece: Piece;
  #line = 1;
  #at = 0;

  constructor(most: number) {
    this.#piece = new Piece(most);
  }

  *push(chunk: Uint8Array): Generator<JsonText> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#piece.add(chunk.subarray(start, end));
      yield* this.#take(this.#at + end + 1);
      this.#line++;
      start = end + 1;
    }
    this.#piece.begin(chunk.subarray(start));
    this.#at += chunk.byteLength;
  }

  *end(): Generator<JsonText> {
    yield* this.#take(this.#at);
  }

  *#take(end: number): Generator<JsonText> {
    const { bytes, tooLong } = this.#piece.take();
    if (bytes.some((byte) => byte > 0x20)) yield { bytes, tooLong, line: this.#line, end };
  }
}

/** Splits by brackets outside strings. */
class ValueCutter {
  readonly #piece: Piece;
  #depth = 0;
  #inText = false;
  #escaped = false;
  #line = 1;
  #startLine = 1;
  #at = 0;

  constructor(most: number) {
    this.#piece = new Piece(most);
  }

  *push(chunk: Uint8Array): Generator<JsonText> {
    let start = this.#depth > 0 ? 0 : -1;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (byte === newline) this.#line++;
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inText = false;
      } else if (byte === quote) this.#inText = this.#depth > 0;
      else if (byte === 0x7b || (byte === 0x5b && this.#depth > 0)) {
        if (this.#depth++ === 0) {
          start = index;
          this.#startLine = this.#line;
        }
      } else if ((byte === 0x7d || byte === 0x5d) && this.#depth > 0 && --this.#depth === 0) {
        this.#piece.add(chunk.subarray(start, index + 1));
        start = -1;
        yield { ...this.#piece.take(), line: this.#startLine, end: this.#at + index + 1 };
      }
    }
    if (start >= 0) this.#piece.begin(chunk.subarray(start));
    this.#at += chunk.byteLength;
  }

  *end(): Generator<JsonText> {
    if (this.#piece.length > 0) yield { ...this.#piece.take(), line: this.#startLine, end: this.#at };
  }
}
