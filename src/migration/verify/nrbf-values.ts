import { propertyName } from "../../../codecs/dotnet/data-contract/element-facts.ts";
import { ClassView, plainNameOf, targetOf } from "../../../codecs/dotnet/nrbf/class-view.ts";
import { collectedOf, wrappedIn } from "../../../codecs/dotnet/nrbf/collections.ts";
import { isScalarClass, primitiveOf, scalarOf } from "../../../codecs/dotnet/nrbf/scalars.ts";
import type { ValueSettings } from "../../../codecs/dotnet/nrbf/value-settings.ts";
import type {
  NrbfClassNode,
  MemberNode,
  NrbfDocument,
  PrimitiveType,
  PrimitiveValue,
} from "../../../codecs/dotnet/nrbf/nodes.ts";
import { diffgramIn } from "../../../codecs/dotnet/data-set/data-set.ts";
import { dataSetElement, isDataSet } from "../../../codecs/dotnet/nrbf/data-set.ts";
import { ItemBudget } from "../../core/codec/binary/cursor.ts";
import { defaultDecodeLimits } from "../../core/codec/limits.ts";
import { collectDiffgram } from "./data-set-values.ts";
import { knownValue, type SourceValues } from "./source-values.ts";
import { DateTime } from "../../core/values/date-time.ts";
import { clockKeys, keysOfScalar, keysOfSingle, type ValueKey } from "./value-keys.ts";

interface NrbfValuePlace {
  readonly node: MemberNode;
  readonly name: string | undefined;
  readonly path: string;
  /** For the backing array of a collection, whose capacity exceeds its size: how many items count, and the index of the first. */
  readonly live?: { readonly size: number; readonly head: number } | undefined;
  /** Whether it is a field of a collection, such as the tree of a sorted one. */
  readonly isPart?: boolean | undefined;
}

/** Collects the scalars of a BinaryFormatter payload; values referred to several times are collected once. */
export function collectNrbf(document: NrbfDocument, into: SourceValues, timeZone: string | undefined): void {
  const settings: ValueSettings = {
    enums: () => undefined,
    timeZone,
    memberNames: "written",
    warnings: new Set(),
    limits: defaultDecodeLimits,
    budget: new ItemBudget(defaultDecodeLimits),
  };
  const seen = new Set<MemberNode>();
  const pending: NrbfValuePlace[] = [{ node: document.root, name: undefined, path: "$" }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node: at, name, path, live } = next;
    const node = targetOf(at, document);
    if (node.kind === "null" || node.kind === "reference") {
      into.allow(name, []);
      continue;
    }
    if (node.kind !== "primitive") {
      if (seen.has(node) && !isScalarNode(node)) {
        into.isShared = true;
        continue;
      }
      seen.add(node);
    }
    switch (node.kind) {
      case "primitive":
        into.add(knownValue(name, path, keysOfPrimitive(node.type, node.value, settings)));
        break;
      case "string":
        into.add(knownValue(name, path, [`s${node.value}`]));
        break;
      case "primitive-array":
        if (node.values instanceof Uint8Array && node.shape.lengths.length === 1 && live === undefined)
          into.add(knownValue(name, path, keysOfScalar(node.values)));
        else
          for (const [index, value] of node.values.entries()) {
            if (isLive(index, node.values.length, live))
              into.add(knownValue(undefined, `${path}[]`, keysOfPrimitive(node.type, value, settings)));
          }
        break;
      case "array": {
        const [length = 0] = node.shape.lengths;
        let index = 0;
        for (const element of node.elements) {
          if (isLive(index, length, live)) pending.push({ node: element, name: undefined, path: `${path}[]` });
          index += element.kind === "null" ? element.count : 1;
        }
        break;
      }
      default:
        collectClass(node, { document, settings, into, pending, place: next });
    }
  }
}

/** Whether a node counts as a separate value for each reference to it. */
function isScalarNode(node: MemberNode): boolean {
  return (
    node.kind === "string" ||
    (node.kind === "class" && isScalarClass(plainNameOf(node.description), node.description.memberNames))
  );
}

function isLive(index: number, length: number, live: NrbfValuePlace["live"]): boolean {
  return live === undefined || (index - live.head + length) % length < live.size;
}

interface Collecting {
  readonly document: NrbfDocument;
  readonly settings: ValueSettings;
  readonly into: SourceValues;
  readonly pending: NrbfValuePlace[];
  readonly place: NrbfValuePlace;
}

function collectClass(node: NrbfClassNode, { document, settings, into, pending, place }: Collecting): void {
  const { name, path } = place;
  const view = new ClassView(node, document);
  const { memberNames } = node.description;
  const number = memberNames.length === 1 ? view.integer("value__") : undefined;
  if (number !== undefined) return into.add(knownValue(name, path, keysOfScalar(number)));
  const rows = isDataSet(memberNames) ? dataSetElement(view) : undefined;
  const diffgram = rows && diffgramIn(rows)?.diffgram;
  if (diffgram !== undefined) return collectDiffgram(diffgram, path, into);
  if (isScalarClass(view.plainName, memberNames)) {
    const scalar = scalarOf(view, settings);
    if (scalar === null) return into.allow(name, []);
    if (scalar !== undefined) {
      if (Array.isArray(scalar)) for (const item of scalar) into.add(knownValue(undefined, path, keysOfScalar(item)));
      else into.add(knownValue(name, path, keysOf(scalar)));
      return;
    }
  }
  const isCollection =
    (view.plainName.startsWith("System.Collections.") && !/KeyValuePair|DictionaryEntry$|Node$/.test(view.plainName)) ||
    isDerived(memberNames) ||
    wrappedIn(view) !== undefined;
  // Fields of a class that is not read as the collection that it is are members.
  const isRead = place.isPart === true || collectedOf(view) !== undefined || wrappedIn(view) !== undefined;
  const areFields = isCollection && isRead;
  const size = view.int("_size") ?? view.int("List`1+_size");
  const live = !areFields || size === undefined ? undefined : { size, head: view.int("_head") ?? 0 };
  for (const [index, written] of memberNames.entries()) {
    const member = node.members[index];
    if (member === undefined) continue;
    if (areFields && member.kind === "primitive") continue;
    if (areFields && isComparer(targetOf(member, document))) continue;
    const property = propertyName(written);
    const short = property === written ? undefined : property;
    into.addMember(short ?? written);
    pending.push({
      node: member,
      name: short ?? written,
      path: `${path}.${short ?? written}`,
      live,
      isPart: areFields,
    });
    if (short !== undefined && member.kind === "primitive")
      into.allow(written, keysOfPrimitive(member.type, member.value, settings));
    if (short !== undefined && member.kind === "string") into.allow(written, [`s${member.value}`]);
  }
}

/** Whether these are the fields of a class that is derived from a collection and adds none. */
function isDerived(names: readonly string[]): boolean {
  const isOwn = names.includes("HashSize")
    ? /^(?:Version|Comparer|HashSize|KeyValuePairs|LoadFactor|HashCodeProvider|Keys|Values)$/
    : /^List`1\+_(?:items|size|version)$/;
  return names.length > 0 && names.every((name) => isOwn.test(name));
}

function isComparer(node: MemberNode): boolean {
  return node.kind === "class" && /omparer|HashCodeProvider/.test(node.description.typeName);
}

function keysOfPrimitive(type: PrimitiveType, value: PrimitiveValue, settings: ValueSettings): readonly ValueKey[] {
  if (type === "Single" && typeof value === "number") return keysOfSingle(value);
  return keysOf(primitiveOf(type, value, settings));
}

/** The keys of a scalar; a local time is the clock of a zone that the payload does not name. */
function keysOf(value: unknown): readonly ValueKey[] {
  return value instanceof DateTime && value.kind === "local" ? clockKeys(value.toISO()) : keysOfScalar(value);
}
