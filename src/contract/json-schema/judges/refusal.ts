import type { Refusal } from "../../../core/json-schema/ajv.ts";
import { canonicalJson, isObject } from "../json-value.ts";
import { localTarget } from "../local-reference.ts";
import { nearestAlternative } from "../nearest-alternative.ts";
import { routesTo } from "../schema-routes.ts";

/** The most specific refusal, and the outermost union that contains it. */
interface DeepestRefusal {
  readonly refusal: Refusal;
  readonly union?: Refusal;
}

/**
 * Chooses the refusal to report: the outermost one, except that a union is refused for the reason of the member that the
 * value selects by a discriminator, or else of the member whose shape it has.
 */
export function reportedRefusal(refusals: readonly Refusal[], root: unknown): DeepestRefusal | undefined {
  const last = refusals.at(-1);
  if (last === undefined) return undefined;
  const inner = refusals.slice(0, -1);
  // The selected branch has the reason.
  if (last.keyword === "if" && inner.length > 0) return reportedRefusal(inner, root);
  if (last.keyword !== "oneOf" && last.keyword !== "anyOf") return { refusal: last };
  const members = isObject(last.holder) ? last.holder[last.keyword] : undefined;
  const selected = Array.isArray(members) ? selectedBy(last.value, members, root) : undefined;
  if (selected === "none")
    return {
      refusal: {
        ...last,
        keyword: last.keyword,
        params: { ...last.params, variant: variantOf(last.value, members, root) },
      },
    };
  const nearest = selected ?? nearestTo(last, members, root);
  if (nearest === undefined) return { refusal: last };
  const inMember = reportedRefusal(
    inner.filter((one) => isOf(one, last, nearest, root)),
    root,
  );
  return { refusal: inMember?.refusal ?? last, union: last };
}

/** The member of a union that refused a value of its shape; `undefined` also where several members accept the value. */
function nearestTo({ value, params }: Refusal, members: unknown, root: unknown): unknown {
  const { passingSchemas: passing } = params;
  if (!Array.isArray(members) || (passing !== null && passing !== undefined)) return undefined;
  return nearestAlternative(value, members, root);
}

/** The member of a union that a value selects by a discriminator; `undefined` when the union has none. */
function selectedBy(value: unknown, members: unknown, root: unknown): unknown {
  const { name, lists } = discriminatorOf(value, members, root);
  if (name === undefined || !isObject(value)) return undefined;
  const key = canonicalJson(value[name]);
  const matching = lists.filter(({ values }) => values.some((one) => canonicalJson(one) === key));
  if (matching.length === 0) return "none";
  return matching.length === 1 ? matching[0]?.member : undefined;
}

function variantOf(value: unknown, members: unknown, root: unknown): unknown {
  const { name } = discriminatorOf(value, members, root);
  return name === undefined || !isObject(value) ? undefined : `${name} ${JSON.stringify(value[name])}`;
}

interface UnionDiscriminator {
  readonly name: string | undefined;
  readonly lists: readonly { readonly member: unknown; readonly values: readonly unknown[] }[];
}

/** The property whose values every member of a union lists, without one in common. */
function discriminatorOf(value: unknown, given: unknown, root: unknown): UnionDiscriminator {
  const members = Array.isArray(given) ? given.map((member: unknown) => localTarget(member, root)) : [];
  const [first] = members;
  const names = isObject(first) && isObject(first["properties"]) ? Object.keys(first["properties"]) : [];
  for (const name of names) {
    if (!isObject(value) || !Object.hasOwn(value, name)) continue;
    const lists = members.map((member) => ({ member, values: listedAt(member, name, root) ?? [] }));
    const all = lists.flatMap(({ values }) => values.map(canonicalJson));
    if (lists.every(({ values }) => values.length > 0) && new Set(all).size === all.length) return { name, lists };
  }
  return { name: undefined, lists: [] };
}

function listedAt(member: unknown, name: string, root: unknown): readonly unknown[] | undefined {
  if (!isObject(member) || !isObject(member["properties"])) return undefined;
  const { properties } = member;
  const schema = Object.hasOwn(properties, name) ? localTarget(properties[name], root) : undefined;
  if (!isObject(schema)) return undefined;
  if (Object.hasOwn(schema, "const")) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

/** Whether a refusal came up where the member of a union was tried, and not another one. */
function isOf({ instancePath, holder }: Refusal, union: Refusal, member: unknown, root: unknown): boolean {
  if (!instancePath.startsWith(union.instancePath)) return false;
  const inside = instancePath.slice(union.instancePath.length);
  return routesTo(root, inside, (schema) => schema === holder, member).next().done !== true;
}
