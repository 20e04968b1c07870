import { compileJudge, type Refusal } from "../../../core/json-schema/ajv.ts";
import { matcherOf } from "../pattern-matcher.ts";
import { type Dialect, isOldDialect, schemaKeywords, schemaMapKeywords } from "../dialect.ts";
import { type FormatPolicy, hasFormat, numberFormats } from "../formats.ts";
import { escapeToken, type SchemaDocument } from "../schema-document.ts";
import { isObject, objectOf } from "../json-value.ts";
import { reportedRefusal } from "./refusal.ts";

/** Validates values as a service would: `undefined` for a valid one, the first refusal otherwise. */
export type Judge = (value: unknown) => PlacedRefusal | undefined;

/** A refusal whose schema path begins at the root of the schema, even through references. */
interface PlacedRefusal extends Omit<Refusal, "holder" | "value"> {
  /** The schema path of the outermost union that contains the refusal, if any. */
  readonly union?: string;
}

/** How a document is judged. */
export interface JudgeReading {
  readonly side: "writer" | "reader";
  readonly policy: FormatPolicy;
  readonly siblings: boolean;
  readonly circular: ReadonlySet<string>;
}

/** A longer schema is compiled with only the members that the value has, which takes less time. */
const maxTextLength = 20_000;

/** One judge, or two where formats may be asserted or ignored. */
export function judgesOf(document: SchemaDocument, reading: JudgeReading): readonly Judge[] {
  const text = JSON.stringify(document.root.schema) ?? "";
  const differ = reading.policy === "either" && /"(?:format|content\w+)":/.test(text);
  const chosen = differ ? [false, true] : [reading.policy === "assertion"];
  // A reference may lead to a member.
  const isWhole = text.length <= maxTextLength || /"\$(?:dynamic|recursive)?[rR]ef":"[^"]*\/properties\//.test(text);
  return chosen.map((asserts) => {
    const whole = isWhole ? judgeOf(document, { ...reading, asserts }) : undefined;
    if (whole !== undefined) return whole;
    const known = new Map<string, Judge>();
    const frames = new Map<string, Judge>();
    const isFramed = reading.side === "reader" && isFrame(document.root.schema);
    const framed = (value: unknown): PlacedRefusal | undefined =>
      judgeFor(value, frames, (names) => judgeOf(document, { ...reading, asserts, names, isFrame: true }))(value);
    return (value) =>
      (isFramed ? framed(value) : undefined) ??
      judgeFor(value, known, (names) => judgeOf(document, { ...reading, asserts, names }))(value);
  });
}

/** Keywords that assert nothing. */
const silent = ["$schema", "$id", "$comment", "title", "description", "$defs", "definitions"];

/** Keywords that ajv asserts before it looks into members. */
const early = ["type", "required", "minProperties", "maxProperties", "additionalProperties"];

const keywordsOfFrame = new Set([...silent, ...early, "properties"]);

/** Whether ajv's first refusal stays the same if the schemas of members are left out and the value is still refused. */
function isFrame(schema: unknown): boolean {
  return (
    isObject(schema) &&
    Object.keys(schema).every((name) => keywordsOfFrame.has(name)) &&
    !isObject(schema["additionalProperties"])
  );
}

/** The judge for the members that a value has at any depth. */
function judgeFor(value: unknown, known: Map<string, Judge>, make: (names: ReadonlySet<string>) => Judge): Judge {
  const names = new Set<string>();
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [name, inside] of Object.entries(part)) {
      names.add(name);
      visit(inside);
    }
  };
  visit(value);
  const key = JSON.stringify(Array.from(names).toSorted());
  try {
    const judge = known.get(key) ?? make(names);
    known.set(key, judge);
    return judge;
  } catch (cause) {
    throw new RangeError("the validator cannot compile the schema", { cause });
  }
}

function judgeOf(
  document: SchemaDocument,
  reading: JudgeReading & Pick<Plain, "names" | "isFrame"> & { readonly asserts: boolean },
): Judge {
  const { dialect } = document;
  const pointers = new Map<unknown, string>();
  const schema = plainSchema(document.root.schema, "", { ...reading, dialect, pointers });
  // No witness depends on a text that only some validators accept: it counts neither as sent nor as refused.
  const formats = reading.asserts ? asserted(schema, reading.side === "reader") : {};
  const judge = compileJudge(typeof schema === "boolean" || isObject(schema) ? schema : true, {
    dialect: dialect === "2019-09" || dialect === "2020-12" ? dialect : "draft-07",
    formats,
    pattern: (source) => {
      const matcher = matcherOf(source);
      // No break depends on a pattern that the reader cannot run; others are looked for after it.
      if (reading.side === "reader" && matcher.automaton === undefined) return { test: () => true };
      return { test: (text) => matcher.test(text) ?? outOfTime() };
    },
  });
  return (value) => {
    const { refusal, union } = reportedRefusal(judge(value), schema) ?? {};
    if (refusal === undefined) return undefined;
    const place = union === undefined ? {} : { union: placed(union, pointers).schemaPath };
    return { ...placed(refusal, pointers), ...place };
  };
}

function placed(refusal: Refusal, pointers: ReadonlyMap<unknown, string>): PlacedRefusal {
  const { holder, value: _, ...rest } = refusal;
  const pointer = pointers.get(holder);
  return pointer === undefined ? rest : { ...rest, schemaPath: `#${pointer}/${rest.keyword}` };
}

/** The formats that a schema names, asserted; texts that some validators take are as `doubtful` says. */
function asserted(schema: unknown, doubtful: boolean): Readonly<Record<string, (text: string) => boolean>> {
  const names = new Set<string>();
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [keyword, value] of Object.entries(part)) {
      if (keyword === "format" && typeof value === "string" && !numberFormats.has(value)) names.add(value);
      visit(value);
    }
  };
  visit(schema);
  return Object.fromEntries(Array.from(names, (name) => [name, (text: string) => hasFormat(name, text) ?? doubtful]));
}

function outOfTime(): never {
  throw new RangeError("a pattern ran out of time");
}

/** Keywords that only ajv knows, or that it cannot read. */
const foreign = new Set(["$schema", "nullable", "discriminator", "$async", "id"]);

interface Plain extends JudgeReading {
  /** The members to compile. Default: all. */
  readonly names?: ReadonlySet<string>;
  /** Whether members may be anything, which takes no time to compile. Default: false. */
  readonly isFrame?: boolean;
  readonly dialect: Dialect;
  /** The place in the document of each schema that is passed to ajv. */
  readonly pointers: Map<unknown, string>;
}

/** The schema in keywords that ajv reads as its dialect means them: no `$ref` with siblings, boolean bounds or foreign keywords. */
function plainSchema(schema: unknown, pointer: string, reading: Plain): unknown {
  const made = plainObject(schema, pointer, reading);
  if (isObject(made)) reading.pointers.set(made, pointer);
  return made;
}

function plainObject(schema: unknown, pointer: string, reading: Plain): unknown {
  if (!isObject(schema)) return schema;
  if (isOldDialect(reading.dialect) && !reading.siblings && typeof schema["$ref"] === "string") {
    // Definitions assert nothing, but references may lead to them.
    const kept = ["definitions", "$defs"].flatMap((name): readonly (readonly [string, unknown])[] =>
      isObject(schema[name]) ? [[name, inner(name, schema[name], { pointer: `${pointer}/${name}`, reading })]] : [],
    );
    return objectOf(reading.circular.has(pointer) ? kept : [["$ref", schema["$ref"]], ...kept]);
  }
  const entries = Object.entries(schema).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    if (foreign.has(name)) return renamed(name, value, reading);
    if (name === "$ref" && reading.circular.has(pointer)) return [];
    if (name === "contentEncoding" || name === "contentMediaType") return content(name, value, reading);
    if (name === "enum" && Array.isArray(value) && value.length === 0) return [["not", {}]];
    if (name === "required" && typeof value === "boolean") return [];
    if (name === "exclusiveMinimum" || name === "exclusiveMaximum") return bound(name, value, schema);
    if (
      (name === "minimum" && schema["exclusiveMinimum"] === true) ||
      (name === "maximum" && schema["exclusiveMaximum"] === true)
    )
      return [];
    return [[name, inner(name, value, { pointer: `${pointer}/${escapeToken(name)}`, reading })]];
  });
  const contents = entries.flatMap(([name, value]) => (name === "content " ? [value] : []));
  if (contents.length === 0) return objectOf(entries);
  const own = objectOf(entries.filter(([name]) => name !== "content "));
  return { ...own, allOf: [...(Array.isArray(own["allOf"]) ? own["allOf"] : []), ...contents] };
}

/** draft-07 lets validators assert contents; ajv is given a format for that. */
function content(name: string, value: unknown, { dialect }: Plain): readonly (readonly [string, unknown])[] {
  if (dialect !== "draft-07" || typeof value !== "string") return [];
  return [["content ", { format: `${name} ${value.toLowerCase()}` }]];
}

function renamed(name: string, value: unknown, { dialect }: Plain): readonly (readonly [string, unknown])[] {
  return name === "id" && dialect === "draft-04" && typeof value === "string" ? [["$id", value]] : [];
}

function bound(
  name: string,
  value: unknown,
  schema: Readonly<Record<string, unknown>>,
): readonly (readonly [string, unknown])[] {
  if (typeof value !== "boolean") return [[name, value]];
  const limit = schema[name === "exclusiveMinimum" ? "minimum" : "maximum"];
  return value && limit !== undefined ? [[name, limit]] : [];
}

function inner(
  name: string,
  value: unknown,
  { pointer, reading }: { readonly pointer: string; readonly reading: Plain },
): unknown {
  if (schemaMapKeywords.includes(name) && isObject(value)) {
    const isCut = name === "properties" && reading.names !== undefined;
    const entries = isCut ? Object.entries(value).filter(([key]) => reading.names?.has(key)) : Object.entries(value);
    return objectOf(
      entries.map(([key, child]) => [
        key,
        reading.isFrame === true || plainSchema(child, `${pointer}/${escapeToken(key)}`, reading),
      ]),
    );
  }
  if (!schemaKeywords.includes(name)) return value;
  if (!Array.isArray(value)) return plainSchema(value, pointer, reading);
  return value.map((child, at) => plainSchema(child, `${pointer}/${at}`, reading));
}
