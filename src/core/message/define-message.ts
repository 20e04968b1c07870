import { isObject } from "../values/plain-object.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { aContentType } from "../content-type/content-type-check.ts";
import { stageList } from "../codec/stage-list.ts";
import { checkOptions, type OptionChecks } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type {
  Downcasts,
  LatestOf,
  MessageType,
  MessageTypeOptions,
  SchemaVersions,
  Upcasts,
  VersionOf,
} from "./message-type.ts";
import {
  adopted,
  type CheckedBody,
  compileSchema,
  type InputOf,
  type MaybePromise,
  type OutputOf,
  whenReady,
} from "./schema.ts";

/** The steps between the versions of a type; every upcast is required. */
export type Steps<V> = [Exclude<VersionOf<V>, LatestOf<V>>] extends [never]
  ? { readonly upcast?: undefined; readonly downcast?: undefined }
  : { readonly upcast: Upcasts<V>; readonly downcast?: Downcasts<V> | undefined };

/** The argument after the versions: optional for a type with a single version. */
type Rest<V> = [Exclude<VersionOf<V>, LatestOf<V>>] extends [never]
  ? [options?: MessageTypeOptions & Steps<V>]
  : [options: MessageTypeOptions & Steps<V>];

/** The greatest version, so that it fits a 32-bit integer in every format. */
const maxVersion = 2 ** 31 - 1;

/**
 * Defines a message type: a name, a schema per version, and the steps between versions.
 *
 * Version 0 stands for messages that name no version. A body is sent as given; the transforms of a schema are applied
 * by the reader.
 *
 * @throws SobreError `InvalidArgument` naming the problem: no version, an invalid schema, a missing upcast.
 * @example
 * ```ts
 * const Order = defineMessage(
 *   "acme.order",
 *   {
 *     1: jsonSchema({ type: "object", properties: { total: { type: "number" } }, required: ["total"] }),
 *     2: jsonSchema({ type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] }),
 *   },
 *   { upcast: { 1: ({ total }) => ({ cents: Math.round(total * 100) }) } },
 * );
 * console.log(await Order.read({ total: 12.5 }, 1)); // { cents: 1250 }
 * ```
 */
export function defineMessage<const Name extends string, const V extends SchemaVersions>(
  name: Name,
  versions: V,
  ...[options]: Rest<V>
): MessageType<Name, InputOf<V[LatestOf<V>]>, OutputOf<V[LatestOf<V>]>> {
  return assembleMessageType(name, versions, options ?? {});
}

type StepTable<Step = (body: never) => unknown> = Readonly<Record<number, Step | undefined>>;

/** Options of {@link assembleMessageType} besides name and versions. */
export interface UntypedOptions extends MessageTypeOptions {
  readonly upcast?: StepTable | undefined;
  readonly downcast?: StepTable | undefined;
}

const untypedChecks: OptionChecks<UntypedOptions> = {
  wire: is.oneOf("properties", "contentType"),
  aliases: is.object,
  upcast: is.object,
  downcast: is.object,
  contentType: aContentType,
  codec: is.codec,
  stages: stageList,
};

/** {@link defineMessage} for versions that are unknown at compile time. */
export function assembleMessageType<Name extends string, Input, Output>(
  name: Name,
  schemas: SchemaVersions,
  options: UntypedOptions,
): MessageType<Name, Input, Output> {
  if (typeof name !== "string" || name === "" || name.length > 128) {
    throw invalid("The name of a message type must be a string of 1 to 128 characters");
  }
  if (!isObject(schemas)) throw invalid(`${name}: the versions must be an object, e.g. { 1: schema }`);
  checkOptions(options, untypedChecks, { owner: `${name}: ` });
  const { wire = "properties", aliases = {}, upcast = {}, downcast = {}, contentType, codec, stages } = options;
  const versions = versionsOf(name, schemas);
  const latestVersion = versions.at(-1) ?? 0;
  const schemaChecks = versions.map((version) => {
    const schema = schemas[version];
    if (schema === undefined || schema === null)
      throw invalid(`${name}, version ${version}: the schema is missing; jsonSchema(true) allows any body`);
    return compileSchema(schema, `${name}, version ${version}`);
  });
  const up = steps(versions.slice(0, -1), upcast, `${name}: upcast`);
  const down = steps(versions, downcast, `${name}: downcast`);
  const missing = versions.slice(0, -1).find((version) => up.get(version) === undefined);
  if (missing !== undefined)
    throw invalid(
      `${name}: upcast[${missing}] is missing; add a function that converts version ${missing} to the next one`,
    );
  for (const [alias, version] of Object.entries(aliases)) {
    if (!versions.includes(version))
      throw invalid(`${name}: aliases[${JSON.stringify(alias)}] is version ${version}, which the type does not have`);
  }

  const check = (index: number, body: unknown): MaybePromise<unknown> => {
    const checked = schemaChecks[index]?.(body) ?? { ok: true, value: body };
    return whenReady(checked, (outcome) => accepted(outcome, name, versions[index] ?? 0));
  };
  const climb = (index: number, body: unknown): MaybePromise<unknown> => {
    const checked = check(index, body);
    const version = versions[index] ?? 0;
    if (version === latestVersion) return checked;
    return whenReady(checked, (valid) =>
      whenReady(run(up.get(version), valid, `${name}: the upcast from version ${version}`), (next) =>
        climb(index + 1, next),
      ),
    );
  };
  const descend = (index: number, body: unknown, end: number): MaybePromise<unknown> =>
    whenReady(check(index, body), (valid) => {
      // A schema's output is for readers; the body is sent as given.
      if (index === end) return body;
      const what = `${name}: the downcast from version ${versions[index] ?? 0}`;
      return whenReady(run(down.get(versions[index] ?? 0), valid, what), (next) => descend(index - 1, next, end));
    });
  const indexOf = (version: number): number => {
    const index = versions.indexOf(version);
    if (index >= 0) return index;
    const said = Number.isInteger(version) ? `version ${version}` : "a version that is not a whole number";
    throw new SobreError(
      "UnknownMessageVersion",
      `The message has ${said}, but ${name} has only ${versions.join(", ")}. Deploy a reader with that version, or send an older version.`,
    );
  };

  const type: MessageType = {
    name,
    versions,
    latestVersion,
    wire,
    aliases: new Map(Object.entries(aliases)),
    contentType,
    codec,
    stages,
    message(body, { version = latestVersion, ...properties } = {}) {
      indexOf(version);
      return { ...properties, body, messageType: type, messageVersion: version };
    },
    read: (body, version) => climb(indexOf(version), body),
    write: (body, version = latestVersion) => descend(versions.length - 1, body, indexOf(version)),
    schemaOf: (version) => (typeof version === "number" ? schemas[version] : undefined),
  };
  return typed(Object.freeze(type), name);
}

/**
 * The only place where the types of schemas become those of the message type; {@link Rest} has checked that they fit.
 */
function typed<Name extends string, Input, Output>(type: MessageType, _name: Name): MessageType<Name, Input, Output> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- schemas carry their types without a value to infer them from
  return type as MessageType<Name, Input, Output>;
}

function versionsOf(name: string, schemas: SchemaVersions): readonly number[] {
  const keys = Object.keys(schemas);
  const versions = keys.map(Number);
  if (versions.length === 0) throw invalid(`${name}: at least one version is needed, e.g. { 1: schema }`);
  const wrong = versions.find((version) => !Number.isSafeInteger(version) || version < 0 || version > maxVersion);
  // E.g. "01", which would be a second name for version 1.
  const isOdd = keys.some((key) => String(Number(key)) !== key);
  if (wrong !== undefined || isOdd) throw invalid(`${name}: versions are integers from 0 up`);
  return versions.toSorted((a, b) => a - b);
}

function steps(
  versions: readonly number[],
  table: StepTable,
  where: string,
): ReadonlyMap<number, (body: never) => unknown> {
  const found = new Map<number, (body: never) => unknown>();
  for (const [key, step] of Object.entries(table)) {
    if (!versions.includes(Number(key))) throw invalid(`${where}[${key}] is not a step from a version of the type`);
    if (typeof step !== "function") throw invalid(`${where}[${key}] must be a function`);
    found.set(Number(key), step);
  }
  return found;
}

function accepted(checked: CheckedBody, name: string, version: number): unknown {
  if (checked.ok) return checked.value;
  const [first] = checked.problems;
  const shown = checked.problems.slice(0, 5).map(({ path, message }) => `${path} ${message}`);
  const more = checked.problems.length > 5 ? `; and ${checked.problems.length - 5} more` : "";
  const which = version === 0 ? "0 (of messages that name no version)" : version;
  throw new SobreError("ValidationFailed", `The body is not ${name} version ${which}: ${shown.join("; ")}${more}.`, {
    path: first?.path ?? "$",
    cause: checked.cause,
  });
}

function run(step: ((body: never) => unknown) | undefined, body: unknown, what: string): MaybePromise<unknown> {
  if (step === undefined) throw new SobreError("UpcastFailed", `${what} is not defined. Add it to the message type.`);
  try {
    const result = adopted<unknown>(Reflect.apply(step, undefined, [body]));
    return result instanceof Promise ? result.catch((error: unknown) => broke(what, error)) : result;
  } catch (error) {
    return broke(what, error);
  }
}

/** The message of another library's error may quote the body, so only its kind is reported. */
function broke(what: string, cause: unknown): never {
  const kind = cause instanceof Error ? cause.name : typeof cause;
  throw new SobreError("UpcastFailed", `${what} failed with ${kind}.`, { cause });
}

const invalid = (what: string): SobreError => new SobreError("InvalidArgument", `${what}.`);
