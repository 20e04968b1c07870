import { Typed } from "../../../src/core/values/typed.ts";
import { DateTime } from "../../../src/core/values/date-time.ts";
import { Decimal } from "../../../src/core/values/decimal.ts";
import { lexical } from "../../../codecs/dotnet/xml/lexical.ts";
import { xmlns } from "../../../codecs/dotnet/xml/namespaces.ts";
import {
  isXmlList,
  type XmlDocument,
  type XmlElement,
  type XmlNode,
  type XmlScalar,
  type XmlScalarType,
  type XmlText,
} from "../../../codecs/dotnet/xml/node.ts";
import { RecordWriter } from "../../../codecs/dotnet/nbfx/record-writer.ts";
import { attributeRecords, elementRecords, record } from "../../../codecs/dotnet/nbfx/records.ts";

/**
 * Writes the nodes of a document as binary XML, so that reading gives the same nodes; not recursive.
 *
 * Array records become individual elements, and Guids, TimeSpans and lists become text.
 */
export function writeNbfxNodes({ nodes }: XmlDocument): Uint8Array {
  const records = new RecordWriter();
  // An element is followed by its children and its end.
  const pending: (XmlNode | undefined)[] = [...nodes].reverse();
  while (pending.length > 0) {
    const node = pending.pop();
    if (node === undefined) records.endElement();
    else writeNode(records, node, pending);
  }
  return records.finish();
}

function writeNode(records: RecordWriter, node: XmlNode, pending: (XmlNode | undefined)[]): void {
  switch (node.kind) {
    case "comment":
      records.node(record.comment);
      records.name(node.text);
      return;
    case "text":
      return writeText(records, node);
    case "array":
      for (const value of node.values) {
        startElement(records, node.item);
        writeValue(records, value, node.type);
        records.endElement();
      }
      return;
    default:
      startElement(records, node);
      pending.push(undefined);
      for (const child of node.children.toReversed()) pending.push(child);
  }
}

function startElement(records: RecordWriter, { prefix, local, attributes }: XmlElement): void {
  records.named(prefix, local, elementRecords);
  for (const { prefix: own, local: name, namespace, value } of attributes) {
    if (namespace === xmlns) {
      records.node(own === "" ? record.shortXmlns : record.xmlns);
      if (own !== "") records.name(name);
      records.name(lexical(value, undefined));
      continue;
    }
    records.named(own, name, attributeRecords);
    if (isXmlList(value)) records.text(lexical(value, undefined));
    else writeValue(records, value, undefined);
    records.endAttribute();
  }
}

/** A record with a name: without a prefix, with one, or with one of a single letter. */
function writeText(records: RecordWriter, { value, type }: XmlText): void {
  if (isXmlList(value)) records.text(lexical(value, type));
  else writeValue(records, value, type);
}

function writeValue(records: RecordWriter, value: XmlScalar, type: XmlScalarType | undefined): void {
  switch (typeof value) {
    case "boolean":
      return records.boolean(value);
    case "number":
      return type === undefined ? records.integer(BigInt(value)) : records.double(value, type === "Single");
    case "bigint":
      return value < 2n ** 63n ? records.integer(value) : records.text(`${value}`);
    case "string":
      return records.text(value);
    default:
      if (value instanceof Uint8Array) return records.bytes(value);
      if (value instanceof Decimal) return records.decimal(value);
      if (value instanceof DateTime) return records.dateTime(value);
      return records.text(value instanceof Typed ? value.value : value.iso);
  }
}
