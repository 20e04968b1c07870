import type { ContentType } from "../../core/content-type/content-type.ts";
import type { Codec, Encoder } from "../../core/codec/codec.ts";
import { defaultDecodeLimits } from "../../core/codec/limits.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { isSobreError, SobreError } from "../../core/errors/sobre-error.ts";
import type { TypedMessage } from "../../core/message/message-type.ts";
import { type MaybePromise, whenReady } from "../../core/message/schema.ts";
import { isPlainPrototype } from "../../core/values/plain-object.ts";

/** Checks that a typed message can be read back from its envelope; returns the envelope. */
export type ReturnCheck = (envelope: Envelope, message: TypedMessage) => MaybePromise<Envelope>;

/**
 * Creates a check that readers of the same type will accept a body even if the codec changes its form, e.g. decodes a
 * Map as an object. It checks the first message of each type version and codec, and every body with values that JSON
 * lacks.
 */
export function createReturnCheck({ registry }: Pick<Serializer, "registry">): ReturnCheck {
  const met = new WeakMap<TypedMessage["messageType"], Set<string>>();
  return (envelope, { messageType, messageVersion, body }) => {
    const { contentType } = envelope.brokerProperties;
    const selected = registry.encoderFor(contentType, envelope.bodyKind);
    const pair = `${messageVersion} ${selected.encoder.name}`;
    const known = met.get(messageType) ?? new Set();
    if (known.has(pair) && isJson(body, 0)) return envelope;
    const returned = decoded(envelope, selected);
    if (returned === undefined) return envelope;
    return whenReady(read(), () => {
      met.set(messageType, known.add(pair));
      return envelope;
    });

    function read(): MaybePromise<unknown> {
      try {
        const value = messageType.read(returned?.body, messageVersion);
        return value instanceof Promise ? value.catch(refuse) : value;
      } catch (error) {
        return refuse(error);
      }
    }

    function refuse(cause: unknown): void {
      // A failing upcast is not the codec's fault.
      if (isSobreError(cause) && cause.code !== "ValidationFailed") return;
      const { message, path = "$" } = SobreError.from(cause, "ValidationFailed", "The schema threw on this body");
      const what =
        `The codec "${selected.encoder.name}" decodes this body in a form that its own message type rejects. ${message} ` +
        "Use a form there that the codec keeps, e.g. a string, an array or a plain object, and transform it in the schema, " +
        "or use a codec that supports such values.";
      throw new SobreError("UnsupportedValue", what, { path, cause });
    }
  };
}

/** The body as the codec decodes its own bytes; `undefined` if that is unknown here. */
function decoded(
  envelope: Envelope,
  { encoder: codec, contentType }: { readonly encoder: Encoder | Codec; readonly contentType: ContentType | undefined },
): { readonly body: unknown } | undefined {
  if (!("decode" in codec)) return undefined;
  const { payload, bodyKind, applicationProperties } = envelope;
  try {
    const result = codec.decode(payload, {
      contentType,
      applicationProperties,
      bodyKind,
      limits: defaultDecodeLimits,
    });
    return "unwrapped" in result ? undefined : { body: result.body };
  } catch {
    return undefined;
  }
}

/** Deeper bodies are decoded instead of walked. */
const maxDepth = 64;

/** Whether a body consists only of values that every codec preserves. */
function isJson(value: unknown, depth: number): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth === maxDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
  if (!isPlainPrototype(Object.getPrototypeOf(value))) return false;
  return Object.values(value).every((item) => isJson(item, depth + 1));
}
