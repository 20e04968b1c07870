import { type DecodeLimits, limitExceeded } from "../../../src/core/codec/limits.ts";
import { emptyBag } from "../../../src/core/envelope/bag.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { decodeName, elementsIn } from "../data-contract/element-facts.ts";
import { contentOf, fittingScalar, type ScalarContent, untypedScalar } from "../data-contract/scalar.ts";
import type { ScalarKind } from "../data-contract/scalar-kind.ts";
import { DateTimeOffset } from "../../../src/core/values/date-time-offset.ts";
import { parseTime, ticksPerMinute } from "../../../src/core/values/ticks.ts";
import { lexical } from "../xml/lexical.ts";
import { xsd } from "../xml/namespaces.ts";
import type { XmlElement } from "../xml/node.ts";
import { readXml } from "../xml/read-xml.ts";
import { type DataSchema, dataSchemaOf, type Tables } from "./data-schema.ts";

/** The namespace of DiffGrams, in which ADO.NET writes rows with their states. */
export const diffgramNamespace = "urn:schemas-microsoft-com:xml-diffgram-v1";
const msdata = "urn:schemas-microsoft-com:xml-msdata";

/** The members that are added to rows with changes that have not been accepted yet. */
const rowMembers = { state: "@rowState", original: "@original" } as const;

type DataSetRow = Record<string, unknown>;

/** The row states in a DiffGram, and their names in .NET. */
const states: ReadonlyMap<string, string> = new Map([
  ["inserted", "added"],
  ["modified", "modified"],
  ["descent", "unchanged"],
]);

/** The schema, if any, and the DiffGram in an element. */
export function diffgramIn(
  element: XmlElement,
): { readonly schema?: XmlElement; readonly diffgram: XmlElement } | undefined {
  // Nearly all elements return here.
  const { size } = element;
  if (size === 0 || size > maxNodes) return undefined;
  let schema: XmlElement | undefined;
  for (let index = 0; index < size; index++) {
    const child = element.at(index);
    if (child?.kind === "text" || child?.kind === "comment") continue;
    if (child?.kind !== "element") return undefined;
    if (child.namespace === diffgramNamespace && child.local === "diffgram")
      return schema === undefined ? { diffgram: child } : { schema, diffgram: child };
    if (child.namespace !== xsd || child.local !== "schema") return undefined;
    schema = child;
  }
  return undefined;
}

/**
 * The element in a text that DataContractJsonSerializer wrote for a DataSet or DataTable; `undefined` for any other text.
 *
 * @throws SobreError `LimitExceeded`.
 */
export function diffgramInText(text: string, limits: DecodeLimits): XmlElement | undefined {
  if (!text.includes(diffgramNamespace)) return undefined;
  try {
    const { root } = readXml(new TextEncoder().encode(text), limits);
    return diffgramIn(root) === undefined ? undefined : root;
  } catch (error) {
    if (error instanceof SobreError && error.code === "LimitExceeded") throw error;
    return undefined;
  }
}

/** Maximum number of nodes: a schema, a DiffGram and whitespace around them. */
const maxNodes = 5;

/**
 * The rows of a DataTable, or those of each table of a DataSet by name, from an element with a DiffGram; columns
 * without a value are null. A changed row has its state as `@rowState` (`added`, `modified`, `deleted`), and the
 * original values as `@original`. `warn` gets the rest of a sentence about what the rows lack, if anything.
 *
 * @throws SobreError `LimitExceeded` for more values than the limits allow.
 */
export function dataSetOf(element: XmlElement, limits: DecodeLimits, warn: (what: string) => void): unknown {
  const found = diffgramIn(element);
  return found && new DataReader(found.schema, limits, warn).read(found.diffgram);
}

class DataReader {
  readonly #tables: Tables;
  readonly #schema: DataSchema;
  readonly #limits: DecodeLimits;
  readonly #warn: (what: string) => void;
  #items = 0;

  constructor(schema: XmlElement | undefined, limits: DecodeLimits, warn: (what: string) => void) {
    this.#schema = dataSchemaOf(schema);
    this.#tables = this.#schema.tables;
    this.#limits = limits;
    this.#warn = warn;
  }

  read(diffgram: XmlElement): unknown {
    const rows = new Map<string, { readonly order: number; readonly row: DataSetRow }[]>();
    for (const name of this.#tables.keys()) rows.set(name, []);
    const before = new Map<string, XmlElement>();
    const parts = elementsIn(diffgram);
    for (const part of parts) {
      if (part.namespace !== diffgramNamespace || part.local !== "before") continue;
      for (const row of elementsIn(part)) before.set(attribute(row, diffgramNamespace, "id") ?? "", row);
    }
    const put = (element: XmlElement, row: DataSetRow): void => {
      const name = decodeName(element.local);
      let list = rows.get(name);
      if (list === undefined) rows.set(name, (list = []));
      list.push({ order: Number(attribute(element, msdata, "rowOrder") ?? list.length), row });
    };
    const data = parts.filter(({ namespace }) => namespace !== diffgramNamespace);
    const pending = data.flatMap(elementsIn).reverse();
    for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
      const row = this.#row(element, pending);
      const state = attribute(element, diffgramNamespace, "hasChanges");
      if (state !== undefined) row[rowMembers.state] = states.get(state) ?? state;
      const id = attribute(element, diffgramNamespace, "id") ?? "";
      const original = before.get(id);
      if (original !== undefined) row[rowMembers.original] = this.#row(original, []);
      before.delete(id);
      put(element, row);
    }
    for (const element of before.values()) {
      const row = emptyBag<unknown>();
      row[rowMembers.state] = "deleted";
      row[rowMembers.original] = this.#row(element, []);
      put(element, row);
    }
    const sorted = Array.from(
      rows,
      ([name, list]) => [name, list.toSorted((a, b) => a.order - b.order).map(({ row }) => row)] as const,
    );
    const [only] = sorted;
    const { mainTable, isNamed, hasNamespace } = this.#schema;
    const isTable = mainTable && sorted.length === 1;
    const hasColumns = sorted.some(([name, list]) => list.length === 0 && (this.#tables.get(name)?.size ?? 0) > 0);
    const lost = [
      ...(isTable || isNamed ? ["its name"] : []),
      ...(hasNamespace ? ["its namespace"] : []),
      ...(hasColumns ? ["the columns of tables without rows"] : []),
    ];
    if (lost.length > 0)
      this.#warn(`is a ${isTable ? "DataTable" : "DataSet"}, read as its rows, without ${listed(lost)}`);
    if (isTable && only !== undefined) return only[1];
    const set = emptyBag<unknown>();
    for (const [name, list] of sorted) set[name] = list;
    return set;
  }

  /** The columns of a row; nested rows of other tables are added to `inner`. */
  #row(element: XmlElement, inner: XmlElement[]): DataSetRow {
    const row = emptyBag<unknown>();
    const columns = this.#tables.get(decodeName(element.local));
    this.#count((columns?.size ?? 0) + element.size, element);
    for (const name of columns?.keys() ?? []) row[name] = null;
    for (let one = element.firstAttribute; one !== undefined; one = one.next) {
      const name = decodeName(one.local.replace(/^hidden/, one.namespace === msdata ? "" : "hidden"));
      const kind = columns?.get(name);
      if (kind === undefined || one.namespace === diffgramNamespace) continue;
      const content = { value: lexical(one.value, undefined), type: undefined, offset: one.offset };
      row[name] = columnScalar(content, kind, element) ?? content.value;
    }
    const nested: XmlElement[] = [];
    for (const child of element.children) {
      const item = child.kind === "array" ? undefined : child;
      if (item?.kind !== "element") continue;
      const name = decodeName(item.local);
      if (this.#tables.has(name) && columns?.has(name) !== true) nested.push(item);
      else if (item.holdsElements)
        row[name] = elementsIn(item).map((part) => lexical(contentOf(part).value, undefined));
      else {
        const content = contentOf(item);
        const kind = columns?.get(name);
        const text = { ...content, value: lexical(content.value, content.type), type: undefined };
        row[name] =
          (kind === undefined ? undefined : columnScalar(text, kind, item)) ??
          untypedScalar(content.value, false, content.type);
      }
    }
    inner.push(...nested.reverse());
    return row;
  }

  #count(items: number, { offset }: XmlElement): void {
    this.#items += items;
    if (this.#items > this.#limits.maxItems) throw limitExceeded("maxItems", this.#limits, { offset });
  }
}

/** The value of a column; a DateTimeOffset is text here, and a class with members elsewhere. */
function columnScalar(content: ScalarContent, kind: ScalarKind, element: XmlElement): unknown {
  if (kind !== "dateTimeOffset") return fittingScalar(content, kind, element);
  const time = parseTime(lexical(content.value, undefined).trim());
  if (time === undefined) return undefined;
  const { offsetMinutes = 0 } = time;
  return new DateTimeOffset(time.ticks - BigInt(offsetMinutes) * ticksPerMinute, offsetMinutes);
}

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

function attribute({ firstAttribute }: XmlElement, namespace: string, local: string): string | undefined {
  for (let one = firstAttribute; one !== undefined; one = one.next)
    if (one.local === local && one.namespace === namespace) return lexical(one.value, undefined);
  return undefined;
}
