import { isObject } from "../../core/values/plain-object.ts";
import { json } from "../../../codecs/json/index.ts";
import { msgpack } from "../../../codecs/msgpack/msgpack.ts";
import { protobuf } from "../../../codecs/protobuf/protobuf.ts";
import type { Codec } from "../../core/codec/codec.ts";
import { contextAlone, decodeAlone } from "../../core/codec/decode-alone.ts";
import { resolveDecodeLimits } from "../../core/codec/limits.ts";
import { valueFromJson } from "../../core/values/value-json-reading.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type OptionChecks, checkOptions, invalidOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { compareValues, type Loss } from "../verify/compare-values.ts";
import { removeTypes } from "../infer/discriminator.ts";
import { lowerValue } from "./lower-value.ts";
import { fromProto, toProto } from "./proto-message.ts";
import { planProto, type ProtoPlan } from "./proto-plan.ts";
import type { SettledShape } from "../infer/settled-shape.ts";
import { jsonRules, msgpackRules, protobufRules, rulesOfType, type TargetRules } from "./target-rules.ts";

/** The target formats; `tagged-json` is lossless JSON with `$` objects. */
export const targetFormats = ["json", "msgpack", "protobuf", "tagged-json"] as const;

/** One of {@link targetFormats}. */
export type TargetFormat = (typeof targetFormats)[number];

/** Options of {@link createTarget}. */
export interface TargetOptions {
  readonly format: TargetFormat;
  /**
   * The form of integers beyond 2^53 in JSON: text, along with all integers at their path, or numbers, which most readers
   * of JSON round, and which therefore count as lost. Default: `text`.
   */
  readonly int64?: "text" | "number" | undefined;
  /**
   * The form of decimals, and of the numbers at paths with decimals: text with every digit, or numbers; one that a double
   * cannot represent counts as lost. Default: JSON numbers remain numbers, everything else is text.
   */
  readonly decimal?: "text" | "number" | undefined;
  /**
   * The member of JSON objects that names their type, e.g. `kind`, where the payload names it: .NET's and Java's classes, without
   * namespace unless two have the same name. Default: none; the types are lost where objects at one path have several.
   */
  readonly typeMember?: string | undefined;
}

const optionChecks: OptionChecks<TargetOptions> = {
  format: is.oneOf(...targetFormats),
  int64: is.oneOf("text", "number"),
  decimal: is.oneOf("text", "number"),
  typeMember: is.name,
};

/** A target format. */
export interface MigrationTarget {
  readonly format: TargetFormat;
  readonly rules: TargetRules;
  /** Name of the codec that writes it. */
  readonly codec: string;
  /** How the bodies of one type are written and read. */
  forType(name: string, shape: SettledShape): TypeTarget;
}

/** Encodes, decodes and compares the bodies of one type. */
export interface TypeTarget {
  readonly contentType: string;
  /** The messages of the type in its Protobuf schema. */
  readonly proto: ProtoPlan | undefined;
  /** @throws SobreError `UnsupportedValue`, `LimitExceeded`. */
  encode(body: unknown): Uint8Array;
  /** The body that a reader of the new payload gets. @throws SobreError. */
  decode(payload: Uint8Array): unknown;
  /**
   * Information that the decoded body has lost; `literal` if its numbers were JSON numbers. @throws SobreError
   * `UnsupportedValue` for a value that was decoded as a different one.
   */
  compare(body: unknown, decoded: unknown, literal?: boolean): readonly Loss[];
  /** The decoded body without what this target has added to the original one. */
  withoutAdditions(body: unknown, decoded: unknown): unknown;
}

/** Creates a target. @throws SobreError `InvalidArgument` for an unknown option or an invalid value. */
export function createTarget(options: TargetOptions): MigrationTarget {
  checkOptions(options, optionChecks, { needed: ["format"], prefix: "target." });
  const { format, int64 = "text", decimal = "as-written", typeMember } = options;
  if (typeMember !== undefined && format !== "json")
    throw invalidOption("target.typeMember", "is for JSON; tagged JSON names types itself");
  switch (format) {
    case "json":
      return plainTarget(format, json(), { ...jsonRules(int64, decimal), typeMember });
    case "msgpack":
      return plainTarget(format, msgpack(), { ...msgpackRules, decimal });
    case "protobuf":
      return protobufTarget({ ...protobufRules, decimal });
    case "tagged-json":
      return taggedTarget();
    default:
      return format satisfies never;
  }
}

const limits = resolveDecodeLimits({ maxBytes: Number.MAX_SAFE_INTEGER, maxDepth: 512, maxItems: 20_000_000 });
const context = contextAlone(limits);

function plainTarget(format: TargetFormat, codec: Codec, rules: TargetRules): MigrationTarget {
  return {
    format,
    rules,
    codec: codec.name,
    forType(_, shape) {
      const own = rulesOfType(rules, shape);
      const { discriminator } = own;
      return {
        contentType: codec.contentType,
        proto: undefined,
        encode: (body) => codec.encode(lowerValue(body, shape, own), context).payload,
        decode: (payload) => decodeAlone(codec, payload, limits),
        compare: (body, decoded, literal) => compareValues(body, decoded, shape, own, literal),
        withoutAdditions(body, decoded) {
          if (discriminator !== undefined) removeTypes(body, decoded, discriminator);
          return decoded;
        },
      };
    },
  };
}

function protobufTarget(rules: TargetRules): MigrationTarget {
  return {
    format: "protobuf",
    rules,
    codec: "protobuf",
    forType(name, shape) {
      const plan = planProto(name, shape, rules);
      const codec = protobuf({ protos: plan.text, keepCase: true, type: plan.messageType });
      return {
        contentType: `application/protobuf; messageType=${plan.messageType}`,
        proto: plan,
        encode: (body) => codec.encode(toProto(lowerValue(body, shape, rules), plan), context).payload,
        decode: (payload) => fromProto(decodeAlone(codec, payload, limits), plan),
        compare: (body, decoded, literal) => compareValues(body, decoded, shape, rules, literal),
        withoutAdditions: nothingAdded,
      };
    },
  };
}

const nothingAdded = (_: unknown, decoded: unknown): unknown => decoded;

function taggedTarget(): MigrationTarget {
  const codec = json({ protoKey: "keep" });
  return {
    format: "tagged-json",
    rules: jsonRules("text", "text"),
    codec: "tagged-json",
    forType: () => ({
      contentType: codec.contentType,
      proto: undefined,
      encode: (body) => codec.encode(valueToJson(body), context).payload,
      decode: (payload) => valueFromJson(decodeAlone(codec, payload, limits)),
      withoutAdditions: nothingAdded,
      compare(body, decoded) {
        if (comparable(body) === comparable(decoded)) return [];
        throw new SobreError("UnsupportedValue", "The body was read back from the migrated payload as another value.", {
          path: "$",
        });
      },
    }),
  };
}

/** The rendering on one line; a UTC time may be decoded as another class, whose fraction has other trailing zeros. */
function comparable(body: unknown): string {
  return JSON.stringify(valueToJson(body), (_key, value: unknown) => {
    if (!isObject(value) || value["kind"] !== "utc" || typeof value["$dateTime"] !== "string") return value;
    return value["$dateTime"].replace(/(\.\d*?)0+Z$/, "$1Z").replace(".Z", "Z");
  });
}
