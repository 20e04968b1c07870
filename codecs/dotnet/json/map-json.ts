import { emptyBag } from "../../../src/envelope/bag.ts";
import { annotate } from "../../../src/values/annotations.ts";
import { DateTime } from "../../../src/values/date-time.ts";
import { SobreError } from "../../../src/errors/index.ts";
import { enumOfNumber } from "../data-contract/scalar.ts";
import {
  type Contract,
  type MapShape,
  nameText,
  resolved,
  type ResolvedShape,
  type Shape,
} from "../data-contract/shape.ts";
import { offsetTime, versionOf } from "../data-contract/system-values.ts";
import { clrNamespaces } from "../xml/namespaces.ts";
import type { XmlName } from "../xml/node.ts";
import { type JsonListNode, type JsonNode, type JsonObjectNode, type JsonScalarNode, memberOf } from "./json-node.ts";
import { jsonDate, typedJson, untypedJson } from "./json-scalar.ts";

/** A container that is being filled. */
interface Frame {
  readonly items: readonly JsonNode[];
  /** Puts an item in its place. */
  readonly put: (item: JsonNode, index: number) => void;
  next: number;
}

/**
 * Maps the nodes of a DataContractJsonSerializer document to plain values, by a contract or by their form; not recursive.
 *
 * @throws SobreError `DecodeFailed` where JSON and contract contradict; `offsetOf` gives the byte.
 */
export function mapJson(root: JsonNode, contract: Contract | undefined, offsetOf: (index: number) => number): unknown {
  return new JsonMapper(contract, offsetOf).map(root);
}

class JsonMapper {
  readonly #contract: Contract | undefined;
  readonly #offsetOf: (index: number) => number;
  readonly #frames: Frame[] = [];

  constructor(contract: Contract | undefined, offsetOf: (index: number) => number) {
    this.#contract = contract;
    this.#offsetOf = offsetOf;
  }

  map(root: JsonNode): unknown {
    const body = this.#start(root, this.#contract?.root);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) this.#fill(frame);
    return body;
  }

  /** Places items until one opens a container, which is filled first. */
  #fill(frame: Frame): void {
    const { items, put } = frame;
    const level = this.#frames.length;
    while (this.#frames.length === level) {
      const item = items[frame.next];
      if (item === undefined) {
        this.#frames.pop();
        return;
      }
      put(item, frame.next++);
    }
  }

  #start(node: JsonNode, declared: Shape | undefined): unknown {
    const whole = declared === undefined ? undefined : resolved(declared);
    const shape = whole?.kind === "scalar" && whole.scalar === "any" ? undefined : whole;
    switch (node.kind) {
      case "list":
        return this.#list(node, shape);
      case "object":
        return this.#object(node, shape);
      default:
        return this.#scalar(node, shape);
    }
  }

  #scalar(node: JsonScalarNode, shape: ResolvedShape | undefined): unknown {
    if (node.kind === "literal" && node.value === null) return null;
    if (shape === undefined) return untypedJson(node);
    if (shape.kind === "enum" && node.kind === "number" && /^-?\d{1,20}$/.test(node.text)) {
      return enumOfNumber(BigInt(node.text), shape);
    }
    const value = shape.kind === "scalar" ? typedJson(node, shape.scalar) : undefined;
    if (value === undefined) throw this.#misfit(node, shape);
    return value;
  }

  #list(node: JsonListNode, shape: ResolvedShape | undefined): unknown {
    if (shape?.kind === "scalar" && shape.scalar === "bytes") return this.#bytes(node, shape);
    if (shape?.kind === "map" || (shape === undefined && isDictionary(node))) return this.#dictionary(node, shape);
    if (shape !== undefined && shape.kind !== "list") throw this.#misfit(node, shape);
    const list: unknown[] = [];
    this.#push(node.items, (item) => list.push(this.#start(item, shape?.items)));
    return list;
  }

  #bytes(node: JsonListNode, shape: ResolvedShape): Uint8Array {
    const bytes = node.items.map((item) =>
      item.kind === "number" && /^\d{1,3}$/.test(item.text) ? Number(item.text) : 256,
    );
    if (bytes.some((byte) => byte > 255)) throw this.#misfit(node, shape);
    return Uint8Array.from(bytes);
  }

  #dictionary(node: JsonListNode, shape: MapShape | undefined): unknown {
    const keyShape = shape === undefined ? undefined : resolved(shape.key);
    const isNamed =
      keyShape === undefined
        ? node.items.every((item) => item.kind === "object" && memberOf(item, "Key")?.kind === "string")
        : keyShape.kind === "scalar" && keyShape.scalar === "string";
    const bag = emptyBag<unknown>();
    const map = new Map<unknown, unknown>();
    this.#push(node.items, (item) => {
      const key = item.kind === "object" ? memberOf(item, "Key") : undefined;
      const value = item.kind === "object" ? memberOf(item, "Value") : undefined;
      if (key === undefined || value === undefined) throw this.#misfit(item, shape);
      if (isNamed && key.kind === "string") bag[key.value] = this.#start(value, shape?.value);
      else map.set(this.#start(key, keyShape), this.#start(value, shape?.value));
    });
    return isNamed ? bag : map;
  }

  #object(node: JsonObjectNode, declared: ResolvedShape | undefined): unknown {
    const struct = systemStruct(node, declared);
    if (struct !== undefined) return struct;
    const named = typeOf(node);
    const known = named === undefined ? undefined : this.#contract?.known.get(nameText(named));
    const shape = known ?? declared;
    if (shape !== undefined && shape.kind !== "object" && shape.kind !== "map") throw this.#misfit(node, shape);
    const bag = emptyBag<unknown>();
    this.#push(node.values, (member, index) => {
      const name = node.names[index] ?? "";
      if (name === "__type" && named !== undefined) return;
      bag[name] = this.#start(member, shape?.kind === "object" ? shape.byName.get(name)?.shape : shape?.value);
    });
    const isOther = named !== undefined && (known === undefined || known !== declared);
    return isOther ? annotate(bag, { typeName: nameText(named) }) : bag;
  }

  /** Items are placed in their order; the contents of one are read before the next. */
  #push(items: readonly JsonNode[], put: (item: JsonNode, index: number) => void): void {
    if (items.length > 0) this.#frames.push({ items, put, next: 0 });
  }

  #misfit({ at }: JsonNode, shape: ResolvedShape | undefined): SobreError {
    const offset = this.#offsetOf(at);
    const what = shape === undefined ? "entry" : shape.kind === "scalar" ? shape.scalar : shape.name.local;
    return new SobreError("DecodeFailed", `The JSON has a value that is no ${what}, at byte ${offset}.`, { offset });
  }
}

/** A list of objects that have Key and Value and nothing else is a dictionary. */
function isDictionary({ items }: JsonListNode): boolean {
  return (
    items.length > 0 &&
    items.every(
      (item) =>
        item.kind === "object" && item.names.length === 2 && item.names.includes("Key") && item.names.includes("Value"),
    )
  );
}

/** `__type`: the name, a colon and the namespace, in which # stands for that of CLR types. */
export function typeOf(object: JsonObjectNode): XmlName | undefined {
  const node = memberOf(object, "__type");
  if (node?.kind !== "string") return undefined;
  const colon = node.value.indexOf(":");
  if (colon === -1) return { namespace: "", local: node.value };
  const namespace = node.value.slice(colon + 1);
  return {
    namespace: namespace.startsWith("#") ? `${clrNamespaces}${namespace.slice(1)}` : namespace,
    local: node.value.slice(0, colon),
  };
}

const versionParts = ["_Major", "_Minor", "_Build", "_Revision"];

/** The DateTimeOffset or Version that an object is, or `undefined`. */
function systemStruct(object: JsonObjectNode, shape: ResolvedShape | undefined): unknown {
  if (shape !== undefined && shape.kind !== "scalar") return undefined;
  const count = object.names.length;
  if (count !== 2 && count !== 4) return undefined;
  const time = memberOf(object, "DateTime");
  const minutes = memberOf(object, "OffsetMinutes");
  if (count === 2 && time?.kind === "string" && minutes?.kind === "number") {
    const utc = jsonDate(time.value);
    if (utc instanceof DateTime && /^-?\d{1,3}$/.test(minutes.text)) return offsetTime(utc, Number(minutes.text));
  }
  const parts = versionParts.map((name) => memberOf(object, name));
  if (count !== 4 || !parts.every((part) => part?.kind === "number" && /^-?\d{1,10}$/.test(part.text))) {
    return undefined;
  }
  return versionOf(parts.map((part) => (part?.kind === "number" ? Number(part.text) : -1)));
}
