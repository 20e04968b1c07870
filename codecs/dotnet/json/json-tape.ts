/** The kind of a value of the tape. */
export const jsonKind = {
  list: 0,
  object: 1,
  /** A string as written between its quotes. */
  plain: 2,
  /** A string with escapes. */
  escaped: 3,
  /** Digits, optionally after a minus. */
  integer: 4,
  /** Any other number, including `NaN`, `INF` and `-INF`. */
  number: 5,
  true: 6,
  false: 7,
  null: 8,
} as const;

/** Recent names: those of members repeat across objects and messages. */
const keptNames: (string | undefined)[] = Array.from({ length: 256 });
const maxNameLength = 64;

/** Number of tape slots per value: its kind, its start and its end. */
const width = 3;

/**
 * The values of a JSON document in order, as positions in its text, without an object for each: a value is a number.
 *
 * A container is followed by its contents; in an object each name, a string, precedes its value.
 */
export class JsonTape {
  readonly text: string;
  #cells: Int32Array<ArrayBuffer> = new Int32Array(16 * width);
  #length = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The number of values and names, which is also the index of the next one. */
  get length(): number {
    return this.#length;
  }

  /** Adds a value from `start` up to `end` in the text; a container's end is set by {@link close}. */
  add(kind: number, start: number, end: number): number {
    const at = this.#length * width;
    if (at === this.#cells.length) {
      const cells = new Int32Array(at * 2);
      cells.set(this.#cells);
      this.#cells = cells;
    }
    this.#cells[at] = kind;
    this.#cells[at + 1] = start;
    this.#cells[at + 2] = end;
    return this.#length++;
  }

  /** Ends a container after the last value. */
  close(container: number): void {
    this.#cells[container * width + 2] = this.#length;
  }

  kind(value: number): number {
    return this.#cells[value * width] ?? 0;
  }

  /** Index in the text at which a value starts. */
  start(value: number): number {
    return this.#cells[value * width + 1] ?? 0;
  }

  /** Index in the text after a scalar, or the number of the value after a container. */
  end(value: number): number {
    return this.#cells[value * width + 2] ?? 0;
  }

  /** The number of the value after a value. */
  next(value: number): number {
    return this.kind(value) <= jsonKind.object ? this.end(value) : value + 1;
  }

  isString(value: number): boolean {
    const kind = this.kind(value);
    return kind === jsonKind.plain || kind === jsonKind.escaped;
  }

  isNumber(value: number): boolean {
    const kind = this.kind(value);
    return kind === jsonKind.integer || kind === jsonKind.number;
  }

  /** A scalar as written. */
  written(value: number): string {
    return this.text.slice(this.start(value), this.end(value));
  }

  /** The text of a string or name. */
  string(value: number): string {
    if (this.kind(value) === jsonKind.plain) return this.text.slice(this.start(value) + 1, this.end(value) - 1);
    const text: unknown = JSON.parse(this.written(value));
    return String(text);
  }

  /** The text of a member's name; the same string for equal names. */
  name(value: number): string {
    const start = this.start(value) + 1;
    const length = this.end(value) - start - 1;
    if (length === 0 || length > maxNameLength || this.kind(value) === jsonKind.escaped) return this.string(value);
    const { text } = this;
    const ends = text.charCodeAt(start) * 31 + text.charCodeAt(start + length - 1) * 7;
    const slot = (ends + text.charCodeAt(start + (length >> 1)) + length * 61) & 0xff;
    const known = keptNames[slot];
    if (known?.length === length && text.startsWith(known, start)) return known;
    const name = text.slice(start, start + length);
    keptNames[slot] = name;
    return name;
  }

  /** Whether a name is this one, without creating a string. */
  isNamed(name: number, text: string): boolean {
    if (this.kind(name) === jsonKind.escaped) return this.string(name) === text;
    const start = this.start(name) + 1;
    return this.end(name) - start === text.length + 1 && this.text.startsWith(text, start);
  }

  /** The member with a name, the last if there are several, or `undefined`. */
  member(object: number, text: string): number | undefined {
    let found: number | undefined;
    const end = this.end(object);
    for (let name = object + 1; name < end; name = this.next(name + 1)) {
      if (this.isNamed(name, text)) found = name + 1;
    }
    return found;
  }

  /** The number of members of an object; counting stops at `most` + 1. */
  count(object: number, most: number): number {
    let count = 0;
    const end = this.end(object);
    for (let name = object + 1; name < end && count <= most; name = this.next(name + 1)) count++;
    return count;
  }

  /** The names of an object in order. */
  names(object: number): readonly string[] {
    const names: string[] = [];
    const end = this.end(object);
    for (let name = object + 1; name < end; name = this.next(name + 1)) names.push(this.string(name));
    return names;
  }
}
