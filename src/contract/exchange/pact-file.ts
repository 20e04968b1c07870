import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject } from "../json-schema/json-value.ts";

type PactMembers = Readonly<Record<string, unknown>>;

/** An asynchronous message of a pact. */
export interface PactMessage {
  readonly description: string;
  readonly payload: Uint8Array;
  /** The content type of the contents, or the one in the metadata. */
  readonly contentType: string | undefined;
  /** The metadata, without the content type. */
  readonly metadata: PactMembers;
  /** Whether contents and metadata name different content types. */
  readonly contradictsItself: boolean;
  /** Rules and other parts that an example cannot express. */
  readonly lost: readonly string[];
}

/** A pact file. */
export interface PactFile {
  readonly consumer: string;
  readonly messages: readonly PactMessage[];
  /** The interactions that are not asynchronous messages, and other parts that are not carried. */
  readonly lost: readonly string[];
}

/**
 * Reads the messages of a pact of specification 3 or 4.
 *
 * @throws SobreError `InvalidArgument` naming the place that is wrong.
 */
export function readPact(value: unknown): PactFile {
  const pact = membersAt(value, "it");
  const major = majorOf(pact);
  const consumer = isObject(pact["consumer"]) ? pact["consumer"]["name"] : undefined;
  const key = major === 3 ? "messages" : "interactions";
  const items = pact[key] ?? [];
  if (!Array.isArray(items)) throw invalidPact(key, "must be a list");
  const all = items.map((item: unknown, at) => ({ place: `${key}[${at}]`, item: membersAt(item, `${key}[${at}]`) }));
  const isMessage = (item: PactMembers): boolean => major === 3 || item["type"] === "Asynchronous/Messages";
  return {
    consumer: typeof consumer === "string" ? consumer : "consumer",
    messages: all.filter(({ item }) => isMessage(item)).map(({ item, place }) => messageAt(item, place, major)),
    lost: [
      ...all
        .filter(({ item }) => !isMessage(item))
        .map(({ item, place }) => `${place}: ${typeof item["type"] === "string" ? item["type"] : "an interaction"}`),
      ...(major === 3 && pact["interactions"] !== undefined ? ["interactions: HTTP"] : []),
    ],
  };
}

function majorOf({ metadata }: PactMembers): 3 | 4 {
  const held = isObject(metadata) ? (metadata["pactSpecification"] ?? metadata["pact-specification"]) : undefined;
  const version: unknown = isObject(held) ? held["version"] : undefined;
  const [major] = typeof version === "string" ? version.split(".") : [];
  if (major === "3" || major === "4") return major === "3" ? 3 : 4;
  throw new SobreError(
    "InvalidArgument",
    `A pact of specification ${typeof version === "string" ? version : "unknown"} is not supported. Expected 3 or 4, in metadata.pactSpecification.version.`,
  );
}

function messageAt(item: PactMembers, place: string, major: 3 | 4): PactMessage {
  const { description, metadata: lower, metaData, contents } = item;
  if (typeof description !== "string") throw invalidPact(`${place}.description`, "must be a text");
  const all = membersAt(lower ?? metaData ?? {}, `${place}.metadata`);
  const [name, said] = Object.entries(all).find(([one]) => /^content-?type$/i.test(one)) ?? [];
  const declared = typeof said === "string" ? said : undefined;
  const held = major === 4 && contents !== undefined ? membersAt(contents, `${place}.contents`) : undefined;
  const own = typeof held?.["contentType"] === "string" ? held["contentType"] : undefined;
  const contentType = own ?? declared;
  const payload =
    held === undefined
      ? bytesOf(contents, { contentType, encoded: major === 3 && isBinary(contentType), place })
      : bytesOf(held["content"], { contentType, encoded: held["encoded"], place });
  return {
    description,
    payload,
    contentType,
    metadata: Object.fromEntries(Object.entries(all).filter(([one]) => one !== name)),
    contradictsItself: own !== undefined && declared !== undefined && bare(own) !== bare(declared),
    lost: lostOf(item),
  };
}

/** The bytes of contents: decoded from Base64 if `encoded`, a text as it is, anything else as JSON. */
function bytesOf(
  content: unknown,
  {
    contentType,
    encoded,
    place,
  }: { readonly contentType: string | undefined; readonly encoded: unknown; readonly place: string },
): Uint8Array {
  if (content === undefined || content === null) return new Uint8Array();
  const text = typeof content === "string" ? content : undefined;
  if (encoded === true || (typeof encoded === "string" && encoded.toLowerCase() === "base64")) {
    if (text === undefined || !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text))
      throw invalidPact(`${place}.contents`, "must be Base64");
    return new Uint8Array(Buffer.from(text, "base64"));
  }
  const isText = text !== undefined && (typeof encoded === "string" || !isJson(contentType));
  if (!isText && hasUnsafeInteger(content))
    throw invalidPact(
      `${place}.contents`,
      "has an integer beyond 2^53, which would change. Encode the contents as Base64",
    );
  return new TextEncoder().encode(isText ? text : JSON.stringify(content));
}

function isJson(contentType = "application/json"): boolean {
  return /^application\/(?:.*\+)?json$/.test(bare(contentType));
}

/** Specification 3 does not mark Base64. */
function isBinary(contentType = "application/json"): boolean {
  return !isJson(contentType) && !bare(contentType).startsWith("text/");
}

function bare(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

function hasUnsafeInteger(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnsafeInteger);
}

const carried: ReadonlySet<string> = new Set([
  "type",
  "key",
  "description",
  "metadata",
  "metaData",
  "contents",
  "matchingRules",
  "providerStates",
]);

/** Rules of equality need no carrying, since a golden message is compared as a whole. */
function lostOf(item: PactMembers): readonly string[] {
  const rules = isObject(item["matchingRules"]) ? item["matchingRules"] : {};
  const states: readonly unknown[] = Array.isArray(item["providerStates"]) ? item["providerStates"] : [];
  return [
    ...Object.entries(rules).flatMap(([part, rule]) => lostRules(part, rule)),
    ...states.map((state) => `provider state ${isObject(state) ? String(state["name"]) : "without a name"}`),
    ...Object.keys(item).filter((name) => !carried.has(name)),
  ];
}

function lostRules(part: string, rule: unknown): readonly string[] {
  if (!isObject(rule)) return [`matching rule ${part}`];
  const direct = matchersOf(rule);
  if (direct !== undefined)
    return direct.every((one) => one === "equality") ? [] : [`matching rule ${part}: ${direct.join(", ")}`];
  return Object.entries(rule).flatMap(([path, inner]) => {
    const matchers = matchersOf(inner) ?? ["unknown"];
    return matchers.every((one) => one === "equality") ? [] : [`matching rule ${part} ${path}: ${matchers.join(", ")}`];
  });
}

function matchersOf(rule: unknown): readonly string[] | undefined {
  if (!isObject(rule)) return undefined;
  const list: unknown = rule["matchers"] ?? (typeof rule["match"] === "string" ? [rule] : undefined);
  if (!Array.isArray(list)) return undefined;
  return list.map((one: unknown) => (isObject(one) && typeof one["match"] === "string" ? one["match"] : "unknown"));
}

function membersAt(value: unknown, place: string): PactMembers {
  if (isObject(value)) return value;
  throw invalidPact(place, "must be an object");
}

function invalidPact(place: string, what: string): SobreError {
  return new SobreError("InvalidArgument", `The pact: ${place} ${what}.`);
}
