import type { ContentType } from "../../src/core/content-type/content-type.ts";
import { parameter } from "../../src/core/content-type/parameter.ts";
import type { EncodeContext } from "../../src/core/codec/codec.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";

/** Where a message may name its type. */
export interface TypeRules {
  /** The type when the content type names none; it is preferred to the application property. */
  readonly type: string | undefined;
  /** Name of the application property that names it, or `undefined` for none. */
  readonly typeProperty: string | undefined;
}

/** The name of the message type: by content-type parameter, by option, by application property; else `undefined`. */
export function chosenType(
  contentType: ContentType | undefined,
  properties: EncodeContext["applicationProperties"],
  { type, typeProperty }: TypeRules,
): string | undefined {
  const named = contentType && (parameter(contentType, "messageType") ?? parameter(contentType, "proto"));
  if (named !== undefined) return named.replace(/^\./, "");
  if (type !== undefined || typeProperty === undefined) return type;
  if (!Object.hasOwn(properties, typeProperty)) return undefined;
  const property = properties[typeProperty];
  return typeof property === "string" ? property : undefined;
}

/** The error for a message whose type nobody named or that is not in the schema. */
export function unknownType(name: string | undefined, { typeProperty }: TypeRules): SobreError {
  const property = typeProperty === undefined ? "" : ` the application property ${typeProperty},`;
  return new SobreError(
    "UnknownMessageType",
    name === undefined
      ? `Nothing names the Protobuf message type. Set the content-type parameter messageType,${property} or option type.`
      : `The Protobuf message type "${name.slice(0, 100)}" is not in the schema. Add it, or name one that is.`,
  );
}
