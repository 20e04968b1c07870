import { isOldDialect } from "./dialect.ts";
import type { Keywords } from "./keyword-value.ts";
import type { SchemaNode } from "./schema-document.ts";

/** The targets of the references of a schema; a text for one whose target depends on the way it was reached. */
export function referenceTargets(keywords: Keywords): readonly (SchemaNode | string)[] {
  const { node } = keywords;
  const { document } = node;
  const targets: (SchemaNode | string)[] = [];
  const reference = keywords.text("$ref");
  if (reference !== undefined) targets.push(document.resolve(node, reference));
  if (isOldDialect(document.dialect)) return targets;
  const dynamic = keywords.text("$dynamicRef");
  if (dynamic !== undefined) {
    const anchor = dynamic.slice(dynamic.indexOf("#") + 1);
    const target = document.resolve(node, dynamic);
    // Validators agree only on references to the root of a document that has one such anchor; one that other documents refer
    // to, e.g. a vocabulary of a meta-schema, is extended by the anchors of those.
    const isShared = document.name !== document.origin || target.document !== document;
    const depends = isShared || target.pointer !== "" || target.document.dynamicTargets(anchor).length > 1;
    targets.push(depends ? `${document.origin} ${document.name}#${node.pointer}/$dynamicRef` : target);
  }
  if (keywords.has("$recursiveRef"))
    targets.push(
      document.recursive || document.name !== document.origin
        ? `${document.origin} ${document.name}#${node.pointer}/$recursiveRef`
        : document.resolve(node, "#"),
    );
  return targets;
}
