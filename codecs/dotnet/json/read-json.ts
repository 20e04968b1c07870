import { type DecodeLimits, limitExceeded } from "../../../src/core/codec/limits.ts";
import type { ErrorCode } from "../../../src/core/errors/codes.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { jsonKind, JsonTape } from "./json-tape.ts";

// oxlint-disable-next-line no-control-regex -- RFC 8259 section 7 forbids them
const escapedString = /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y;

// oxlint-disable-next-line no-control-regex -- RFC 8259 section 7 forbids them
const cutString = /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*(?:\\(?:u[0-9A-Fa-f]{0,3})?)?$/y;

/** The literals of JSON, and those that DataContractJsonSerializer writes for numbers that JSON lacks. */
const literals: readonly (readonly [string, number])[] = [
  ["true", jsonKind.true],
  ["false", jsonKind.false],
  ["null", jsonKind.null],
  ["NaN", jsonKind.number],
  ["INF", jsonKind.number],
  ["-INF", jsonKind.number],
  ["Infinity", jsonKind.number],
  ["-Infinity", jsonKind.number],
];

/**
 * Reads JSON (RFC 8259), and bare `NaN`, `INF` and `Infinity`, onto a tape whose first value is the root; not recursive.
 *
 * The codec of plain JSON scans only what JSON.parse has refused, for the position of the fault: codecs/json/scan.ts.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload`, `TrailingBytes` or `LimitExceeded`; `offsetOf` returns the byte offset.
 */
export function readJson(text: string, limits: DecodeLimits, offsetOf: (index: number) => number): JsonTape {
  return new JsonReader(text, limits, offsetOf).document();
}

class JsonReader {
  readonly #text: string;
  readonly #limits: DecodeLimits;
  readonly #offsetOf: (index: number) => number;
  readonly #tape: JsonTape;
  readonly #open: number[] = [];
  #at = 0;
  #items = 0;

  constructor(text: string, limits: DecodeLimits, offsetOf: (index: number) => number) {
    this.#text = text;
    this.#limits = limits;
    this.#offsetOf = offsetOf;
    this.#tape = new JsonTape(text);
  }

  document(): JsonTape {
    this.#skipBlanks();
    this.#value();
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) this.#fill(open);
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#error("TrailingBytes", "continues after its value");
    return this.#tape;
  }

  /** Reads items of the innermost container up to one that is a container itself, or to its end. */
  #fill(open: number): void {
    const tape = this.#tape;
    const isList = tape.kind(open) === jsonKind.list;
    const level = this.#open.length;
    while (this.#open.length === level) {
      this.#skipBlanks();
      if (this.#text.charCodeAt(this.#at) === (isList ? 0x5d : 0x7d)) {
        this.#at++;
        this.#open.pop();
        tape.close(open);
        return;
      }
      if (tape.length > open + 1) {
        this.#expect(0x2c);
        this.#skipBlanks();
      }
      if (!isList) {
        this.#string();
        this.#skipBlanks();
        this.#expect(0x3a);
        this.#skipBlanks();
      }
      this.#value();
    }
  }

  #value(): void {
    const at = this.#at;
    if (++this.#items > this.#limits.maxItems) {
      throw limitExceeded("maxItems", this.#limits, { offset: this.#offsetOf(at) });
    }
    switch (this.#text.charCodeAt(at)) {
      case 0x22:
        return this.#string();
      case 0x5b:
        return this.#begin(jsonKind.list, at);
      case 0x7b:
        return this.#begin(jsonKind.object, at);
      default:
        if (!this.#number(at)) this.#literal(at);
    }
  }

  #begin(kind: number, at: number): void {
    if (this.#open.length >= this.#limits.maxDepth) {
      throw limitExceeded("maxDepth", this.#limits, { offset: this.#offsetOf(at) });
    }
    this.#at++;
    this.#open.push(this.#tape.add(kind, at, 0));
  }

  #literal(at: number): void {
    for (const [word, kind] of literals) {
      if (!this.#text.startsWith(word, at)) continue;
      this.#at += word.length;
      this.#tape.add(kind, at, this.#at);
      return;
    }
    const rest = this.#text.slice(at, at + 8);
    if (rest === "-" || literals.some(([word]) => word.startsWith(rest))) this.#at = this.#text.length;
    throw this.#unexpected();
  }

  /** Reads a number (RFC 8259 section 6); returns whether there is one. */
  #number(at: number): boolean {
    const text = this.#text;
    const first = text.charCodeAt(at) === 0x2d ? at + 1 : at;
    const whole = text.charCodeAt(first) === 0x30 ? first + 1 : this.#digits(first);
    if (whole === first) return false;
    let end = whole;
    if (text.charCodeAt(end) === 0x2e) {
      const fraction = this.#digits(end + 1);
      if (fraction > end + 1) end = fraction;
    }
    if ((text.charCodeAt(end) | 0x20) === 0x65) {
      const sign = text.charCodeAt(end + 1);
      const power = sign === 0x2b || sign === 0x2d ? end + 2 : end + 1;
      const exponent = this.#digits(power);
      if (exponent > power) end = exponent;
    }
    this.#at = end;
    this.#tape.add(end === whole ? jsonKind.integer : jsonKind.number, at, end);
    return true;
  }

  /** The index after the digits. */
  #digits(from: number): number {
    let at = from;
    for (;;) {
      const unit = this.#text.charCodeAt(at);
      // At the end, NaN is neither.
      if (!(unit >= 0x30 && unit <= 0x39)) return at;
      at++;
    }
  }

  #string(): void {
    const start = this.#at;
    const text = this.#text;
    if (text.charCodeAt(start) === 0x22) {
      for (let at = start + 1; ; at++) {
        const unit = text.charCodeAt(at);
        if (unit === 0x22) {
          this.#at = at + 1;
          this.#tape.add(jsonKind.plain, start, at + 1);
          return;
        }
        if (unit === 0x5c || !(unit >= 0x20)) break;
      }
    }
    escapedString.lastIndex = start;
    if (!escapedString.test(text)) {
      cutString.lastIndex = start;
      if (cutString.test(text)) this.#at = text.length;
      throw this.#unexpected();
    }
    this.#at = escapedString.lastIndex;
    this.#tape.add(jsonKind.escaped, start, this.#at);
  }

  #expect(unit: number): void {
    if (this.#text.charCodeAt(this.#at) !== unit) throw this.#unexpected();
    this.#at++;
  }

  #skipBlanks(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }

  #unexpected(): SobreError {
    return this.#at >= this.#text.length
      ? this.#error("TruncatedPayload", "ends before its value does")
      : this.#error("DecodeFailed", "violates the grammar of JSON");
  }

  #error(code: ErrorCode, what: string): SobreError {
    const offset = this.#offsetOf(this.#at);
    return new SobreError(code, `The payload ${what}, at byte ${offset}.`, { offset });
  }
}
