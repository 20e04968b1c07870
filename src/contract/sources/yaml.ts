/** YAML 1.2 with the core schema, in the one module that imports its parser. */
import { type Document, isNode, isScalar, parseDocument, stringify, visit } from "yaml";
import { invalidInput } from "../../core/errors/invalid-input.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { isRounded, roundedNumber } from "./exact-json.ts";
import { isObject, isPlainPrototype } from "../../core/values/plain-object.ts";
import { objectOf } from "../json-schema/json-value.ts";

/** The maximum number of values with aliases expanded; more are refused. */
const maxValues = 200_000;
const maxDepth = 500;

/**
 * The JSON value of a YAML 1.2 document: core schema, no merge keys, no tags of its own.
 *
 * @throws SobreError `InvalidArgument` for what is not YAML or has no form in JSON, `LimitExceeded` for aliases that multiply.
 */
export function parseYaml(text: string, file: string): unknown {
  let value: unknown;
  try {
    // The parser compares every key of a map with every other.
    const document = parseDocument(text, { version: "1.2", schema: "core", intAsBigInt: true, uniqueKeys: false });
    const [problem] = [...document.errors, ...document.warnings];
    // Behind the first line the parser shows the text.
    if (problem !== undefined) throw new Error(problem.message.split("\n")[0]?.slice(0, 200).replace(/[:.]$/, ""));
    refuseUnreadable(document, file);
    // Aliases stay the same objects, so that nothing multiplies before it is counted.
    value = document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    throw invalidInput(`${file} is not YAML`, error);
  }
  const room = { left: maxValues };
  return plainYaml(value, { file, room, depth: 0 });
}

/** A number as JSON writes it, apart from a plus sign; YAML has octal and hexadecimal integers, too. */
const isDecimal = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

/** The parser looks for each alias in all nodes before it. */
const maxLookups = 2_000_000;

/** @throws SobreError `LimitExceeded` for too many aliases, `InvalidArgument` for a number that would be rounded; an Error for a key that a map has twice. */
function refuseUnreadable(document: Document, file: string): void {
  let [nodes, aliases] = [0, 0];
  visit(document, {
    Node(_, node) {
      nodes++;
      if (!isScalar(node)) return;
      const { value, source } = node;
      if (typeof value === "number" && source !== undefined && isDecimal.test(source) && isRounded(source, value))
        throw roundedNumber(source, file);
    },
    Alias: () => void aliases++,
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? String(key.value) : key;
        if (keys.has(name)) throw new Error(`a map has the key ${JSON.stringify(name)} twice`);
        keys.add(name);
      }
    },
  });
  if (nodes * aliases <= maxLookups) return;
  throw new SobreError("LimitExceeded", `${file} has too many aliases (${aliases}) for its size. Write them out.`);
}

interface YamlReading {
  readonly file: string;
  readonly room: { left: number };
  readonly depth: number;
}

function plainYaml(value: unknown, { file, room, depth }: YamlReading): unknown {
  if (--room.left < 0 || depth > maxDepth)
    throw new SobreError(
      "LimitExceeded",
      `${file} has more than ${maxValues} values with its aliases written out, or nests deeper than ${maxDepth} levels.`,
    );
  const inner = { file, room, depth: depth + 1 };
  if (Array.isArray(value)) return value.map((item) => plainYaml(item, inner));
  if (isObject(value)) {
    if (!isPlainPrototype(Object.getPrototypeOf(value)))
      throw new SobreError(
        "InvalidArgument",
        `${file} has a tag, e.g. !!binary or !!set, of a value that JSON does not have.`,
      );
    return objectOf(Object.entries(value).map(([name, member]) => [name, plainYaml(member, inner)] as const));
  }
  const number = typeof value === "bigint" ? Number(value) : value;
  const isKept = typeof value !== "bigint" || Number.isSafeInteger(number);
  if (isKept && (typeof number !== "number" || Number.isFinite(number))) return number;
  throw new SobreError(
    "InvalidArgument",
    `${file} has a number that JSON does not have, or that a double cannot hold.`,
  );
}

/** The offset of the value at a path, or of the last one on the way that is there. */
export function yamlOffset(text: string, steps: readonly string[]): number {
  const document = parseDocument(text, { version: "1.2", schema: "core", uniqueKeys: false });
  for (let length = steps.length; length >= 0; length--) {
    const node: unknown = document.getIn(steps.slice(0, length), true);
    if (isNode(node)) return node.range?.[0] ?? 0;
  }
  return 0;
}

/** A JSON value as YAML, without aliases. */
export function yamlText(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
