import { Keywords } from "./keyword-value.ts";
import { isObject } from "./json-value.ts";
import { meaningOf } from "./meaning.ts";
import type { SchemaDocument, SchemaNode } from "./schema-document.ts";

/** A member that the reader ignores, and the one that may have taken its place. */
export interface RenamedMember {
  readonly before: string;
  readonly after: string;
  /** JSON Pointers of the two. */
  readonly writerPointer: string;
  readonly readerPointer: string;
  /** JSON Pointers of the keywords by which the reader refuses the member; without one it ignores the value. */
  readonly refusedBy: readonly string[];
}

/**
 * Members that only the writer declares where only the reader declares another one of the same schema. Where several could
 * have taken its place, none is named.
 */
export function renamedMembers(writer: SchemaDocument, reader: SchemaDocument): readonly RenamedMember[] {
  const found: RenamedMember[] = [];
  const seen = new Set<string>();
  const visit = (writing: SchemaNode, reading: SchemaNode): void => {
    const [sent, read] = [resolved(writing), resolved(reading)];
    const key = `${sent?.node.pointer ?? ""} ${read?.node.pointer ?? ""}`;
    if (sent === undefined || read === undefined || seen.has(key)) return;
    seen.add(key);
    found.push(...renamedIn(sent, read));
    for (const name of Object.keys(sent.map("properties") ?? {}))
      if (Object.hasOwn(read.map("properties") ?? {}, name))
        visit(child(sent, "properties", name), child(read, "properties", name));
    for (const name of ["items", "additionalProperties"])
      if (isObject(sent.get(name)) && isObject(read.get(name))) visit(child(sent, name), child(read, name));
  };
  visit(writer.root, reader.root);
  return found;
}

function renamedIn(sent: Keywords, read: Keywords): readonly RenamedMember[] {
  const [before, after] = [sent.map("properties") ?? {}, read.map("properties") ?? {}];
  const closing = ["additionalProperties", "unevaluatedProperties"].filter((name) => read.get(name) === false);
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name));
  return gone.flatMap((name) => {
    const meaning = meaningOf(before[name]);
    const alike = added.filter((other) => meaningOf(after[other]) === meaning);
    const rivals = gone.filter((other) => meaningOf(before[other]) === meaning);
    const [only] = alike;
    if (only === undefined || alike.length > 1 || rivals.length > 1) return [];
    return [
      {
        before: name,
        after: only,
        writerPointer: child(sent, "properties", name).pointer,
        readerPointer: child(read, "properties", only).pointer,
        refusedBy: closing.map((keyword) => `${read.node.pointer}/${keyword}`),
      },
    ];
  });
}

function child({ node }: Keywords, ...path: readonly string[]): SchemaNode {
  return node.document.child(node, ...path);
}

/** The schema that a node is or refers to; `undefined` when it is not an object or refers to itself. */
function resolved(start: SchemaNode): Keywords | undefined {
  let node = start;
  for (let steps = 0; steps < 20 && isObject(node.schema); steps++) {
    const keywords = new Keywords(node, node.schema);
    const reference = keywords.get("$ref");
    if (typeof reference !== "string") return keywords;
    node = node.document.resolve(node, reference);
  }
  return undefined;
}
