import { guardedCodec } from "../../src/core/codec/guarded-codec.ts";
import { messageProperties } from "../../src/core/message/message-properties.ts";
import type { Codec, EncodeContext, Sniff } from "../../src/core/codec/codec.ts";
import type { MediaRange } from "../../src/core/content-type/media-range.ts";
import { parseMediaRange } from "../../src/core/content-type/parse-media-range.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { checkOptions, type OptionChecks } from "../../src/core/options/option-checks.ts";
import * as is from "../../src/core/options/is.ts";
import { messageCodecs } from "./message-codec.ts";
import { openSchema, type ProtobufDescriptor, type ProtobufRoot } from "./reflection.ts";
import type { ContentType } from "../../src/core/content-type/content-type.ts";
import { parameter } from "../../src/core/content-type/parameter.ts";

/** Options of {@link protobuf}; exactly one of `root`, `protos` and `descriptor` gives the schema, which is trusted. */
export interface ProtobufOptions {
  /** A `Root` of protobufjs. */
  readonly root?: ProtobufRoot;
  /** The text of one .proto file, or several by the names under which they import each other. */
  readonly protos?: string | Readonly<Record<string, string>>;
  /** A schema as the JSON of protobufjs (`pbjs -t json`). */
  readonly descriptor?: ProtobufDescriptor;
  /** Keeps the field names of `protos` as written instead of turning them into lowerCamelCase. Default: false. */
  readonly keepCase?: boolean;
  /** The full name of the message type for messages whose content type names none. Default: none. */
  readonly type?: string;
  /**
   * The application property that names the message type if neither content type nor `type` does. Default:
   * `sobre-type`.
   */
  readonly typeProperty?: string;
}

const optionChecks: OptionChecks<ProtobufOptions> = {
  // Checked when the schema is read.
  root: is.anything,
  protos: is.anything,
  descriptor: is.anything,
  keepCase: is.flag,
  type: is.name,
  typeProperty: is.name,
};

const accepts: readonly MediaRange[] = Object.freeze(
  ["application/protobuf", "application/x-protobuf", "application/vnd.google.protobuf", "application/*+protobuf"].map(
    parseMediaRange,
  ),
);

/**
 * The codec `protobuf`, for the message types of one schema (proto2, proto3, editions).
 *
 * The message type is named by the content-type parameter `messageType` or `proto`, else the option `type`, else the
 * application property `typeProperty`; without a name it throws `UnknownMessageType`, it never guesses.
 *
 * Bodies are plain objects: 64-bit integers as bigints, bytes as `Uint8Array` (views of the payload), enums as names
 * and their unknown numbers as numbers, maps as objects. Fields without presence (proto3 scalars, lists, maps) always
 * appear, with their defaults; others (messages, `optional`, oneofs, proto2) only if they were sent. Fields that the
 * schema lacks, and numbers that a closed enum lacks, are ignored with a warning. A field with another wire type than
 * the schema's is refused: another message type wrote it, and the body would show a default instead. Messages are read
 * up to `limits.maxDepth` levels deep, and written up to 101.
 *
 * `encode` accepts what `decode` returns, safe integers for 64 bits, and enum numbers; `undefined` is absent, anything
 * else is refused.
 *
 * @throws SobreError `InvalidArgument` when the schema cannot be read or lacks `type`.
 * @example
 * ```ts
 * const protos = 'syntax = "proto3"; package shop; message Order { int64 id = 1; }';
 * const serializer = createSerializer({ codecs: [protobuf({ protos, type: "shop.Order" })] });
 * const result = serializer.deserialize(serializer.serialize({ body: { id: 7n } }));
 * console.log(result.ok && result.body); // { id: 7n }
 * ```
 */
export function protobuf(options: ProtobufOptions): Codec {
  checkOptions(options, optionChecks, { owner: "protobuf: " });
  const types = messageCodecs(openSchema(options));
  const rules: TypeRules = {
    type: options.type?.replace(/^\./, ""),
    typeProperty: options.typeProperty ?? messageProperties.type,
  };
  if (rules.type !== undefined && !types.has(rules.type)) {
    throw new SobreError("InvalidArgument", `Option type names "${rules.type}", which is not in the schema.`, {
      path: "$.type",
    });
  }
  return guardedCodec({
    name: "protobuf",
    contentType: "application/protobuf",
    accepts,
    decode(payload, context) {
      const name = chosenType(context.contentType, context.applicationProperties, rules) ?? context.type;
      const type = name === undefined ? undefined : types.get(name);
      if (type !== undefined) return type.decode(payload, context.limits);
      throw unknownType(name, rules);
    },
    sniff,
    encode(body, { contentType, applicationProperties }) {
      if (body === undefined) return { payload: new Uint8Array(0) };
      const name = chosenType(contentType, applicationProperties, rules);
      const type = name === undefined ? undefined : types.get(name);
      if (type === undefined) throw unknownType(name, rules);
      return { payload: type.encode(body) };
    },
  });
}

/** Rules out what cannot begin with a tag; no bytes are a sure sign of Protobuf. */
function sniff(payload: Uint8Array): Sniff {
  const [first] = payload;
  if (first === undefined) return "weak";
  const wireType = first & 7;
  return wireType < 4 || wireType === 5 ? (first < 8 ? "no" : "weak") : "no";
}

/** Where a message may name its type. */
interface TypeRules {
  /** The type when the content type names none; it is preferred to the application property. */
  readonly type: string | undefined;
  /** Name of the application property that names it, or `undefined` for none. */
  readonly typeProperty: string | undefined;
}

/** The name of the message type: by content-type parameter, by option, by application property; else `undefined`. */
function chosenType(
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
function unknownType(name: string | undefined, { typeProperty }: TypeRules): SobreError {
  const property = typeProperty === undefined ? "" : ` the application property ${typeProperty},`;
  return new SobreError(
    "UnknownMessageType",
    name === undefined
      ? `Nothing names the Protobuf message type. Set the content-type parameter messageType,${property} or option type.`
      : `The Protobuf message type "${name.slice(0, 100)}" is not in the schema. Add it, or name one that is.`,
  );
}
