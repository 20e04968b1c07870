import { unescapeToken } from "../../../core/json-schema/json-form.ts";
import type { Refusal } from "../../../core/json-schema/ajv.ts";
import { canonicalJson, isObject } from "../json-value.ts";

/** The refusal that says most, and the outermost union that contains it. */
interface Told {
  readonly refusal: Refusal;
  readonly union?: Refusal;
}

/**
 * Chooses the refusal to report: the outermost one, except that a union whose members a discriminator distinguishes is
 * refused for the reason of the member that the value selects.
 */
export function toldBy(refusals: readonly Refusal[], root: unknown): Told | undefined {
  const last = refusals.at(-1);
  if (last === undefined) return undefined;
  const inner = refusals.slice(0, -1);
  // The selected branch has the reason.
  if (last.keyword === "if" && inner.length > 0) return toldBy(inner, root);
  if (last.keyword !== "oneOf" && last.keyword !== "anyOf") return { refusal: last };
  const members = isObject(last.holder) ? last.holder[last.keyword] : undefined;
  const selected = Array.isArray(members) ? selectedBy(last.value, members, root) : undefined;
  if (selected === undefined) return { refusal: last };
  if (selected === "none")
    return {
      refusal: {
        ...last,
        keyword: last.keyword,
        params: { ...last.params, variant: variantOf(last.value, members, root) },
      },
    };
  const own = reachableFrom(selected, root);
  const told = toldBy(
    inner.filter(({ holder }) => own.has(holder)),
    root,
  );
  return { refusal: told?.refusal ?? last, union: last };
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

interface Discriminator {
  readonly name: string | undefined;
  readonly lists: readonly { readonly member: unknown; readonly values: readonly unknown[] }[];
}

/** The property whose values every member of a union lists, without one in common. */
function discriminatorOf(value: unknown, given: unknown, root: unknown): Discriminator {
  const members = Array.isArray(given) ? given.map((member: unknown) => dereferenced(member, root)) : [];
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
  const schema = Object.hasOwn(properties, name) ? dereferenced(properties[name], root) : undefined;
  if (!isObject(schema)) return undefined;
  if (Object.hasOwn(schema, "const")) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

function dereferenced(schema: unknown, root: unknown): unknown {
  let at = schema;
  for (let hops = 0; hops < 20 && isObject(at); hops++) {
    const reference = at["$ref"];
    if (typeof reference !== "string" || !reference.startsWith("#/")) return at;
    at = reference
      .split("/")
      .slice(1)
      .reduce<unknown>((inner, token) => stepInto(inner, unescapeToken(token)), root);
  }
  return at;
}

/** The member or item of a name. */
export function stepInto(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Every schema inside another one, through references too. */
function reachableFrom(schema: unknown, root: unknown): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const next = dereferenced(open.pop(), root);
    if (typeof next !== "object" || next === null || found.has(next)) continue;
    found.add(next);
    open.push(...Object.values(next));
  }
  return found;
}
