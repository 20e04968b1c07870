import type { DeserializeResult, ReadResult } from "../codec/result.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { hasMethod, type OptionCheck } from "../options/is.ts";
import type { MessageType } from "./message-type.ts";
import { type CheckedBody, compileSchema, type MaybePromise, type OutputOf, type Schema } from "./schema.ts";
import { isStandardSchema } from "./standard-schema.ts";
import { createTypeReader, failed, type TypeReader } from "./type-reader.ts";

/** The expected type of a body: a name, a schema of any Standard Schema library, or a message type. */
export type ExpectedType = string | Schema | MessageType;

/** The type of a body that is read as an {@link ExpectedType}. */
export type BodyAs<Type> =
  Type extends MessageType<string, infer _Input, infer Output>
    ? Output
    : Type extends Schema
      ? OutputOf<Type>
      : unknown;

/** Accepts an {@link ExpectedType}. */
export const anExpectedType: OptionCheck = (type) =>
  (typeof type === "string" && type !== "") || isMessageType(type) || isStandardSchema(type)
    ? undefined
    : "must be the name of a type, a Standard Schema or a message type made by defineMessage";

const isMessageType = (type: unknown): type is MessageType => hasMethod(type, "read") && hasMethod(type, "message");

/** The type name for codecs that need one. */
export function expectedName(type: ExpectedType | undefined): string | undefined {
  return typeof type === "string" ? type : isMessageType(type) ? type.name : undefined;
}

const readers = new WeakMap<MessageType, TypeReader>();
const schemas = new WeakMap<Schema, (value: unknown) => MaybePromise<CheckedBody>>();

/** The result with the body converted to the expected type, or the reason why it does not fit. */
export function fitted(envelope: Envelope, result: DeserializeResult, type: ExpectedType): DeserializeResult {
  if (!result.ok) return result;
  if (typeof type === "string") return named(result, type);
  const read = isMessageType(type) ? readAs(envelope, result, type) : checked(result, type);
  if (!(read instanceof Promise)) return read;
  // Its result is not needed.
  read.catch(() => undefined);
  const why =
    "The expected type is asynchronous. Pass it to a receiver or processor in messageTypes, which may be asynchronous.";
  return failed(result, new SobreError("InvalidOperation", why));
}

/** Refuses a payload that names another type than the expected one. */
function named(result: ReadResult, type: string): DeserializeResult {
  if (result.typeName === undefined || result.typeName === type) return result;
  return failed(
    result,
    new SobreError("UnknownMessageType", "The body is not of the expected type: it names another one."),
  );
}

function readAs(envelope: Envelope, result: ReadResult, type: MessageType): MaybePromise<DeserializeResult> {
  const reader = readers.get(type) ?? createTypeReader([type]);
  readers.set(type, reader);
  return reader(envelope, result);
}

function checked(result: ReadResult, schema: Schema): MaybePromise<DeserializeResult> {
  const check = schemas.get(schema) ?? compileSchema(schema, "type");
  schemas.set(schema, check);
  try {
    const outcome = check(result.body);
    return outcome instanceof Promise ? outcome.then(use) : use(outcome);
  } catch (error) {
    return failed(result, SobreError.from(error, "ValidationFailed", "The schema of the expected type failed"));
  }

  function use(outcome: CheckedBody): DeserializeResult {
    if (outcome.ok) return { ...result, body: outcome.value };
    const [first] = outcome.problems;
    const reasons = outcome.problems.slice(0, 5).map(({ path, message }) => `${path} ${message}`.trim());
    const what = `The body is not of the expected type: ${reasons.join("; ")}.`;
    return failed(result, new SobreError("ValidationFailed", what, { path: first?.path, cause: outcome.cause }));
  }
}
