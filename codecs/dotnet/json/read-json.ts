import { type DecodeLimits, limitExceeded } from "../../../src/codec/limits.ts";
import { type ErrorCode, SobreError } from "../../../src/errors/index.ts";
import type { JsonListNode, JsonNode, JsonObjectNode } from "./json-node.ts";

const blanks = /[\t\n\r ]*/y;
const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// oxlint-disable-next-line no-control-regex -- RFC 8259 section 7 forbids them
const plainString = /"[^"\\\0-\x1f]*"/y;
// oxlint-disable-next-line no-control-regex -- RFC 8259 section 7 forbids them
const escapedString = /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y;

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
    const isEmpty = (isList ? open.items.length : open.members.size) === 0;
    this.#skipBlanks();
    if (this.#text.charAt(this.#at) === (isList ? "]" : "}")) {
      this.#at++;
      this.#open.pop();
      return;
    }
    if (!isEmpty) {
      this.#expect(",");
      this.#skipBlanks();
    }
    if (open.kind === "list") {
      open.items.push(this.#value());
      return;
    }
    const name = this.#string();
    this.#skipBlanks();
    this.#expect(":");
    this.#skipBlanks();
    open.members.set(name, this.#value());
  }

  #value(): JsonNode {
    const at = this.#at;
    if (++this.#items > this.#limits.maxItems) {
      throw limitExceeded("maxItems", this.#limits, { offset: this.#offsetOf(at) });
    }
    switch (this.#text.charAt(at)) {
      case '"':
        return { kind: "string", value: this.#string(), at };
      case "[":
        return this.#opened({ kind: "list", items: [], at });
      case "{":
        return this.#opened({ kind: "object", members: new Map(), at });
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
    for (const [word, value] of literals) {
      if (!this.#text.startsWith(word, at)) continue;
      this.#at += word.length;
      return typeof value === "string" ? { kind: "number", text: value, at } : { kind: "literal", value, at };
    }
    numberForm.lastIndex = at;
    const text = numberForm.exec(this.#text)?.[0];
    if (text === undefined) throw this.#unexpected();
    this.#at += text.length;
    return { kind: "number", text, at };
  }

  #string(): string {
    plainString.lastIndex = this.#at;
    const plain = plainString.exec(this.#text)?.[0];
    if (plain !== undefined) {
      this.#at += plain.length;
      return plain.slice(1, -1);
    }
    escapedString.lastIndex = this.#at;
    const escaped = escapedString.exec(this.#text)?.[0];
    if (escaped === undefined) throw this.#unexpected();
    this.#at += escaped.length;
    const value: unknown = JSON.parse(escaped);
    return String(value);
  }

  #expect(mark: string): void {
    if (this.#text.charAt(this.#at) !== mark) throw this.#unexpected();
    this.#at++;
  }

  #skipBlanks(): void {
    blanks.lastIndex = this.#at;
    this.#at += blanks.exec(this.#text)?.[0].length ?? 0;
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
