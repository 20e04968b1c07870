import { limitExceeded } from "../../../src/core/codec/limits.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { dataSetOf } from "../data-set/data-set.ts";
import { XmlElement, XmlTag } from "../xml/node.ts";
import { readXml } from "../xml/read-xml.ts";
import type { ClassView } from "./class-view.ts";
import type { ValueSettings } from "./value-settings.ts";

/** Whether an object with these members is a DataSet or a DataTable, or of a class derived from one. */
export function isDataSet(names: readonly string[]): boolean {
  return names.includes("XmlSchema") && names.includes("XmlDiffGram");
}

/** Whether an object with these members is a DataSet or a DataTable whose RemotingFormat was Binary. */
export function isBinaryDataSet(names: readonly string[]): boolean {
  return names.includes("DataSet.RemotingFormat") || names.includes("DataTable.RemotingFormat");
}

/** The rows of a DataSet or DataTable, which BinaryFormatter writes as two XML texts; `undefined` if they are not. */
export function dataSet(view: ClassView, { budget, limits, warnings }: ValueSettings): unknown {
  const { offset } = view.node;
  // Many objects can share one text.
  budget.count(((view.text("XmlDiffGram") ?? "").length + (view.text("XmlSchema") ?? "").length) >> 3, offset);
  const element = dataSetElement(view);
  if (element === undefined) return undefined;
  try {
    return dataSetOf(element, limits, (what) => warnings.add(`An object of ${view.plainName} ${what}.`));
  } catch (error) {
    // An offset in the text is not one in the payload.
    if (error instanceof SobreError && error.code === "LimitExceeded")
      throw limitExceeded("maxItems", limits, { offset });
    throw error;
  }
}

/** An element with the schema and the DiffGram, as in other formats. */
export function dataSetElement(view: ClassView): XmlElement | undefined {
  const diffgram = rootOf(view.text("XmlDiffGram"));
  if (diffgram === undefined) return undefined;
  const around = new XmlElement(new XmlTag("", "DataSet"), undefined, view.node.offset);
  const schema = rootOf(view.text("XmlSchema"));
  if (schema !== undefined) around.add(schema);
  around.add(diffgram);
  return around;
}

/** The texts were already read within the caller's limits. */
const textLimits = { maxBytes: Number.MAX_SAFE_INTEGER, maxDepth: 512, maxItems: 20_000_000 } as const;

function rootOf(text: string | undefined): XmlElement | undefined {
  if (text === undefined) return undefined;
  try {
    // The declaration names the encoding that the text had before it became a string.
    return readXml(new TextEncoder().encode(text.replace(/^\uFEFF?<\?xml[^>]*\?>/, "")), textLimits).root;
  } catch (error) {
    if (error instanceof SobreError) return undefined;
    throw error;
  }
}
