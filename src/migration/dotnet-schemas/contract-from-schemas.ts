import type { DotnetContract } from "../../../codecs/dotnet/data-contract/contract.ts";
import { nameText } from "../../../codecs/dotnet/data-contract/shape.ts";
import { serialization, xsd } from "../../../codecs/dotnet/xml/namespaces.ts";
import type { XmlName } from "../../../codecs/dotnet/xml/node.ts";
import type { SourceProblem } from "../csharp/source-problem.ts";
import { type ContractNode, wholeContract } from "../csharp/contract-node.ts";
import { attributeOf, type DeclaredElement, partsOf, type XmlSchemaDocument } from "./schema-document.ts";
import { XmlSchemaTypes } from "./schema-types.ts";

/** A contract, and what of the schemas it does not express. */
export interface ContractOfSchemas {
  readonly contract: DotnetContract;
  readonly types: number;
  readonly problems: readonly SourceProblem[];
}

/**
 * Makes one contract of XML schemas, as XsdDataContractExporter and svcutil write them; what it does not express is a
 * problem with file and line.
 *
 * @param type The root: `Order`, or `{urn:orders}Order`. Default: every class.
 */
export function contractFromSchemas(
  documents: readonly XmlSchemaDocument[],
  type?: string,
): ContractOfSchemas | string {
  const types = new Map<string, DeclaredElement>();
  const elements = new Map<string, DeclaredElement>();
  const named: XmlName[] = [];
  const problems: SourceProblem[] = [];
  for (const document of documents) {
    const { namespace } = document;
    if (namespace === serialization || namespace === xsd) continue;
    for (const element of partsOf(document.root)) {
      const local = attributeOf(element, "name");
      if (local === undefined) continue;
      const name = { namespace, local };
      const isType = element.local === "complexType" || element.local === "simpleType";
      if (!isType && element.local !== "element") continue;
      const declared = isType ? types : elements;
      const first = declared.get(nameText(name));
      if (first !== undefined) {
        const place = `${first.document.path}:${first.document.lineOf(first.element.offset)}`;
        const message = `${nameText(name)} is declared in ${place} too, which counts`;
        problems.push({ file: document.path, line: document.lineOf(element.offset), message });
        continue;
      }
      declared.set(nameText(name), { element, document });
      if (isType) named.push(name);
    }
  }
  const asked = named.filter((name) => name.local === type || nameText(name) === type);
  const [only] = asked;
  if (type !== undefined && only === undefined) return `${type} is not a type of these schemas`;
  if (asked.length > 1) return `${type} is in several namespaces; ask for one: ${asked.map(nameText).join(", ")}`;
  const reader = new XmlSchemaTypes(types, elements);
  const roots = only === undefined ? named : [only];
  const nodes = roots
    .map((name) => reader.named(name))
    .filter(({ $ref }) => only !== undefined || typeof $ref === "string");
  reader.complete();
  const free = nodes.filter(({ $ref }) => typeof $ref === "string" && !reader.held.has($ref) && reader.isClass($ref));
  const root: ContractNode = (nodes.length === 1 ? nodes[0] : free.length === 1 ? free[0] : undefined) ?? {};
  return {
    contract: wholeContract(root, reader.definitions),
    types: reader.definitions.size,
    problems: [...problems, ...reader.problems],
  };
}
