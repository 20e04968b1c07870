import { type DecodeLimits, limitExceeded } from "../../../src/codec/limits.ts";
import { type ErrorCode, SobreError } from "../../../src/errors/index.ts";
import type { JsonListNode, JsonNode, JsonObjectNode } from "./json-node.ts";

const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// oxlint-disable-next-line no-control-regex -- RFC 8259 section 7 forbids them
const plainString = /"[^"\\\0-\x1f]*"/y;
// oxlint-disable-next-line no-control-regex -- RFC 8259 section 7 forbids them
const escapedString = /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y;

// oxlint-disable-next-line no-control-regex -- RFC 8259 section 7 forbids them
const cutString = /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*(?:\\(?:u[0-9A-Fa-f]{0,3})?)?$/y;

/** What DataContractJsonSerializer writes for numbers that JSON lacks, and the literals of JSON. */
const literals: readonly (readonly [string, boolean | null | string])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
  ["NaN", "NaN"],
  ["INF", "INF"],
  ["-INF", "-INF"],
];

/**
 * Reads JSON (RFC 8259), and bare `NaN`, `INF` and `-INF`, into its nodes; not recursive.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload`, `TrailingBytes` or `LimitExceeded`; `offsetOf` gives the byte.
 */
export function readJson(text: string, limits: DecodeLimits, offsetOf: (index: number) => number): JsonNode {
  return new JsonReader(text, limits, offsetOf).document();
}

class JsonReader {
  readonly #text: string;
  readonly #limits: DecodeLimits;
  readonly #offsetOf: (index: number) => number;
  readonly #open: (JsonListNode | JsonObjectNode)[] = [];
  #at = 0;
  #items = 0;

  constructor(text: string, limits: DecodeLimits, offsetOf: (index: number) => number) {
    this.#text = text;
    this.#limits = limits;
    this.#offsetOf = offsetOf;
  }

  document(): JsonNode {
    this.#skipBlanks();
    const root = this.#value();
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) this.#step(open);
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#error("TrailingBytes", "goes on behind its value");
    return root;
  }

  /** Reads the next item of the innermost container, or its end. */
  #step(open: JsonListNode | JsonObjectNode): void {
    const isList = open.kind === "list";
    const isEmpty = (isList ? open.items.length : open.names.length) === 0;
    this.#skipBlanks();
    if (this.#text.charCodeAt(this.#at) === (isList ? 0x5d : 0x7d)) {
      this.#at++;
      this.#open.pop();
      return;
    }
    if (!isEmpty) {
      this.#expect(0x2c);
      this.#skipBlanks();
    }
    if (open.kind === "list") {
      open.items.push(this.#value());
      return;
    }
    const name = this.#string();
    this.#skipBlanks();
    this.#expect(0x3a);
    this.#skipBlanks();
    open.names.push(name);
    open.values.push(this.#value());
  }

  #value(): JsonNode {
    const at = this.#at;
    if (++this.#items > this.#limits.maxItems) {
      throw limitExceeded("maxItems", this.#limits, { offset: this.#offsetOf(at) });
    }
    switch (this.#text.charCodeAt(at)) {
      case 0x22:
        return { kind: "string", value: this.#string(), at };
      case 0x5b:
        return this.#opened({ kind: "list", items: [], at });
      case 0x7b:
        return this.#opened({ kind: "object", names: [], values: [], at });
      default:
        return this.#bare(at);
    }
  }

  #opened<T extends JsonListNode | JsonObjectNode>(node: T): T {
    if (this.#open.length >= this.#limits.maxDepth) {
      throw limitExceeded("maxDepth", this.#limits, { offset: this.#offsetOf(node.at) });
    }
    this.#at++;
    this.#open.push(node);
    return node;
  }

  #bare(at: number): JsonNode {
    const text = this.#number(at);
    if (text !== undefined) return { kind: "number", text, at };
    for (const [word, value] of literals) {
      if (!this.#text.startsWith(word, at)) continue;
      this.#at += word.length;
      return typeof value === "string" ? { kind: "number", text: value, at } : { kind: "literal", value, at };
    }
    const rest = this.#text.slice(at, at + 8);
    if (rest === "-" || literals.some(([word]) => word.startsWith(rest))) this.#at = this.#text.length;
    throw this.#unexpected();
  }

  #number(at: number): string | undefined {
    // A test makes no list of matches.
    numberForm.lastIndex = at;
    if (!numberForm.test(this.#text)) return undefined;
    this.#at = numberForm.lastIndex;
    return this.#text.slice(at, this.#at);
  }

  #string(): string {
    const start = this.#at;
    plainString.lastIndex = start;
    if (plainString.test(this.#text)) {
      this.#at = plainString.lastIndex;
      return this.#text.slice(start + 1, this.#at - 1);
    }
    escapedString.lastIndex = this.#at;
    const escaped = escapedString.exec(this.#text)?.[0];
    if (escaped === undefined) {
      cutString.lastIndex = start;
      if (cutString.test(this.#text)) this.#at = this.#text.length;
      throw this.#unexpected();
    }
    this.#at += escaped.length;
    const value: unknown = JSON.parse(escaped);
    return String(value);
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
      : this.#error("DecodeFailed", "breaks the grammar of JSON");
  }

  #error(code: ErrorCode, what: string): SobreError {
    const offset = this.#offsetOf(this.#at);
    return new SobreError(code, `The payload ${what}, at byte ${offset}.`, { offset });
  }
}
