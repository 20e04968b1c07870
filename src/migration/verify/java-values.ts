import type { ContentNode, ObjectNode } from "../../../codecs/java/nodes.ts";
import { type FieldNode, ObjectView } from "../../../codecs/java/object-view.ts";
import { charOf, isScalarClass, type JavaSettings, primitivesOf, scalarOf } from "../../../codecs/java/scalars.ts";
import { ItemBudget } from "../../core/codec/binary/cursor.ts";
import { defaultDecodeLimits } from "../../core/codec/limits.ts";
import { knownValue, type SourceValues } from "./source-values.ts";
import { IsoTime } from "../../core/values/iso-time.ts";
import { keysOfScalar, keysOfSingle, type ValueKey } from "./value-keys.ts";

interface JavaValuePlace {
  readonly node: FieldNode;
  readonly name: string | undefined;
  readonly path: string;
  /** True for the map that implements a set: its values have no meaning. */
  readonly keysOnly?: boolean;
}

/** Collects the scalars of a Java stream; values referred to several times are collected once. */
export function collectJava(contents: readonly ContentNode[], into: SourceValues): void {
  const settings = { budget: new ItemBudget(defaultDecodeLimits), timeZone: undefined, warnings: new Set<string>() };
  const seen = new Set<FieldNode>();
  const pending: JavaValuePlace[] = joined(contents).map((node) => ({ node, name: undefined, path: "$" }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node: at, name, path } = next;
    const node: FieldNode = at.kind === "reference" ? at.target : at;
    if (node.kind !== "primitive") {
      const isScalar = node.kind === "string" || node.kind === "enum" || isScalarObject(node);
      if (!isScalar && seen.has(node)) {
        into.isShared = true;
        continue;
      }
      seen.add(node);
    }
    switch (node.kind) {
      case "primitive": {
        const keys =
          node.code === "F" && typeof node.value === "number"
            ? keysOfSingle(node.value)
            : keysOfScalar(node.code === "C" ? charOf(String(node.value)) : node.value);
        into.add(knownValue(name, path, keys));
        break;
      }
      case "string":
        into.add(knownValue(name, path, [`s${node.value}`]));
        break;
      case "enum":
        into.add(knownValue(name, path, [`s${node.constant}`]));
        break;
      case "class":
        into.add(knownValue(name, path, [`s${node.description.name}`]));
        break;
      case "block-data":
        into.add(knownValue(name, path, keysOfScalar(node.bytes)));
        break;
      case "primitive-array": {
        const values = primitivesOf(node);
        if (values instanceof Uint8Array) into.add(knownValue(name, path, keysOfScalar(values)));
        else
          for (const value of values) {
            const keys = node.code === "F" && typeof value === "number" ? keysOfSingle(value) : keysOfScalar(value);
            into.add(knownValue(undefined, `${path}[]`, keys));
          }
        break;
      }
      case "array":
        for (const element of node.elements) pending.push({ node: element, name: undefined, path: `${path}[]` });
        break;
      case "object":
        collectObject(node, { name, path, into, settings, pending, keysOnly: next.keysOnly === true });
        break;
      case "null":
        into.allow(name, []);
        break;
      default:
    }
  }
}

const collections =
  /^java\.util\.(?:concurrent\.)?(?:\w*(?:List|Set|Map|Deque|Queue|Vector|Stack|Hashtable|Properties|CollSer)|Collections\$\w+|Arrays\$\w+|EnumSet\$\w+|\w+\$KeySetView|ConcurrentHashMap\$\w+|locks\.[\w$]+)$/;

interface Collecting {
  readonly name: string | undefined;
  readonly path: string;
  readonly into: SourceValues;
  readonly settings: JavaSettings;
  readonly pending: JavaValuePlace[];
  readonly keysOnly: boolean;
}

function isCounter(node: FieldNode): boolean {
  return node.kind === "object" && node.description.name.startsWith("java.util.concurrent.atomic.");
}

/** Maximum number of copies that are counted one by one. */
const maxCopies = 10_000;

/** One item that stands for many. */
function copies(
  node: ObjectNode,
  item: FieldNode,
  { into, pending, path }: Pick<Collecting, "into" | "pending" | "path">,
): void {
  const count = new ObjectView(node).int("n") ?? 0;
  if (count > maxCopies) into.isShared = true;
  for (let left = Math.min(count, maxCopies); left > 0; left--) pending.push({ node: item, name: undefined, path });
}

/** Contents with adjacent block data merged: where the writer split it has no meaning. */
function joined(contents: readonly ContentNode[]): readonly ContentNode[] {
  const result: ContentNode[] = [];
  for (const content of contents) {
    const last = result.at(-1);
    if (content.kind === "reset") continue;
    if (content.kind !== "block-data" || last?.kind !== "block-data") result.push(content);
    else {
      const bytes = new Uint8Array(Buffer.concat([last.bytes, content.bytes]));
      result[result.length - 1] = { kind: "block-data", offset: last.offset, length: bytes.length, bytes };
    }
  }
  return result;
}

/** Whether an object counts as a separate value for each reference to it. */
function isScalarObject(node: FieldNode): boolean {
  return node.kind === "object" && isScalarClass(node.description.name);
}

const hour = 3_600_000;

/** The days whose midnight a moment may be, in any time zone. */
function daysOf(moment: unknown): readonly ValueKey[] {
  const time = moment instanceof IsoTime ? moment.toDate().getTime() : Number.NaN;
  if (Number.isNaN(time)) return [];
  const clocks = Array.from({ length: 4 * 26 + 1 }, (_, quarter) => time + (quarter - 4 * 12) * (hour / 4));
  const midnights = clocks.filter((clock) => clock % (24 * hour) === 0);
  const texts = (midnights.length > 0 ? midnights : clocks).map((clock) => new Date(clock).toISOString().slice(0, 10));
  return [...new Set(texts)].map((text) => `s${text}`);
}

/** Sets that keep their items as the keys of a map. */
const keySets = /(?:ConcurrentSkipListSet|\$KeySetView|\$SetFromMap)$/;

function collectObject(node: ObjectNode, { name, path, into, settings, pending, keysOnly }: Collecting): void {
  if (isScalarClass(node.description.name)) {
    const scalar = scalarOf(node, settings);
    if (scalar !== undefined) {
      const isFloat = node.description.name === "java.lang.Float" && typeof scalar === "number";
      const keys = isFloat ? keysOfSingle(scalar) : keysOfScalar(scalar);
      into.add(knownValue(name, path, node.description.name === "java.sql.Date" ? [...keys, ...daysOf(scalar)] : keys));
      return;
    }
  }
  for (const one of node.description.interfaces ?? []) into.add(knownValue(undefined, path, [`s${one}`]));
  for (const { description, values, annotations } of node.parts) {
    // In collections, numbers and classes are sizes, load factors and item types.
    const isCollection = collections.test(description.name);
    for (const [index, value] of values.entries()) {
      const field = description.fields[index]?.name ?? "";
      if (!isCollection) into.addMember(field);
      const target = value.kind === "reference" ? value.target : value;
      // A Throwable without a cause refers to itself as its cause.
      if (target === node && description.name === "java.lang.Throwable") {
        into.allow(field, []);
        continue;
      }
      if (isCollection && target.kind === "primitive") into.allow(field, keysOfScalar(target.value));
      else if (isCollection && target.kind === "class") into.allow(field, [`s${target.description.name}`]);
      else if (isCollection && isCounter(target)) continue;
      else if (description.name.endsWith("$CopiesList")) copies(node, value, { into, pending, path });
      else if (field !== "value" || !description.name.endsWith("KeySetView"))
        pending.push({
          node: value,
          name: isCollection ? undefined : field,
          path: `${path}.${field}`,
          keysOnly: keySets.test(node.description.name),
        });
    }
    let index = 0;
    for (const written of joined(annotations)) {
      if (isCollection && written.kind === "block-data") continue;
      if (keysOnly && index++ % 2 === 1) continue;
      pending.push({ node: written, name: undefined, path: `${path}.$data` });
    }
  }
}
