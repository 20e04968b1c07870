import { decodeName, elementsIn } from "../data-contract/element-facts.ts";
import { type ScalarKind, scalarNamed, scalarOfClr } from "../data-contract/scalar-kind.ts";
import { lexical } from "../xml/lexical.ts";
import { xsd } from "../xml/namespaces.ts";
import type { XmlElement } from "../xml/node.ts";

/** The columns of each table with their types. */
export type Tables = ReadonlyMap<string, ReadonlyMap<string, ScalarKind>>;

/** The facts about a DataSet or DataTable in the inline XML Schema that ADO.NET writes. */
export interface DataSchema {
  readonly tables: Tables;
  /** Whether it describes a single table rather than a DataSet. */
  readonly mainTable: boolean;
  /** Whether the DataSet has a name of its own. */
  readonly isNamed: boolean;
  readonly hasNamespace: boolean;
}

/** Reads a {@link DataSchema}. */
export function dataSchemaOf(schema: XmlElement | undefined): DataSchema {
  const tables = new Map<string, Map<string, ScalarKind>>();
  let mainTable = false;
  let isNamed = false;
  const hasNamespace =
    schema?.attributes.some(({ local, value }) => local === "targetNamespace" && value !== "") === true;
  const pending: XmlElement[] = schema === undefined ? [] : [schema];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const children = elementsIn(at);
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index];
      if (child?.namespace === xsd) pending.push(child);
    }
    if (at.local !== "element") continue;
    const attributes = new Map(at.attributes.map(({ local, value }) => [local, lexical(value, undefined)]));
    if (attributes.get("IsDataSet") === "true") {
      if (attributes.has("MainDataTable")) mainTable = true;
      isNamed = (attributes.get("name") ?? unnamed) !== unnamed;
      continue;
    }
    const name = attributes.get("name");
    const complex = children.find(({ local }) => local === "complexType");
    if (name !== undefined && complex !== undefined && !tables.has(decodeName(name)))
      tables.set(decodeName(name), columnsIn(complex));
  }
  return { tables, mainTable, isNamed, hasNamespace };
}

/** The name of a DataSet that was given none. */
const unnamed = "NewDataSet";

function columnsIn(complex: XmlElement): Map<string, ScalarKind> {
  const columns = new Map<string, ScalarKind>();
  const parts = elementsIn(complex);
  const content = parts.find(({ local }) => local === "simpleContent");
  const declared = [
    ...parts.filter(({ local }) => local === "sequence" || local === "all").flatMap(elementsIn),
    ...parts,
    ...(content === undefined ? [] : elementsIn(content).flatMap(elementsIn)),
  ];
  for (const column of declared) {
    if (column.local !== "element" && column.local !== "attribute") continue;
    // A nested table.
    if (elementsIn(column).some(({ local }) => local === "complexType")) continue;
    const attributes = new Map(column.attributes.map(({ local, value }) => [local, lexical(value, undefined)]));
    const name = attributes.get("name");
    if (name !== undefined) columns.set(decodeName(name), kindOf(column, attributes));
  }
  return columns;
}

function kindOf(column: XmlElement, attributes: ReadonlyMap<string, string>): ScalarKind {
  const clr = attributes.get("DataType")?.split(",", 1)[0]?.trim();
  const named = clr === "System.DateTimeOffset" ? "dateTimeOffset" : clr === undefined ? undefined : scalarOfClr(clr);
  if (named !== undefined) return named;
  const restriction = elementsIn(column).flatMap(elementsIn)[0];
  const base = restriction?.attributes.find(({ local }) => local === "base")?.value;
  const type = attributes.get("type") ?? (base === undefined ? "" : lexical(base, undefined));
  return scalarNamed({ namespace: xsd, local: type.slice(type.indexOf(":") + 1) }) ?? "string";
}
