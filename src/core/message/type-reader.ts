import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { ReadResult, UnreadableResult } from "../codec/result.ts";
import type { ContentType } from "../content-type/content-type.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { MessageType } from "./message-type.ts";
import { type MaybePromise } from "./schema.ts";
import { readTypeClaim, type TypeClaim } from "./type-property.ts";

/** A body of a message type, in the latest version. */
export interface TypedReadResult extends ReadResult {
  /** The name of the message type, if types were given. */
  readonly messageType: string | undefined;
  /** The version that the message was sent in. */
  readonly messageVersion: number | undefined;
}

/**
 * Finds the type of a read message, validates its body and upgrades it to the latest version; never throws because of
 * its content.
 */
export type TypeReader = (envelope: Envelope, result: ReadResult) => MaybePromise<TypedReadResult | UnreadableResult>;

/**
 * Creates a reader for the given types.
 *
 * If only one type is given, a message that names none is read as that type.
 *
 * @throws SobreError `InvalidArgument` when two types share a name or an alias.
 */
export function createTypeReader(types: readonly MessageType[]): TypeReader {
  const find = createTypeFinder(types);
  return (envelope, result) => {
    const { claim, name, found, type } = find(envelope, result.contentType);
    if (type === undefined) return failed(result, unknownType(claim.declared !== undefined, types));
    const named = found?.version ?? claim.version;
    if (named === undefined && !type.versions.includes(0)) return failed(result, noVersion(type, name !== undefined));
    const version = named ?? 0;
    const read = (body: unknown): TypedReadResult => ({
      ok: true,
      body,
      codec: result.codec,
      contentType: result.contentType,
      typeName: type.name,
      attempts: result.attempts,
      layers: result.layers,
      warnings: result.warnings,
      messageType: type.name,
      messageVersion: version,
    });
    try {
      const body = type.read(result.body, version);
      if (!(body instanceof Promise)) return read(body);
      return body.then(read, (error: unknown) => failed(result, asError(error)));
    } catch (error) {
      return failed(result, asError(error));
    }
  };
}

/** The type that a message names or implies, among those that are known. */
interface FoundType {
  readonly claim: TypeClaim;
  readonly name: string | undefined;
  readonly found: Known | undefined;
  readonly type: MessageType | undefined;
}

/** Creates a function that finds the type of a message, as {@link createTypeReader} does. */
export function createTypeFinder(
  types: readonly MessageType[],
): (envelope: Envelope, contentType: ContentType | undefined) => FoundType {
  checkOption("types", types, is.messageTypes);
  const known = namesOf(types);
  const single = types.length === 1 ? types[0] : undefined;
  return (envelope, contentType) => {
    const claim = readTypeClaim(envelope, contentType);
    const name = claim.declared ?? claim.implied.find((candidate) => known.has(candidate));
    const found = name === undefined ? undefined : known.get(name);
    return { claim, name, found, type: found?.type ?? (claim.declared === undefined ? single : undefined) };
  };
}

interface Known {
  readonly type: MessageType;
  /** The version that an alias stands for. */
  readonly version: number | undefined;
}

function namesOf(types: readonly MessageType[]): ReadonlyMap<string, Known> {
  const known = new Map<string, Known>();
  for (const type of types) {
    const names: readonly (readonly [string, number | undefined])[] = [[type.name, undefined], ...type.aliases];
    for (const [name, version] of names) {
      if (known.has(name))
        throw new SobreError(
          "InvalidArgument",
          `messageTypes: two of them are named ${JSON.stringify(name)}. Rename one, or remove the alias.`,
        );
      known.set(name, { type, version });
    }
  }
  return known;
}

function unknownType(declared: boolean, types: readonly MessageType[]): SobreError {
  const names = types.map(({ name }) => name).join(", ");
  return new SobreError(
    "UnknownMessageType",
    `The message ${declared ? "has a type that is not read here" : "does not name its type"}; read here: ${names}.`,
  );
}

function noVersion({ name, versions }: MessageType, isNamed: boolean): SobreError {
  return new SobreError(
    "UnknownMessageVersion",
    `The message names ${isNamed ? "no version" : "no type or version"}, but ${name} has ${versions.join(", ")}. Send it as ${name}, or add a version 0 for messages without a version.`,
  );
}

/** The result of a message that a codec read and its type refuses. */
export function failed({ attempts }: ReadResult, error: SobreError): UnreadableResult {
  return { ok: false, error, attempts };
}

const asError = (error: unknown): SobreError =>
  SobreError.from(error, "ValidationFailed", "The schema threw on this body");
