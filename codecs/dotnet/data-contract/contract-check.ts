import { isObject } from "../../../src/core/values/plain-object.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";

type CheckedNode = Readonly<Record<string, unknown>>;

/** A type of a contract that is still to be checked, and its path. */
interface UncheckedType {
  readonly value: unknown;
  readonly path: string;
  readonly role: "root" | "type" | "member";
}

/** Keywords that define a type. */
const ownKeywords = [
  "$ref",
  "$defs",
  "title",
  "type",
  "properties",
  "allOf",
  "items",
  "additionalProperties",
  "x-dotnet",
];

/** Keywords that do not affect how a type is written: annotations and constraints. */
const idleKeywords: ReadonlySet<string> = new Set(
  (
    "$schema $id $anchor $comment $vocabulary description default deprecated readOnly writeOnly examples required enum " +
    "const format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems " +
    "maxItems uniqueItems minProperties maxProperties dependentRequired propertyNames unevaluatedProperties " +
    "unevaluatedItems contentEncoding contentMediaType"
  ).split(" "),
);

const jsonTypes = ["null", "boolean", "string", "integer", "number", "array", "object"];

type Check = readonly [wanted: string, test: (value: unknown) => boolean];

const text: Check = ["text", (value) => typeof value === "string"];
const flag: Check = ["true or false", (value) => typeof value === "boolean"];
const node: Check = ["an object", isNode];
const integer: Check = ["a whole number", (value) => Number.isSafeInteger(value)];
const texts: Check = [
  "a list of texts",
  (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
];
const serializer: Check = ["dataContract or xml", (value) => value === "dataContract" || value === "xml"];
const type: Check = ["the name of a type, or a type", (value) => typeof value === "string" || isNode(value)];

/** The members of x-dotnet. */
const hintChecks: Readonly<Record<string, Check>> = {
  type: text,
  name: text,
  namespace: text,
  clrName: text,
  order: integer,
  member: text,
  omitDefault: flag,
  serializer,
  text: flag,
  flat: flag,
  xmlNames: texts,
  reference: flag,
  serializable: flag,
  struct: flag,
  members: node,
  clrMembers: node,
  flags: flag,
  itemName: text,
  key: type,
  entryName: text,
  keyName: text,
  valueName: text,
};

/** Keywords that only some types have. */
const particular: Readonly<Record<string, readonly string[]>> = {
  class: ["properties", "allOf", "reference", "serializable", "struct", "xmlNames"],
  enum: ["members", "clrMembers", "flags"],
  list: ["items", "itemName"],
  map: ["additionalProperties", "key", "entryName", "keyName", "valueName"],
};

/** Keywords that describe a member instead of its type, and so may accompany a reference. */
const ofMembers: ReadonlySet<string> = new Set(["order", "member", "omitDefault", "serializer", "text", "flat"]);

/**
 * Checks that no part of a contract would be silently ignored: every keyword, hint and type is known, and used where it
 * has an effect.
 *
 * @param kindOf The kind of a type that is not a reference.
 * @throws SobreError `InvalidArgument` with the JSON path of the invalid part.
 */
export function checkContract(contract: unknown, kindOf: (node: CheckedNode) => string): void {
  if (!isNode(contract)) throw invalidContract("$", "is not a JSON object");
  const declared = nodeOf(contract["$defs"]);
  const places: UncheckedType[] = [{ value: contract, path: "$", role: "root" }];
  const seen = new Set<unknown>();
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, path, role } = place;
    if (value === true && role === "member") continue;
    if (!isNode(value)) throw invalidContract(path, "is not a type: a type must be an object");
    // Contracts in code may share parts.
    if (seen.size === seen.add(value).size) continue;
    checkKeywords(value, path, role);
    const hint = hintsOf(value, path, role);
    if (value["$ref"] === undefined) checkKind(value, hint, { kind: kindOf(value), path });
    else checkReference(value, hint, { declared, path });
    places.push(...inside(value, path));
  }
}

interface Reference {
  /** The declared types. */
  readonly declared: CheckedNode;
  readonly path: string;
}

function checkReference(found: CheckedNode, hint: CheckedNode, { declared, path }: Reference): void {
  const reference = found["$ref"];
  const name = typeof reference === "string" ? /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1] : undefined;
  if (name === undefined) throw invalidContract(path, "has a $ref that is not #/$defs/NAME");
  if (!Object.hasOwn(declared, name)) throw invalidContract(path, `refers to ${name}, which is not in $defs`);
  const keyword = ["properties", "allOf", "items", "additionalProperties"].find((one) => found[one] !== undefined);
  if (keyword !== undefined)
    throw invalidContract(path, `has ${keyword} next to $ref; only the type itself may have it`);
  const stray = Object.keys(hint).find((one) => !ofMembers.has(one) && one !== "defaultNamespace");
  if (stray !== undefined)
    throw invalidContract(path, `has x-dotnet.${stray} next to $ref; only the type itself may have it`);
}

function checkKeywords(found: CheckedNode, path: string, role: UncheckedType["role"]): void {
  for (const name of Object.keys(found)) {
    if (ownKeywords.includes(name) || idleKeywords.has(name) || isExtension(name)) continue;
    throw invalidContract(
      path,
      `has ${JSON.stringify(name)}, which is not a keyword of contracts. Expected one of: ${ownKeywords.join(", ")}`,
    );
  }
  const { title, $defs, properties, allOf, items, additionalProperties: values } = found;
  if (title !== undefined && typeof title !== "string") throw invalidContract(path, "has a title that is not a string");
  if ($defs !== undefined && role !== "root")
    throw invalidContract(path, "has $defs, which are only allowed at the top of the contract");
  if ($defs !== undefined && !isNode($defs)) throw invalidContract(path, "has $defs that are not an object");
  if (properties !== undefined && !isNode(properties))
    throw invalidContract(path, "has properties that are not an object");
  if (allOf !== undefined && !(Array.isArray(allOf) && allOf.length === 1)) {
    throw invalidContract(path, "has an allOf that is not a list of one base class");
  }
  if (items !== undefined && items !== true && !isNode(items))
    throw invalidContract(path, "has items that are not a type");
  if (values !== undefined && typeof values !== "boolean" && !isNode(values)) {
    throw invalidContract(path, "has additionalProperties that are not a type");
  }
  jsonTypesOf(found, path);
}

/** Whether a keyword belongs to another tool; a misspelt x-dotnet does not. */
function isExtension(name: string): boolean {
  return name.startsWith("x-") && !/^x-d|net/i.test(name);
}

function jsonTypesOf({ type: given }: CheckedNode, path: string): readonly string[] {
  if (given === undefined) return [];
  return (Array.isArray(given) ? given : [given]).map((one: unknown) => {
    if (typeof one === "string" && jsonTypes.includes(one)) return one;
    const known = `there are ${jsonTypes.join(", ")}, and those of .NET in x-dotnet`;
    throw invalidContract(path, `has the unknown type ${JSON.stringify(one)}; ${known}`);
  });
}

function hintsOf({ "x-dotnet": hint }: CheckedNode, path: string, role: UncheckedType["role"]): CheckedNode {
  if (hint === undefined) return {};
  if (typeof hint === "string") return { type: hint };
  if (!isNode(hint)) throw invalidContract(path, "has an x-dotnet that is neither a string nor an object");
  const known = role === "root" ? { ...hintChecks, defaultNamespace: text } : hintChecks;
  for (const [name, value] of Object.entries(hint)) {
    if (role !== "member" && ofMembers.has(name))
      throw invalidContract(path, `has x-dotnet.${name}, and is not a member`);
    const check = Object.hasOwn(known, name) ? known[name] : undefined;
    if (check === undefined) {
      const rest = name === "defaultNamespace" ? "which only the whole contract may" : "which x-dotnet does not";
      throw invalidContract(path, `has x-dotnet.${name}, ${rest} have; there are ${Object.keys(known).join(", ")}`);
    }
    const [wanted, test] = check;
    if (value !== undefined && !test(value)) throw invalidContract(`${path}.x-dotnet.${name}`, `must be ${wanted}`);
  }
  return hint;
}

interface Kind {
  readonly kind: string;
  readonly path: string;
}

function checkKind(found: CheckedNode, hint: CheckedNode, { kind, path }: Kind): void {
  const types = hint["type"] === undefined ? jsonTypesOf(found, path).filter((one) => one !== "null") : [];
  if (types.length > 1) throw invalidContract(path, `has several types (${types.join(", ")}); name one in x-dotnet`);
  const own = kind === "array" ? "list" : kind;
  for (const [owner, names] of Object.entries(particular)) {
    const name = names.find((one) => hint[one] !== undefined || isStated(found, one));
    if (name === undefined || owner === own) continue;
    throw invalidContract(path, `has ${name}, which belongs to the type ${owner}, and is of the type ${kind}`);
  }
  if (own === "enum" && hint["members"] === undefined) throw invalidContract(path, "needs x-dotnet.members");
}

/** Whether a keyword has an effect: `additionalProperties` may also be true or false, which matters only for JSON. */
function isStated(found: CheckedNode, keyword: string): boolean {
  const value = found[keyword];
  return keyword === "additionalProperties" ? isNode(value) : value !== undefined;
}

/** The types nested in a type. */
function inside(found: CheckedNode, path: string): readonly UncheckedType[] {
  const each = (keyword: string, role: UncheckedType["role"]): readonly UncheckedType[] =>
    Object.entries(nodeOf(found[keyword])).map(([name, value]) => ({
      value,
      path: `${path}.${keyword}.${name}`,
      role,
    }));
  const { items, additionalProperties: values, allOf } = found;
  const { key } = nodeOf(found["x-dotnet"]);
  return [
    ...each("$defs", "type"),
    ...each("properties", "member"),
    ...(Array.isArray(allOf) ? [{ value: allOf[0], path: `${path}.allOf[0]`, role: "type" } as const] : []),
    ...(isNode(items) ? [{ value: items, path: `${path}.items`, role: "type" } as const] : []),
    ...(isNode(values) ? [{ value: values, path: `${path}.additionalProperties`, role: "type" } as const] : []),
    ...(isNode(key) ? [{ value: key, path: `${path}.x-dotnet.key`, role: "type" } as const] : []),
  ];
}

function nodeOf(value: unknown): CheckedNode {
  return isNode(value) ? value : {};
}

/** Whether a value is an object of JSON. */
export function isNode(value: unknown): value is CheckedNode {
  return isObject(value);
}

/** The error of a contract that is invalid at a JSON path. */
export function invalidContract(path: string, why: string): SobreError {
  return new SobreError("InvalidArgument", `The contract at ${path} ${why}.`, { path });
}
