import { decodeName, elementsIn } from "../../../codecs/dotnet/data-contract/element-facts.ts";
import { contentOf } from "../../../codecs/dotnet/data-contract/scalar.ts";
import { diffgramNamespace } from "../../../codecs/dotnet/data-set/data-set.ts";
import { lexical } from "../../../codecs/dotnet/xml/lexical.ts";
import { xmlns } from "../../../codecs/dotnet/xml/namespaces.ts";
import type { XmlElement } from "../../../codecs/dotnet/xml/node.ts";
import { knownValue, type SourceValues } from "./source-values.ts";
import { keysOfUntyped } from "./value-keys.ts";

/** Collects the columns of the rows in a DiffGram, and the state of each row that was changed. */
export function collectDiffgram(diffgram: XmlElement, path: string, into: SourceValues): void {
  const parts = elementsIn(diffgram);
  const changed = new Set<string>();
  const state = (name: string): void => into.add(knownValue("@rowState", path, [`s${name}`]));
  const pending = parts.filter(({ namespace }) => namespace !== diffgramNamespace).flatMap(elementsIn);
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const changes = diffgramAttribute(at, "hasChanges");
    if (changes !== undefined) {
      changed.add(diffgramAttribute(at, "id") ?? "");
      state(changes === "inserted" ? "added" : changes === "descent" ? "unchanged" : changes);
    }
    collectLeaf(at, path, into);
    pending.push(...elementsIn(at));
  }
  for (const row of parts.filter(isBefore).flatMap(elementsIn)) {
    if (!changed.has(diffgramAttribute(row, "id") ?? "")) state("deleted");
    collectLeaf(row, path, into);
    for (const column of elementsIn(row)) collectLeaf(column, path, into);
  }
}

/** Whether an element of a DiffGram contains the original versions of rows. */
function isBefore({ namespace, local }: XmlElement): boolean {
  return namespace === diffgramNamespace && local === "before";
}

function collectLeaf(element: XmlElement, path: string, into: SourceValues): void {
  for (const { namespace, local, value } of element.attributes) {
    if (namespace === xmlns || namespace === diffgramNamespace || local === "rowOrder") continue;
    if (namespace !== "" && !local.startsWith("hidden")) continue;
    addColumn(namespace === "" ? local : local.slice("hidden".length), lexical(value, undefined), { into, path });
  }
  if (elementsIn(element).length > 0 || diffgramAttribute(element, "id") !== undefined) return;
  const { value, type } = contentOf(element);
  addColumn(element.local, lexical(value, type), { into, path });
}

function addColumn(
  local: string,
  text: string,
  { into, path }: { readonly into: SourceValues; readonly path: string },
): void {
  const name = decodeName(local);
  if (text === "") into.allow(name, ["s", "x"]);
  else into.add(knownValue(name, path, keysOfUntyped(text)));
}

function diffgramAttribute({ attributes }: XmlElement, name: string): string | undefined {
  const found = attributes.find(({ namespace, local }) => namespace === diffgramNamespace && local === name);
  return found && lexical(found.value, undefined);
}
